"""Session state: start, last activity, age of the second factor.

A session also ends when the password, role or second factor changes or the user is deactivated:
Django checks it against `StaffUser.session_epoch` on every request.
"""

import time
from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest

from config.back_office.roles import is_privileged_user
from exchange.core.client_address import client_address
from exchange.staff.models import StaffUser
from exchange.staff.services.passkeys import Challenge, new_challenge

BACKEND = "django.contrib.auth.backends.ModelBackend"

STARTED = "signin_started"
LAST_ACTIVITY = "signin_seen"
_SECOND_FACTOR = "second_factor_at"
_CHALLENGE = "passkey_challenge"
# Where the session began: network address and the browser's own description.
ADDRESS = "signin_address"
DEVICE = "signin_device"
_MAX_DEVICE_LENGTH = 300
# Minimum interval between writes of the last activity.
_ACTIVITY_INTERVAL_SECONDS = 60


class SessionState(Enum):
    """The state of a request's session."""

    ANONYMOUS = "anonymous"
    EXPIRED = "expired"
    SECOND_FACTOR_PENDING = "second factor pending"  # password correct, second factor missing
    SIGNED_IN = "signed in"


def sign_in(request: HttpRequest, user: StaffUser, *, second_factor: bool) -> None:
    """Start a session under a new key."""
    login(request, user, backend=BACKEND)
    now = time.time()
    device = request.headers.get("User-Agent", "")[:_MAX_DEVICE_LENGTH]
    request.session.update({STARTED: now, LAST_ACTIVITY: now})
    request.session.update({ADDRESS: client_address(request), DEVICE: device})
    if second_factor:
        request.session[_SECOND_FACTOR] = now


def session_state(request: HttpRequest) -> SessionState:
    """Return the session state of `request`, without side effects."""
    user = request.user
    if not (isinstance(user, StaffUser) and user.is_active and user.is_staff):
        return SessionState.ANONYMOUS
    if is_expired(request.session):
        return SessionState.EXPIRED
    if is_privileged_user(user) and _SECOND_FACTOR not in request.session:
        return SessionState.SECOND_FACTOR_PENDING
    return SessionState.SIGNED_IN


def record_activity(request: HttpRequest) -> None:
    """Record activity in the session."""
    now = time.time()
    if now - request.session[LAST_ACTIVITY] >= _ACTIVITY_INTERVAL_SECONDS:
        request.session[LAST_ACTIVITY] = now


def record_second_factor(request: HttpRequest) -> None:
    """Record a correct code: renew the second factor and the session key."""
    request.session.cycle_key()
    request.session[_SECOND_FACTOR] = request.session[LAST_ACTIVITY] = time.time()


def is_second_factor_fresh(request: HttpRequest) -> bool:
    """Return whether a code was entered recently enough for privileged actions."""
    age = time.time() - request.session.get(_SECOND_FACTOR, 0)
    return bool(age <= settings.SECOND_FACTOR_FRESH_MINUTES * 60)


def issue_challenge(request: HttpRequest) -> Challenge:
    """Store a new challenge for a passkey in the session, in place of an earlier one."""
    challenge = new_challenge()
    request.session[_CHALLENGE] = {
        "value": b64encode(challenge.value).decode(),
        "at": challenge.issued_at.timestamp(),
    }
    return challenge


def take_challenge(request: HttpRequest) -> Challenge | None:
    """Remove the challenge from the session and return it; None if there is none."""
    found = request.session.pop(_CHALLENGE, None)
    if found is None:
        return None
    return Challenge(b64decode(found["value"]), datetime.fromtimestamp(found["at"], UTC))


def can_write(request: HttpRequest) -> bool:
    """Return whether the session may make changes: a second factor, if needed or used, must be
    recent.
    """
    user = request.user
    needed = _SECOND_FACTOR in request.session or (
        isinstance(user, StaffUser) and is_privileged_user(user)
    )
    return is_second_factor_fresh(request) or not needed


def is_expired(session: SessionBase | Mapping[str, Any]) -> bool:
    """Return whether a session has lasted too long, or was not used for too long."""
    now = time.time()
    age, idle = now - session.get(STARTED, 0), now - session.get(LAST_ACTIVITY, 0)
    return bool(age > settings.SESSION_COOKIE_AGE or idle > settings.SESSION_IDLE_MINUTES * 60)
