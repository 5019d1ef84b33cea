"""Responses in the envelope of the interface.

`SuccessResponse` is `{status, message, data, meta?}`, `ErrorResponse` `{status, message}`. Views
return the former and raise errors, which `exceptions` converts.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
from rest_framework.response import Response

from exchange.core.numbers import format_plain
from exchange.core.timestamps import wire_time

_encoder = msgspec.json.Encoder()


# JSON text that is inserted as it is, such as a stored document.
RawJSON = msgspec.Raw


def join_documents(texts: Iterable[str]) -> msgspec.Raw:
    """Return the JSON array of the JSON `texts`."""
    return RawJSON("[" + ",".join(texts) + "]")


class SuccessResponse(Response):
    """A success; `data` may contain decimals, aware times, ids and `RawJSON` at any depth."""

    # Django searches the content type for it several times.
    charset = "utf-8"

    def __init__(
        self,
        data: Any,
        message: str,
        *,
        status: int = 200,
        meta: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.message = message
        self.payload = data
        envelope = {"status": "success", "message": message, "data": data}
        if meta is not None:
            envelope["meta"] = meta
        super().__init__(envelope, status=status, headers=headers)


class ErrorResponse(Response):
    """A failure: HTTP status, message for people, code for programs.

    `refused_fields` are the names of fields at fault, for the request log.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        headers: Mapping[str, str] | None = None,
        refused_fields: Sequence[str] = (),
    ) -> None:
        self.refused_fields = list(refused_fields)
        super().__init__(
            {"status": "failed", "message": message},
            status=status,
            headers={**(headers or {}), "X-Error-Code": code},
        )


def encode_json(value: Any) -> bytes:
    """Encode `value` as JSON: decimals in plain notation, times as `YYYY-MM-DDTHH:MM:SS.mmmZ`.

    Raises TypeError for binary floats, which are not exact.
    """
    return _encoder.encode(to_json_types(value))


def to_json_types(value: Any) -> Any:  # noqa: PLR0911 - one return for each kind of value
    """Return `value` with decimals and times formatted, for msgspec."""
    kind = type(value)
    if kind in {str, int, bool, type(None), RawJSON, UUID}:
        return value
    if kind is dict:
        return {key: to_json_types(item) for key, item in value.items()}
    if kind in {list, tuple}:
        return [to_json_types(item) for item in value]
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise TypeError("only finite numbers can be written as JSON")
        return RawJSON(format_plain(value))
    if isinstance(value, dt.datetime):
        return wire_time(value)
    if isinstance(value, Mapping):
        return {key: to_json_types(item) for key, item in value.items()}
    if isinstance(value, str | int):
        return value
    raise TypeError(f"{kind.__name__} cannot be part of a response")
