"""An answer before it is written, and the envelope around it."""

from dataclasses import dataclass, field
from typing import Any

import msgspec

_encoder = msgspec.json.Encoder(decimal_format="number")


@dataclass(frozen=True, slots=True)
class Response:
    """HTTP status, JSON value of the body, further headers."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)

    def encoded(self) -> bytes:
        """The body on the wire."""
        return _encoder.encode(self.body)


def success(message: str, data: Any, **more: Any) -> Response:
    """The envelope of a success."""
    return Response(200, {"status": "success", "message": message, "data": data, **more})


def error(status: int, message: str, **headers: str) -> Response:
    """The envelope of an error."""
    body = {"status": "error", "message": message, "data": None}
    return Response(
        status, body, {name.replace("_", "-"): value for name, value in headers.items()}
    )
