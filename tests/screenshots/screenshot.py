"""A page to take pictures of, and simple ways to open one."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page

from tests.screenshots.demo_site import DemoSite


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A page with the name of its pictures and the function that opens it.

    `status` is the expected HTTP status. With `needs_own_service` the page is only taken of a
    service started for the pictures, because opening it changes data.
    """

    name: str
    open_page: Callable[[DemoSite], Page]
    status: int = 200
    needs_own_service: bool = False
    parts: tuple[str, ...] = ()


def wait_for_success(page: Page) -> None:
    """Wait for the message of a form that was accepted."""
    page.locator(".message.success").first.wait_for()


def at(role: str, address: str) -> Callable[[DemoSite], Page]:
    """Open a path below /admin/ as `role`."""

    def open_page(site: DemoSite) -> Page:
        page = site.page(role)
        page.goto(f"/admin/{address}")
        return page

    return open_page


def first_record(role: str, listing: str, further: str = "") -> Callable[[DemoSite], Page]:
    """Open the first record of a list, or its page `further`."""

    def open_page(site: DemoSite) -> Page:
        page = site.page(role)
        path = site.first_record_path(page, listing)
        page.goto(re.sub(r"change/$", further, path) if further else path)
        return page

    return open_page
