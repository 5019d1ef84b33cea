"""Reports about a list, such as a trial balance, on pages below the list."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.views.decorators.http import require_safe

if TYPE_CHECKING:
    from exchange.admin.base import SafeAdmin


def report_urls(page: SafeAdmin) -> list[URLPattern]:
    """Return the URLs of the reports of `page`, for all who may view its records."""

    def show(request: HttpRequest, *, render: Callable[..., HttpResponse]) -> HttpResponse:
        if not page.has_view_permission(request):
            raise PermissionDenied
        return render(page, request)

    return [
        page.action_url(
            f"{name.replace('_', '-')}/",
            name,
            require_safe(partial(show, render=render)),
            only_post=False,
        )
        for name, render in page.reports.items()
    ]
