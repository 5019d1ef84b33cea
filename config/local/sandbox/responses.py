"""Responses of the sandbox, and their envelope."""

from dataclasses import dataclass, field
from typing import Any

import msgspec

_encoder = msgspec.json.Encoder(decimal_format="number")


@dataclass(frozen=True, slots=True)
class Response:
    """A response: HTTP status, JSON body (or text of another type) and extra headers."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"

    def encoded(self) -> bytes:
        """Return the encoded body."""
        if self.content_type == "application/json":
            return _encoder.encode(self.body)
        return str(self.body).encode()


def success(message: str, data: Any, **more: Any) -> Response:
    """Return a success envelope."""
    return Response(200, {"status": "success", "message": message, "data": data, **more})


def error(status: int, message: str, **headers: str) -> Response:
    """Return an error envelope."""
    body = {"status": "error", "message": message, "data": None}
    return Response(
        status, body, {name.replace("_", "-"): value for name, value in headers.items()}
    )
