"""Pages of one's own second factor: authenticator app, recovery codes and passkeys."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import segno
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from config.back_office.roles import is_privileged_user
from config.back_office.signin.devices import remember_device
from config.back_office.signin.forms import CodeForm, NewPasskeyForm
from config.back_office.signin.session_state import (
    SessionState,
    is_second_factor_fresh,
    issue_challenge,
    session_state,
    sign_in,
    take_challenge,
)
from config.back_office.signin.views import next_url, render_page, url_with_next
from exchange.admin.base import staff_of
from exchange.core.client_address import client_address
from exchange.core.crypto import decrypt, encrypt
from exchange.core.errors import Conflict, InvalidRequest, NotFound
from exchange.core.ids import parse_id
from exchange.staff.services import passkeys, second_factor

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite

_SECRET = "signin_secret"  # noqa: S105 - a name; what it names is encrypted


def enrol(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Set up an authenticator app, or replace the current one."""
    if session_state(request) not in {SessionState.SIGNED_IN, SessionState.SECOND_FACTOR_PENDING}:
        return redirect_to_login(next_url(request), reverse("admin:login"))
    user = staff_of(request)
    replacing = second_factor.is_set_up(user)
    if replacing and not (
        session_state(request) is SessionState.SIGNED_IN and is_second_factor_fresh(request)
    ):
        return HttpResponseRedirect(url_with_next("admin:code", reverse("admin:enrol")))
    if request.method == "POST" and _SECRET not in request.session:
        return HttpResponseRedirect(reverse("admin:second_factor"))  # submitted twice
    if _SECRET not in request.session:
        request.session[_SECRET] = encrypt(second_factor.new_secret())
    secret = decrypt(request.session[_SECRET])
    form = CodeForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            codes = second_factor.set_up(
                user=user,
                secret=secret,
                code=form.cleaned_data["code"],
                replace=replacing,
                address=client_address(request),
            )
        except InvalidRequest as error:
            form.add_error("code", error.message)
        except Conflict as error:
            messages.error(request, error.message)
            return HttpResponseRedirect(reverse("admin:second_factor"))
        else:
            sign_in(request, user, second_factor=True)
            shown = recovery_codes_page(site, request, codes, next_url(request))
            remember_device(request, shown, user)
            return shown
    picture = segno.make(second_factor.provisioning_uri(secret=secret, user=user), error="m")
    return render_page(
        site,
        request,
        "signin/enrol.html",
        "Set up second factor",
        form=form,
        picture=picture.svg_inline(scale=4, border=4, light="#fff", dark="#000"),
        secret=" ".join(secret[start : start + 4] for start in range(0, len(secret), 4)),
        replacing=second_factor.has_app(user),
        needed=is_privileged_user(user),
    )


def overview(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Show the user's own second factor."""
    user = staff_of(request)
    return render_page(
        site,
        request,
        "signin/second_factor.html",
        "Second factor",
        factor=getattr(user, "second_factor", None),
        passkeys=list(user.passkeys.all()),
        passkeys_enabled=passkeys.is_enabled(),
        app_may_go=passkeys.usable_passkeys(user).count() >= passkeys.NEEDED_WITHOUT_APP,
        left=second_factor.recovery_codes_left(user),
        needed=is_privileged_user(user),
    )


def new_recovery_codes(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Generate new recovery codes and show them."""
    user = staff_of(request)
    try:
        codes = second_factor.renew_recovery_codes(user=user, address=client_address(request))
    except Conflict as error:
        messages.error(request, error.message)
        return HttpResponseRedirect(reverse("admin:second_factor"))
    return recovery_codes_page(site, request, codes, reverse("admin:second_factor"))


def recovery_codes_page(
    site: AdminSite, request: HttpRequest, codes: list[str], target: str
) -> HttpResponse:
    """Show the codes, once."""
    return render_page(
        site, request, "signin/recovery_codes.html", "Recovery codes", codes=codes, next=target
    )


def add_passkey(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Add a passkey, after a recent second factor."""
    user = staff_of(request)
    if not is_second_factor_fresh(request):
        return HttpResponseRedirect(url_with_next("admin:code", reverse("admin:add_passkey")))
    form = NewPasskeyForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            passkey = passkeys.add(
                user=user,
                name=form.cleaned_data["name"],
                credential=form.cleaned_data["credential"],
                challenge=take_challenge(request),
                address=client_address(request),
            )
        except (Conflict, InvalidRequest) as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, f"Passkey “{passkey.name}” added.")
            return HttpResponseRedirect(reverse("admin:second_factor"))
    if not passkeys.is_enabled():
        messages.error(request, "Passkeys are not set up in this installation.")
        return HttpResponseRedirect(reverse("admin:second_factor"))
    return render_page(
        site,
        request,
        "signin/add_passkey.html",
        "Add a passkey",
        form=form,
        refusals=list(chain(form.non_field_errors(), form.errors.get("credential", []))),
        options=passkeys.registration_options(user=user, challenge=issue_challenge(request)),
        origin=settings.PASSKEY_ORIGIN,
    )


def remove_passkey(request: HttpRequest) -> HttpResponse:
    """Remove one of the user's passkeys, or with "app" their authenticator app."""
    user, chosen = staff_of(request), request.POST.get("key", "")
    address = client_address(request)
    if not is_second_factor_fresh(request):
        return HttpResponseRedirect(url_with_next("admin:code", reverse("admin:second_factor")))
    try:
        if chosen == "app":
            passkeys.remove_app(user=user, address=address)
            words = "Authenticator app removed. You sign in with a passkey."
        else:
            removed = passkeys.remove(user=user, passkey_id=parse_id(chosen), address=address)
            words = f"Passkey “{removed.name}” removed."
    except (Conflict, NotFound) as error:
        messages.error(request, error.message)
    else:
        sign_in(request, user, second_factor=True)
        messages.success(request, f"{words} Your other sessions have ended.")
    return HttpResponseRedirect(reverse("admin:second_factor"))
