"""The OpenAPI document, and its pages: the guide with the reference, and one for trying requests.

The pages work offline and under a Content-Security-Policy: scripts come from static files and from
the page's own address with `?script=`.
"""

from functools import cache
from threading import Lock
from typing import Any

import msgspec
from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import (
    SpectacularJSONAPIView,
    SpectacularRedocView,
    SpectacularSwaggerSplitView,
)
from rest_framework.request import Request
from rest_framework.response import Response

from config.api_docs.contract import split_webhooks
from config.back_office.site import with_security_policy

_SCRIPT_TYPE = "application/javascript"


# The first call loads drf-spectacular's extensions, which threads must not do at the same time.
_rendering = Lock()


def render_documents() -> dict[str, bytes]:
    """Return the OpenAPI documents by the names of their addresses, generated once."""
    with _rendering:
        return _render_documents()


@cache
def _render_documents() -> dict[str, bytes]:
    # Nothing in them depends on the request.
    document = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    webhooks = split_webhooks(document)
    # Compact: with the library's indentation it is more than twice as long.
    return {
        "schema": msgspec.json.encode(document),
        "schema-webhooks": msgspec.json.encode(webhooks),
    }


class SchemaView(SpectacularJSONAPIView):
    """An OpenAPI document, generated once per process: of the API, or of webhooks (`document`)."""

    document = "schema"

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ARG002
        """Return the document."""
        name = self._get_filename(request, None)  # type: ignore[no-untyped-call]
        document = render_documents()[self.document]
        return HttpResponse(
            document,
            content_type=request.accepted_renderer.media_type,
            headers={
                "Content-Disposition": f'inline; filename="{name}"',
                "Cache-Control": "no-cache",  # with its ETag
            },
        )


class ReferenceView(SpectacularRedocView):
    """The guide and the reference in three panes (Redoc)."""

    template_name = "api_docs/reference.html"
    template_name_js = "api_docs/reference.js"

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # noqa: ARG002
        """Return the page, or with `?script=` its script."""
        if "script" in request.GET:
            return Response(
                {"schema_url": reverse(self.url_name)},
                template_name=self.template_name_js,
                content_type=_SCRIPT_TYPE,
            )
        bundle: str = self._redoc_standalone()  # type: ignore[no-untyped-call]
        script_url = f"{request.path}?script="
        page = {
            "title": self.title,
            "page": self.url_name,
            "redoc_standalone": bundle,
            "script_url": script_url,
        }
        return Response(page)

    def finalize_response(self, *args: Any, **kwargs: Any) -> Response:
        """Add the policy; Redoc's search runs in a worker made from a blob."""
        response: Response = super().finalize_response(*args, **kwargs)
        with_security_policy(response)
        response["Content-Security-Policy"] += "; worker-src blob:"
        return response


class TryView(SpectacularSwaggerSplitView):
    """The page for trying requests (Swagger UI)."""

    template_name = "api_docs/try.html"
    template_name_js = "api_docs/try.js"

    def finalize_response(self, *args: Any, **kwargs: Any) -> Response:
        """Add the policy."""
        response: Response = super().finalize_response(*args, **kwargs)
        with_security_policy(response)
        return response
