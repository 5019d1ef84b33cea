"""Middleware of back-office pages: no character of a page is hidden or reverses others.

Names are refused with such characters, but earlier ones are stored, and a sentence with one could
read as something else. The pages replace them all in one place. Names that are written from right
to left are isolated: they would move the amounts and times next to them.
"""

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from exchange.core.text import is_invisible

_PREFIX = "/admin/"
# Joiners stay: Persian, Sinhala and others are spelt with them.
_JOINERS = frozenset("\u200c\u200d")
_HIDDEN = re.compile(
    b"|".join(
        re.escape(character.encode())
        for character in map(chr, (*range(0x80, 0x10000), *range(0xE0000, 0xE0080)))
        if is_invisible(character) and character not in _JOINERS
    )
)
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}".encode()
# UTF-8 of U+0580 to U+08FF and of U+FB00 to U+FEFF.
_LEFTWARDS = rb"(?:[\xd6-\xdf].|\xe0[\xa0-\xa3].|\xef[\xac-\xb7\xb9-\xbb].)"
_RUN = re.compile(rb"%(one)s+(?:[ '.-]*%(one)s+)*" % {b"one": _LEFTWARDS}, re.DOTALL)
# An element that can have no other inside, or the text between two tags.
_TEXT = re.compile(rb"<(textarea|script|style|title|option)\b.*?</\1>|>[^<]+", re.DOTALL)


def _isolate(text: re.Match[bytes]) -> bytes:
    return text[0] if text[1] else _RUN.sub(rb"<bdi>\g<0></bdi>", text[0])


class VisibleTextMiddleware:
    """Replaces invisible and direction-changing characters of pages by U+FFFD, and isolates names
    that are written from right to left.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if (
            request.path_info.startswith(_PREFIX)
            and isinstance(response, HttpResponse)
            and response.get("Content-Type", "").startswith("text/html")
            and not response.content.isascii()
        ):
            content = _HIDDEN.sub(_REPLACEMENT, response.content)
            response.content = _TEXT.sub(_isolate, content) if _RUN.search(content) else content
        return response
