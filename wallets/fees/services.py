"""Settings changes: proposed by one person, approved by another, effective from a given time.

A change takes effect by itself. Existing withdrawals keep the values they were created under. An
approved change that is not yet effective can be cancelled, again by two people.
"""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.contrib.postgres.functions import TransactionNow
from django.db import IntegrityError, transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from exchange.core.database import violated_constraint
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, Rejected, StateConflict
from exchange.core.numbers import count_decimals, describe_decimals
from exchange.core.text import clean_text
from exchange.staff.approvals import (
    TwoPersonApproval,
    authorize_staff,
    first_error_message,
    require_independent,
)
from exchange.staff.models import StaffUser
from exchange.staff.plausibility import ProposedNumber, explain, explain_approval, find_notices
from exchange.staff.services.privileged_access import require_cooled_off, require_tenured
from wallets.fees.definitions import (
    SettingDefinition,
    describe_value,
    name_setting,
    setting_definitions,
)
from wallets.fees.models import Configuration, SettingChange, SettingChangeStatus
from wallets.fees.selectors import effective_setting, upcoming_changes

PROPOSE = "wallets.propose_configuration"
DECIDE = "wallets.decide_configuration"

SETTING_CHANGES = TwoPersonApproval(
    model=SettingChange,
    noun="settings change",
    permission=DECIDE,
    unique_constraint="setting_change_pending_once",
)

_MAX_REASON_LENGTH = 300
_MAX_LEAD_TIME = timedelta(days=366)


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
    check_value(key, value)
    why = clean_text(reason, missing="Enter a reason", max_length=_MAX_REASON_LENGTH)
    explain(find_notices(compare(key, value)), why)
    now = timezone.now()
    if effective_from is not None and not now < effective_from <= now + _MAX_LEAD_TIME:
        raise InvalidRequest.for_field(
            "effective_from", "Choose a date and time within the next 12 months"
        )
    return SETTING_CHANGES.propose(
        Conflict(
            f"Another change of {name_setting(key)} is pending approval", code="change_pending"
        ),
        configuration_id=key,
        value=value,
        reason=why,
        effective_from=effective_from,
        proposed_by=user,
    )


def approve(
    *, change_id: UUID, expected_value: Decimal, user: StaffUser, reason: str = ""
) -> SettingChange:
    """Approve a change; it takes effect at its time, or now when that has passed.

    `expected_value` is the effective value that the approver saw; a change beyond the band requires
    a `reason`. Raises `Forbidden`, `NotFound`, `StateConflict`, `InvalidRequest`
    (`reason_required`), `Conflict` when another change takes effect at the same time, `Rejected`
    (`approver_not_independent`, and `not_reconciled` for the end of a hold after a restore).
    """
    authorize_staff(user, DECIDE, "You may not approve settings changes")
    try:
        return _approve(change_id, expected_value, user, reason)
    except IntegrityError as error:
        if violated_constraint(error) != "payouts_reconciled":
            raise
        raise Rejected(
            "Payouts stay on hold until every day since the restored moment is reconciled."
            " Run manage.py reconcile --since with that moment",
            code="not_reconciled",
        ) from error


def _approve(
    change_id: UUID, expected_value: Decimal, user: StaffUser, reason: str
) -> SettingChange:
    with transaction.atomic():
        change = SETTING_CHANGES.get_approvable(change_id, user)
        now = _now()
        current = effective_setting(change.configuration_id)
        if current is None or current != expected_value:
            raise StateConflict(
                f"{name_setting(change.configuration_id)} is now"
                f" {describe_value(change.configuration_id, current)}. Review the change again"
            )
        notices = find_notices(compare(change.configuration_id, change.value))
        why = explain_approval(notices, reason, first=change.reason)
        starts = max(now, change.effective_from or now)
        if upcoming_changes().filter(configuration_id=change.configuration_id, effective_at=starts):
            raise Conflict("Another approved change takes effect at the same time")
        return SETTING_CHANGES.close(
            change,
            SettingChangeStatus.APPROVED,
            user,
            effective_at=starts,
            approval_reason=why,
        )


def compare(key: str, value: Decimal) -> list[ProposedNumber]:
    """Return the change that `value` would make to the effective value; none of a choice."""
    facts, current = setting_definitions().get(key), effective_setting(key)
    if facts is None or current is None or not facts.band:
        return []
    return [ProposedNumber(facts.name, current, value, facts.band, facts.describe)]


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
        change = SETTING_CHANGES.get_pending(change_id)
        if change.proposed_by_id != user.pk:
            raise Forbidden("Only the proposer can cancel this proposal")
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


def check_value(key: str, value: Decimal) -> SettingDefinition:
    """Return the definition of a setting. Raises `InvalidRequest` for a value beyond its limits."""
    facts = setting_definitions().get(key)
    if facts is None:
        raise InvalidRequest("Unknown setting")
    if not value.is_finite() or not facts.minimum <= value <= facts.maximum:
        limits = f"{facts.describe(facts.minimum)} to {facts.describe(facts.maximum)}"
        raise InvalidRequest.for_field("value", f"From {limits}")
    if count_decimals(value) > facts.decimals:
        raise InvalidRequest.for_field("value", describe_decimals(facts.decimals))
    return facts
