"""Views of the back office, called for a person without middleware and without templates."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib.messages.storage.fallback import FallbackStorage
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.test import Client, RequestFactory
from django.urls import resolve

from exchange.staff.models import StaffUser

_FORM = "application/x-www-form-urlencoded"


class ViewCaller:
    """Calls views for the user who is signed in at `client`.

    The checks of the session, the guards and the queries of a view run; its page is not rendered,
    nor an error page. What the view raises otherwise is raised here. For what writes, use a client:
    the audit log learns the actor from the middleware.
    """

    def __init__(self, client: Client) -> None:
        self._session = client.session
        self._user = StaffUser.objects.get(pk=self._session["_auth_user_id"])

    def call(self, method: str, path: str, fields: Mapping[str, Any] | None = None) -> Any:
        """Return the response of the view at `path`; with `fields` as the form of a POST."""
        form = urlencode(fields or {}, doseq=True)
        request: Any = RequestFactory().generic(method, path, form, _FORM)
        request.user, request.session = self._user, self._session
        # As the test client does.
        request._dont_enforce_csrf_checks = True
        request._messages = FallbackStorage(request)
        request.resolver_match = found = resolve(request.path_info)
        try:
            return found.func(request, *found.args, **found.kwargs)
        except PermissionDenied:
            return HttpResponse(status=403)
        except Http404:
            return HttpResponse(status=404)
