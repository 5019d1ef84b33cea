"""The pages of the API documentation.

Both are long, so axe reads parts of them. Swagger UI's own markup breaks rules of contrast and of
nested controls that we cannot change: on its page axe reads our navigation only.
"""

from playwright.sync_api import Page

from tests.screenshots.demo_site import DemoSite
from tests.screenshots.screenshot import Screenshot

REFERENCE_PARTS = (
    ".docs-bar",
    ".menu-content",
    "[id='section/Getting-started']",
    "[id='section/Getting-started/Request-a-withdrawal']",
    "[id='section/Errors']",
    "[id='tag/Withdrawals/operation/withdrawals_create']",
)
TRY_PARTS = (".docs-bar",)


def open_reference(page: Page) -> Page:
    """Open the guide with the reference."""
    page.goto("/v1/docs")
    page.locator(".example").last.wait_for()
    page.locator(REFERENCE_PARTS[-1]).wait_for()
    return page


def open_try(page: Page) -> Page:
    """Open the page for trying requests."""
    page.goto("/v1/docs/try")
    page.locator(".opblock").last.wait_for()
    return page


def reference_page(site: DemoSite) -> Page:
    return open_reference(site.anonymous_page())


def try_page(site: DemoSite) -> Page:
    return open_try(site.anonymous_page())


SCREENSHOTS = (
    Screenshot("api-reference", reference_page, parts=REFERENCE_PARTS),
    Screenshot("api-try", try_page, parts=TRY_PARTS),
)
