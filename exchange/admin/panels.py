"""Panels that a subject adds to the pages of another subject's records.

`config.back_office.panels` assigns them to pages, so that imports keep going one way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import Model
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.html import format_html_join
from django.utils.module_loading import import_string
from django.utils.safestring import SafeString

if TYPE_CHECKING:
    from exchange.admin.base import SafeAdmin, Tool


class Panel:
    """An extension of a record's pages; override the parts it provides.

    `page` is the admin of the records. `tab` is the part of the page that shows its tables.
    """

    tab = ""

    def tools(self, page: SafeAdmin, request: HttpRequest, record: Any) -> Sequence[Tool]:
        """Return links and buttons appended to the page's own."""
        return ()

    def sections(self, page: SafeAdmin, request: HttpRequest, record: Any) -> Sequence[Any]:
        """Return tables appended to the page's own."""
        return ()

    def warnings(self, page: SafeAdmin, request: HttpRequest, record: Any) -> Sequence[str]:
        """Return warnings shown in red above the page's fields."""
        return ()

    def badges(self, records: Sequence[Any]) -> Mapping[Any, Sequence[str]]:
        """Return badges of `records` by primary key, for lists and search results."""
        return {}

    def context(self, page: SafeAdmin, request: HttpRequest, record: Any) -> dict[str, Any]:
        """Return template context for all custom pages of `record`."""
        return {}

    def urls(self, page: SafeAdmin) -> list[URLPattern]:
        """Return URLs of further pages, relative to the list's."""
        return []


class LinksPanel(Panel):
    """Links computed from the record; a function returns None where it has no link."""

    def __init__(self, *links: Callable[[Any], Tool | None]) -> None:
        self._links = links

    def tools(self, page: SafeAdmin, request: HttpRequest, record: Any) -> Sequence[Tool]:
        """Return the links of `record`."""
        return [tool for link in self._links if (tool := link(record)) is not None]


def panels_of(model: type[Model]) -> Sequence[Panel]:
    """Return the panels of the pages of `model`."""
    get_panels: Callable[[type[Model]], Sequence[Panel]] = import_string(settings.RECORD_PANELS)
    return get_panels(model)


def badges_of(model: type[Model], records: Sequence[Any]) -> dict[Any, SafeString]:
    """Return the badges that the panels of `model` give its `records`, by primary key."""
    found: dict[Any, list[tuple[str]]] = {}
    for panel in panels_of(model) if records else ():
        for pk, badges in panel.badges(records).items():
            found.setdefault(pk, []).extend((badge,) for badge in badges)
    return {pk: format_html_join(" ", "{}", badges) for pk, badges in found.items()}
