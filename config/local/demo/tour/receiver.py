"""A minimal webhook receiver on a loopback port."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_MAX_BODY_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook as received: lower-case headers, exact body."""

    headers: Mapping[str, str]
    body: str


class Receiver:
    """A context manager that stores every POST and responds with 204."""

    def __init__(self) -> None:
        self.deliveries: list[Delivery] = []
        deliveries = self.deliveries

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = min(int(self.headers.get("Content-Length", "0")), _MAX_BODY_BYTES)
                body = self.rfile.read(length).decode()
                headers = {name.lower(): value for name, value in self.headers.items()}
                self.send_response(204)
                self.end_headers()
                deliveries.append(Delivery(headers, body))

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
                """Log nothing: the tour prints its steps."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """The URL of the receiver."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/webhooks"

    def __enter__(self) -> Receiver:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
