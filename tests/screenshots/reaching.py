"""What a scene is, and the plain ways to one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page

from tests.screenshots.studio import Studio


@dataclass(frozen=True, slots=True)
class Scene:
    """A page, by the name of its pictures; `reach` leads there and gives the browser's page.

    `status` is what the page answers with, where that is an error. `alone`: it is only for a
    service that was started for the pictures, since it changes what is in it.
    """

    name: str
    reach: Callable[[Studio], Page]
    status: int = 200
    alone: bool = False


def at(role: str, address: str) -> Callable[[Studio], Page]:
    """The page of `role` at an address below /admin/."""

    def reach(studio: Studio) -> Page:
        page = studio.page(role)
        page.goto(f"/admin/{address}")
        return page

    return reach


def first(role: str, listing: str, further: str = "") -> Callable[[Studio], Page]:
    """The first record of a list, or a page below it: `change/` becomes `further`."""

    def reach(studio: Studio) -> Page:
        page = studio.page(role)
        path = studio.first(page, listing)
        page.goto(re.sub(r"change/$", further, path) if further else path)
        return page

    return reach
