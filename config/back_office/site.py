"""The back-office site: name, dashboard, headers and help.

Only admins with `in_back_office = True` (`exchange.admin.base`) are registered, not those of
libraries. This module imports no admin modules: they register while it is being imported.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, cast

from django.conf import settings
from django.contrib.admin.views.autocomplete import AutocompleteJsonView
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import path
from django.utils.functional import SimpleLazyObject
from django.utils.module_loading import import_string
from django.views.decorators.http import require_safe
from unfold.sites import UnfoldAdminSite

from config.back_office import help as help_pages
from config.back_office.signin.site import StaffSignIn
from exchange.staff.models import StaffUser
from exchange.staff.services.privileged_access import access_notices

# Scripts only from static files; widgets of Django's admin set inline styles.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
# The back office uses none of these.
PERMISSIONS_POLICY = ", ".join(
    f"{feature}=()"
    for feature in (
        *("accelerometer", "bluetooth", "camera", "display-capture", "geolocation", "gyroscope"),
        *("hid", "magnetometer", "microphone", "midi", "payment", "serial", "usb"),
        *("browsing-topics", "xr-spatial-tracking"),
    )
)

# By name, as they import admin modules.
_SIDEBAR = "config.back_office.navigation.sidebar"
_READ_PAGES = {
    "search": "config.back_office.search.search_page",
    "inbox": "config.back_office.inbox.inbox_page",
    "approvals": "config.back_office.approvals.approvals_page",
}
_EMAIL_PAGE = "config.back_office.email.email_page"


def with_security_policy(response: HttpResponseBase) -> HttpResponseBase:
    """Add the content security policy and the permissions policy to `response`."""
    response["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response["Permissions-Policy"] = PERMISSIONS_POLICY
    return response


class LabelledAutocomplete(AutocompleteJsonView):
    """Autocomplete suggestions labelled by `choice_label`."""

    def serialize_result(self, obj: Model, to_field_name: str) -> dict[str, str]:
        """Return one suggestion."""
        label: Callable[[Model], str] = getattr(self.model_admin, "choice_label", str)
        return {"id": str(getattr(obj, to_field_name)), "text": label(obj)}


class BackOffice(StaffSignIn, UnfoldAdminSite):  # type: ignore[misc] # comes without types
    """The back-office site."""

    site_title = "Tokenized Investment Exchange"
    site_header = "Tokenized Investment Exchange"
    index_title = "Dashboard"
    site_url = "/"
    index_template = "admin/dashboard_page.html"
    empty_value_display = "-"

    def register(
        self,
        model_or_iterable: type[Model] | Iterable[type[Model]],
        admin_class: type[Any] | None = None,
        **options: Any,
    ) -> None:
        """Register the project's admins and ignore those of libraries."""
        if getattr(admin_class, "in_back_office", False):
            super().register(model_or_iterable, admin_class, **options)

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> Any:
        """Return the lists of each app, computed only by the pages that show them."""
        return SimpleLazyObject(partial(super().get_app_list, request, app_label))

    def get_sidebar_list(self, request: HttpRequest) -> Any:
        """Return the sidebar, computed only by the pages that show it.

        The theme copies it and looks for functions in it, of which it has none.
        """
        return SimpleLazyObject(partial(import_string(_SIDEBAR), request))

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Add the access notices, evaluated only by templates that show them."""
        user = request.user
        notices = partial(access_notices, user) if isinstance(user, StaffUser) else tuple
        return {
            **super().each_context(request),
            "access_notices": notices,
            "idle_minutes": settings.SESSION_IDLE_MINUTES,
        }

    def with_headers(self, response: HttpResponseBase) -> HttpResponseBase:
        """Add the headers of every page to `response`."""
        return with_security_policy(response)

    def get_urls(self) -> list[Any]:
        """Add the help pages and the search, which replaces the theme's."""
        help_view = self.admin_view(require_safe(self.help))
        named = self.admin_view(require_safe(self.named_page))
        return [
            *(
                path(f"{name}/", named, {"name": page}, name=name)
                for name, page in _READ_PAGES.items()
            ),
            path("email/", self.admin_view(self.named_page), {"name": _EMAIL_PAGE}, name="email"),
            path("help/", help_view, name="help"),
            path("help/<slug:name>/", help_view, name="help"),
            *(url for url in super().get_urls() if getattr(url, "name", "") != "search"),
        ]

    def help(self, request: HttpRequest, name: str = help_pages.START) -> HttpResponse:
        """Render a help page."""
        if name not in help_pages.PAGES:
            raise Http404
        found = help_pages.page(name)
        context = {
            **self.each_context(request),
            "title": found.title,
            "help": found,
            "start": name == help_pages.START,
        }
        return TemplateResponse(request, "admin/help.html", context)

    def named_page(self, request: HttpRequest, *, name: str) -> HttpResponse:
        """Render the page of the function `name`."""
        render: Callable[..., HttpResponse] = import_string(name)
        return render(self, request)

    def autocomplete_view(self, request: HttpRequest) -> HttpResponse:
        """Return suggestions for fields that select a record."""
        return cast(HttpResponse, LabelledAutocomplete.as_view(admin_site=self)(request))
