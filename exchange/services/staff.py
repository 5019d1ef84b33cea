"""People of the back office: inviting them, their role, and ending their access.

Nobody changes their own access, and only a superuser touches a superuser. A person has one role,
so that the duties that `config.roles` keeps apart stay apart. Whatever changes somebody's access
ends their sessions.
"""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django.contrib.auth.models import Group
from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from exchange.errors import Conflict, Forbidden, InvalidRequest, NotFound
from exchange.models import AccessEvent, StaffUser
from exchange.services import lockout
from exchange.services.access_records import record

_DETAILS = ("first_name", "last_name", "email")


@transaction.atomic
def add_person(
    *,
    username: str,
    role: Group,
    by: StaffUser | None,
    password: str | None = None,
    details: Mapping[str, str] | None = None,
) -> StaffUser:
    """A new member of staff with one role; without a password until they take up an invitation.

    `by` is None where an operator of the service does it from a shell. Raises `Forbidden`,
    `InvalidRequest` for a bad name or address, `Conflict` for a taken name.
    """
    if by is not None and not by.may("exchange.add_staffuser"):
        raise Forbidden("You may not add members of staff")
    if StaffUser.objects.filter(username__iexact=username).exists():
        raise Conflict(f"There is a member of staff called {username} already")
    user = StaffUser(username=username, is_staff=True, **dict(details or {}))
    if password is None:
        user.set_unusable_password()
    else:
        user.set_password(password)
    _check(user)
    user.save()
    user.groups.set([role])
    record(event=AccessEvent.INVITED, user=user, by=by, details=f"Role: {role.name}")
    return user


@transaction.atomic
def change_details(*, user_id: UUID, details: Mapping[str, str], by: StaffUser) -> StaffUser:
    """Changes a person's name and email address. Raises `Forbidden`, `InvalidRequest`."""
    user = _locked(user_id, by)
    before = {name: getattr(user, name) for name in _DETAILS}
    for name in _DETAILS:
        setattr(user, name, details.get(name, before[name]))
    _check(user)
    changed = [name for name in _DETAILS if getattr(user, name) != before[name]]
    if changed:
        user.save(update_fields=changed)
        words = "; ".join(
            f"{name.replace('_', ' ')}: {before[name] or 'none'} → {getattr(user, name) or 'none'}"
            for name in changed
        )
        record(event=AccessEvent.DETAILS_CHANGED, user=user, by=by, details=words)
    return user


@transaction.atomic
def change_role(*, user_id: UUID, role: Group | None, seen: str, by: StaffUser) -> StaffUser:
    """Gives a person `role` in the place of the one they had, which was `seen`; their sessions end.

    Raises `Forbidden`, for one's own too, and `Conflict` when the role is no longer `seen`.
    """
    user = _locked(user_id, by)
    _not_oneself(user, by)
    before = role_of(user)
    if before != seen:
        raise Conflict(f"{user} is {before or 'without a role'} by now. Please look again")
    user.groups.set([role] if role else [])
    _end_sessions(user)
    after = role.name if role else ""
    record(
        event=AccessEvent.ROLE_CHANGED,
        user=user,
        by=by,
        details=f"{before or 'None'} → {after or 'None'}",
    )
    return user


@transaction.atomic
def set_active(*, user_id: UUID, active: bool, by: StaffUser) -> StaffUser:
    """Lets a person in again, or shuts them out at once. Raises `Forbidden`, `Conflict`."""
    user = _locked(user_id, by)
    _not_oneself(user, by)
    if user.is_active == active:
        raise Conflict(f"{user} is {'active' if active else 'deactivated'} already")
    user.is_active = active
    user.save(update_fields=["is_active"])
    _end_sessions(user)
    event = AccessEvent.ACTIVATED if active else AccessEvent.DEACTIVATED
    record(event=event, user=user, by=by)
    return user


@transaction.atomic
def invitation(*, user_id: UUID, by: StaffUser) -> tuple[str, str]:
    """What the one-time address is made of by which a person chooses a password: id and token.

    Good until it is used, the person signs in, or `PASSWORD_RESET_TIMEOUT` is over. Raises
    `Forbidden`, and `Conflict` for somebody who is deactivated.
    """
    user = _locked(user_id, by)
    _not_oneself(user, by)
    if not user.is_active:
        raise Conflict(f"{user} is deactivated")
    record(event=AccessEvent.INVITED, user=user, by=by, details="One-time address made")
    return urlsafe_base64_encode(force_bytes(user.pk)), default_token_generator.make_token(user)


@transaction.atomic
def unlock(*, user_id: UUID, by: StaffUser | None) -> StaffUser:
    """Forgets the wrong tries for a person's account: they may sign in again at once.

    `by` is None where an operator of the service does it from a shell. Raises `Forbidden`, and
    `Conflict` for somebody who is not locked out.
    """
    user = _locked(user_id, by)
    if by is not None:
        _not_oneself(user, by)
    if not lockout.forget(user):
        raise Conflict(f"{user} is not locked out")
    record(event=AccessEvent.UNLOCKED, user=user, by=by)
    return user


def role_of(user: StaffUser) -> str:
    """The name of the person's role; empty without one."""
    return ", ".join(sorted(user.groups.values_list("name", flat=True)))


def _locked(user_id: UUID, by: StaffUser | None) -> StaffUser:
    user = StaffUser.objects.select_for_update().filter(pk=user_id).first()
    if user is None:
        raise NotFound("There is no such member of staff")
    if by is None:
        return user
    if not by.may("exchange.change_staffuser") or (user.is_superuser and not by.is_superuser):
        raise Forbidden("You may not change this person's access")
    return user


def _not_oneself(user: StaffUser, by: StaffUser) -> None:
    if user.pk == by.pk:
        raise Forbidden("Nobody changes their own access: ask another administrator")


def _end_sessions(user: StaffUser) -> None:
    StaffUser.objects.filter(pk=user.pk).update(session_epoch=F("session_epoch") + 1)


def _check(user: StaffUser) -> None:
    try:
        user.full_clean()
    except ValidationError as error:
        raise InvalidRequest(" ".join(error.messages)) from error
