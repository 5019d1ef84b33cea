"""Views of the back office, called for a person without middleware and without templates."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.apps import apps
from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages.storage.fallback import FallbackStorage
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpResponse, QueryDict
from django.test import Client, RequestFactory
from django.urls import resolve, reverse

from exchange.staff.models import StaffUser

_FORM = "application/x-www-form-urlencoded"


class ViewCaller:
    """Calls views for the user who is signed in at `client`, or for a visitor.

    The checks of the session, the guards and the queries of a view run; its page is not rendered,
    nor an error page. What the view raises otherwise is raised here. For what writes, use a client:
    the audit log learns the actor from the middleware.
    """

    def __init__(self, client: Client) -> None:
        self._session = client.session
        key = self._session.get("_auth_user_id")
        self._user: Any = StaffUser.objects.get(pk=key) if key else AnonymousUser()

    def call(self, method: str, path: str, fields: Mapping[str, Any] | None = None) -> Any:
        """Return the response of the view at `path`; with `fields` as the form of a POST."""
        request = self._request(method, path, urlencode(fields or {}, doseq=True))
        found = request.resolver_match
        try:
            return found.func(request, *found.args, **found.kwargs)
        except PermissionDenied:
            return HttpResponse(status=403)
        except Http404:
            return HttpResponse(status=404)

    def rows(self, model: type[Model] | str, query: Mapping[str, Any] | None = None) -> list[Any]:
        """Return the records that the first page of the list of `model` shows for `query`."""
        return list(self.changelist(model, query).result_list)

    def changelist(
        self, model: type[Model] | str, query: Mapping[str, Any] | None = None
    ) -> ChangeList:
        """Return the list of `model`, a class or `app_name`, as its page shows it for `query`."""
        kind = apps.get_model(model.replace("_", ".", 1)) if isinstance(model, str) else model
        page = admin.site.get_model_admin(kind)
        address = reverse(f"admin:{kind._meta.app_label}_{kind._meta.model_name}_changelist")
        asked = query.urlencode() if isinstance(query, QueryDict) else urlencode(query or {})
        return page.get_changelist_instance(self._request("GET", f"{address}?{asked}"))

    def _request(self, method: str, path: str, form: str = "") -> Any:
        request: Any = RequestFactory().generic(method, path, form, _FORM)
        request.user, request.session = self._user, self._session
        # As the test client does.
        request._dont_enforce_csrf_checks = True
        request._messages = FallbackStorage(request)
        request.resolver_match = resolve(request.path_info)
        return request
