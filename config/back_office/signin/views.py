"""Sign-in pages: password, second factor, own sessions, invitation.

Each view takes its admin site. Before the second step no one is signed in: the session only
remembers for ten minutes whose password was correct. A user who needs a second factor and has none
can open only the setup page (`SessionState.SECOND_FACTOR_PENDING`).
"""

from __future__ import annotations

import time
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate, logout
from django.contrib.auth.views import PasswordResetConfirmView, redirect_to_login
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.crypto import constant_time_compare
from django.utils.http import url_has_allowed_host_and_scheme

from config.back_office.roles import is_privileged_user
from config.back_office.signin import interrupted_form
from config.back_office.signin.devices import find_known_device, known_device, remember_device
from config.back_office.signin.forms import (
    CodeForm,
    PasskeyForm,
    PasswordForm,
    RecoveryCodeForm,
)
from config.back_office.signin.session_state import (
    SessionState,
    issue_challenge,
    record_second_factor,
    session_state,
    sign_in,
    take_challenge,
)
from config.back_office.signin.sessions import end_other_sessions, own_sessions
from exchange.admin.base import staff_of
from exchange.core.client_address import client_address
from exchange.core.errors import InvalidRequest
from exchange.staff.models import AccessEvent, StaffUser
from exchange.staff.services import lockout, passkeys, second_factor
from exchange.staff.services.access_records import record_access_event
from exchange.staff.services.accounts import invitation_tokens
from exchange.staff.services.privileged_access import restart_cooling_off

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite

# Session key between the two steps.
_PENDING = "signin_pending"

_PENDING_SECONDS = 600
_MISMATCH = "Incorrect username or password."
_NOT_REPEATED = "Confirmed. Your previous action was not completed: review it and submit again."


# --- the two steps ---


def password_step(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Render and check username and password."""
    if request.method == "GET" and session_state(request) in {
        SessionState.SIGNED_IN,
        SessionState.SECOND_FACTOR_PENDING,
    }:
        return HttpResponseRedirect(_signed_in_url(request))
    form = PasswordForm(request.POST if request.method == "POST" else None)
    kept = request.POST.get("kept", "")
    if form.is_valid():
        user = _check_password(request, form)
        if user is not None:
            return _after_password(request, user, kept)
    return render_page(site, request, "signin/password.html", "Sign in", form=form, kept=kept)


def sign_in_again(
    site: AdminSite, request: HttpRequest, target: str, *, kept: str, reason: str
) -> HttpResponse:
    """Render the first step in place of the page that a form was sent to after its session ended.

    `kept` is the packed form, which the page sends along: nothing is stored for strangers.
    """
    response = render_page(
        site,
        request,
        "signin/password.html",
        "Sign in",
        form=PasswordForm(),
        action=url_with_next("admin:login", target),
        kept=kept,
        reason=reason,
    )
    add_never_cache_headers(response)
    return response


def _check_password(request: HttpRequest, form: PasswordForm) -> StaffUser | None:
    username = form.cleaned_data["username"]
    address = client_address(request)
    try:
        attempt = lockout.begin_attempt(
            lockout.PASSWORD,
            account=username,
            address=address,
            device=find_known_device(request, username),
        )
    except lockout.LockedOut as locked:
        form.add_error(None, locked.message)
        return None
    user = authenticate(request, username=username, password=form.cleaned_data["password"])
    if isinstance(user, StaffUser) and user.is_staff:
        attempt.mark_succeeded()
        return user
    form.add_error("password", _MISMATCH)
    known = StaffUser.objects.filter(username=username).first()
    _record_failure(form, attempt, known, address, "Password")
    return None


def _after_password(request: HttpRequest, user: StaffUser, kept: str) -> HttpResponse:
    target = next_url(request)
    if second_factor.is_set_up(user):
        logout(request)  # end any previous session
        request.session[_PENDING] = {
            "user": str(user.pk),
            "hash": user.get_session_auth_hash(),
            "at": time.time(),
        }
        interrupted_form.restore(request, kept, user.pk)
        return HttpResponseRedirect(url_with_next("admin:code", target))
    sign_in(request, user, second_factor=False)
    address = client_address(request)
    record_access_event(
        event=AccessEvent.SIGNED_IN, user=user, address=address, details="Password only"
    )
    if is_privileged_user(user):
        return HttpResponseRedirect(url_with_next("admin:enrol", target))
    interrupted_form.restore(request, kept, user.pk)
    response = HttpResponseRedirect(_after_code(request))
    remember_device(request, response, user)
    return response


def code_step(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Render and check a code or passkey: at sign-in, or again before a privileged action."""
    is_signed_in = session_state(request) in {
        SessionState.SIGNED_IN,
        SessionState.SECOND_FACTOR_PENDING,
    }
    user = request.user if is_signed_in else _pending_user(request)
    if not isinstance(user, StaffUser):
        return redirect_to_login(next_url(request), reverse("admin:login"))
    if is_signed_in and not second_factor.is_set_up(user):
        return HttpResponseRedirect(url_with_next("admin:enrol", next_url(request)))
    recovery = "recovery" in request.GET
    code_form = RecoveryCodeForm if recovery else CodeForm
    kind = PasskeyForm if "credential" in request.POST else code_form
    form = kind(request.POST if request.method == "POST" else None)
    used = _check_code(request, user, form) if form.is_valid() else None
    if used is not None:
        event = AccessEvent.CONFIRMED if is_signed_in else AccessEvent.SIGNED_IN
        if is_signed_in:
            record_second_factor(request)
        else:
            sign_in(request, user, second_factor=True)
        record_access_event(event=event, user=user, address=client_address(request), details=used)
        response = HttpResponseRedirect(_after_code(request))
        remember_device(request, response, user)
        return response
    asks_code = recovery or second_factor.has_app(user)
    query = {"next": next_url(request)} | ({} if recovery else {"recovery": "1"})
    return render_page(
        site,
        request,
        "signin/code.html",
        "Enter code" if asks_code else "Use a passkey",
        form=(code_form() if kind is PasskeyForm else form) if asks_code else None,
        refusals=list(chain(*form.errors.values())) if kind is PasskeyForm else [],
        passkey=None if recovery else _passkey_request(request, user),
        origin=settings.PASSKEY_ORIGIN,
        recovery=recovery,
        has_app=second_factor.has_app(user),
        other=f"{reverse('admin:code')}?{urlencode(query)}",
        interrupted=interrupted_form.was_interrupted(request),
        interrupted_form=interrupted_form.load(request),
        inside=is_signed_in,
    )


def _passkey_request(request: HttpRequest, user: StaffUser) -> str | None:
    """Return what the browser asks a passkey for; None for a user without one."""
    if not passkeys.usable_passkeys(user).exists():
        return None
    return passkeys.request_options(user=user, challenge=issue_challenge(request))


def _after_code(request: HttpRequest) -> str:
    """Return the URL after a correct code: the interrupted form or the next page."""
    if interrupted_form.load(request) is not None:
        return url_with_next("admin:resume", next_url(request))
    if interrupted_form.discard(request):
        messages.warning(request, _NOT_REPEATED)
    return next_url(request)


def resume(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Show the interrupted form for confirmation."""
    form = interrupted_form.load(request)
    if form is None:
        return HttpResponseRedirect(next_url(request))
    context = {"interrupted_form": form, "back": next_url(request)}
    return render_page(site, request, "signin/resume.html", "Continue", **context)


def _check_code(request: HttpRequest, user: StaffUser, form: forms.Form) -> str | None:
    """Check the second factor; return what the record says of it, or None if it was refused."""
    address, details = client_address(request), ""
    data: dict[str, Any] = {"user": user, "address": address}
    field, what = (None, "Passkey") if isinstance(form, PasskeyForm) else ("code", "Code")
    try:
        attempt = lockout.begin_attempt(
            lockout.CODE,
            account=str(user.pk),
            address=address,
            device=known_device(request, user.pk),
        )
    except lockout.LockedOut as locked:
        form.add_error(None, locked.message)
        return None
    try:
        if isinstance(form, PasskeyForm):
            credential, challenge = form.cleaned_data["credential"], take_challenge(request)
            passkey = passkeys.verify(credential=credential, challenge=challenge, **data)
            details = f"Passkey: {passkey.name}"
        elif isinstance(form, RecoveryCodeForm):
            left = second_factor.use_recovery_code(code=form.cleaned_data["code"], **data)
            messages.warning(request, f"Recovery code used. {left} left.")
        else:
            second_factor.verify(user=user, code=form.cleaned_data["code"])
    except InvalidRequest as error:
        form.add_error(field, error.message)
        _record_failure(form, attempt, user, address, what)
        return None
    attempt.mark_succeeded()
    return details


def _record_failure(
    form: forms.Form, attempt: lockout.LoginAttempt, user: StaffUser | None, address: str, what: str
) -> None:
    """Record a failed attempt and a lock-out it causes."""
    event = AccessEvent.REFUSED
    try:
        attempt.mark_failed()
    except lockout.LockedOut as locked:
        form.add_error(None, locked.message)
        event = AccessEvent.LOCKED_OUT
    # Unknown usernames may be passwords, so they are not recorded.
    if user is not None:
        record_access_event(event=event, user=user, address=address, details=what)


def _pending_user(request: HttpRequest) -> StaffUser | None:
    """Return the user whose password was just confirmed in this session."""
    pending = request.session.get(_PENDING)
    if pending is None or time.time() - pending["at"] > _PENDING_SECONDS:
        return None
    user = StaffUser.objects.filter(pk=pending["user"], is_active=True, is_staff=True).first()
    if user is None or not constant_time_compare(pending["hash"], user.get_session_auth_hash()):
        return None
    return user


# --- sessions ---


def sessions(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Show the user's own sessions."""
    found = own_sessions(request, staff_of(request))
    return render_page(site, request, "signin/sessions.html", "Sessions", sessions=found)


def end_sessions(request: HttpRequest) -> HttpResponse:
    """End one of the user's other sessions, or all of them."""
    ended = end_other_sessions(request, staff_of(request), request.POST.get("session", ""))
    messages.success(request, f"{ended} session{'s' * (ended != 1)} ended.")
    return HttpResponseRedirect(reverse("admin:sessions"))


# --- invitations ---


class AcceptInvitation(PasswordResetConfirmView):
    """The page of an invitation link: choose a password."""

    template_name = "admin/signin/welcome.html"
    token_generator = invitation_tokens
    title = "Choose a password"
    site: AdminSite | None = None

    def get_user(self, uidb64: str) -> Any:
        """Return the invited user; None if deactivated."""
        user = super().get_user(uidb64)
        return user if isinstance(user, StaffUser) and user.is_active and user.is_staff else None

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the context of every page."""
        frame = self.site.each_context(self.request) if self.site else {}
        return {**frame, **super().get_context_data(**kwargs)}

    def form_valid(self, form: Any) -> HttpResponse:
        """Set the password, record the change and restart the cooling-off period."""
        with transaction.atomic():
            record_access_event(
                event=AccessEvent.PASSWORD_CHANGED,
                user=form.user,
                address=client_address(self.request),
                details="By invitation",
            )
            response = super().form_valid(form)
            restart_cooling_off(form.user)
        messages.success(self.request, "Password set. Sign in with it.")
        return response

    def get_success_url(self) -> str:
        """Return the URL of the sign-in page."""
        return reverse("admin:login")


# --- redirects ---


def next_url(request: HttpRequest) -> str:
    """Return the URL to open after sign-in."""
    wanted = request.GET.get("next", "")
    return wanted if _is_admin_url(request, wanted) else reverse("admin:index")


def referring_page(request: HttpRequest) -> str:
    """Return the URL of the page a form was submitted from."""
    sent_from = request.headers.get("Referer", "")
    if not _is_admin_url(request, sent_from):
        return reverse("admin:index")
    parts = urlsplit(sent_from)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def redirect_to_second_factor(target: str) -> HttpResponse:
    """Redirect to the code or setup page, and from there to `target`."""
    return HttpResponseRedirect(url_with_next("admin:code", target))


def _is_admin_url(request: HttpRequest, url: str) -> bool:
    inside = urlsplit(url).path.startswith(reverse("admin:index"))
    return inside and url_has_allowed_host_and_scheme(
        url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )


def _signed_in_url(request: HttpRequest) -> str:
    if session_state(request) is SessionState.SIGNED_IN:
        return next_url(request)
    return url_with_next("admin:code", next_url(request))


def url_with_next(name: str, target: str) -> str:
    """Return the URL of the page `name`, which leads to `target`."""
    return f"{reverse(name)}?{urlencode({'next': target})}"


def render_page(
    site: AdminSite, request: HttpRequest, template: str, title: str, **context: Any
) -> TemplateResponse:
    """Render a sign-in page."""
    frame = {**site.each_context(request), "title": title, "subtitle": None, **context}
    return TemplateResponse(request, f"admin/{template}", frame)
