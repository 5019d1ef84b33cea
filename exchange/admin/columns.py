"""List columns and page fields computed from the record alone."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from django.contrib import admin

from exchange.admin.display import format_time, record_link, status_badge
from exchange.core.currencies import format_money


def column(
    heading: str, value: Callable[[Any], object], *, ordering: str | None = None
) -> Callable[[Any, Any], Any]:
    """Return an admin column that displays `value` of each record under `heading`.

    `ordering` is the database column that sorts it; without one it is not sortable.
    """

    @admin.display(description=heading, ordering=ordering)
    def display(_admin: object, record: Any) -> object:
        return value(record)

    return display


def time_column(heading: str, name: str, *, ordering: str | None = None) -> Callable[..., Any]:
    """Return a column of the time `name`; a dash without one."""
    read = attrgetter(name)

    def display(record: Any) -> object:
        when = read(record)
        return format_time(when) if when else "-"

    return column(heading, display, ordering=ordering)


def money_column(
    heading: str, amount: str, currency: str = "currency_id", *, ordering: str | None = None
) -> Callable[..., Any]:
    """Return a column of `amount` in the currency whose code is `currency`."""
    read = attrgetter(amount, currency)
    return column(heading, lambda record: format_money(*read(record)), ordering=ordering)


def link_column(heading: str, name: str, *, ordering: str | None = None) -> Callable[..., Any]:
    """Return a column that links to the record `name`; a dash without one."""
    read = attrgetter(name)

    def display(record: Any) -> object:
        linked = read(record)
        return record_link(linked) if linked else "-"

    return column(heading, display, ordering=ordering)


def status_column() -> Callable[..., Any]:
    """Return the column of a status."""
    return column("status", lambda record: status_badge(record.status), ordering="status")
