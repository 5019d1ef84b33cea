"""`python -m tests.screenshots`: takes the pictures and exits with 1 if a page has a fault.

Each page is opened once and shown in four variants: light and dark, on a desktop and on a phone.
"""

import argparse
import os
import sys
import time
from contextlib import nullcontext
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import django
from playwright.sync_api import Error, Page, ViewportSize, sync_playwright
from requests import RequestException

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
django.setup()

from tests.assertions import accessibility as axe  # noqa: E402
from tests.environment.browser import launch  # noqa: E402
from tests.environment.processes import CHECKOUT  # noqa: E402
from tests.screenshots.demo_site import DemoSite, demo_service  # noqa: E402
from tests.screenshots.main_pages import SCREENSHOTS  # noqa: E402
from tests.screenshots.screenshot import Screenshot  # noqa: E402

PICTURES = CHECKOUT / "build" / "screenshots"
DOCS = CHECKOUT / "docs" / "screenshots"
DESKTOP: ViewportSize = {"width": 1280, "height": 860}
PHONE: ViewportSize = {"width": 390, "height": 844}


@dataclass(frozen=True, slots=True)
class Variant:
    """A device and theme to show a page with."""

    device: str
    viewport: ViewportSize
    theme: Any

    def __str__(self) -> str:
        return f"{self.device}-{self.theme}"


VARIANTS = tuple(
    Variant(device, viewport, theme)
    for device, viewport in (("desktop", DESKTOP), ("phone", PHONE))
    for theme in ("light", "dark")
)
# Pictures of the documentation show the part above the fold, to stay small.
DOCS_HEIGHT = 760
IN_DOCS = {
    "dashboard": ("desktop-light", "desktop-dark", "phone-light"),
    "withdrawal-review": ("desktop-light", "phone-dark"),
    "loan": ("desktop-light",),
}


def show_variant(page: Page, variant: Variant) -> None:
    """Show the page in the variant."""
    page.set_viewport_size(variant.viewport)
    page.emulate_media(color_scheme=variant.theme)
    page.evaluate("() => window.scrollTo(0, 0)")
    page.wait_for_function(
        "(dark) => document.documentElement.classList.contains('dark') === dark",
        arg=variant.theme == "dark",
    )


def page_faults(page: Page, variant: Variant, parts: tuple[str, ...]) -> list[str]:
    """Return the page's accessibility violations, and overflow beyond its width."""
    faults = [str(finding) for finding in axe.find_violations(page, parts)]
    wide = page.evaluate("() => document.documentElement.scrollWidth")
    if wide > variant.viewport["width"]:
        faults.append(f"the page is {wide} pixels wide")
    return faults


def take_pictures(site: DemoSite, screenshot: Screenshot, docs: bool) -> list[str]:
    """Open a page, take its pictures and return its faults, each with its variant."""
    try:
        page = screenshot.open_page(site)
        page.wait_for_load_state("networkidle")
    except (Error, AssertionError, RequestException) as error:
        return [f"could not be opened: {str(error).splitlines()[0]}", *site.problems.drain()]
    faults = [f"request to another host: {url}" for url in site.take_stray_requests()]
    for variant in VARIANTS:
        show_variant(page, variant)
        faults += [f"{variant}: {fault}" for fault in page_faults(page, variant, screenshot.parts)]
        picture = PICTURES / f"{screenshot.name}-{variant}.png"
        page.screenshot(path=picture, full_page=not screenshot.parts)
        if docs and str(variant) in IN_DOCS.get(screenshot.name, ()):
            page.screenshot(
                path=DOCS / f"{screenshot.name}-{variant}.png",
                clip={"x": 0, "y": 0, "width": variant.viewport["width"], "height": DOCS_HEIGHT},
            )
    show_variant(page, VARIANTS[0])
    return faults + site.problems.drain(screenshot.status)


def options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description=__doc__)
    parser.add_argument("pages", nargs="*", help="names of pages; * matches anything")
    parser.add_argument("--docs", action="store_true", help="also write docs/screenshots")
    parser.add_argument("--data", type=Path, help="data directory of a running service to use")
    return parser.parse_args()


def main() -> int:
    """Take the requested pictures and print the faults; return the exit code."""
    asked = options()
    wanted = asked.pages or ["*"]
    screenshots = [each for each in SCREENSHOTS if any(fnmatch(each.name, name) for name in wanted)]
    if asked.data:
        screenshots = [each for each in screenshots if not each.needs_own_service]
    if not screenshots:
        print(f"No page matches. Pages: {', '.join(each.name for each in SCREENSHOTS)}")
        return 2
    PICTURES.mkdir(parents=True, exist_ok=True)
    if asked.docs:
        DOCS.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    found = 0
    service = nullcontext(asked.data) if asked.data else demo_service()
    with service as data, sync_playwright() as playwright:
        browser = launch(playwright)
        site = DemoSite(browser, data)
        for screenshot in screenshots:
            faults = take_pictures(site, screenshot, asked.docs)
            site.release_connections()
            print(
                f"{screenshot.name}: {len(faults) or 'no'} fault{'s' if len(faults) != 1 else ''}"
            )
            for fault in faults:
                print(f"  {fault}")
            sys.stdout.flush()
            found += len(faults)
        browser.close()
    print(
        f"{len(screenshots)} pages, {len(screenshots) * len(VARIANTS)} pictures in {PICTURES},"
        f" {found} faults, {time.monotonic() - began:.0f} s"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
