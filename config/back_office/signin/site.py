"""What an admin site needs so that staff sign in with a second factor and nobody gets around it.

Every page of the site passes `admin_view`, and there the session is looked at: it ends after its
time, somebody without the second factor they need is led to it, and whoever may decide changes
something only with a fresh code.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, URLResolver, path, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from config.back_office.signin import interrupted_form, views
from config.back_office.signin.session_state import (
    SessionState,
    can_write,
    record_activity,
    session_state,
)
from exchange.core.client_address import client_address
from exchange.staff.models import AccessEvent, StaffUser
from exchange.staff.services.access_records import record_access_event

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class StaffSignIn(admin.AdminSite):
    """The admin site's part that lets people in."""

    def with_headers(self, response: HttpResponseBase) -> HttpResponseBase:
        """`response` with the headers that every page of the site has."""
        return response

    def has_permission(self, request: HttpRequest) -> bool:
        """Whether the person is in, second factor included where it is needed."""
        return session_state(request) is SessionState.SIGNED_IN

    def admin_view(self, view: Callable[..., HttpResponseBase], cacheable: bool = False) -> Any:
        """`view` for those whose session is good for the request."""
        if view == self.logout:
            return self._outside(view)
        inner = super().admin_view(view, cacheable)

        @wraps(inner)
        def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            return self.with_headers(_interception(request) or inner(request, *args, **kwargs))

        return page

    def get_urls(self) -> list[Any]:
        """The pages of signing in, and everything else."""
        own: list[URLPattern | URLResolver] = [
            path("login/code/", self._outside(partial(views.code_step, self)), name="code"),
            path(
                "login/continue/",
                self.admin_view(require_safe(_as_function(partial(views.resume, self), "resume"))),
                name="resume",
            ),
            path("second-factor/enrol/", self._outside(partial(views.enrol, self)), name="enrol"),
            path(
                "second-factor/",
                self.admin_view(_as_function(partial(views.overview, self), "second_factor")),
                name="second_factor",
            ),
            path(
                "second-factor/recovery-codes/",
                self.admin_view(
                    require_POST(
                        _as_function(partial(views.new_recovery_codes, self), "recovery_codes")
                    )
                ),
                name="recovery_codes",
            ),
            path(
                "welcome/<uidb64>/<token>/",
                self._outside(views.AcceptInvitation.as_view(site=self)),
                name="welcome",
            ),
        ]
        return [*own, *super().get_urls()]

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The first step of signing in."""
        del extra_context
        response: HttpResponse = self._outside(partial(views.password_step, self))(request)
        return response

    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Signs out, by POST."""
        user = request.user
        if request.method == "POST" and isinstance(user, StaffUser):
            record_access_event(
                event=AccessEvent.SIGNED_OUT, user=user, address=client_address(request)
            )
        return super().logout(request, extra_context)

    def password_change(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """A person's own password; their other sessions end."""
        response: HttpResponse = super().password_change(request, extra_context)
        user = request.user
        if response.status_code == 302 and isinstance(user, StaffUser):
            record_access_event(
                event=AccessEvent.PASSWORD_CHANGED, user=user, address=client_address(request)
            )
        return response

    def _outside(self, view: Callable[..., HttpResponseBase]) -> Any:
        """A page for people who are not in yet."""
        guarded = never_cache(
            csrf_protect(sensitive_post_parameters()(_as_function(view, "sign_in")))
        )

        @wraps(guarded)
        def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            request.current_app = self.name  # as Django's own views do
            return self.with_headers(guarded(request, *args, **kwargs))

        return page


def _interception(request: HttpRequest) -> HttpResponse | None:
    """Where somebody is sent instead of the page; None lets them through."""
    looking = request.method in _SAFE_METHODS
    wanted = request.get_full_path() if looking else views.referring_page(request)
    match session_state(request):
        case SessionState.EXPIRED:
            logout(request)
            messages.info(
                request,
                f"You were signed out: after {settings.SESSION_IDLE_MINUTES} minutes without a"
                f" click, and after {settings.SESSION_HOURS} hours, you sign in anew.",
            )
            return redirect_to_login(wanted, reverse("admin:login"))
        case SessionState.SECOND_FACTOR_PENDING:
            return views.redirect_to_second_factor(wanted)
        case SessionState.SIGNED_IN:
            if not looking and not can_write(request):
                interrupted_form.store(request)
                return views.redirect_to_second_factor(wanted)
            if not looking:
                interrupted_form.discard(request)
            record_activity(request)
    return None


def _as_function(
    view: Callable[..., HttpResponseBase], name: str
) -> Callable[..., HttpResponseBase]:
    """`view`, a partial or a method, as a plain function that decorators can wrap."""

    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return view(request, *args, **kwargs)

    page.__name__ = page.__qualname__ = name
    return page
