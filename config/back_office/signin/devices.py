"""The known-device cookie, which gives a browser its own lock-out counter.

The cookie grants no access. It is signed and expires after `KNOWN_DEVICE_DAYS`; password changes do
not revoke it.
"""

import secrets
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from exchange.core.ids import parse_id
from exchange.staff.models import StaffUser
from exchange.staff.services.lockout import Device

_SALT = "config.signin.devices"


def known_device(request: HttpRequest, user_id: UUID | None) -> Device | None:
    """Return the device of the request if that user signed in from it before."""
    found = _read_cookie(request)
    return found if found is not None and found.user_id == user_id else None


def find_known_device(request: HttpRequest, username: str) -> Device | None:
    """Return the device of the request if the user `username` signed in from it before."""
    found = _read_cookie(request)
    if found is None:
        return None
    named = StaffUser.objects.filter(pk=found.user_id, username=username).exists()
    return found if named else None


def remember_device(request: HttpRequest, response: HttpResponseBase, user: StaffUser) -> None:
    """Mark the browser as a known device of `user` for `KNOWN_DEVICE_DAYS`."""
    known = known_device(request, user.pk)
    device_id = known.id if known else secrets.token_urlsafe(16)
    response.set_cookie(
        settings.KNOWN_DEVICE_COOKIE_NAME,
        signing.dumps([str(user.pk), device_id], salt=_SALT),
        max_age=_max_age(),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read_cookie(request: HttpRequest) -> Device | None:
    try:
        content = signing.loads(
            request.COOKIES.get(settings.KNOWN_DEVICE_COOKIE_NAME, ""),
            salt=_SALT,
            max_age=_max_age(),
        )
    except signing.BadSignature:
        return None
    user_id = parse_id(content[0])
    return Device(user_id, content[1]) if user_id else None


def _max_age() -> int:
    return int(settings.KNOWN_DEVICE_DAYS) * 24 * 3600
