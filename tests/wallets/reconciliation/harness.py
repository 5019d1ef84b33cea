"""Test harness of reconciliation: payouts at a sandbox, changes of its data, and reports."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from config.local.sandbox import SandboxServer
from config.local.sandbox.faults import Fault
from exchange.core.currencies import format_money
from exchange.core.numbers import format_plain
from exchange.staff.models import StaffUser
from tests.environment.owner import as_owner
from tests.factories.wallets import SYSTEM, Wallet, make_approved_withdrawal, make_staff
from wallets.payouts.services import execution as payouts
from wallets.providers.base import TransferRequest
from wallets.providers.registry import payment_provider
from wallets.reconciliation.models import Reconciliation, ReconciliationBreak, ReconciliationLine
from wallets.reconciliation.selectors.movements import day_bounds
from wallets.reconciliation.services import explanations, reports
from wallets.withdrawals.models import Withdrawal


def pay(wallet: Wallet, amount: str | int = 500, **more: Any) -> Withdrawal:
    """Return a withdrawal sent to the provider and not settled."""
    withdrawal = make_approved_withdrawal(wallet, amount, **more)
    payouts.send_payout(withdrawal.id)
    return withdrawal


def settle_at_bank(sandbox: SandboxServer, *withdrawals: Withdrawal) -> None:
    """Settle transfers at the bank, and check their status."""
    for withdrawal in withdrawals:
        sandbox.store.settle(withdrawal.reference)
        payouts.check_status(withdrawal.id)


def update_provider(sandbox: SandboxServer, sql: str, *values: Any) -> None:
    """Change the stored data of the provider."""
    with sandbox.store._lock, sandbox.store._db:
        assert sandbox.store._db.execute(sql, values).rowcount > 0


def today() -> date:
    """Return the current day in UTC."""
    return timezone.now().date()


def compare(day: date | None = None, *, over: bool = True) -> Reconciliation:
    """Run a report of `day` (default: today); `over` runs it as if the day had ended."""
    report = reports.request_report(day=day or today(), actor=SYSTEM)
    if over:
        begin_after(report)
    assert reports.claim_report(report)
    return reports.run_report(report)


def begin_after(report: Reconciliation) -> None:
    """Date the request of the report to the day after its own, unless it is later."""
    start = day_bounds(report.day + timedelta(days=1))[0]
    if report.created_at < start:
        with as_owner():
            Reconciliation.objects.filter(pk=report.pk).update(
                created_at=report.created_at + timedelta(days=1)
            )


def breaks(**narrowed: Any) -> list[tuple[str, str, str, bool]]:
    """Return breaks, oldest first: kind, difference, status, and presence in the latest report."""
    return [
        (each.kind, "" if each.difference is None else format_plain(each.difference), each.status,
         each.in_latest_report)
        for each in ReconciliationBreak.objects.filter(**narrowed).order_by("pk")
    ]  # fmt: skip


def unexplained(amount: str, currency: str = "NGN") -> tuple[str, str, str, str]:
    """Return the difference of an unexplained variance, as `differences_of` returns it."""
    text = f"Unexplained: {format_money(Decimal(amount), currency)}"
    return ("Unexplained variance", "", "", text)


def approver() -> StaffUser:
    """Return a person who may explain and close breaks."""
    return make_staff("decide_break")


def close(found: ReconciliationBreak, why: str = "Seen in the provider's statement") -> None:
    """Explain and close a break by two people."""
    proposed = explanations.explain_break(break_id=found.pk, explanation=why, user=approver())
    explanations.close_break(explanation_id=proposed.pk, user=approver())


def differences_of(report: Reconciliation) -> list[tuple[str, str, str, str]]:
    """Return the differences of a report: kind, reference, ours, theirs."""
    return [
        (line.kind, line.reference, line.our_text, line.their_text)
        for line in report.lines.filter(is_difference=True)
    ]


def total_line(report: Reconciliation, kind: str, currency: str = "KES") -> tuple[Any, ...]:
    """Return a line of a report: our count and amount, and the provider's."""
    line = ReconciliationLine.objects.get(report=report, kind=kind, currency=currency)
    return (line.our_count, line.our_amount, line.their_count, line.their_amount)


def gap_of(report: Reconciliation, currency: str = "NGN") -> tuple[Decimal, Decimal]:
    """Return the explained variance and the variance."""
    _, expected, _, found = total_line(report, "Variance", currency)
    return expected, found


def order_without_record(reference: str) -> None:
    """Order a transfer of 50 KES at the provider without a record of ours."""
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
    """Add a fault of the provider's list of transfers."""
    return Fault(fault=kind, method="GET", path_prefix=path, **options)
