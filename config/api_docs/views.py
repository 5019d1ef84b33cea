"""Pages of the API documentation: the guide with the reference, and the page for trying requests.

Both work offline and under a Content-Security-Policy: scripts come from static files and from the
page's own address with `?script=`.
"""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularRedocView, SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response

from config.back_office.site import with_security_policy

_SCRIPT_TYPE = "application/javascript"


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
        page = {"title": self.title, "redoc_standalone": bundle, "script_url": script_url}
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
