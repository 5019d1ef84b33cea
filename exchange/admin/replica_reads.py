"""Lists of the back office that are read from the replica."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from exchange.core import replica


class ReplicaReads(admin.ModelAdmin):  # type: ignore[type-arg] # not generic when it runs
    """ModelAdmin mixin: long lists that the replica serves."""

    # Whether the list is read from the replica where possible.
    reads_replica = False

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the list; all its queries see one database."""
        show = super().changelist_view
        if not self.reads_replica:
            return show(request, extra_context)
        return read_page(request, lambda: show(request, extra_context))


def read_page(request: HttpRequest, view: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the page of `view` from the replica where possible, if it is only read."""
    user_id = request.user.pk
    if request.method not in {"GET", "HEAD"} or user_id is None:
        return view()
    return replica.read(lambda: _render(view()), replica.fetch_position(user_id))


def _render(response: HttpResponse) -> HttpResponse:
    """Render the page now: its template runs queries."""
    return response.render() if isinstance(response, TemplateResponse) else response
