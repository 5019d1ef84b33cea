"""A WSGI application that returns its environment and body, for `config.webserver`."""

import json
from collections.abc import Callable
from typing import Any


def application(environ: dict[str, Any], start_response: Callable[..., None]) -> list[bytes]:
    """Return the headers and the body as JSON; at /v1/busy, that the printer is."""
    if environ["PATH_INFO"] == "/v1/busy":
        start_response("503 Service Unavailable", [("X-Error-Code", "printer_busy")])
        return [b""]
    names = ("CONTENT_", "HTTP_", "PATH_", "REMOTE_")
    shown = {key: value for key, value in environ.items() if key.startswith(names)}
    shown["body"] = environ["wsgi.input"].read(1024 * 1024).decode("latin-1")
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(shown).encode()]


def start_application() -> Callable[..., list[bytes]]:
    """Return the application, as `config.wsgi` does."""
    return application
