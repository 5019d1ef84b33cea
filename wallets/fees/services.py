"""Settings changes: proposed by one person, approved by another, effective from a given time.

A change takes effect by itself. Existing withdrawals keep the values they were created under. An
approved change that is not yet effective can be cancelled, again by two people.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.contrib.postgres.functions import TransactionNow
from django.db import IntegrityError, transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from exchange.core.currencies import currencies, payout_currencies
from exchange.core.database import violated_constraint
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, Rejected, StateConflict
from exchange.core.numbers import MAX_NUMBER, decimals_error, format_plain
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
# While its value is 1, no payout is sent.
PAYOUTS_ON_HOLD = "PAYOUTS_ON_HOLD"
DEPOSIT_FEE_BORNE_BY_OWNER = "DEPOSIT_FEE_BORNE_BY_OWNER"
DEPOSIT_CLEARING_DAYS = "DEPOSIT_CLEARING_DAYS"

SETTING_CHANGES = TwoPersonApproval(
    model=SettingChange,
    noun="settings change",
    permission=DECIDE,
    unique_constraint="setting_change_pending_once",
)

_RATE_DECIMALS = 8
_SPREAD_DECIMALS = 2
# In basis points: half of the amount.
_MAX_SPREAD = Decimal(5000)
_MAX_REASON_LENGTH = 300
_MAX_LEAD_TIME = timedelta(days=366)


@dataclass(frozen=True, slots=True)
class SettingDefinition:
    """Definition of a setting: description, maximum decimals, minimum and maximum value."""

    description: str
    decimals: int
    minimum: Decimal
    maximum: Decimal = MAX_NUMBER


def pending_approval(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Narrow changes to those that await a second person, for approval or cancellation."""
    requested = Q(status=SettingChangeStatus.APPROVED, cancellation_requested_by__isnull=False)
    return rows.filter(
        Q(status=SettingChangeStatus.PENDING) | requested & Q(effective_at__gt=timezone.now())
    )


def proposed_by_user(user: StaffUser) -> Q:
    """Return the condition on changes, or their cancellation, that `user` proposed."""
    proposed = Q(status=SettingChangeStatus.PENDING, proposed_by=user)
    return proposed | Q(status=SettingChangeStatus.APPROVED, cancellation_requested_by=user)


def setting_definitions() -> dict[str, SettingDefinition]:
    """Return the definition of every setting, over all currencies."""
    known = {
        PAYOUTS_ON_HOLD: SettingDefinition(
            "Payouts on hold: 1 stops sending them, 0 sends them", 0, Decimal(0), Decimal(1)
        ),
        DEPOSIT_FEE_BORNE_BY_OWNER: SettingDefinition(
            "Who bears the provider's charge of a deposit: 0 the exchange, 1 the owner",
            0,
            Decimal(0),
            Decimal(1),
        ),
        DEPOSIT_CLEARING_DAYS: SettingDefinition(
            "Days until a deposit by card or mobile money is available", 0, Decimal(0), Decimal(90)
        ),
    }
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
                f"{code} per USD, for conversions and the USD value shown on withdrawals",
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
    for code, facts in currencies().items():
        known |= {
            f"CONVERSION_SPREAD_{code}": SettingDefinition(
                f"Spread of conversions from or into {code}, in basis points",
                _SPREAD_DECIMALS,
                Decimal(0),
                _MAX_SPREAD,
            ),
            f"CONVERSION_POSITION_LIMIT_{code}": SettingDefinition(
                f"Maximum that conversions may leave the exchange long or short of, in {code}",
                facts.decimals,
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
    """Propose a change, which takes effect once approved, at `effective_from` or later.

    Raises `Forbidden`, `InvalidRequest`, or `Conflict` while another change is pending.
    """
    authorize_staff(user, PROPOSE, "You may not propose settings changes")
    _validate(key, value)
    why = clean_text(reason, missing="Enter a reason", max_length=_MAX_REASON_LENGTH)
    now = timezone.now()
    if effective_from is not None and not now < effective_from <= now + _MAX_LEAD_TIME:
        raise InvalidRequest.for_field(
            "effective_from", "Choose a date and time within the next 12 months"
        )
    return SETTING_CHANGES.propose(
        Conflict(f"Another change of {key} is pending approval", code="change_pending"),
        configuration_id=key,
        value=value,
        reason=why,
        effective_from=effective_from,
        proposed_by=user,
    )


def approve(*, change_id: UUID, expected_value: Decimal, user: StaffUser) -> SettingChange:
    """Approve a change; it takes effect at its time, or now when that has passed.

    `expected_value` is the effective value that the approver saw. Raises `Forbidden`, `NotFound`,
    `StateConflict`, `Conflict` when another change takes effect at the same time, `Rejected`
    (`approver_not_independent`, and `not_reconciled` for the end of a hold after a restore).
    """
    authorize_staff(user, DECIDE, "You may not approve settings changes")
    try:
        return _approve(change_id, expected_value, user)
    except IntegrityError as error:
        if violated_constraint(error) != "payouts_reconciled":
            raise
        raise Rejected(
            "Payouts stay on hold until every day since the restored moment is reconciled."
            " Run manage.py reconcile --since with that moment",
            code="not_reconciled",
        ) from error


def _approve(change_id: UUID, expected_value: Decimal, user: StaffUser) -> SettingChange:
    with transaction.atomic():
        change = SETTING_CHANGES.get_approvable(change_id, user)
        now = _now()
        current = effective_setting(change.configuration_id)
        if current is None or current != expected_value:
            raise StateConflict(
                f"{change.configuration_id} is now {format_plain(current or Decimal(0))}. "
                "Review the change again"
            )
        starts = max(now, change.effective_from or now)
        if upcoming_changes().filter(configuration_id=change.configuration_id, effective_at=starts):
            raise Conflict("Another approved change takes effect at the same time")
        return SETTING_CHANGES.close(
            change, SettingChangeStatus.APPROVED, user, effective_at=starts
        )


def reject(*, change_id: UUID, user: StaffUser, reason: str) -> SettingChange:
    """Reject a proposal. Raises as `approve`, and `InvalidRequest` without a reason."""
    authorize_staff(user, DECIDE, "You may not reject settings changes")
    why = clean_text(
        reason, missing="Enter a reason for the rejection", max_length=_MAX_REASON_LENGTH
    )
    with transaction.atomic():
        change = SETTING_CHANGES.get_pending(change_id)
        return SETTING_CHANGES.close(change, SettingChangeStatus.REJECTED, user, decision_note=why)


def cancel_proposal(*, change_id: UUID, user: StaffUser) -> SettingChange:
    """Cancel one's own proposal. Raises as `approve`, and `Forbidden` for anyone else."""
    authorize_staff(user, PROPOSE, "You may not cancel settings changes")
    with transaction.atomic():
        change = SETTING_CHANGES.get(change_id)
        require_proposer(change, user)
        return SETTING_CHANGES.close(change, SettingChangeStatus.WITHDRAWN, user)


def request_cancellation(*, change_id: UUID, user: StaffUser, reason: str) -> SettingChange:
    """Request that an approved change does not take effect; a second person must confirm in time.

    Raises `Forbidden`, `NotFound`, `InvalidRequest`, `StateConflict` when the change is effective
    or a request is pending.
    """
    permission = DECIDE if user.may(DECIDE) else PROPOSE
    authorize_staff(user, permission, "You may not cancel settings changes")
    why = clean_text(
        reason, missing="Enter a reason for the cancellation", max_length=_MAX_REASON_LENGTH
    )
    with transaction.atomic():
        change = SETTING_CHANGES.get(change_id)
        require_no_cancellation_request(change)
        change.cancellation_requested_by = user
        change.cancellation_reason = why
        change.save(update_fields=["cancellation_requested_by", "cancellation_reason"])
    return change


def dismiss_cancellation(*, change_id: UUID, user: StaffUser) -> SettingChange:
    """Dismiss a cancellation request. Raises as `confirm_cancellation`."""
    with transaction.atomic():
        change = SETTING_CHANGES.get(change_id)
        require_cancellation_request(change)
        if change.cancellation_requested_by_id != user.pk:
            authorize_staff(user, DECIDE, "You may not decide on settings changes")
        change.cancellation_requested_by = None
        change.cancellation_reason = ""
        change.save(update_fields=["cancellation_requested_by", "cancellation_reason"])
    return change


def confirm_cancellation(*, change_id: UUID, user: StaffUser) -> SettingChange:
    """Cancel a change that another person requested to cancel; it never takes effect.

    Raises `Forbidden`, `NotFound`, `StateConflict`, `Rejected` (`approver_not_independent`).
    """
    authorize_staff(user, DECIDE, "You may not cancel settings changes")
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
    """Raise unless `change` is pending and `user` proposed it."""
    SETTING_CHANGES.require_pending(change)
    if change.proposed_by_id != user.pk:
        raise Forbidden("Only the proposer can cancel this proposal")


def require_upcoming(change: SettingChange) -> None:
    """Raise unless `change` is approved and not yet effective."""
    if change.status != SettingChangeStatus.APPROVED or change.effective_at is None:
        raise StateConflict(f"The settings change is {change.status}, not Approved")
    if change.effective_at <= timezone.now():
        raise StateConflict("The settings change is already effective. Propose a new one")


def require_no_cancellation_request(change: SettingChange) -> None:
    """Raise unless `change` is upcoming and no cancellation is requested."""
    require_upcoming(change)
    if change.cancellation_requested_by is not None:
        raise StateConflict(f"{change.cancellation_requested_by} already requested cancellation")


def require_cancellation_request(change: SettingChange) -> None:
    """Raise unless `change` is upcoming and its cancellation is requested."""
    require_upcoming(change)
    if change.cancellation_requested_by is None:
        raise StateConflict("Cancellation of this settings change is no longer requested")


def describe_cancellation_blocker(change: SettingChange, user: StaffUser) -> str:
    """Return why `user` cannot confirm the cancellation of `change`; empty when they can."""
    return first_error_message(
        lambda: require_cancellation_request(change),
        lambda: _require_another_person(change, user),
        lambda: require_cooled_off(user.pk),
    )


def _require_another_person(change: SettingChange, user: StaffUser) -> None:
    requester = change.cancellation_requested_by_id
    require_independent(
        user, requester, message="Someone other than the requester must confirm the cancellation"
    )
    require_tenured(requester, user.pk)


def _now() -> datetime:
    # The start of the transaction by the database clock, which decides what is effective.
    now: datetime = Configuration.objects.aggregate(now=Max(TransactionNow()))["now"]
    return now


def _validate(key: str, value: Decimal) -> SettingDefinition:
    facts = setting_definitions().get(key)
    if facts is None:
        raise InvalidRequest("Unknown setting")
    if not value.is_finite() or not facts.minimum <= value <= facts.maximum:
        raise InvalidRequest.for_field(
            "value",
            f"The value must be at least {format_plain(facts.minimum)} and not above"
            f" {format_plain(facts.maximum)}",
        )
    if problem := decimals_error(value, facts.decimals):
        raise InvalidRequest.for_field("value", f"The value {problem}")
    return facts
