"""Passkeys of staff (WebAuthn Level 2), a second factor next to the codes of an app.

The authenticator itself verifies the person, by PIN, fingerprint or face, and signs a challenge for
one origin only (`PASSKEY_ORIGIN`): what a forged page obtains is of no use here. A challenge is of
one session, for `CHALLENGE_SECONDS`; the session hands it out once, and a key accepts none that is
older than its last use, so that of two concurrent uses one fails.

The reset by a colleague is that of every second factor (`second_factor.reset`).
"""

import json
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import structlog
from cryptography.exceptions import InvalidSignature
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from webauthn import (
    base64url_to_bytes,
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from exchange.core.errors import Conflict, InvalidRequest, NotFound
from exchange.core.text import check_line
from exchange.staff.models import AccessEvent, Passkey, SecondFactor, StaffUser
from exchange.staff.services.access_records import record_access_event
from exchange.staff.services.accounts import end_sessions
from exchange.staff.services.second_factor import ISSUER, has_app, is_set_up

CHALLENGE_SECONDS = 300
MAX_PASSKEYS = 10
# Without an authenticator app a person keeps so many keys that work.
NEEDED_WITHOUT_APP = 2

_EXPIRED = "The request has expired or was already used. Try again"
_NOT_ACCEPTED = "The passkey was not accepted. Try again, or use another way to confirm"
_NOT_REGISTERED = "The passkey could not be added. Try again"
_BLOCKED = (
    "This passkey is blocked: its counter went back, so it may have been copied. Use another way to"
    " confirm, then remove it and call an administrator"
)
# What the library and its parsers raise for a response that is not what a browser sends.
_INVALID = (
    *(WebAuthnException, InvalidSignature),
    *(AttributeError, LookupError, RecursionError, TypeError, ValueError),
)

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Challenge:
    """A random value that a passkey signs, once and soon."""

    value: bytes
    issued_at: datetime

    @property
    def is_expired(self) -> bool:
        """Whether too much time has passed."""
        age = (timezone.now() - self.issued_at).total_seconds()
        return not 0 <= age <= CHALLENGE_SECONDS


def new_challenge() -> Challenge:
    """Return a new challenge of 256 bits."""
    return Challenge(secrets.token_bytes(32), timezone.now())


def is_enabled() -> bool:
    """Return whether this installation has an origin for passkeys."""
    return bool(settings.PASSKEY_ORIGIN)


def usable_passkeys(user: StaffUser) -> QuerySet[Passkey]:
    """Return the user's passkeys that are not blocked; none where passkeys are off."""
    found = Passkey.objects.filter(user=user, blocked_at=None)
    return found if is_enabled() else found.none()


def registration_options(*, user: StaffUser, challenge: Challenge) -> str:
    """Return what `navigator.credentials.create` takes, as JSON."""
    options = generate_registration_options(
        rp_id=_rp_id(),
        rp_name=ISSUER,
        user_id=user.public_id.bytes,
        user_name=user.username,
        user_display_name=str(user),
        challenge=challenge.value,
        timeout=CHALLENGE_SECONDS * 1000,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.PREFERRED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=_descriptors(Passkey.objects.filter(user=user)),
    )
    return options_to_json(options)


def request_options(*, user: StaffUser, challenge: Challenge) -> str:
    """Return what `navigator.credentials.get` takes, as JSON."""
    options = generate_authentication_options(
        rp_id=_rp_id(),
        challenge=challenge.value,
        timeout=CHALLENGE_SECONDS * 1000,
        allow_credentials=_descriptors(usable_passkeys(user)),
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return options_to_json(options)


@transaction.atomic
def add(
    *, user: StaffUser, name: str, credential: str, challenge: Challenge | None, address: str = ""
) -> Passkey:
    """Add the passkey that a browser made; the caller has checked a recent second factor.

    Raises `InvalidRequest` for a response that is not valid or comes too late, `Conflict` without
    a second factor, for a known key and for too many.
    """
    locked = StaffUser.objects.select_for_update().get(pk=user.pk)
    if not is_set_up(locked):
        raise Conflict("Set up an authenticator app first")
    if Passkey.objects.filter(user=locked).count() >= MAX_PASSKEYS:
        raise Conflict(f"You have {MAX_PASSKEYS} passkeys. Remove one first")
    if not is_enabled():
        raise Conflict("Passkeys are not set up in this installation")
    check_line("name", name)
    challenge = _require_current(challenge)
    try:
        verified = verify_registration_response(
            credential=credential, require_user_verification=True, **_expectations(challenge)
        )
    except _INVALID as error:
        raise _refusal(_NOT_REGISTERED, error, user) from error
    try:
        with transaction.atomic():
            passkey = Passkey.objects.create(
                user=locked,
                name=name,
                credential_id=verified.credential_id,
                public_key=verified.credential_public_key,
                sign_count=verified.sign_count,
                created_at=timezone.now(),
            )
    except IntegrityError as error:
        raise Conflict("This passkey was already added") from error
    record_access_event(
        event=AccessEvent.PASSKEY_ADDED, user=user, address=address, details=passkey.name
    )
    return passkey


def verify(
    *, user: StaffUser, credential: str, challenge: Challenge | None, address: str = ""
) -> Passkey:
    """Accept a signature of one of the user's passkeys; return the passkey.

    Raises `InvalidRequest` for one that is not valid, comes too late or was used, and for a counter
    that went back, which blocks the key and is recorded.
    """
    challenge = _require_current(challenge)
    try:
        passkey = usable_passkeys(user).get(credential_id=_credential_id(credential))
        verified = verify_authentication_response(
            credential=credential,
            credential_public_key=bytes(passkey.public_key),
            # The counter is compared below, in one statement with its update.
            credential_current_sign_count=0,
            require_user_verification=True,
            **_expectations(challenge),
        )
    except (*_INVALID, Passkey.DoesNotExist) as error:
        raise _refusal(_NOT_ACCEPTED, error, user) from error
    counted = verified.new_sign_count
    taken = (
        Passkey.objects.filter(pk=passkey.pk, blocked_at=None)
        .filter(Q(sign_count__lt=counted) if counted else Q(sign_count=0))
        .filter(Q(last_used_at=None) | Q(last_used_at__lt=challenge.issued_at))
        .update(sign_count=counted, last_used_at=max(timezone.now(), challenge.issued_at))
    )
    if taken == 1:
        return passkey
    if not _block(passkey, challenge, counted, address):
        raise InvalidRequest(_EXPIRED)
    raise InvalidRequest(_BLOCKED)


@transaction.atomic
def remove(*, user: StaffUser, passkey_id: UUID | None, address: str = "") -> Passkey:
    """Remove one of the user's passkeys and end all sessions of the user.

    Raises `NotFound`, and `Conflict` where too few would be left without an authenticator app.
    """
    locked = StaffUser.objects.select_for_update().get(pk=user.pk)
    passkey = Passkey.objects.filter(user=locked, pk=passkey_id).first() if passkey_id else None
    if passkey is None:
        raise NotFound("Passkey not found")
    left = Passkey.objects.filter(user=locked, blocked_at=None).exclude(pk=passkey.pk).count()
    if left < NEEDED_WITHOUT_APP and not has_app(locked):
        raise Conflict(
            "Without an authenticator app you keep two passkeys. Add another passkey or set up an"
            " app first"
        )
    Passkey.objects.filter(pk=passkey.pk).delete()
    end_sessions(user)
    record_access_event(
        event=AccessEvent.PASSKEY_REMOVED, user=user, address=address, details=passkey.name
    )
    return passkey


@transaction.atomic
def remove_app(*, user: StaffUser, address: str = "") -> None:
    """Remove the authenticator app of a user with two passkeys, and end all their sessions.

    Recovery codes stay. Raises `Conflict` without an app, and with fewer passkeys.
    """
    locked = StaffUser.objects.select_for_update().get(pk=user.pk)
    if usable_passkeys(locked).count() < NEEDED_WITHOUT_APP:
        raise Conflict("Add two passkeys first: one of them may get lost")
    removed, _ = SecondFactor.objects.filter(user=locked).delete()
    if not removed:
        raise Conflict("You have no authenticator app")
    end_sessions(user)
    record_access_event(event=AccessEvent.APP_REMOVED, user=user, address=address)


@transaction.atomic
def _block(passkey: Passkey, challenge: Challenge, counted: int, address: str) -> bool:
    """Block a passkey whose counter went back; return False if it was used or removed meanwhile."""
    blocked = (
        Passkey.objects.filter(pk=passkey.pk, blocked_at=None)
        .filter(Q(last_used_at=None) | Q(last_used_at__lt=challenge.issued_at))
        .update(blocked_at=timezone.now())
    )
    if blocked == 1:
        words = f"{passkey.name}: counter {counted} after {passkey.sign_count}"
        record_access_event(
            event=AccessEvent.PASSKEY_BLOCKED, user=passkey.user, address=address, details=words
        )
    return blocked == 1


def _require_current(challenge: Challenge | None) -> Challenge:
    """Return the challenge. Raises `InvalidRequest` without one that has time left."""
    if challenge is None or challenge.is_expired:
        raise InvalidRequest(_EXPIRED)
    return challenge


def _expectations(challenge: Challenge) -> dict[str, Any]:
    """Return what the response must match."""
    return {
        "expected_challenge": challenge.value,
        "expected_origin": settings.PASSKEY_ORIGIN,
        "expected_rp_id": _rp_id(),
    }


def _rp_id() -> str:
    """Return the relying party's id: the host of the origin."""
    return urlsplit(settings.PASSKEY_ORIGIN).hostname or ""


def _descriptors(passkeys: QuerySet[Passkey]) -> list[PublicKeyCredentialDescriptor]:
    return [PublicKeyCredentialDescriptor(id=bytes(passkey.credential_id)) for passkey in passkeys]


def _credential_id(credential: str) -> bytes:
    return base64url_to_bytes(json.loads(credential)["rawId"])


def _refusal(message: str, error: Exception, user: StaffUser) -> InvalidRequest:
    """Return the error for the page; the log has the reason."""
    logger.warning("staff.passkey_refused", user=str(user.pk), reason=str(error)[:200])
    return InvalidRequest(message)
