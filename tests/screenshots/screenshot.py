"""What a scene is, and the plain ways to one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page

from tests.screenshots.demo_site import DemoSite


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A page, by the name of its pictures; `reach` leads there and gives the browser's page.

    `status` is what the page answers with, where that is an error. `alone`: it is only for a
    service that was started for the pictures, since it changes what is in it. `parts` are what axe
    reads of a page too long to be read, and pictured, as a whole.
    """

    name: str
    open_page: Callable[[DemoSite], Page]
    status: int = 200
    needs_own_service: bool = False
    parts: tuple[str, ...] = ()


def at(role: str, address: str) -> Callable[[DemoSite], Page]:
    """The page of `role` at an address below /admin/."""

    def open_page(site: DemoSite) -> Page:
        page = site.page(role)
        page.goto(f"/admin/{address}")
        return page

    return open_page


def first_record(role: str, listing: str, further: str = "") -> Callable[[DemoSite], Page]:
    """The first record of a list, or a page below it: `change/` becomes `further`."""

    def open_page(site: DemoSite) -> Page:
        page = site.page(role)
        path = site.first_record_path(page, listing)
        page.goto(re.sub(r"change/$", further, path) if further else path)
        return page

    return open_page
