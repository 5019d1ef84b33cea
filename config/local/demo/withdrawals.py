"""Demo withdrawals in several states, for the review pages.

Created by the services that clients and staff use, and identified by their account numbers. Events
are marked as unsent.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

import structlog

from config.local.demo.data import APPROVER, DemoParticipant, DemoWithdrawal
from config.local.demo.sandbox import is_sandbox, send_control
from exchange.core.actors import Actor, ActorKind
from exchange.core.errors import StateConflict
from exchange.events.services.outbox import mark_unsent
from exchange.participants.models import ApiKey, Member, Organisation
from exchange.staff.models import StaffUser
from wallets.banks.errors import BankListUnavailable
from wallets.payouts.services import execution as payouts
from wallets.withdrawals.commands import RequestWithdrawal
from wallets.withdrawals.models import OPEN_STATUSES, Withdrawal, WithdrawalStatus
from wallets.withdrawals.services import decisions
from wallets.withdrawals.services.requests import request_withdrawal

log = structlog.get_logger(__name__)

_PAYOUT_SECONDS = 10.0
_PAUSE_SECONDS = 0.25


def load_withdrawals(
    withdrawals: Sequence[DemoWithdrawal],
    parties: Mapping[str, DemoParticipant],
    *,
    timeout_seconds: float,
) -> bool:
    """Create the missing withdrawals; `parties` are by slug.

    Retries for `timeout_seconds` while the provider starts; returns whether it responded.
    """
    deadline = time.monotonic() + timeout_seconds
    for shown in withdrawals:
        party = parties[shown.organisation]
        organisation, member = party.organisation, party.member(shown)
        withdrawal = _find(organisation, shown)
        if withdrawal is None:
            try:
                withdrawal = _request(organisation, member, shown, deadline)
            except BankListUnavailable:
                log.warning("demo_without_withdrawals", reason="the provider does not respond")
                return False
        elif withdrawal.status != WithdrawalStatus.PENDING or shown.becomes == "Pending":
            continue
        with suppress(StateConflict):  # decided by someone in the meantime
            _decide(organisation, withdrawal, shown)
        mark_unsent(organisation_id=organisation.id, subject_ids=[withdrawal.id])
    return True


def request_withdrawal_of(member: Member, shown: DemoWithdrawal) -> Withdrawal:
    """Request the withdrawal, unless it was before, and return it."""
    organisation = member.organisation
    return _find(organisation, shown) or _request(organisation, member, shown, deadline=0)


def _find(organisation: Organisation, shown: DemoWithdrawal) -> Withdrawal | None:
    return Withdrawal.objects.filter(
        organisation=organisation, bank__account_number=shown.account_number
    ).first()


def _request(
    organisation: Organisation, member: Member | None, shown: DemoWithdrawal, deadline: float
) -> Withdrawal:
    """Request the withdrawal; retry until `deadline` while the provider does not respond."""
    while True:
        try:
            request_withdrawal(
                RequestWithdrawal(
                    organisation=organisation.id,
                    member=member.id if member else None,
                    actor=str(_key_actor(organisation)),
                    amount=shown.amount,
                    currency=shown.currency,
                    bank_name=shown.bank_name,
                    account_name=shown.account_name,
                    account_number=shown.account_number,
                    branch_code=shown.branch_code,
                )
            )
        except BankListUnavailable:
            if time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_SECONDS)
            continue
        return Withdrawal.objects.get(
            organisation=organisation, bank__account_number=shown.account_number
        )


def _key_actor(organisation: Organisation) -> Actor:
    key = ApiKey.objects.filter(organisation=organisation, revoked_at=None).latest("created")
    return Actor(
        kind=ActorKind.API_KEY, id=str(key.id), label=key.name, organisation_id=organisation.id
    )


def _decide(organisation: Organisation, withdrawal: Withdrawal, shown: DemoWithdrawal) -> None:
    version = withdrawal.version
    approver = StaffUser.objects.get(username=APPROVER)
    match shown.becomes:
        case "Cancelled":
            decisions.cancel(
                withdrawal_id=withdrawal.id,
                organisation_id=organisation.id,
                actor=_key_actor(organisation),
            )
        case "Rejected":
            decisions.reject(
                withdrawal_id=withdrawal.id,
                version=version,
                approver=approver,
                reason=shown.reason,
            )
        case "Completed":
            decisions.approve(
                withdrawal_id=withdrawal.id,
                version=version,
                approver=approver,
                override=shown.override,
            )
            _await_payout(withdrawal)


def _await_payout(withdrawal: Withdrawal) -> None:
    """Send the payout and wait for its completion; workers continue after the timeout."""
    payouts.send_payout(withdrawal.id)
    if is_sandbox():
        send_control("settle", {"reference": withdrawal.reference})
    deadline = time.monotonic() + _PAYOUT_SECONDS
    while time.monotonic() < deadline:
        payouts.check_status(withdrawal.id)
        status = Withdrawal.objects.values_list("status", flat=True).get(id=withdrawal.id)
        if status not in OPEN_STATUSES:
            return
        time.sleep(_PAUSE_SECONDS)
