"""What WSGI asks of a server: the environment of a request, and answers as bytes or files."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, BinaryIO
from urllib.parse import unquote_to_bytes

import httptools

# Longer streamed answers wait on disk, not in memory, for those who read them slowly.
_MAX_IN_MEMORY = 1024 * 1024


class InvalidRequestError(Exception):
    """A request that is not read; the text is for the client."""


class FileResponse:
    """An response that is a file: PEP 3333's `wsgi.file_wrapper`."""

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
    """The WSGI environment of a request, without its body; `fixed` is what it begins with.

    Raises `InvalidRequestError`.
    """
    version = parser.get_http_version()
    if version not in {"1.0", "1.1"}:
        raise InvalidRequestError(f"its version is {version}")
    try:
        url = httptools.parse_url(target)
    except httptools.HttpParserInvalidURLError:
        raise InvalidRequestError("its target is not an address") from None
    environ = {
        **fixed,
        "REQUEST_METHOD": parser.get_method().decode(),
        "PATH_INFO": unquote_to_bytes(url.path or b"/").decode("latin-1"),
        "QUERY_STRING": (url.query or b"").decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{version}",
    }
    given: dict[str, str] = {}
    for name, value in headers:
        key = _environ_key(name)
        if key in given:
            given[key] += ("; " if key == "HTTP_COOKIE" else ",") + value.decode("latin-1")
        elif key:
            given[key] = value.decode("latin-1")
    environ.update(given)
    return environ


@lru_cache(256)
def _environ_key(name: bytes) -> str:
    """The key of a header in the WSGI environment; empty for one that is passed over."""
    # `X_Forwarded_For` would pass for `X-Forwarded-For`, which proxies vouch for.
    if b"_" in name:
        return ""
    key = name.decode("latin-1").upper().replace("-", "_")
    return key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"


def collect_chunks(chunks: Iterable[bytes]) -> bytes | BinaryIO:
    """A streamed response: its bytes, or where they are many a file without a name."""
    kept: list[bytes] = []
    size = 0
    pieces = iter(chunks)
    for piece in pieces:
        kept.append(piece)
        size += len(piece)
        if size > _MAX_IN_MEMORY:
            file = tempfile.TemporaryFile()  # noqa: SIM115 - closed once it is sent
            file.writelines(kept)
            file.writelines(pieces)
            file.seek(0)
            return file
    return b"".join(kept)
