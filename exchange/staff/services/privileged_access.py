"""Who holds access that decides about money, since when, and from when on they may use it.

A person whose access was given or reset a short time ago looks and does not decide (the cooling-off
period); where two approve, one of them has held access undisturbed for longer (the tenure). Both
are measured from `StaffUser.access_changed_at`. Nothing here writes but `mark_changed`; of whoever
is made active again PostgreSQL does (`access_guards.sql`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import Group, Permission
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.module_loading import import_string

from exchange.core.errors import Forbidden, Rejected
from exchange.core.ids import parse_id
from exchange.staff.models import AccessProposal, AccessRecord, StaffUser

BREAK_GLASS_NOTICE_DAYS = 7


def is_privileged(permission: str) -> bool:
    """Say whether `app.codename` lets its bearer decide; looking never does."""
    harmless = import_string(settings.UNPRIVILEGED_PERMISSIONS)
    return permission not in harmless and not permission.partition(".")[2].startswith("view_")


def is_privileged_role(role: Group | None) -> bool:
    """Say whether whoever has `role` decides about money or access."""
    return role is not None and _any_privileged(role.permissions.all())


def has_privileged_access(user: StaffUser) -> bool:
    """Say whether the person's role decides, whether or not they are active."""
    if user.is_superuser:
        return True
    return _any_privileged(Permission.objects.filter(Q(group__user=user) | Q(user=user)))


def can_manage_staff(user: StaffUser) -> bool:
    """Say whether the person's role lets them manage staff, whether or not they are active."""
    return _can_manage_staff(Permission.objects.filter(Q(group__user=user) | Q(user=user)))


def role_can_manage_staff(role: Group | None) -> bool:
    """Say whether whoever has `role` manages staff."""
    return role is not None and _can_manage_staff(role.permissions.all())


def cooling_off_end(user: StaffUser) -> datetime:
    """Give the end of the person's cooling-off period, which may be over."""
    return user.access_changed_at + timedelta(hours=settings.COOLING_OFF_HOURS)


def is_cooling_off(user: StaffUser) -> bool:
    """Say whether the person may only look for now."""
    return cooling_off_end(user) > timezone.now()


def eligible_approvers(permission: str, *others: UUID | str | None) -> QuerySet[StaffUser]:
    """Give who may decide by `permission` now, without `others`: ids, or actors as text."""
    since = timezone.now() - timedelta(hours=settings.COOLING_OFF_HOURS)
    return (
        StaffUser.objects.with_perm(permission, backend="django.contrib.auth.backends.ModelBackend")
        .filter(is_staff=True, access_changed_at__lte=since)
        .exclude(pk__in=_ids_of(others))
        .order_by("username")
    )


def require_cooled_off(user_id: UUID) -> None:
    """Refuse a decision of somebody whose access was given or reset a short time ago.

    Raises `Forbidden` (`cooling_off`).
    """
    user = StaffUser.objects.only("access_changed_at").filter(pk=user_id).first()
    if user is None or is_cooling_off(user):
        until = f", and decide from {_format_time(cooling_off_end(user))} on" if user else ""
        raise Forbidden(
            "Your access was given or reset a short time ago. You may look at everything" + until,
            code="cooling_off",
        )


def require_tenured(*people: UUID | str | None) -> None:
    """Refuse an approval by two people none of whom has held access undisturbed long enough.

    `people` are ids, or actors as text (`staff:<id>`); who is no member of staff does not count.
    Not asked in the first days of an installation. Raises `Rejected` (`approvers_too_new`).
    """
    since = timezone.now() - timedelta(days=settings.TENURE_DAYS)
    if _installed_after(since):
        return
    if not StaffUser.objects.filter(
        pk__in=_ids_of(people), is_active=True, access_changed_at__lte=since
    ).exists():
        raise Rejected(
            "One of the two who approve must have held their access undisturbed for"
            f" {settings.TENURE_DAYS} days",
            code="approvers_too_new",
        )


def require_confirmation(*, needed: bool) -> None:
    """Refuse to do at once what takes two people. Raises `Forbidden` (`second_person_needed`)."""
    if needed:
        raise Forbidden(
            "This gives power over money: propose it, and another person confirms",
            code="second_person_needed",
        )


def is_new_installation() -> bool:
    """Say whether the installation is new: nobody's access to decide has ever been in force.

    Who was deactivated, or reset since, counts: nothing makes an installation new again.
    """
    since = timezone.now() - timedelta(hours=settings.COOLING_OFF_HOURS)
    return not any(
        (user.access_changed_at <= since or user.date_joined <= since)
        and has_privileged_access(user)
        for user in StaffUser.objects.all()
    )


def restart_cooling_off(user: StaffUser) -> None:
    """Begin the person's cooling-off period anew: their access was given or reset now."""
    user.access_changed_at = timezone.now()
    StaffUser.objects.filter(pk=user.pk).update(access_changed_at=user.access_changed_at)


def access_notices(user: StaffUser) -> list[str]:
    """Give what `user` must know about access given of late: empty for who decides nothing."""
    notices: list[str] = []
    if not any(map(is_privileged, user.get_all_permissions())):
        return notices
    if is_cooling_off(user):
        notices.append(
            "Your access was given or reset a short time ago. You may look at everything, and"
            f" decide from {_format_time(cooling_off_end(user))} on."
        )
    now = timezone.now()
    used = AccessProposal.objects.filter(
        break_glass=True, created_at__gt=now - timedelta(days=BREAK_GLASS_NOTICE_DAYS)
    ).select_related("person", "organisation")
    for proposal in used:
        about = proposal.person or proposal.organisation
        notices.append(
            f"Break-glass access was used at {_format_time(proposal.created_at)}:"
            f" {proposal.get_kind_display().lower()}, for {about}. If you do not know why, act now."
        )
    if user.may("exchange.decide_accessproposal"):
        notices += [
            f"The access of {other} was given or reset at"
            f" {_format_time(other.access_changed_at)}. They decide from"
            f" {_format_time(cooling_off_end(other))} on. If you do not know why, act now."
            for other in _cooling_off_people(now)
            if other.pk != user.pk
        ]
    return notices


def _ids_of(people: Iterable[UUID | str | None]) -> list[UUID]:
    texts = (str(person).removeprefix("staff:") for person in people if person is not None)
    return [found for text in texts if (found := parse_id(text)) is not None]


def _cooling_off_people(now: datetime) -> list[StaffUser]:
    since = now - timedelta(hours=settings.COOLING_OFF_HOURS)
    changed = StaffUser.objects.filter(
        is_active=True, is_staff=True, access_changed_at__gt=since
    ).order_by("access_changed_at")
    return [user for user in changed if has_privileged_access(user)]


def _installed_after(moment: datetime) -> bool:
    """Say whether the first record of anybody's access is younger; the records are append-only."""
    first = AccessRecord.objects.order_by("id").values_list("at", flat=True).first()
    return first is None or first > moment


def _any_privileged(permissions: Any) -> bool:
    return any(is_privileged(name) for name in _permission_names(permissions))


def _can_manage_staff(permissions: Any) -> bool:
    return "exchange.change_staffuser" in _permission_names(permissions)


def _permission_names(permissions: Any) -> set[str]:
    found = permissions.values_list("content_type__app_label", "codename")
    return {f"{app}.{codename}" for app, codename in found}


def _format_time(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
