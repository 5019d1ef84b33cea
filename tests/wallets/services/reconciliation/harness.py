"""A provider of a test's own, payouts to it, what it has written down, and reports on them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from django.utils import timezone

from tests.support.world import (
    SYSTEM,
    Wallet,
    approved,
)
from wallets.models import Reconciliation, ReconciliationLine, Withdrawal
from wallets.providers.base import TransferRequest
from wallets.providers.registry import payment_provider
from wallets.providers.sandbox import SandboxServer
from wallets.providers.sandbox.faults import Fault
from wallets.services import payouts, reconciliation


def pay(wallet: Wallet, amount: str | int = 500, **more: Any) -> Withdrawal:
    """A payout at the provider, which has not decided."""
    withdrawal = approved(wallet, amount, **more)
    payouts.pay(withdrawal.id)
    return withdrawal


def done(sandbox: SandboxServer, *withdrawals: Withdrawal) -> None:
    """The bank has decided, and we have asked."""
    for withdrawal in withdrawals:
        sandbox.book.settle(withdrawal.reference)
        payouts.look_up(withdrawal.id)


def book(sandbox: SandboxServer, sql: str, *values: Any) -> None:
    """Changes what the provider has written down."""
    with sandbox.book._lock, sandbox.book._db:
        assert sandbox.book._db.execute(sql, values).rowcount > 0


def today() -> date:
    """The day in UTC."""
    return timezone.now().date()


def compare(day: date | None = None) -> Reconciliation:
    """The report on `day`, else on today, made now."""
    report = reconciliation.ask(day=day or today(), actor=SYSTEM)
    assert reconciliation.claim(report)
    return reconciliation.run(report)


def off(report: Reconciliation) -> list[tuple[str, str, str, str]]:
    """Its differences: kind, reference, ours, theirs."""
    return [
        (line.kind, line.reference, line.our_text, line.their_text)
        for line in report.lines.filter(off=True)
    ]


def figure(report: Reconciliation, kind: str, currency: str = "KES") -> tuple[Any, ...]:
    """One line of it: our count and amount, theirs."""
    line = ReconciliationLine.objects.get(report=report, kind=kind, currency=currency)
    return (line.our_count, line.our_amount, line.their_count, line.their_amount)


def send_past_us(reference: str) -> None:
    """A transfer of 50 KES at the provider that we know nothing of."""
    payment_provider().transfer(
        TransferRequest(
            reference=reference,
            amount=Decimal(50),
            currency="KES",
            bank_code="01",
            account_number="0690000031",
            beneficiary_name="Nobody",
            narration="Not ours",
        )
    )


def fault_of(kind: str, path: str = "/v3/transfers", **options: Any) -> Fault:
    """A fault of the provider when it is asked for what it has."""
    return Fault(fault=kind, method="GET", path_prefix=path, **options)
