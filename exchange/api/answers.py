"""Middleware for answers of the API: one that the client has is not sent again, a long one is
compressed.

Only requests under /v1: they carry a bearer, which no page of another site can make a browser send,
so their length reveals nothing (BREACH). Pages of the back office carry a session's secrets next to
text of others, and stay as they are. Static files are compressed when they are collected.
"""

import gzip
from hashlib import blake2b

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags

from exchange.api.middleware import Middleware, is_api_request

# Shorter answers fit into one packet as they are.
_MIN_BYTES = 1400
# Twice as fast as the default level, for a tenth more bytes.
_LEVEL = 1
# PDFs are compressed already.
_TEXT = ("application/json", "application/vnd.oai.openapi", "application/javascript", "text/")


class AnswerMiddleware(Middleware):
    """Adds the `ETag` of a document, answers 304 to `If-None-Match`, and compresses with gzip."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not isinstance(response, HttpResponse) or not is_api_request(request):
            return response
        if not response.get("Content-Type", "").startswith(_TEXT):
            return response
        content = response.content
        if response.status_code == 200 and request.method in {"GET", "HEAD"}:
            # Weak: the compressed document has the same one.
            tag = f'W/"{blake2b(content, digest_size=12).hexdigest()}"'
            response["ETag"] = tag
            if names_tag(request.META.get("HTTP_IF_NONE_MATCH", ""), tag):
                response.status_code = 304
                response.content = b""
                del response["Content-Type"]
        if len(content) >= _MIN_BYTES:
            patch_vary_headers(response, ["Accept-Encoding"])
            if response.content and accepts_gzip(request.META.get("HTTP_ACCEPT_ENCODING", "")):
                response.content = gzip.compress(content, _LEVEL, mtime=0)
                response["Content-Encoding"] = "gzip"
                response.headers.pop("Content-Length", None)
        return response


def names_tag(header: str, tag: str) -> bool:
    """Return whether an `If-None-Match` names the weak `tag`, or any."""
    if not header:
        return False
    return any(
        f"W/{given.removeprefix('W/')}" == tag or given == "*" for given in parse_etags(header)
    )


def accepts_gzip(header: str) -> bool:
    """Return whether an `Accept-Encoding` names gzip with a weight above 0."""
    for part in header.split(","):
        coding, _, weight = part.partition(";")
        if coding.strip().lower() in {"gzip", "x-gzip"}:
            return weight.replace(" ", "").lower() not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False
