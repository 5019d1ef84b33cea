"""Headless Chromium, driven through Playwright, on the pages of the running service.

Uses the machine's Chromium, or the one that CHROMIUM names. Without one the tests are skipped, or
fail when REQUIRE_BROWSER is set. Pages may not send requests to other hosts.
"""

import os
import shutil
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Playwright,
    Request,
    expect,
    sync_playwright,
)

from tests.environment.services import HOST, Service, ServiceStack

# Chromium runs as root only without its sandbox. Background requests are switched off.
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Other hosts are not resolved. Intercepting requests instead would disable the cache.
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {HOST}, EXCLUDE localhost",
)
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
TIMEOUT_MILLISECONDS = 30_000


def chromium_path() -> str | None:
    """Return the path of this machine's Chromium."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)


def launch(playwright: Playwright) -> Browser:
    """Launch Chromium. Raises `RuntimeError` where the machine has none."""
    path = chromium_path()
    if path is None:
        raise RuntimeError("There is no Chromium on this machine; CHROMIUM may name one")
    return playwright.chromium.launch(executable_path=path, args=list(_FLAGS))


def stray_requests(context: BrowserContext | Page) -> list[str]:
    """Return a list that collects blocked requests to other hosts."""
    found: list[str] = []

    def note(request: Request) -> None:
        if urlsplit(request.url).hostname not in {HOST, "localhost"}:
            found.append(request.url)

    context.on("requestfailed", note)
    return found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One Chromium for all tests of this process."""
    if chromium_path() is None and not os.environ.get("REQUIRE_BROWSER"):
        pytest.skip("needs Chromium")
    # Playwright keeps an event loop in this thread, next to Django's synchronous code.
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    expect.set_options(timeout=TIMEOUT_MILLISECONDS)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="session")
def profile(chromium: Browser, service_stack: ServiceStack) -> Iterator[BrowserContext]:
    """One browser profile for all tests of this process, so that styles and scripts are cached."""
    context = chromium.new_context(base_url=service_stack.base_url)
    context.set_default_timeout(TIMEOUT_MILLISECONDS)
    yield context
    context.close()


@pytest.fixture
def page(profile: BrowserContext, live_service: Service) -> Iterator[Page]:
    """A page of the running service without cookies or stored data.

    Script errors and requests to other hosts fail the test.
    """
    shown = profile.new_page()
    elsewhere = stray_requests(shown)
    faults: list[str] = []
    shown.on("pageerror", lambda error: faults.append(str(error)))
    yield shown
    browser = profile.new_cdp_session(shown)
    for origin in (live_service.base_url, live_service.service_stack.passkey_origin):
        everything = {"origin": origin, "storageTypes": "all"}
        browser.send("Storage.clearDataForOrigin", everything)
    for each in profile.pages:
        each.close()
    assert elsewhere == [], "a page sent requests to other hosts"
    assert faults == [], "a script of a page failed"
