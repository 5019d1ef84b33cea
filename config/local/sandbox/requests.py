"""Requests to the sandbox: what a handler receives, and the reading of bodies and queries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from config.local.sandbox.database import Row, SandboxDatabase
from config.local.sandbox.responses import Response, success
from config.local.sandbox.rules import RequestRejected

PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class Request:
    """An authenticated request: `path` has single slashes, `body` is a JSON value or a form."""

    method: str
    path: str
    query: dict[str, str]
    body: Any


Handler = Callable[[Request, str], Response]


def object_body(request: Request) -> dict[str, Any]:
    """Return the body, which must be an object. Raises `RequestRejected`."""
    if not isinstance(request.body, dict):
        raise RequestRejected("Request body is not valid")
    return request.body


def list_page(
    request: Request,
    database: SandboxDatabase,
    table: str,
    names: Sequence[str],
    render: Callable[[Row], dict[str, Any]],
) -> Response:
    """Respond with the page of a table that is requested, filtered by the parameters `names`.

    Raises `RequestRejected`.
    """
    query = request.query
    page = _page_number(query)
    filters = {name: query[name] for name in names if query.get(name)}
    rows, total = database.page(table, filters | _days(query), page=page, size=PAGE_SIZE)
    pages = {"total": total, "current_page": page, "total_pages": -(-total // PAGE_SIZE)}
    shown = [render(row) for row in rows]
    return success(f"{table.capitalize()} fetched", shown, meta={"page_info": pages})


def _days(query: dict[str, str]) -> dict[str, str | float]:
    """Return `from` and `to` in seconds, as far as given. Raises `RequestRejected`."""
    filters: dict[str, str | float] = {}
    if query.get("from"):
        filters["from"] = _moment(query["from"], "from").timestamp()
    if query.get("to"):
        end = _moment(query["to"], "to")
        whole_day = timedelta(days=1) if len(query["to"]) == 10 else timedelta(0)
        filters["to"] = end.timestamp() + whole_day.total_seconds()
    return filters


def _page_number(query: dict[str, str]) -> int:
    """Return the requested page of a list. Raises `RequestRejected`."""
    text = query.get("page", "1")
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0):
        raise RequestRejected("page must be a positive integer")
    return int(text[:9])


def _moment(text: str, name: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        zoned = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        zoned.timestamp()
    except (ValueError, OverflowError):
        raise RequestRejected(f"{name} must be a date") from None
    return zoned
