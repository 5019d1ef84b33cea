"""Writes every answer under /v1 as the JSON envelope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import BaseRenderer

from exchange.api.responses import ErrorResponse, SuccessResponse, encode_json


class EnvelopeRenderer(BaseRenderer):
    """JSON with exact decimals; stored documents pass through as they are."""

    media_type = "application/json"
    format = "json"
    charset = None
    render_style = "binary"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,  # noqa: ARG002 - DRF's signature
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """The bytes of `data`, wrapped in the envelope where the view did not."""
        response = (renderer_context or {}).get("response")
        if isinstance(response, SuccessResponse | ErrorResponse):
            return encode_json(data)
        return encode_json({"status": "success", "message": "OK", "data": data})
