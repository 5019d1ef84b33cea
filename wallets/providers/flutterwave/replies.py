"""Interpretation of replies that several calls share: data, and lists of many pages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Generic, TypeVar

from wallets.providers.base import Listed, ProviderUnavailable, UnreadableRecord
from wallets.providers.flutterwave.fields import (
    MalformedResponse,
    integer_field,
    list_of,
    object_of,
    printable,
)
from wallets.providers.flutterwave.transport import Call, Reply

_Value = TypeVar("_Value")
_Row = TypeVar("_Row")

_MAX_LIST_PAGES = 5_000
# A list that changes while it is read is read again.
_LIST_ATTEMPTS = 3
# The provider's clock, and what it calls a day, may be hours from ours.
_DAY_MARGIN = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ListedKind(Generic[_Row]):
    """What a list holds: its name in errors, how a row is read, its id and its time."""

    noun: str
    read_row: Callable[[Any], _Row]
    id_of: Callable[[_Row], str]
    created_at: Callable[[_Row], datetime]


def response_data(reply: Reply) -> Any:
    """Return the data of a successful reply. Raises `ProviderUnavailable` for an error envelope."""
    if not reply.envelope.ok:
        message = reply.envelope.message
        raise ProviderUnavailable(f"the provider responded with {reply.status_code}: {message}")
    return reply.envelope.data


def parse(read: Callable[[Any], _Value], data: Any) -> _Value:
    """Parse `data` with `read`. Raises `UnreadableRecord` when it is malformed."""
    try:
        return read(data)
    except MalformedResponse as error:
        raise UnreadableRecord(f"malformed response: {error}") from error


def day_query(first: date, last: date) -> dict[str, str]:
    """Return the query of a list of these days."""
    return {"from": first.isoformat(), "to": last.isoformat()}


def read_list(
    read: Callable[[Call], Reply], path: str, query: Mapping[str, str], kind: ListedKind[_Row]
) -> Listed[_Row]:
    """Return every row of a list of days (`day_query`), each once, and name those not readable.

    Raises `ProviderUnavailable`, also for a list that contradicts itself or has no readable row of
    several.
    """
    for _ in range(_LIST_ATTEMPTS):
        found = _read_pages(read, path, query, kind)
        if found is not None:
            break
    else:
        raise ProviderUnavailable(f"the list of {kind.noun} changed during every read")
    first = date.fromisoformat(query["from"]) - _DAY_MARGIN
    last = date.fromisoformat(query["to"]) + _DAY_MARGIN
    for row in found:
        if not first <= kind.created_at(row).date() <= last:
            raise ProviderUnavailable(f"the list has {kind.noun} of other days than requested")
    return found


def _read_pages(
    read: Callable[[Call], Reply], path: str, query: Mapping[str, str], kind: ListedKind[_Row]
) -> Listed[_Row] | None:
    """Return all pages, or None when the list changed meanwhile."""
    found: dict[str, _Row] = {}
    unreadable: dict[str, str] = {}
    rows, number, stated = 0, 1, None
    while stated is None or number <= stated[0]:
        reply = read(Call("GET", path, query={**query, "page": str(number)}))
        data = response_data(reply)
        current, pages, total = parse(_page_info, reply.envelope.meta)
        page = parse(lambda data: list_of(data, kind.noun), data)
        if stated is not None and stated != (pages, total):
            return None
        if current != number and total:
            raise ProviderUnavailable(f"the list returned page {current} for page {number}")
        stated = (pages, total)
        if pages > _MAX_LIST_PAGES:
            raise ProviderUnavailable(f"the list of {kind.noun} does not end")
        for place, row in enumerate(page, rows + 1):
            try:
                readable = kind.read_row(row)
            except MalformedResponse as error:
                unreadable[_row_id(row, place)] = str(error)
            else:
                found[kind.id_of(readable)] = readable
        rows += len(page)
        number += 1
    _check_counts(kind.noun, rows, len(found), unreadable)
    if stated is not None and rows != stated[1]:
        raise ProviderUnavailable(f"the list states {stated[1]} {kind.noun} and has {rows}")
    return Listed(found.values(), unreadable)


def _check_counts(noun: str, rows: int, found: int, unreadable: Mapping[str, str]) -> None:
    if repeated := rows - found - len(unreadable):
        raise ProviderUnavailable(f"the list repeats {repeated} of its {noun}")
    if len(unreadable) > 1 and not found:
        raise ProviderUnavailable(f"malformed response: {next(iter(unreadable.values()))}")


def _row_id(row: Any, place: int) -> str:
    """Return the id of a row that cannot be read, or its place in the list."""
    found = row.get("id") if isinstance(row, dict) else None
    return printable(str(found))[:40] if isinstance(found, str | int) else f"row {place}"


def _page_info(meta: Any) -> tuple[int, int, int]:
    """Return the number of the page, of all pages, and of all rows."""
    info = object_of(object_of(meta, "meta").get("page_info"), "page_info")
    return (
        integer_field(info, "current_page"),
        integer_field(info, "total_pages"),
        integer_field(info, "total"),
    )
