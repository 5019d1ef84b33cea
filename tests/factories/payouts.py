"""What the sandbox holds of a payout, time that passes for it, and what two people do about it."""

from __future__ import annotations

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
    answer = requests.request(
        method, f"{sandbox.url}/sandbox/{path}", json=body or None, timeout=10
    )
    answer.raise_for_status()
    return answer.json()


def sandbox_transfers(sandbox: Sandbox, withdrawal: Withdrawal) -> list[dict[str, Any]]:
    """The transfers in the sandbox's book under the withdrawal's reference."""
    rows = call_sandbox(sandbox, "GET", "transfers")
    return [row for row in rows if row["reference"] == withdrawal.reference]


def count_transfer_orders(sandbox: Sandbox, withdrawal: Withdrawal) -> int:
    """How many transfer orders for the withdrawal reached the sandbox, taken or not."""
    return sum(
        entry["method"] == "POST" and entry.get("reference") == withdrawal.reference
        for entry in call_sandbox(sandbox, "GET", "requests")
    )


def settle_at_bank(sandbox: Sandbox, withdrawal: Withdrawal) -> None:
    """The bank has decided: the transfer is at its outcome now."""
    call_sandbox(sandbox, "POST", "settle", reference=withdrawal.reference)


def return_at_bank(sandbox: Sandbox, withdrawal: Withdrawal) -> None:
    """The bank returns the money of a paid transfer now."""
    call_sandbox(sandbox, "POST", "return", reference=withdrawal.reference)


def advance_time(withdrawal: Withdrawal, seconds: float) -> None:
    """Everything the payout, and the circuit of all payouts, remembers a time of happened that
    much longer ago.
    """
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
    """Kinds of the alerts that nobody has resolved."""
    return set(Alert.objects.filter(resolved_at=None).values_list("kind", flat=True))


def propose_action(withdrawal: Withdrawal, action: ProposalAction) -> Proposal:
    """Somebody proposes that for the payout; nobody has confirmed it."""
    return resolutions.propose(
        withdrawal_id=withdrawal.id, action=action, reason="why", proposer=make_staff()
    )


def propose_and_confirm(withdrawal: Withdrawal, action: ProposalAction) -> None:
    """Two people do that about the payout, after which the books hold."""
    proposal = propose_action(withdrawal, action)
    resolutions.confirm(proposal_id=proposal.id, resolver=make_staff())
    assert_books_hold()
