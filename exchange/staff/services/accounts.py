"""Back-office accounts: invitation, role, activation and deactivation.

Users cannot change their own access, and only superusers can change a superuser. A user has one
role, which keeps duties separate (`config.back_office.roles`). Every change of access ends the
user's sessions and invitation links. Granting privileged access requires `confirmed_by`, the second
person, which `exchange.access` passes.
"""

import unicodedata
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib.auth.models import Group
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from exchange.core.errors import Conflict, Forbidden, InvalidRequest, NotFound
from exchange.core.querysets import get_or_raise
from exchange.core.text import check_line
from exchange.staff.approvals import authorize_staff
from exchange.staff.models import AccessEvent, StaffUser
from exchange.staff.services import lockout
from exchange.staff.services.access_records import record_access_event
from exchange.staff.services.privileged_access import (
    has_privileged_access,
    is_privileged_role,
    require_confirmation,
    restart_cooling_off,
)

_NOT_ALLOWED = "You are not allowed to change this person's access"
_DETAILS = ("first_name", "last_name", "email")


class InvitationTokenGenerator(PasswordResetTokenGenerator):
    """Creates and checks invitation tokens; ending a user's sessions invalidates them."""

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}{user.session_epoch}"


invitation_tokens = InvitationTokenGenerator()


@transaction.atomic
def add_person(
    *,
    username: str,
    role: Group,
    by: StaffUser | None,
    password: str | None = None,
    details: Mapping[str, str] | None = None,
    confirmed_by: StaffUser | None = None,
) -> StaffUser:
    """Create a user with one role; without `password` they need an invitation.

    `by` is None for an operator's shell. Raises `Forbidden`, `InvalidRequest` for a bad name or
    email, `Conflict` for a taken name.
    """
    if by is not None and confirmed_by is None:
        authorize_staff(by, "exchange.add_staffuser", "You are not allowed to add users")
        require_confirmation(needed=is_privileged_role(role))
    user = build_person(username, details)
    if password is not None:
        user.set_password(password)
    try:
        with transaction.atomic():
            user.save(force_insert=True)
    except IntegrityError as error:  # taken since the check
        raise _username_taken(username) from error
    user.groups.set([role])
    words = _describe_confirmation(f"Role: {role.name}", confirmed_by)
    record_access_event(event=AccessEvent.INVITED, user=user, by=by, details=words)
    return user


@transaction.atomic
def change_details(*, user_id: UUID, details: Mapping[str, str], by: StaffUser) -> StaffUser:
    """Change a user's name and email address. Raises `Forbidden`, `InvalidRequest`."""
    user = lock_person(user_id, by)
    before = {name: getattr(user, name) for name in _DETAILS}
    for name in _DETAILS:
        setattr(user, name, details.get(name, before[name]))
    _validate(user)
    _require_own_name(user)
    changed = [name for name in _DETAILS if getattr(user, name) != before[name]]
    if changed:
        user.save(update_fields=changed)
        words = "; ".join(
            f"{name.replace('_', ' ')}: {before[name] or 'none'} → {getattr(user, name) or 'none'}"
            for name in changed
        )
        record_access_event(event=AccessEvent.DETAILS_CHANGED, user=user, by=by, details=words)
    return user


@transaction.atomic
def change_role(
    *,
    user_id: UUID,
    role: Group | None,
    expected_role: str,
    by: StaffUser,
    confirmed_by: StaffUser | None = None,
) -> StaffUser:
    """Replace a user's role, which must be `expected_role`; their sessions end.

    Raises `Forbidden`, also for one's own role, and `Conflict` if the role has changed.
    """
    user = lock_person(user_id, by, confirmed_by)
    _require_other_person(user, by)
    if confirmed_by is None:
        require_confirmation(needed=is_privileged_role(role) or has_privileged_access(user))
    before = role_name(user)
    if before != expected_role:
        raise Conflict(f"{user} is {before or 'without a role'} now. Reload the page and try again")
    user.groups.set([role] if role else [])
    end_sessions(user)
    restart_cooling_off(user)
    after = role.name if role else ""
    words = _describe_confirmation(f"{before or 'None'} → {after or 'None'}", confirmed_by)
    record_access_event(event=AccessEvent.ROLE_CHANGED, user=user, by=by, details=words)
    return user


@transaction.atomic
def deactivate(*, user_id: UUID, by: StaffUser) -> StaffUser:
    """Deactivate a user immediately. Raises `Forbidden`, `Conflict`."""
    user = lock_person(user_id, by)
    _require_other_person(user, by)
    return _set_active(user, active=False, by=by)


@transaction.atomic
def activate(*, user_id: UUID, by: StaffUser, confirmed_by: StaffUser | None = None) -> StaffUser:
    """Activate a deactivated user. Raises `Forbidden`, `Conflict`."""
    user = lock_person(user_id, by, confirmed_by)
    _require_other_person(user, by)
    if confirmed_by is None:
        require_confirmation(needed=has_privileged_access(user))
    return _set_active(user, active=True, by=by, confirmed_by=confirmed_by)


@transaction.atomic
def create_invitation(
    *, user_id: UUID, by: StaffUser, confirmed_by: StaffUser | None = None
) -> tuple[str, str]:
    """Create an invitation link for choosing a password; return its user id and token.

    It expires when it is used, the user signs in, their access changes, or after
    `PASSWORD_RESET_TIMEOUT`. Raises `Forbidden`, `Conflict` for a deactivated user.
    """
    user = lock_person(user_id, by, confirmed_by)
    _require_other_person(user, by)
    if confirmed_by is None:
        require_confirmation(needed=has_privileged_access(user))
    if not user.is_active:
        raise Conflict(f"{user} is deactivated")
    restart_cooling_off(user)
    words = _describe_confirmation("Invitation link created", confirmed_by)
    record_access_event(event=AccessEvent.INVITED, user=user, by=by, details=words)
    return urlsafe_base64_encode(force_bytes(user.pk)), invitation_tokens.make_token(user)


@transaction.atomic
def unlock(*, user_id: UUID, by: StaffUser | None) -> StaffUser:
    """Clear the failed attempts of a user's account, so that they can sign in again.

    `by` is None for an operator's shell. Raises `Forbidden`, `Conflict` if not locked out.
    """
    user = lock_person(user_id, by)
    if by is not None:
        _require_other_person(user, by)
    if not lockout.clear_attempts(user):
        raise Conflict(f"{user} is not locked out")
    record_access_event(event=AccessEvent.UNLOCKED, user=user, by=by)
    return user


def get_person(user_id: UUID, people: QuerySet[StaffUser] | None = None) -> StaffUser:
    """Return a user, from `people` if given. Raises `NotFound`."""
    rows = StaffUser.objects.all() if people is None else people
    return get_or_raise(rows.filter(pk=user_id), lambda: NotFound("User not found"))


def lock_person(
    user_id: UUID,
    by: StaffUser | None,
    confirmed_by: StaffUser | None = None,
    *,
    message: str = _NOT_ALLOWED,
) -> StaffUser:
    """Return a user, locked, if `by` may change their access; None is an operator's shell.

    Raises `NotFound`, `Forbidden` with `message`.
    """
    user = get_person(user_id, StaffUser.objects.select_for_update())
    if by is not None and confirmed_by is None:
        authorize_staff(by, "exchange.change_staffuser", message)
    if by is not None and user.is_superuser and not by.is_superuser:
        raise Forbidden(message)
    return user


def end_sessions(user: StaffUser) -> None:
    """End all sessions of `user`."""
    StaffUser.objects.filter(pk=user.pk).update(session_epoch=F("session_epoch") + 1)
    user.refresh_from_db(fields=["session_epoch"])


def role_name(user: StaffUser) -> str:
    """Return the name of the user's role; empty without one."""
    return ", ".join(sorted(user.groups.values_list("name", flat=True)))


def build_person(username: str, details: Mapping[str, str] | None = None) -> StaffUser:
    """Return a new user, unsaved and without a password.

    Raises `InvalidRequest` for a bad name or email, `Conflict` for a taken name.
    """
    if StaffUser.objects.filter(username__iexact=username).exists():
        raise _username_taken(username)
    user = StaffUser(username=username, is_staff=True, **dict(details or {}))
    user.set_unusable_password()
    _validate(user)
    _require_own_name(user)
    return user


def require_may_change_access(user: StaffUser, by: StaffUser) -> None:
    """Raise `Forbidden` for the user's own access, and for a superuser's unless `by` is one."""
    if user.is_superuser and not by.is_superuser:
        raise Forbidden(_NOT_ALLOWED)
    _require_other_person(user, by)


def _username_taken(username: str) -> Conflict:
    return Conflict(f"The username {username} is taken")


def _require_other_person(user: StaffUser, by: StaffUser) -> None:
    if user.pk == by.pk:
        raise Forbidden("You cannot change your own access. Ask another administrator")


def _set_active(
    user: StaffUser, *, active: bool, by: StaffUser, confirmed_by: StaffUser | None = None
) -> StaffUser:
    if user.is_active == active:
        raise Conflict(f"{user} is already {'active' if active else 'deactivated'}")
    user.is_active = active
    user.save(update_fields=["is_active"])
    end_sessions(user)
    event = AccessEvent.ACTIVATED if active else AccessEvent.DEACTIVATED
    record_access_event(
        event=event, user=user, by=by, details=_describe_confirmation("", confirmed_by)
    )
    return user


def _validate(user: StaffUser) -> None:
    for name in ("username", "first_name", "last_name"):
        check_line(name, getattr(user, name))
    try:
        user.full_clean(validate_unique=False)  # a taken name is a `Conflict`
    except ValidationError as error:
        raise InvalidRequest.from_validation_error(error) from error


def _require_own_name(user: StaffUser) -> None:
    """Raise `Conflict` if pages would show `user` under the name of a colleague."""
    shown = _fold_name(str(user))
    # Of two users with one username the second is refused when it is stored.
    colleagues = StaffUser.objects.exclude(pk=user.pk).exclude(username__iexact=user.username)
    for colleague in colleagues:
        if shown in {_fold_name(str(colleague)), _fold_name(colleague.username)}:
            raise Conflict(f"{colleague.username} is shown under this name. Choose another name")


def _fold_name(name: str) -> str:
    """Return `name` without case, marks, width, punctuation and hidden characters."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in letters if letter.isalnum())


def _describe_confirmation(words: str, confirmed_by: StaffUser | None) -> str:
    confirmed = f"Confirmed by {confirmed_by.username}" if confirmed_by else ""
    return ". ".join(filter(None, (words, confirmed)))
