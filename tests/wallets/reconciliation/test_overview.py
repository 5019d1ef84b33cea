"""What finance sees first, at the edges of each figure: what counts, and in which order."""

from __future__ import annotations

from dataclasses import astuple
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from tests.environment.owner import without_guards
from tests.factories.bare_rows import put
from tests.factories.wallets import SYSTEM, make_staff
from wallets.ledger.models import BooksProof
from wallets.ledger.selectors import proof as selectors_proof
from wallets.payouts import selectors as payouts_selectors
from wallets.payouts.models import PayoutCircuit
from wallets.payouts.selectors import Day, Hold, Paid, Waiting
from wallets.reconciliation.models import (
    LineKind,
    Reconciliation,
    ReconciliationBreak,
    ReconciliationLine,
)
from wallets.reconciliation.selectors import overview as selectors_overview
from wallets.reconciliation.selectors.overview import OpenDay
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
DAY = date(2026, 3, 10)
MOMENT = timedelta(microseconds=1)


def put_withdrawals(*rows: dict[str, Any]) -> None:
    """Withdrawals by their columns alone, as if each had come that far."""
    with without_guards() as cursor:
        for row in rows:
            amount = Decimal(row.pop("amount", 1))
            put(cursor, Withdrawal, amount=amount, disburse_amount=amount, **row)


def test_payouts_are_on_hold_while_the_circuit_is_not_closed():
    put_withdrawals(
        *({"status": status} for status in ("Pending", "Approved", "Approved", "Approved")),
        {"status": "Processing"},
    )
    assert payouts_selectors.payouts_on_hold(at_most=10) is None
    opened = {"reason": "no answer", "opened_at": NOW, "next_probe_at": NOW}
    for state in ("Open", "Half-open"):
        PayoutCircuit.objects.update(state=state, **opened)
        for at_most, waiting in ((10, 3), (2, 2)):
            hold = payouts_selectors.payouts_on_hold(at_most=at_most)
            assert hold == Hold("no answer", NOW, waiting), (state, at_most)
    # When it was opened the last time says nothing once it is closed.
    with without_guards() as cursor:
        cursor.execute("UPDATE wallets_payoutcircuit SET state = 'Closed'")
    assert payouts_selectors.payouts_on_hold(at_most=10) is None


def test_what_waits_is_pending_and_the_longest_waiting_currency_stands_first():
    hours = [NOW + timedelta(hours=n) for n in range(4)]
    put_withdrawals(
        {"status": "Approved", "currency_id": "NGN", "amount": 1000, "created_at": hours[0]},
        {"status": "Pending", "currency_id": "KES", "amount": 3, "created_at": hours[2]},
        {"status": "Pending", "currency_id": "KES", "amount": "4.5", "created_at": hours[3]},
        {"status": "Pending", "currency_id": "NGN", "amount": 20, "created_at": hours[1]},
        {"status": "Pending", "currency_id": "GHS", "amount": 7, "created_at": hours[2]},
    )
    assert payouts_selectors.waiting_withdrawals() == [
        Waiting("NGN", 1, Decimal(20), hours[1]),
        Waiting("GHS", 1, Decimal(7), hours[2]),
        Waiting("KES", 2, Decimal("7.5"), hours[2]),
    ]


def test_payouts_count_on_the_day_they_ended_from_its_first_instant_on():
    today = timezone.now().date()
    first = today - timedelta(days=2)
    begins = datetime.combine(first, time(), UTC)
    put_withdrawals(
        {"status": "Completed", "amount": 100, "updated_at": begins - MOMENT},
        {"status": "Completed", "amount": 10, "updated_at": begins},
        {"status": "Failed", "amount": 20, "updated_at": begins + timedelta(days=1) - MOMENT},
        {"status": "Completed", "amount": 5, "updated_at": begins + timedelta(days=2)},
        {"status": "Completed", "amount": "0.5", "updated_at": begins + timedelta(days=2)},
        {"status": "Completed", "amount": 7, "currency_id": "GHS", "updated_at": begins},
        {"status": "Reversed", "amount": 30, "updated_at": begins + timedelta(days=2)},
        {"status": "Processing", "amount": 40, "updated_at": begins + timedelta(days=2)},
    )
    assert payouts_selectors.payouts_that_ended(days=3) == (
        [
            Day(first, completed=2, failed=1, reversed=0),
            Day(first + timedelta(days=1), completed=0, failed=0, reversed=0),
            Day(today, completed=2, failed=0, reversed=1),
        ],
        [Paid("GHS", 1, Decimal(7)), Paid("KES", 3, Decimal("15.5"))],
    )


def report(
    status: str = "Differs", day: date = DAY, *, over: bool = True, hour: int = 12
) -> Reconciliation:
    """A report on `day`, asked for on the next one at that hour, or else on the same."""
    asked = datetime.combine(day, time(hour), UTC) + timedelta(days=over)
    return Reconciliation.objects.create(
        day=day,
        status=status,
        asked_by=str(SYSTEM),
        asked_by_label=SYSTEM.label,
        created_at=asked,
    )


def test_the_last_comparison_is_the_newest_of_the_latest_day_that_was_over_and_compared():
    assert selectors_overview.last_comparison() is None
    tomorrow, later = DAY + timedelta(days=1), DAY + timedelta(days=2)
    report("Waiting", later)
    report("Running", tomorrow)
    report("Agrees", later, over=False)
    assert selectors_overview.last_comparison() is None
    for hour, status in enumerate(("Incomplete", "Differs", "Agrees")):
        newest = report(status, hour=hour)
        assert selectors_overview.last_comparison() == newest, status
    report("Agrees", DAY - timedelta(days=1))
    assert selectors_overview.last_comparison() == newest


def test_open_breaks_are_counted_by_day_with_those_explained_and_those_of_somebody():
    yesterday = DAY - timedelta(days=1)
    with without_guards() as cursor:
        for day, status, owner in (
            (yesterday, "Open", None),
            (DAY, "Open", make_staff().pk),
            (DAY, "Explained", None),
            (DAY, "Open", None),
            (DAY, "Closed", None),
            (DAY - timedelta(days=2), "Closed", None),
        ):
            put(cursor, ReconciliationBreak, day=day, status=status, owner_id=owner, kind="Fee")
    assert selectors_overview.open_breaks() == [
        OpenDay(DAY, count=3, explained=1, owned=1),
        OpenDay(yesterday, count=1, explained=0, owned=0),
    ]


def lines_of(made: Reconciliation, *lines: tuple[LineKind, str, int | None, int | None]) -> None:
    """The lines of a report: kind, currency, our amount, theirs."""
    ReconciliationLine.objects.bulk_create(
        ReconciliationLine(
            report=made, position=position, off=False, kind=kind, currency_id=currency,
            our_amount=ours, their_amount=theirs,
        )
        for position, (kind, currency, ours, theirs) in enumerate(lines)
    )  # fmt: skip


def test_the_float_of_each_currency_is_read_from_the_lines_of_its_report():
    made = report()
    lines_of(
        made,
        (LineKind.FLOAT, "NGN", 60, 70),
        (LineKind.GAP, "NGN", 60, 70),
        (LineKind.EXPECTED, "NGN", None, -30),
        (LineKind.BALANCE, "NGN", 1000, 1040),
        (LineKind.DEPOSITS, "NGN", 1, None),
        (LineKind.BALANCE, "GHS", 5, 6),
        (LineKind.BALANCE, "KES", 7, 8),
        (LineKind.GAP, "KES", None, 9),
        (LineKind.BALANCE, "ZAR", 1, 2),
        (LineKind.GAP, "ZAR", 3, None),
        (LineKind.EXPECTED, "UGX", 1, 1),
    )
    lines_of(report("Agrees"), (LineKind.BALANCE, "TZS", 1, 1), (LineKind.BALANCE, "GHS", 9, 9))
    lines_of(report("Agrees"), (LineKind.EXPECTED, "GHS", 1, 1), (LineKind.GAP, "GHS", 9, 9))
    assert [astuple(found) for found in selectors_overview.floats(made)] == [
        ("GHS", 6, 5, None, None, None),
        ("KES", 8, 7, None, 9, 9),
        ("NGN", 1040, 1000, -30, 70, 10),
        ("ZAR", 2, 1, None, None, None),
    ]
    assert selectors_overview.floats(report("Incomplete")) == []


def test_the_last_proof_is_the_newest_run():
    assert selectors_proof.last_proof() is None
    proofs = [
        BooksProof.objects.create(ran_at=NOW + later, passed=True, findings=[], milliseconds=1)
        for later in (timedelta(0), timedelta(hours=1), timedelta(minutes=1))
    ]
    assert selectors_proof.last_proof() == proofs[1]


@pytest.mark.parametrize("model", [ReconciliationLine, ReconciliationBreak])
def test_a_difference_is_called_by_its_kind_and_reference_or_currency(model):
    for reference, currency, called in (
        ("payout_a", "KES", "Amount payout_a"),
        ("payout_a", None, "Amount payout_a"),
        ("", "KES", "Amount KES"),
        ("", None, "Amount"),
    ):
        found = model(kind=LineKind.AMOUNT, reference=reference, currency_id=currency)
        assert str(found) == called
