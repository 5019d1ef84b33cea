"""Content negotiation: responses are always JSON; a body of another type is rejected."""

from collections.abc import Iterable
from typing import Any

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class OnlyJSON(BaseContentNegotiation):
    """Selects the first renderer, and the parser by media type without its parameters."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        """Return the parser for the body's media type, or None (415)."""
        sent = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == sent), None)

    def select_renderer(
        self,
        request: Request,  # noqa: ARG002 - DRF's signature
        renderers: Iterable[Any],
        format_suffix: str | None = None,  # noqa: ARG002 - DRF's signature
    ) -> tuple[BaseRenderer, str]:
        """Return the first renderer."""
        renderer = next(iter(renderers))
        return renderer, renderer.media_type
