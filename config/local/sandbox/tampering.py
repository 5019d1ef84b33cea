"""Well-formed but wrong responses, for faults of the provider's data."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from config.local.sandbox.collection_rules import NO_TRANSACTION
from config.local.sandbox.responses import Response, error


def tamper(response: Response, kind: str) -> Response:
    """Return `response` with its transfers or transactions changed as the fault says."""
    body = response.body
    if not isinstance(body, dict) or body.get("status") != "success":
        return response
    data = body["data"]
    if kind == "hidden" and isinstance(data, list):
        meta = {"page_info": {"total": 0, "current_page": 1, "total_pages": 0}}
        return Response(response.status, body | {"data": [], "meta": meta}, response.headers)
    if kind == "hidden" and isinstance(data, dict) and "tx_ref" in data:
        return error(400, NO_TRANSACTION)
    if isinstance(data, list) and data and kind in _LIST_FAULTS:
        return Response(
            response.status, body | {"data": _LIST_FAULTS[kind](data)}, response.headers
        )
    changed = (
        [_tamper_record(row, kind) for row in data]
        if isinstance(data, list)
        else _tamper_record(data, kind)
    )
    return Response(response.status, body | {"data": changed}, response.headers)


_LIST_FAULTS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "short_page": lambda rows: rows[:-1],
    "repeated_row": lambda rows: [*rows[:-1], rows[0]],
    "broken_row": lambda rows: [rows[0] | {"status": None}, *rows[1:]],
}


def _tamper_record(row: Any, kind: str) -> Any:
    if not isinstance(row, dict):
        return row
    reference = next((key for key in ("reference", "tx_ref") if key in row), None)
    if reference is None:
        return row
    if kind == "wrong_amount":
        return row | {"amount": Decimal(row["amount"]) + 1}
    if kind == "wrong_reference":
        return row | {reference: row[reference] + "-other"}
    return row
