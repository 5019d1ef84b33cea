"""One's own sessions: where one is signed in, and how to end the sessions elsewhere."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from config.back_office.signin import session_state as state
from exchange.core.client_address import client_address
from exchange.staff.models import AccessEvent, StaffUser
from exchange.staff.services.access_records import record_access_event

_SALT = "config.signin.sessions"
# The first that is found names the browser, or the system.
_BROWSERS = ("Edg", "OPR", "Firefox", "Chrome", "Safari")
_SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "Mac OS X", "Linux")
_NAMES = {"Edg": "Edge", "OPR": "Opera", "Mac OS X": "macOS"}


@dataclass(frozen=True, slots=True)
class OwnSession:
    """A session of the user; `id` names it on the page and opens nothing."""

    id: str
    key: str
    device: str
    address: str
    started_at: datetime
    last_used_at: datetime
    is_current: bool


def own_sessions(request: HttpRequest, user: StaffUser) -> list[OwnSession]:
    """Return the sessions in which `user` is signed in: this one first, then the last used."""
    found = _sessions_of(user, request.session.session_key or "")
    return sorted(found, key=lambda one: (one.is_current, one.last_used_at), reverse=True)


def end_other_sessions(request: HttpRequest, user: StaffUser, session_id: str = "") -> int:
    """End the other session with this id, or all others; return how many ended."""
    ended = [
        one
        for one in own_sessions(request, user)
        if not one.is_current and session_id in {"", one.id}
    ]
    for one in ended:
        Session.objects.filter(session_key=one.key).delete()
        record_access_event(
            event=AccessEvent.SIGNED_OUT,
            user=user,
            address=client_address(request),
            details=f"Ended from another session: {one.device}, {one.address}",
        )
    return len(ended)


def _sessions_of(user: StaffUser, current: str) -> Iterator[OwnSession]:
    valid = user.get_session_auth_hash()
    for row in Session.objects.filter(expire_date__gt=timezone.now()).iterator():
        data = row.get_decoded()
        if data.get(SESSION_KEY) != str(user.pk) or data.get(HASH_SESSION_KEY) != valid:
            continue
        if state.is_expired(data):
            continue
        yield OwnSession(
            id=salted_hmac(_SALT, row.session_key, algorithm="sha256").hexdigest()[:32],
            key=row.session_key,
            device=describe_device(data.get(state.DEVICE, "")),
            address=data.get(state.ADDRESS, "") or "unknown address",
            started_at=datetime.fromtimestamp(data[state.STARTED], UTC),
            last_used_at=datetime.fromtimestamp(data[state.LAST_ACTIVITY], UTC),
            is_current=row.session_key == current,
        )


def describe_device(user_agent: str) -> str:
    """Return browser and system in words, as far as the header tells them."""
    browser = next((mark for mark in _BROWSERS if f"{mark}/" in user_agent), "Unknown browser")
    system = next((mark for mark in _SYSTEMS if mark in user_agent), "")
    return " on ".join(_NAMES.get(word, word) for word in (browser, system) if word)
