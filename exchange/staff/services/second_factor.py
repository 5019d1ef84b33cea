"""The second factor of staff: authenticator app codes (TOTP, RFC 6238) and recovery codes.

Passkeys are a second factor as well (`passkeys`); what is said of one here counts them.

Each code is accepted once: the row stores the last accepted time step, and accepting a code is a
conditional UPDATE, so that of two concurrent uses one fails. The secret is encrypted at rest.
Recovery codes are random (80 bits), stored as plain hashes and shown once.
"""

import base64
import hashlib
import hmac
import re
import secrets
import time
from uuid import UUID

import pyotp
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from exchange.core.errors import Conflict, Forbidden, InvalidRequest
from exchange.staff.models import AccessEvent, Passkey, RecoveryCode, SecondFactor, StaffUser
from exchange.staff.services.access_records import record_access_event
from exchange.staff.services.accounts import end_sessions, lock_person
from exchange.staff.services.privileged_access import (
    has_privileged_access,
    require_confirmation,
    restart_cooling_off,
)

ISSUER = "Tokenized Investment Exchange"
STEP_SECONDS = 30
RECOVERY_CODES = 10

_NOT_ALLOWED = "You are not allowed to reset this person's second factor"
_WRONG_CODE = "Incorrect or expired code. Enter the current code from your app"
_USED_CODE = "This code was already used. Wait for the next one"
_WRONG_RECOVERY = "Incorrect or used recovery code"


def new_secret() -> str:
    """Generate a secret for an authenticator app, 160 bits in base32."""
    return pyotp.random_base32()


def provisioning_uri(*, secret: str, user: StaffUser) -> str:
    """Return the `otpauth://` URI encoded in the QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=user.username, issuer_name=ISSUER)


def code_at(*, secret: str, step: int) -> str:
    """Return the code of time step `step` (Unix time divided by `STEP_SECONDS`)."""
    return pyotp.TOTP(secret).generate_otp(step)


def current_step() -> int:
    """Return the current time step."""
    return int(time.time()) // STEP_SECONDS


def matches_secret(*, user: StaffUser, secret: str) -> bool:
    """Return whether `secret` is the one of the user's second factor."""
    factor = SecondFactor.objects.filter(user=user).first()
    return factor is not None and hmac.compare_digest(factor.secret, secret)


def is_set_up(user: StaffUser) -> bool:
    """Return whether the user has a second factor: an authenticator app or a passkey."""
    return has_app(user) or Passkey.objects.filter(user=user).exists()


def has_app(user: StaffUser) -> bool:
    """Return whether the user has an authenticator app."""
    return SecondFactor.objects.filter(user=user).exists()


@transaction.atomic
def set_up(
    *,
    user: StaffUser,
    secret: str,
    code: str,
    replace: bool = False,
    address: str = "",
    skip_cooling_off: bool = False,
) -> list[str]:
    """Set `secret` as the second factor, proven by its current `code`; return recovery codes.

    All sessions of the user end. A first second factor starts the cooling-off period, since the
    password alone sufficed to set it up; `skip_cooling_off` is for demo data. Raises
    `InvalidRequest` for a wrong code, `Conflict` if one exists and `replace` is false.
    """
    locked = StaffUser.objects.select_for_update().get(pk=user.pk)
    first = not is_set_up(locked)
    if not replace and not first:
        raise Conflict("You already have a second factor")
    step = _matching_step(secret, code)
    if step is None:
        raise InvalidRequest(_WRONG_CODE)
    SecondFactor.objects.update_or_create(
        user=locked,
        defaults={
            "secret": secret,
            "last_step": step,
            "set_up_at": timezone.now(),
        },
    )
    codes = _new_recovery_codes(locked)
    end_sessions(user)
    if first and not (skip_cooling_off and settings.DEMO_DATA):
        restart_cooling_off(user)
    record_access_event(event=AccessEvent.SECOND_FACTOR_SET_UP, user=user, address=address)
    return codes


def verify(*, user: StaffUser, code: str) -> None:
    """Accept the current code of the user's app.

    Raises `InvalidRequest` for a wrong or already accepted code.
    """
    factor = SecondFactor.objects.filter(user=user).first()
    step = _matching_step(factor.secret, code) if factor else None
    if step is None:
        raise InvalidRequest(_WRONG_CODE)
    taken = SecondFactor.objects.filter(user=user, last_step__lt=step).update(last_step=step)
    if taken != 1:
        raise InvalidRequest(_USED_CODE)


@transaction.atomic
def use_recovery_code(*, user: StaffUser, code: str, address: str = "") -> int:
    """Use a recovery code; return how many are left. Raises `InvalidRequest`."""
    used = RecoveryCode.objects.filter(user=user, code_hash=_hash(user, code), used_at=None).update(
        used_at=timezone.now()
    )
    if used != 1:
        raise InvalidRequest(_WRONG_RECOVERY)
    left = recovery_codes_left(user)
    record_access_event(
        event=AccessEvent.RECOVERY_CODE_USED, user=user, address=address, details=f"{left} left"
    )
    return left


def recovery_codes_left(user: StaffUser) -> int:
    """Return how many recovery codes the user has left."""
    return RecoveryCode.objects.filter(user=user, used_at=None).count()


@transaction.atomic
def renew_recovery_codes(*, user: StaffUser, address: str = "") -> list[str]:
    """Replace all recovery codes. Raises `Conflict` without a second factor."""
    locked = StaffUser.objects.select_for_update().get(pk=user.pk)
    if not is_set_up(locked):
        raise Conflict("Set up a second factor first")
    codes = _new_recovery_codes(locked)
    record_access_event(event=AccessEvent.RECOVERY_CODES_RENEWED, user=user, address=address)
    return codes


@transaction.atomic
def reset(*, user_id: UUID, by: StaffUser, confirmed_by: StaffUser | None = None) -> StaffUser:
    """Remove another user's second factor, passkeys included, and end their sessions.

    Raises `NotFound`, `Forbidden`, also for one's own, and `Conflict` if there is none.
    """
    user = lock_person(user_id, by, confirmed_by, message=_NOT_ALLOWED)
    if user.pk == by.pk:
        raise Forbidden("You cannot reset your own second factor. Ask another administrator")
    if confirmed_by is None:
        require_confirmation(needed=has_privileged_access(user))
    if not is_set_up(user):
        raise Conflict(f"{user} has no second factor")
    SecondFactor.objects.filter(user=user).delete()
    Passkey.objects.filter(user=user).delete()
    RecoveryCode.objects.filter(user=user).delete()
    end_sessions(user)
    restart_cooling_off(user)
    words = f"Confirmed by {confirmed_by.username}" if confirmed_by else ""
    record_access_event(event=AccessEvent.SECOND_FACTOR_RESET, user=user, by=by, details=words)
    return user


def _matching_step(secret: str, code: str) -> int | None:
    """Return the time step of `code`: the current or, as clocks differ, a neighbouring one."""
    current = current_step()
    digits = re.sub(r"\s", "", code)
    if not re.fullmatch(r"[0-9]{6}", digits):
        return None
    for step in (current, current - 1, current + 1):
        if hmac.compare_digest(code_at(secret=secret, step=step), digits):
            return step
    return None


def _new_recovery_codes(user: StaffUser) -> list[str]:
    codes = []
    for _ in range(RECOVERY_CODES):
        letters = base64.b32encode(secrets.token_bytes(10)).decode().lower()
        codes.append("-".join(letters[start : start + 4] for start in range(0, 16, 4)))
    RecoveryCode.objects.filter(user=user).delete()
    RecoveryCode.objects.bulk_create(
        RecoveryCode(user=user, code_hash=_hash(user, code)) for code in codes
    )
    return codes


def _hash(user: StaffUser, code: str) -> str:
    letters = re.sub(r"[^a-z2-7]", "", code.lower())
    return hashlib.sha256(f"{user.pk}:{letters}".encode()).hexdigest()
