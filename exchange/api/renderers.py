"""Renderer of the JSON envelope of every response under /v1."""

from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import BaseRenderer

from exchange.api.responses import ErrorResponse, SuccessResponse, encode_json


class EnvelopeRenderer(BaseRenderer):
    """Renders JSON with exact decimals and stored documents unchanged."""

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
        """Return the bytes of `data`, in the envelope."""
        response = (renderer_context or {}).get("response")
        if isinstance(response, SuccessResponse | ErrorResponse):
            return encode_json(data)
        return encode_json({"status": "success", "message": "OK", "data": data})
