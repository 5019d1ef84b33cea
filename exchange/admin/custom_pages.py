"""Admins whose record pages or add pages are forms of their own."""

from abc import abstractmethod
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed

from exchange.admin.base import SafeAdmin


class CustomPageAdmin(SafeAdmin):
    """An admin whose records have a custom read-only page."""

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        """Render the record's page."""
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        return self.record_page(request, self.record(request, object_id))

    @abstractmethod
    def record_page(self, request: HttpRequest, record: Any, /) -> HttpResponse:
        """Render the page of `record`, which the user may view."""


class AddFormAdmin(SafeAdmin):
    """An admin that adds records with a custom form, given `add_permission`."""

    add_permission = ""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.may(request, self.add_permission)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Render the form that adds a record."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        response: HttpResponse = self.preserve_in_redirects(self.add_page)(request)
        return response

    @abstractmethod
    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Render the form; permission was checked."""
