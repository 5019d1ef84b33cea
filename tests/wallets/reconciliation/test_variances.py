"""Variances compared with the last reading: rounding, reversals and new breaks."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from exchange.core.currencies import format_money
from tests.environment.owner import without_guards
from tests.factories.bare_rows import insert_row
from tests.factories.wallets import SYSTEM
from tests.wallets.reconciliation.harness import breaks
from wallets.ledger.models import AccountKind, Entry, Transfer
from wallets.ledger.posting import system_account
from wallets.reconciliation.models import (
    LineKind,
    Reconciliation,
    ReconciliationBreak,
    ReconciliationLine,
)
from wallets.reconciliation.services.breaks import apply_report
from wallets.reconciliation.services.differences import ReportLine

pytestmark = pytest.mark.django_db

DAY = date(2026, 3, 10)
READ_AT = datetime(2026, 3, 11, 3, tzinfo=UTC)
NOW = READ_AT + timedelta(days=1)


def make_report(day: date = DAY) -> Reconciliation:
    """A report on a day that is over."""
    with without_guards():
        return Reconciliation.objects.create(
            day=day,
            status="Differs",
            requested_by=str(SYSTEM),
            requested_by_label=SYSTEM.label,
            created_at=READ_AT,
            balances_at=READ_AT,
        )


def read(variance: str | int) -> Reconciliation:
    """The last reading, with that gap."""
    report = make_report()
    ReconciliationLine.objects.create(
        report=report, position=0, is_difference=False, kind=LineKind.VARIANCE, currency_id="NGN",
        their_amount=Decimal(variance),
    )  # fmt: skip
    return report


def book_charges(count: int) -> None:
    """So many charges since the last reading."""
    with without_guards() as cursor:
        for _ in range(count):
            moved = insert_row(cursor, Transfer, kind="provider_charge", created_at=READ_AT)
            insert_row(
                cursor, Entry, transfer_id=moved["id"], asset_id="NGN", amount=1,
                account_id=system_account("NGN", AccountKind.EXPENSES),
            )  # fmt: skip


def judge(variance: str) -> list[tuple[str, Decimal | None, Decimal | None, str]]:
    """The lines of a new report that finds `gap`: kind, ours, theirs and their text."""
    line = ReportLine(LineKind.VARIANCE, "NGN", their_amount=Decimal(variance))
    return [
        (each.kind, each.our_amount, each.their_amount, each.their_text)
        for each in apply_report(make_report(), [line], NOW)
    ]


@pytest.mark.parametrize(
    ("charges", "change", "new"),
    [
        (0, "0.00000001", True),
        (1, "0.005", False),
        (1, "-0.005", False),
        (1, "0.00500001", True),
        (1, "-0.00500001", True),
        (3, "0.015", False),
        (3, "0.01500001", True),
    ],
)
def test_each_charge_may_move_the_gap_by_half_of_the_smallest_unit(charges, change, new):
    read(10)
    book_charges(charges)
    variance = 10 + Decimal(change)
    expected = Decimal(10) if new else variance
    found = [("Variance", expected, variance, "")]
    if new:
        found.append(
            (
                "Unexplained variance",
                expected,
                variance,
                f"Unexplained: {format_money(Decimal(change), 'NGN')}",
            )
        )
    assert judge(str(variance)) == found
    assert breaks() == (
        [("Unexplained variance", f"{Decimal(change):f}", "Open", True)] if new else []
    )


@pytest.mark.parametrize(
    ("change", "unexplained", "kept"),
    [
        # One of the two is undone, or both together, but for what two charges were rounded by.
        ("-30.01", "99.99", [("100", True), ("30", False)]),
        ("-99.99", "30.01", [("100", False), ("30", True)]),
        ("-130.01", "0", [("100", False), ("30", False)]),
        ("-129.99", "0", [("100", False), ("30", False)]),
        ("-30.02", "99.98", [("100", True), ("30", True), ("-30.02", True)]),
        ("-129.98", "0.02", [("100", True), ("30", True), ("-129.98", True)]),
        ("7.01", "137.01", [("100", True), ("30", True), ("7.01", True)]),
        # A third one had gone before: it comes back.
        ("5.01", "135.01", [("100", True), ("30", True), ("5", True)]),
        # Nothing moved but by rounding.
        *((change, "130", [("100", True), ("30", True)]) for change in ("0", "0.01", "-0.01")),
    ],
)
def test_a_move_that_undoes_a_break_is_no_new_one(change, unexplained, kept):
    report = read(130)
    book_charges(2)
    ReconciliationBreak.objects.bulk_create(
        ReconciliationBreak(
            day=DAY, kind=LineKind.UNEXPLAINED, currency_id=currency, difference=Decimal(amount),
            first_report=report, latest_report=report, in_latest_report=shown, created_at=READ_AT,
        )
        for currency, amount, shown in (
            ("NGN", 100, True), ("NGN", 30, True), ("NGN", 5, False), ("KES", 30, True),
        )
    )  # fmt: skip
    variance = 130 + Decimal(change)
    expected = variance - Decimal(unexplained)
    lines = judge(str(variance))
    assert lines[0] == ("Variance", expected, variance, "")
    assert [line[0] for line in lines[1:]] == ["Unexplained variance"] * (unexplained != "0")
    found = {amount: shown for _, amount, _, shown in breaks(currency="NGN")}
    assert found == {"100": True, "30": True, "5": False} | dict(kept)
    # What is about another currency stays as it was.
    other = ReconciliationBreak.objects.get(currency="KES")
    assert (other.in_latest_report, other.latest_report) == (True, report)


def test_the_latest_report_of_a_break_is_the_last_one_that_looked_for_it():
    lines = [
        ReportLine(LineKind.MISSING, "KES", is_difference=True, reference=reference)
        for reference in ("payout_a", "payout_b")
    ]
    first, second = make_report(), make_report()
    apply_report(first, lines, NOW)
    apply_report(second, lines[1:], NOW)
    apply_report(make_report(DAY - timedelta(days=1)), [], NOW)
    found = ReconciliationBreak.objects.order_by("reference")
    assert [(each.first_report, each.latest_report, each.in_latest_report) for each in found] == [
        (first, second, False),
        (first, second, True),
    ]


def test_a_break_keeps_what_theirs_is_less_ours():
    amounts = [(None, None), (3, None), (None, 5), (3, 5), (0, 5), (3, 0)]
    lines = [
        ReportLine(
            LineKind.AMOUNT,
            "KES",
            is_difference=True,
            reference=f"payout_{number}",
            our_amount=None if ours is None else Decimal(ours),
            their_amount=None if theirs is None else Decimal(theirs),
        )
        for number, (ours, theirs) in enumerate(amounts)
    ]
    apply_report(
        make_report(), [*lines, ReportLine(LineKind.CHARGES, "KES", our_amount=Decimal(1))], NOW
    )
    found = ReconciliationBreak.objects.order_by("reference").values_list("difference", flat=True)
    assert [*found] == [None, -3, 5, 2, 5, -3]
