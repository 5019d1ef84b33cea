"""The server side of WSGI: the environ of a request, and responses as bytes or files."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Iterable
from functools import lru_cache
from http import HTTPStatus
from typing import Any, BinaryIO
from urllib.parse import unquote_to_bytes

import httptools

# In the environ of a request: whether the process will stop, so that proxies choose another one.
DRAINING = "exchange.draining"
# Longer streamed responses are buffered on disk, for slow clients.
_MAX_IN_MEMORY = 1024 * 1024


class InvalidRequestError(Exception):
    """A request that cannot be parsed; the text is for the client."""


class FileResponse:
    """A response from a file: PEP 3333's `wsgi.file_wrapper`."""

    def __init__(self, file: BinaryIO, block_size: int = 8192) -> None:
        self.file = file
        self._block_size = block_size
        self.plain = isinstance(file, io.BufferedReader)  # a whole file

    def __iter__(self) -> Iterable[bytes]:
        return iter(lambda: self.file.read(self._block_size), b"")

    def close(self) -> None:
        self.file.close()


FIXED_ENVIRON: dict[str, Any] = {
    "SCRIPT_NAME": "",
    "SERVER_SOFTWARE": "exchange",
    "HTTP_HOST": "",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
    "wsgi.file_wrapper": FileResponse,
    "wsgi.url_scheme": "http",
}


def build_environ(
    fixed: dict[str, Any],
    parser: httptools.HttpRequestParser,
    target: bytes,
    headers: list[tuple[bytes, bytes]],
) -> dict[str, Any]:
    """Return the WSGI environ of a request without its body, based on `fixed`.

    Raises `InvalidRequestError`.
    """
    version = parser.get_http_version()
    if version not in {"1.0", "1.1"}:
        raise InvalidRequestError(f"its version must be 1.0 or 1.1, not {version}")
    try:
        url = httptools.parse_url(target)
    except httptools.HttpParserInvalidURLError:
        raise InvalidRequestError("its target must be a path or a URL") from None
    environ = {
        **fixed,
        "REQUEST_METHOD": parser.get_method().decode(),
        "PATH_INFO": unquote_to_bytes(url.path or b"/").decode("latin-1"),
        "QUERY_STRING": (url.query or b"").decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{version}",
    }
    variables: dict[str, str] = {}
    for name, value in headers:
        key = _environ_key(name)
        if key in variables:
            variables[key] += ("; " if key == "HTTP_COOKIE" else ",") + value.decode("latin-1")
        elif key:
            variables[key] = value.decode("latin-1")
    environ.update(variables)
    return environ


@lru_cache(256)
def _environ_key(name: bytes) -> str:
    """Return the environ key of a header; "" for one to ignore."""
    # `X_Forwarded_For` would pass for `X-Forwarded-For`, which proxies set.
    if b"_" in name:
        return ""
    key = name.decode("latin-1").upper().replace("-", "_")
    return key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"


def collect_chunks(chunks: Iterable[bytes]) -> bytes | BinaryIO:
    """Return a streamed response as bytes, or as an anonymous file when it is long."""
    collected: list[bytes] = []
    size = 0
    pieces = iter(chunks)
    for piece in pieces:
        collected.append(piece)
        size += len(piece)
        if size > _MAX_IN_MEMORY:
            file = tempfile.TemporaryFile()  # noqa: SIM115 - closed once it is sent
            file.writelines(collected)
            file.writelines(pieces)
            file.seek(0)
            return file
    return b"".join(collected)


@lru_cache
def status_line(status: int) -> str:
    """Return the first line of a response with `status`."""
    phrase = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else ""
    return f"HTTP/1.1 {status} {phrase}"
