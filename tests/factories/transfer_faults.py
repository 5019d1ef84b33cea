"""Payouts whose transfer order meets a fault of the provider."""

from decimal import Decimal
from typing import Any

import requests

from exchange.events.models import Event
from tests.environment.services import PROVIDER_SECRET_KEY, Sandbox
from tests.factories.payouts import (
    STATUS_CHECKS,
    TRANSFERS,
    advance_time,
    settle_at_bank,
)
from tests.factories.wallets import (
    PAID_ACCOUNT,
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
)
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import sweeps
from wallets.withdrawals.models import Withdrawal

AMOUNT = Decimal(500)


def send_with_fault(
    sandbox: Sandbox,
    wallet: Wallet,
    fault: str,
    options: dict[str, Any],
    account: str = PAID_ACCOUNT,
) -> Withdrawal:
    """Send an approved withdrawal whose transfer order meets the fault."""
    withdrawal = make_approved_withdrawal(wallet, AMOUNT, account=account)
    sandbox.fault(fault, match=TRANSFERS, **options)
    payouts.send_payout(withdrawal.id)
    assert_books_hold()
    return withdrawal


def sweep_later(withdrawal: Withdrawal) -> None:
    """Sweep the payout an hour of its time later."""
    advance_time(withdrawal, 3600)
    sweeps.process_payout(withdrawal.id)
    assert_books_hold()


def event_types(withdrawal: Withdrawal) -> list[str]:
    """Return the types of the withdrawal's events, without their prefix."""
    rows = Event.objects.filter(subject_id=withdrawal.id).order_by("id")
    return [kind.removeprefix("withdrawal.") for kind in rows.values_list("type", flat=True)]


def alter_next_status(sandbox: Sandbox, withdrawal: Withdrawal, text: str, other: str) -> None:
    """Replace `text` by `other` in the provider's next response about the transfer."""
    settle_at_bank(sandbox, withdrawal)
    response = requests.get(
        f"{sandbox.base_url}/transfers",
        params={"reference": withdrawal.reference},
        headers={"Authorization": f"Bearer {PROVIDER_SECRET_KEY}"},
        timeout=10,
    ).text
    assert response.count(text) == 1
    body = response.replace(text, other)
    sandbox.fault("error_5xx", match=STATUS_CHECKS, status=200, body=body)
