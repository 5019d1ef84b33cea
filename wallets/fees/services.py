"""Figures that finance sets, with four eyes and an instant from which they are in force.

One person proposes a figure, another approves it; from its instant on it is the figure in force,
by itself, for whatever is done from then on. Withdrawals that exist keep the figures they were
created under. What is approved and not yet in force is withdrawn by two people as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.contrib.postgres.functions import TransactionNow
from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from exchange.core.currencies import currencies, payout_currencies
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, StateConflict
from exchange.core.numbers import MAX_NUMBER, count_decimals, format_plain
from exchange.core.text import clean_text
from exchange.staff.approvals import (
    TwoPersonApproval,
    authorize_staff,
    first_error_message,
    require_independent,
)
from exchange.staff.models import StaffUser
from exchange.staff.services.privileged_access import require_cooled_off, require_tenured
from wallets.fees.models import Configuration, SettingChange, SettingChangeStatus
from wallets.fees.selectors import effective_setting, upcoming_changes

PROPOSE = "wallets.propose_configuration"
DECIDE = "wallets.decide_configuration"

SETTING_CHANGES = TwoPersonApproval(
    model=SettingChange,
    noun="figure",
    permission=DECIDE,
    unique_constraint="setting_change_pending_once",
)

_RATE_DECIMALS = 8
_MAX_REASON_LENGTH = 300
_MAX_LEAD_TIME = timedelta(days=366)


@dataclass(frozen=True, slots=True)
class SettingDefinition:
    """What a key's figure is: its words, most decimals, and smallest value."""

    description: str
    decimals: int
    minimum: Decimal


def pending_approval(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Narrow figures to those that wait for a second person: proposed, or to be withdrawn."""
    asked = Q(status=SettingChangeStatus.APPROVED, cancellation_requested_by__isnull=False)
    return rows.filter(
        Q(status=SettingChangeStatus.PENDING) | asked & Q(effective_at__gt=timezone.now())
    )


def proposed_by_user(user: StaffUser) -> Q:
    """Return the condition on undecided figures that `user` may not decide."""
    proposed = Q(status=SettingChangeStatus.PENDING, proposed_by=user)
    return proposed | Q(status=SettingChangeStatus.APPROVED, cancellation_requested_by=user)


def setting_definitions() -> dict[str, SettingDefinition]:
    """Every key the service reads, over all currencies that can be paid out."""
    known: dict[str, SettingDefinition] = {}
    for code in payout_currencies():
        decimals = currencies()[code].decimals
        smallest = Decimal(1).scaleb(-decimals)
        known |= {
            f"MINIMUM_WITHDRAWAL_{code}": SettingDefinition(
                f"Minimum withdrawal, in {code}", decimals, Decimal(1)
            ),
            f"{code}_WITHDRAWAL_FEE": SettingDefinition(
                f"Flat withdrawal fee, in {code}", decimals, Decimal(0)
            ),
            f"{code}_INTERNAL_FEE": SettingDefinition(
                f"Internal fee shown on an organisation's withdrawal, in {code}",
                decimals,
                Decimal(0),
            ),
            f"{code}_USD_RATE": SettingDefinition(
                f"{code} per USD, for the USD value shown on withdrawals",
                _RATE_DECIMALS,
                Decimal(1).scaleb(-_RATE_DECIMALS),
            ),
            f"SECOND_APPROVAL_ABOVE_{code}": SettingDefinition(
                f"Withdrawals from this amount in {code} require two approvers", decimals, smallest
            ),
            f"SECOND_APPROVAL_DAILY_ABOVE_{code}": SettingDefinition(
                "Withdrawals of an organisation and its members within 24 hours that reach this"
                f" total in {code} require two approvers",
                decimals,
                smallest,
            ),
            f"SOLE_APPROVALS_DAILY_{code}": SettingDefinition(
                f"Maximum that one person may approve alone within 24 hours, in {code}",
                decimals,
                Decimal(0),
            ),
        }
    return known


def propose(
    *,
    key: str,
    value: Decimal,
    reason: str,
    effective_from: datetime | None = None,
    user: StaffUser,
) -> SettingChange:
    """Enters a figure; nothing changes until another person approves it, and not before
    `effective_from` (None: when it is approved).

    Raises `Forbidden`, `InvalidRequest`, or `Conflict` while another figure of the key waits.
    """
    authorize_staff(user, PROPOSE, "You may not propose figures")
    _validate(key, value)
    why = clean_text(reason, missing="A figure needs a reason", max_length=_MAX_REASON_LENGTH)
    now = timezone.now()
    if effective_from is not None and not now < effective_from <= now + _MAX_LEAD_TIME:
        raise InvalidRequest.for_field(
            "effective_from", "It can take effect at an instant ahead, within a year"
        )
    return SETTING_CHANGES.propose(
        Conflict(f"Another figure of {key} waits for a decision", code="figure_pending"),
        configuration_id=key,
        value=value,
        reason=why,
        effective_from=effective_from,
        proposed_by=user,
    )


def approve(*, change_id: UUID, expected_value: Decimal, user: StaffUser) -> SettingChange:
    """Another person approves; from its instant, at once when that has passed, it is in force.

    `seen` is the figure in force that the person had before them. Raises `Forbidden`, `NotFound`,
    `StateConflict`, `Conflict` when another figure takes effect at the same instant, `Rejected`
    (`approver_not_independent`).
    """
    authorize_staff(user, DECIDE, "You may not approve figures")
    with transaction.atomic():
        change = SETTING_CHANGES.get_approvable(change_id, user)
        now = _now()
        current = effective_setting(change.configuration_id)
        if current is None or current != expected_value:
            raise StateConflict(
                f"{change.configuration_id} is {format_plain(current or Decimal(0))} by now. "
                "Please look at it again"
            )
        starts = max(now, change.effective_from or now)
        if upcoming_changes().filter(configuration_id=change.configuration_id, effective_at=starts):
            raise Conflict("Another approved figure takes effect at the same instant")
        return SETTING_CHANGES.close(
            change, SettingChangeStatus.APPROVED, user, effective_at=starts
        )


def reject(*, change_id: UUID, user: StaffUser, reason: str) -> SettingChange:
    """Closes a proposal without effect. Raises as `approve`, `InvalidRequest` without a reason."""
    authorize_staff(user, DECIDE, "You may not reject figures")
    why = clean_text(reason, missing="A rejection needs a reason", max_length=_MAX_REASON_LENGTH)
    with transaction.atomic():
        change = SETTING_CHANGES.get_pending(change_id)
        return SETTING_CHANGES.close(change, SettingChangeStatus.REJECTED, user, decision_note=why)


def take_back(*, change_id: UUID, user: StaffUser) -> SettingChange:
    """Whoever proposed it closes it. Raises as `approve`, `Forbidden` for anybody else."""
    authorize_staff(user, PROPOSE, "You may not take figures back")
    with transaction.atomic():
        change = SETTING_CHANGES.get(change_id)
        require_proposer(change, user)
        return SETTING_CHANGES.close(change, SettingChangeStatus.TAKEN_BACK, user)


def request_cancellation(*, change_id: UUID, user: StaffUser, reason: str) -> SettingChange:
    """Asks that an approved figure does not take effect; another person has to agree in time.

    Raises `Forbidden`, `NotFound`, `InvalidRequest`, `StateConflict` when it is in force already,
    or somebody asked before.
    """
    permission = DECIDE if user.may(DECIDE) else PROPOSE
    authorize_staff(user, permission, "You may not withdraw figures")
    why = clean_text(reason, missing="A withdrawal needs a reason", max_length=_MAX_REASON_LENGTH)
    with transaction.atomic():
        change = SETTING_CHANGES.get(change_id)
        require_no_cancellation_request(change)
        change.cancellation_requested_by = user
        change.cancellation_reason = why
        change.save(update_fields=["cancellation_requested_by", "cancellation_reason"])
    return change


def dismiss_cancellation(*, change_id: UUID, user: StaffUser) -> SettingChange:
    """Ends the asking: the figure takes effect as approved. Raises as `confirm_cancellation`."""
    with transaction.atomic():
        change = SETTING_CHANGES.get(change_id)
        require_cancellation_request(change)
        if change.cancellation_requested_by_id != user.pk:
            authorize_staff(user, DECIDE, "You may not decide about figures")
        change.cancellation_requested_by = None
        change.cancellation_reason = ""
        change.save(update_fields=["cancellation_requested_by", "cancellation_reason"])
    return change


def confirm_cancellation(*, change_id: UUID, user: StaffUser) -> SettingChange:
    """Another person than the one who asked withdraws it: it never takes effect.

    Raises `Forbidden`, `NotFound`, `StateConflict`, `Rejected` (`approver_not_independent`).
    """
    authorize_staff(user, DECIDE, "You may not withdraw figures")
    with transaction.atomic():
        change = SETTING_CHANGES.get(change_id)
        require_cancellation_request(change)
        _require_another_person(change, user)
        change.status = SettingChangeStatus.CANCELLED
        change.cancelled_by = user
        change.cancelled_at = timezone.now()
        change.save(update_fields=["status", "cancelled_by", "cancelled_at"])
    return change


def require_proposer(change: SettingChange, user: StaffUser) -> None:
    """Refuse to have `figure` taken back unless it is pending, and by whoever proposed it."""
    SETTING_CHANGES.require_pending(change)
    if change.proposed_by_id != user.pk:
        raise Forbidden("Only the person who proposed a figure takes it back")


def require_upcoming(change: SettingChange) -> None:
    """Refuse what can be done only until an approved figure takes effect."""
    if change.status != SettingChangeStatus.APPROVED or change.effective_at is None:
        raise StateConflict(f"The figure is {change.status}, not Approved")
    if change.effective_at <= timezone.now():
        raise StateConflict("The figure is in force already. Please propose another one")


def require_no_cancellation_request(change: SettingChange) -> None:
    """Refuse to ask again for the withdrawal of a figure."""
    require_upcoming(change)
    if change.cancellation_requested_by is not None:
        raise StateConflict(f"{change.cancellation_requested_by} asked for it before")


def require_cancellation_request(change: SettingChange) -> None:
    """Refuse to decide about a withdrawal that nobody asks for."""
    require_upcoming(change)
    if change.cancellation_requested_by is None:
        raise StateConflict("Nobody asks to withdraw this figure any more")


def describe_cancellation_blocker(change: SettingChange, user: StaffUser) -> str:
    """Return why `user` cannot agree to withdraw `figure`; empty when nothing prevents it."""
    return first_error_message(
        lambda: require_cancellation_request(change),
        lambda: _require_another_person(change, user),
        lambda: require_cooled_off(user.pk),
    )


def _require_another_person(change: SettingChange, user: StaffUser) -> None:
    asked_by = change.cancellation_requested_by_id
    require_independent(user, asked_by, message="Somebody else must agree to what you asked for")
    require_tenured(asked_by, user.pk)


def _now() -> datetime:
    # When the transaction began, by the database: it is what figures in force are told by.
    now: datetime = Configuration.objects.aggregate(now=Max(TransactionNow()))["now"]
    return now


def _validate(key: str, value: Decimal) -> SettingDefinition:
    facts = setting_definitions().get(key)
    if facts is None:
        raise InvalidRequest("This key is not one the service reads")
    if not value.is_finite() or not facts.minimum <= value <= MAX_NUMBER:
        raise InvalidRequest.for_field(
            "value",
            f"The value must be at least {format_plain(facts.minimum)} and not above"
            f" {format_plain(MAX_NUMBER)}",
        )
    if count_decimals(value) > facts.decimals:
        allowed = f"at most {facts.decimals}" if facts.decimals else "no"
        raise InvalidRequest.for_field("value", f"The value may have {allowed} decimals")
    return facts
