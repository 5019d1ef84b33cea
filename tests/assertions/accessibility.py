"""axe-core on a page as a browser shows it: what stands against WCAG 2.1, levels A and AA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from playwright.sync_api import Page

_OPTIONS = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
    "resultTypes": ["violations"],
}
_LONGEST = 160
# Colours fade from one theme to the other; what is judged is where they end.
_SETTLED = """() => Promise.all(document.getAnimations().map((a) => a.finished.catch(() => 0)))"""


@dataclass(frozen=True, slots=True)
class Violation:
    """One element that breaks one rule, and what is wrong with it."""

    rule: str
    element: str
    why: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.element} ({self.why})"


def wait_for_animations(page: Page) -> None:
    """Waits until nothing fades or moves any more."""
    page.evaluate(_SETTLED)


def find_violations(page: Page, parts: Sequence[str] = ()) -> list[Violation]:
    """Return what axe finds on the page as it is now; `parts` are selectors, without them all."""
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
