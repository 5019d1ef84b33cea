"""What upper subjects show on the pages of records below them.

A subject provides panels; `config.back_office.panels` lists on which pages each of them stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import Model
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.module_loading import import_string

if TYPE_CHECKING:
    from exchange.admin.base import SafeAdmin, Tool


class Panel:
    """A part of the pages of records that another subject provides: override what it has.

    `page` is the admin of the records.
    """

    def tools(self, page: SafeAdmin, request: HttpRequest, record: Any) -> Sequence[Tool]:
        """Return links and buttons for the end of the page's own."""
        return ()

    def sections(self, page: SafeAdmin, request: HttpRequest, record: Any) -> Sequence[Any]:
        """Return tables for the end of the page's own."""
        return ()

    def context(self, page: SafeAdmin, request: HttpRequest, record: Any) -> dict[str, Any]:
        """Return what the templates of all further pages of `record` are told."""
        return {}

    def urls(self, page: SafeAdmin) -> list[URLPattern]:
        """Return the addresses of further pages, relative to the list's."""
        return []


class LinksPanel(Panel):
    """Links that each follow from the record alone; a function answers None where it has none."""

    def __init__(self, *links: Callable[[Any], Tool | None]) -> None:
        self._links = links

    def tools(self, page: SafeAdmin, request: HttpRequest, record: Any) -> Sequence[Tool]:
        """Return the links that `record` has."""
        return [tool for link in self._links if (tool := link(record)) is not None]


def panels_of(model: type[Model]) -> Sequence[Panel]:
    """Return the panels of the pages of `model`."""
    listed: Callable[[type[Model]], Sequence[Panel]] = import_string(settings.RECORD_PANELS)
    return listed(model)
