"""axe-core on a page in the browser: violations of WCAG 2.1, levels A and AA."""

from collections.abc import Sequence
from dataclasses import dataclass

from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from playwright.sync_api import Page

_OPTIONS = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
    "resultTypes": ["violations"],
}
_LONGEST = 160
# Colours fade between themes, from the next frame on; only their final values are checked.
_SETTLED = """async () => {
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    await frame();
    await Promise.all(document.getAnimations().map((each) => each.finished.catch(() => 0)));
}"""


@dataclass(frozen=True, slots=True)
class Violation:
    """One element that violates a rule, and why."""

    rule: str
    element: str
    why: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.element} ({self.why})"


def wait_for_animations(page: Page) -> None:
    """Wait until all animations have finished."""
    page.evaluate(_SETTLED)


def find_violations(page: Page, parts: Sequence[str] = ()) -> list[Violation]:
    """Return the violations on the current page, or in the elements that `parts` select."""
    wait_for_animations(page)
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    context = {"include": [[part] for part in parts]} if parts else None
    run = "([context, options]) => axe.run(context ?? document, options)"
    found = page.evaluate(run, [context, _OPTIONS])
    return [
        Violation(
            violation["id"],
            " ".join(node["html"].split())[:_LONGEST],
            " ".join(node["failureSummary"].split())[:_LONGEST],
        )
        for violation in found["violations"]
        for node in violation["nodes"]
    ]
