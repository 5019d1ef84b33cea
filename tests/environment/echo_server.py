"""A WSGI application that returns its environment, served by `config.http`.

STALLED_SECONDS is how long the server waits for a client that does not read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from config import http
from config.wsgi_server import DRAINING
from exchange.api.middleware import BODY_STATE


class _Response:
    def __init__(self, chunks: Iterable[bytes], fault: str = "") -> None:
        self._chunks = chunks
        self._fault = fault

    def __iter__(self) -> Any:
        return iter(self._chunks)

    def close(self) -> None:
        if self._fault:
            raise RuntimeError(self._fault)


def echo(environ: dict[str, Any], start_response: Callable[..., None]) -> Any:
    """Return the environment as JSON.

    /stream sends so many megabytes, /file sends this file, /fault fails, and /late-fault fails when
    its response is closed.
    """
    if environ["PATH_INFO"] == "/fault":
        raise RuntimeError("a fault of the application")
    if environ["PATH_INFO"] == "/late-fault":
        start_response("200 OK", [("Content-Type", "text/plain")])
        return _Response([b"answered"], "a fault after the answer")
    if environ["PATH_INFO"] == "/stream":
        megabytes = int(parse_qs(environ["QUERY_STRING"])["megabytes"][0])
        start_response("200 OK", [("Content-Type", "text/plain")])
        return _Response(b"x" * 65536 for _ in range(megabytes * 16))
    if environ["PATH_INFO"] == "/file":
        start_response("200 OK", [("Content-Type", "text/plain")])
        return environ["wsgi.file_wrapper"](Path(__file__).open("rb"))
    shown: dict[str, Any] = {key: value for key, value in environ.items() if isinstance(value, str)}
    shown["body"] = environ["wsgi.input"].read().decode("latin-1")
    shown["state"] = environ.get(BODY_STATE)
    shown["draining"] = environ[DRAINING]
    start_response("200 OK", [("Content-Type", "application/json"), ("Set-Cookie", "a=1"),
                              ("Set-Cookie", "b=2")])  # fmt: skip
    return _Response([json.dumps(shown).encode()])


http._STALLED_SECONDS = float(os.environ.get("STALLED_SECONDS", "60"))
application = echo
