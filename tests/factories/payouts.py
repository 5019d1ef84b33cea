"""Payouts: their transfers in the sandbox, shifts of time, and decisions by two people."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import requests
from django.db.models import F

from tests.environment.services import Sandbox
from tests.factories.wallets import assert_books_hold, make_staff
from wallets.alerts.models import Alert
from wallets.payouts.models import PayoutCircuit, Proposal, ProposalAction
from wallets.payouts.services import resolutions
from wallets.withdrawals.models import Payout, Withdrawal

TRANSFERS = {"method": "POST", "path_prefix": "/v3/transfers"}
STATUS_CHECKS = {"method": "GET", "path_prefix": "/v3/transfers"}
# A read is tried three times.
READ_ATTEMPTS = 3
HALF_AN_HOUR = 30 * 60
# Available and escrow of 1,000 KES, of which 500 are to be paid out.
HELD = (Decimal(500), Decimal(500))
PAID_OUT = (Decimal(500), Decimal(0))
GIVEN_BACK = (Decimal(1000), Decimal(0))


def call_sandbox(sandbox: Sandbox, method: str, path: str, **body: Any) -> Any:
    response = requests.request(
        method, f"{sandbox.url}/sandbox/{path}", json=body or None, timeout=10
    )
    response.raise_for_status()
    return response.json()


def sandbox_transfers(sandbox: Sandbox, withdrawal: Withdrawal) -> list[dict[str, Any]]:
    """Return the transfers that the sandbox has booked under the withdrawal's reference."""
    rows = call_sandbox(sandbox, "GET", "transfers")
    return [row for row in rows if row["reference"] == withdrawal.reference]


def count_transfer_orders(sandbox: Sandbox, withdrawal: Withdrawal) -> int:
    """Return how many transfer orders of the withdrawal reached the sandbox."""
    return sum(
        entry["method"] == "POST" and entry.get("reference") == withdrawal.reference
        for entry in call_sandbox(sandbox, "GET", "requests")
    )


def settle_at_bank(sandbox: Sandbox, withdrawal: Withdrawal) -> None:
    """Bring the transfer to its final outcome at the bank now."""
    call_sandbox(sandbox, "POST", "settle", reference=withdrawal.reference)


def return_at_bank(sandbox: Sandbox, withdrawal: Withdrawal) -> None:
    """Have the bank return a paid transfer now."""
    call_sandbox(sandbox, "POST", "return", reference=withdrawal.reference)


def advance_time(withdrawal: Withdrawal, seconds: float) -> None:
    """Move all times of the payout and of the payout circuit into the past."""
    earlier = timedelta(seconds=seconds)
    PayoutCircuit.objects.update(
        **{
            name: F(name) - earlier
            for name in ("opened_at", "next_probe_at", "trial_until", "quiet_until")
        }
    )
    Payout.objects.filter(withdrawal_id=withdrawal.id).update(
        **{
            name: F(name) - earlier
            for name in (
                "leased_until",
                "posted_at",
                "next_step_at",
                "first_not_found_at",
                "last_not_found_at",
                "monitor_until",
            )
        }
    )


def open_alerts() -> set[str]:
    """Return the kinds of the unresolved alerts."""
    return set(Alert.objects.filter(resolved_at=None).values_list("kind", flat=True))


def propose_action(withdrawal: Withdrawal, action: ProposalAction) -> Proposal:
    """Propose an action for the payout, without confirming it."""
    return resolutions.propose(
        withdrawal_id=withdrawal.id, action=action, reason="why", proposer=make_staff()
    )


def propose_and_confirm(withdrawal: Withdrawal, action: ProposalAction) -> None:
    """Propose and confirm an action as two people, then check the books."""
    proposal = propose_action(withdrawal, action)
    resolutions.confirm(proposal_id=proposal.id, resolver=make_staff())
    assert_books_hold()
