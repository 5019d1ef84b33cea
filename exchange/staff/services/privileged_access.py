"""Privileged access: who holds it, the cooling-off period and the tenure rule.

After access is granted or reset a user cannot approve for a while (cooling-off). Of two approvers
one must have held unchanged access for longer (tenure). Both are measured from
`StaffUser.access_changed_at`, which `restart_cooling_off` and, on activation, a trigger
(`access_guards.sql`) set.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import Group, Permission
from django.db.models import Max, Model, Q, QuerySet
from django.utils import timezone
from django.utils.module_loading import import_string

from exchange.core.errors import Forbidden, Rejected
from exchange.core.ids import parse_id
from exchange.staff.models import AccessProposal, AccessRecord, StaffUser

BREAK_GLASS_NOTICE_DAYS = 7


def is_privileged(permission: str) -> bool:
    """Return whether `app.codename` is privileged; view permissions never are."""
    unprivileged = import_string(settings.UNPRIVILEGED_PERMISSIONS)
    return permission not in unprivileged and not permission.partition(".")[2].startswith("view_")


def is_privileged_role(role: Group | None) -> bool:
    """Return whether `role` has privileged permissions."""
    return any(map(is_privileged, _permissions_of(role)))


def has_privileged_access(user: StaffUser) -> bool:
    """Return whether the user has privileged permissions, active or not."""
    return user.is_superuser or any(map(is_privileged, _permissions_of(user)))


def can_manage_staff(holder: StaffUser | Group | None) -> bool:
    """Return whether a role, or a user by their role, active or not, can manage staff."""
    return "exchange.change_staffuser" in _permissions_of(holder)


def cooling_off_end(user: StaffUser) -> datetime:
    """Return the end of the user's cooling-off period, possibly past."""
    return user.access_changed_at + timedelta(hours=settings.COOLING_OFF_HOURS)


def is_cooling_off(user: StaffUser) -> bool:
    """Return whether the user is in the cooling-off period."""
    return cooling_off_end(user) > timezone.now()


def eligible_approvers(permission: str, *others: UUID | str | None) -> QuerySet[StaffUser]:
    """Return users who may now approve with `permission`, without `others` (ids or actors)."""
    since = timezone.now() - timedelta(hours=settings.COOLING_OFF_HOURS)
    return (
        StaffUser.objects.with_perm(permission, backend="django.contrib.auth.backends.ModelBackend")
        .filter(is_staff=True, access_changed_at__lte=since)
        .exclude(pk__in=_ids_of(others))
        .order_by("username")
    )


def require_cooled_off(user_id: UUID) -> None:
    """Raise `Forbidden` (`cooling_off`) during the user's cooling-off period."""
    user = StaffUser.objects.only("access_changed_at").filter(pk=user_id).first()
    if user is None or is_cooling_off(user):
        until = f", and approve from {_format_time(cooling_off_end(user))}" if user else ""
        raise Forbidden(
            "Your access was granted or reset recently. You can view everything" + until,
            code="cooling_off",
        )


def require_tenured(*people: UUID | str | None) -> None:
    """Raise `Rejected` (`approvers_too_new`) unless one of `people` is tenured.

    `people` are ids or actors as text (`staff:<id>`); others than staff do not count. Not enforced
    in the first days of an installation.
    """
    since = timezone.now() - timedelta(days=settings.TENURE_DAYS)
    if _installed_after(since):
        return
    if not StaffUser.objects.filter(
        pk__in=_ids_of(people), is_active=True, access_changed_at__lte=since
    ).exists():
        raise Rejected(
            "One of the two approvers must have had unchanged access for"
            f" {settings.TENURE_DAYS} days",
            code="approvers_too_new",
        )


def require_confirmation(*, needed: bool) -> None:
    """Raise `Forbidden` (`second_person_needed`) if a second person must confirm."""
    if needed:
        raise Forbidden(
            "This grants privileged access: propose it for confirmation by a second person",
            code="second_person_needed",
        )


def is_new_installation() -> bool:
    """Return whether no privileged access has ever become effective.

    Deactivated and reset users count: an installation never becomes new again.
    """
    since = timezone.now() - timedelta(hours=settings.COOLING_OFF_HOURS)
    return not any(
        (user.access_changed_at <= since or user.date_joined <= since)
        and has_privileged_access(user)
        for user in StaffUser.objects.all()
    )


def restart_cooling_off(user: StaffUser) -> None:
    """Restart the user's cooling-off period: their access was granted or reset now."""
    user.access_changed_at = timezone.now()
    StaffUser.objects.filter(pk=user.pk).update(access_changed_at=user.access_changed_at)


@dataclass(frozen=True, slots=True)
class AccessNotice:
    """A notice about a recent change of access, of another person or an organisation's key."""

    text: str
    person: StaffUser | None = None
    organisation: Model | None = None


def access_notices(user: StaffUser) -> list[AccessNotice]:
    """Return notices about recent access changes; empty for unprivileged users."""
    notices: list[AccessNotice] = []
    if not any(map(is_privileged, user.get_all_permissions())):
        return notices
    if is_cooling_off(user):
        notices.append(
            AccessNotice(
                "Your access was granted or reset recently. You can view everything, and"
                f" approve from {_format_time(cooling_off_end(user))}."
            )
        )
    now = timezone.now()
    used = AccessProposal.objects.filter(
        break_glass=True, created_at__gt=now - timedelta(days=BREAK_GLASS_NOTICE_DAYS)
    ).select_related("person", "organisation")
    for proposal in used:
        about = proposal.person or proposal.organisation
        remedy = "deactivate the account" if proposal.person else "revoke the API key"
        notices.append(
            AccessNotice(
                f"Break-glass access was used at {_format_time(proposal.created_at)}:"
                f" {proposal.get_kind_display().lower()}, for {about}. If you do not know why, ask"
                f" who operates the servers, and have an administrator {remedy} at once.",
                proposal.person,
                proposal.organisation,
            )
        )
    if user.may("exchange.decide_accessproposal"):
        people = _people_to_notice(now)
        notices += [
            AccessNotice(
                f"The access of {other} was granted or reset at"
                f" {_format_time(other.access_changed_at)}. They can approve from"
                f" {_format_time(cooling_off_end(other))}. If you do not know why, call {other},"
                " and have an administrator deactivate the account at once.",
                other,
            )
            for other in people
            if other.pk != user.pk and cooling_off_end(other) > now and has_privileged_access(other)
        ]
        notices += [
            AccessNotice(
                f"A passkey of {owner} was blocked at {_format_time(owner.passkey_blocked_at)}: it"
                f" may have been copied. Call {owner}, who removes it and changes the password.",
                owner,
            )
            for owner in people
            if owner.passkey_blocked_at is not None
        ]
    return notices


def _ids_of(people: Iterable[UUID | str | None]) -> list[UUID]:
    texts = (str(person).removeprefix("staff:") for person in people if person is not None)
    return [found for text in texts if (found := parse_id(text)) is not None]


def _people_to_notice(now: datetime) -> list[Any]:
    """Return active staff in their cooling-off period, or with a passkey that was blocked."""
    since = now - timedelta(hours=settings.COOLING_OFF_HOURS)
    return list(
        StaffUser.objects.filter(is_active=True, is_staff=True)
        .annotate(passkey_blocked_at=Max("passkeys__blocked_at"))
        .filter(Q(access_changed_at__gt=since) | Q(passkey_blocked_at__isnull=False))
        .order_by("access_changed_at")
    )


def _installed_after(moment: datetime) -> bool:
    """Return whether the first access record, which is append-only, is newer."""
    first = AccessRecord.objects.order_by("id").values_list("at", flat=True).first()
    return first is None or first > moment


def _permissions_of(holder: StaffUser | Group | None) -> set[str]:
    """Return the permissions that a role, or a user, active or not, was given."""
    if holder is None:
        return set()
    if isinstance(holder, Group):
        given = holder.permissions.all()
    else:
        given = Permission.objects.filter(Q(group__user=holder) | Q(user=holder))
    found = given.values_list("content_type__app_label", "codename")
    return {f"{app}.{codename}" for app, codename in found}


def _format_time(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
