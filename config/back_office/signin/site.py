"""Admin site mixin that enforces sign-in with a second factor on every page.

All pages pass through `admin_view`: expired sessions end, users without a required second factor
are redirected to it, and privileged users need a recent code to make changes.
"""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import structlog
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import path, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from config.back_office.signin import interrupted_form, second_factor, views
from config.back_office.signin.session_state import (
    SessionState,
    can_write,
    record_activity,
    session_state,
)
from exchange.core import replica
from exchange.core.client_address import client_address
from exchange.staff.models import AccessEvent, StaffUser
from exchange.staff.services.access_records import record_access_event

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class StaffSignIn(admin.AdminSite):
    """The sign-in part of the admin site."""

    def with_headers(self, response: HttpResponseBase) -> HttpResponseBase:
        """Add the headers of every page to `response`."""
        return response

    def has_permission(self, request: HttpRequest) -> bool:
        """Return whether the user is fully signed in."""
        return session_state(request) is SessionState.SIGNED_IN

    def admin_view(self, view: Callable[..., HttpResponseBase], cacheable: bool = False) -> Any:
        """Wrap `view` with the session check."""
        if view == self.logout:
            return self._public(view)
        inner = super().admin_view(view, cacheable)

        @wraps(inner)
        def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            user = request.user
            if user.is_authenticated:
                structlog.contextvars.bind_contextvars(staff_id=str(user.pk))
            response = _interception(self, request) or inner(request, *args, **kwargs)
            if request.method not in _SAFE_METHODS and isinstance(request.user, StaffUser):
                replica.record_write(request.user.pk)
            return self.with_headers(response)

        return page

    def get_urls(self) -> list[Any]:
        """Add the sign-in pages."""
        public = (
            ("login/code/", "code", partial(views.code_step, self)),
            ("second-factor/enrol/", "enrol", partial(second_factor.enrol, self)),
            ("welcome/<uidb64>/<token>/", "welcome", views.AcceptInvitation.as_view(site=self)),
        )
        signed_in = (
            ("login/continue/", "resume", require_safe(partial(views.resume, self))),
            ("second-factor/", "second_factor", partial(second_factor.overview, self)),
            (
                "second-factor/recovery-codes/",
                "recovery_codes",
                require_POST(partial(second_factor.new_recovery_codes, self)),
            ),
            (
                "second-factor/passkeys/add/",
                "add_passkey",
                partial(second_factor.add_passkey, self),
            ),
            (
                "second-factor/passkeys/remove/",
                "remove_passkey",
                require_POST(second_factor.remove_passkey),
            ),
            ("sessions/", "sessions", require_safe(partial(views.sessions, self))),
            ("sessions/end/", "end_sessions", require_POST(views.end_sessions)),
        )
        own = [
            *(path(route, self._public(view), name=name) for route, name, view in public),
            *(path(route, self.admin_view(view), name=name) for route, name, view in signed_in),
        ]
        return [*own, *super().get_urls()]

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Render the first sign-in step."""
        del extra_context
        response: HttpResponse = self._public(partial(views.password_step, self))(request)
        return response

    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Sign out by POST."""
        user = request.user
        if request.method == "POST" and isinstance(user, StaffUser):
            record_access_event(
                event=AccessEvent.SIGNED_OUT, user=user, address=client_address(request)
            )
        return super().logout(request, extra_context)

    def password_change(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """Change the user's own password and end their other sessions."""
        response: HttpResponse = super().password_change(request, extra_context)
        user = request.user
        if response.status_code == 302 and isinstance(user, StaffUser):
            record_access_event(
                event=AccessEvent.PASSWORD_CHANGED, user=user, address=client_address(request)
            )
        return response

    def _public(self, view: Callable[..., HttpResponseBase]) -> Any:
        """Wrap a page for users who are not signed in yet."""
        guarded = never_cache(csrf_protect(sensitive_post_parameters()(view)))

        @wraps(guarded)
        def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            request.current_app = self.name  # as Django's own views do
            return self.with_headers(guarded(request, *args, **kwargs))

        return page


def _interception(site: admin.AdminSite, request: HttpRequest) -> HttpResponse | None:
    """Return the redirect that replaces the page; None to let the request through."""
    is_read = request.method in _SAFE_METHODS

    def target() -> str:
        return request.get_full_path() if is_read else views.referring_page(request)

    match session_state(request):
        case SessionState.EXPIRED:
            ended = (
                f"Session expired. Sessions end after {settings.SESSION_IDLE_MINUTES} minutes of"
                f" inactivity or {settings.SESSION_HOURS} hours."
            )
            kept = "" if is_read else interrupted_form.pack(request)
            logout(request)
            if not is_read:
                return views.sign_in_again(site, request, target(), kept=kept, reason=ended)
            messages.info(request, f"{ended} Sign in again.")
            return redirect_to_login(target(), reverse("admin:login"))
        case SessionState.ANONYMOUS if not is_read and not request.user.is_authenticated:
            # The token against forged requests was checked by the middleware.
            kept = interrupted_form.pack(request)
            ended = "You are signed out."
            return views.sign_in_again(site, request, target(), kept=kept, reason=ended)
        case SessionState.SECOND_FACTOR_PENDING:
            return views.redirect_to_second_factor(target())
        case SessionState.SIGNED_IN:
            if not is_read and not can_write(request):
                interrupted_form.store(request)
                return views.redirect_to_second_factor(target())
            if not is_read:
                interrupted_form.discard(request)
            record_activity(request)
    return None
