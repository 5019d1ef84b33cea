"""Helpers of proposal tests: unresolved, returned and unclaimed payouts, and decisions on them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from exchange.core.errors import DomainError
from exchange.events.models import Event
from exchange.staff.models import StaffUser
from tests.factories.wallets import SYSTEM, Wallet, make_approved_withdrawal, make_staff
from tests.wallets.payouts.payout_rows import claim_and_mark, transfer_record, update_payout
from wallets.payouts.models import Proposal, ProposalAction
from wallets.payouts.services import resolutions, settlement
from wallets.providers.base import TransferStatus
from wallets.withdrawals.models import Payout, Withdrawal

MICROSECOND = timedelta(microseconds=1)
HALF_AN_HOUR, HALF_DAY = timedelta(minutes=30), timedelta(hours=12)
SEND_AGAIN, FAIL = ProposalAction.SEND_AGAIN, ProposalAction.FAIL
REVERSE, RETURN = ProposalAction.REVERSE, ProposalAction.RETURN
check = resolutions._check_possible
# The longest reason, without repeated parts.
LONG_REASON = "".join(f"{number:04}" for number in range(125))
ONLY_UNRESOLVED = (
    "payout_not_lost",
    "Only an Unknown withdrawal that the provider did not find twice, 30 minutes apart,"
    " can be sent again or failed",
)
ONLY_RETURNED = (
    "payout_not_returned",
    "Only a Completed withdrawal that was returned by the bank can be reversed",
)
ONLY_UNCLAIMED = (
    "payout_not_waiting",
    "Only an Approved withdrawal whose payout is not claimed can be returned",
)


def make_unresolved(wallet: Wallet) -> Withdrawal:
    """Make an unresolved payout: not found twice, half an hour apart."""
    withdrawal = make_approved_withdrawal(wallet)
    mark_unresolved(withdrawal)
    return Withdrawal.objects.get(pk=withdrawal.pk)


def mark_unresolved(withdrawal: Withdrawal) -> None:
    claim_and_mark(withdrawal)
    mark_not_found_twice(withdrawal)
    update_payout(
        withdrawal,
        leased_until=HALF_DAY,
        claimed_by="claim_old",
        provider_id="77",
        provider_status="PENDING",
    )


def mark_not_found_twice(withdrawal: Withdrawal) -> None:
    settlement.mark_unknown(withdrawal.id, error="silence", not_found=True)
    now = timezone.now()
    update_payout(
        withdrawal,
        not_found_count=2,
        first_not_found_at=now - HALF_AN_HOUR,
        last_not_found_at=now,
    )


def make_completed(wallet: Wallet, *, returned: bool = True) -> Withdrawal:
    """Make a completed payout, by default one that the bank returned."""
    withdrawal = make_approved_withdrawal(wallet)
    claim_and_mark(withdrawal)
    withdrawal = Withdrawal.objects.select_related("bank").get(pk=withdrawal.pk)
    outcomes = [TransferStatus.SUCCESSFUL, TransferStatus.FAILED]
    for status in outcomes[: 1 + returned]:
        settlement.apply_record(withdrawal.id, transfer_record(withdrawal, status), actor=SYSTEM)
    return Withdrawal.objects.get(pk=withdrawal.pk)


MAKERS: dict[ProposalAction, Callable[[Wallet], Withdrawal]] = {
    SEND_AGAIN: make_unresolved,
    FAIL: make_unresolved,
    REVERSE: make_completed,
    RETURN: make_approved_withdrawal,
}
every_action = pytest.mark.parametrize("action", ProposalAction)


def propose(
    withdrawal: Withdrawal, action: ProposalAction, reason: str = "why", by: StaffUser | None = None
) -> Proposal:
    return resolutions.propose(
        withdrawal_id=withdrawal.id, action=action, reason=reason, proposer=by or make_staff()
    )


def confirm(proposal: Proposal, by: StaffUser | None = None) -> Withdrawal:
    return resolutions.confirm(proposal_id=proposal.id, resolver=by or make_staff())


def emitted_types(withdrawal: Withdrawal) -> list[str]:
    events = Event.objects.filter(subject_id=withdrawal.id).order_by("id")
    return [kind.removeprefix("withdrawal.") for kind in events.values_list("type", flat=True)]


def decisions(withdrawal: Withdrawal) -> list[tuple[Any, ...]]:
    """Return the decisions recorded since the approval."""
    rows = withdrawal.decisions.exclude(verdict="Approve").order_by("id")
    return [*rows.values_list("verdict", "actor", "reason", "details", "version")]


def rejection(act: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(DomainError) as error:
        act()
    return error.value.code, error.value.message


def not_found_payout(count: int, first: datetime | None, last: datetime | None) -> Payout:
    return Payout(not_found_count=count, first_not_found_at=first, last_not_found_at=last)
