"""Every answer is JSON whatever `Accept` says; every body is JSON or refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class OnlyJSON(BaseContentNegotiation):
    """Takes the first renderer; takes a parser by media type alone, parameters ignored."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        """The parser for the body's media type, or None (then the answer is 415)."""
        sent = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == sent), None)

    def select_renderer(
        self,
        request: Request,  # noqa: ARG002 - DRF's signature
        renderers: Iterable[Any],
        format_suffix: str | None = None,  # noqa: ARG002 - DRF's signature
    ) -> tuple[BaseRenderer, str]:
        """The first renderer."""
        renderer = next(iter(renderers))
        return renderer, renderer.media_type
