"""Payout totals of the dashboard: limits of each count and their order."""

from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from tests.environment.owner import without_guards
from tests.factories.bare_rows import insert_row
from wallets.payouts import selectors as payouts_selectors
from wallets.payouts.models import PayoutCircuit
from wallets.payouts.selectors import DailyPayouts, PaidTotals, PayoutHold, PendingTotals
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)


def put_withdrawals(*rows: dict[str, Any]) -> None:
    """Insert withdrawals with these columns, without their history."""
    with without_guards() as cursor:
        for row in rows:
            amount = Decimal(row.pop("amount", 1))
            insert_row(cursor, Withdrawal, amount=amount, disburse_amount=amount, **row)


def test_payouts_are_on_hold_while_the_circuit_is_not_closed():
    put_withdrawals(
        *({"status": status} for status in ("Pending", "Approved", "Approved", "Approved")),
        {"status": "Processing"},
    )
    assert payouts_selectors.get_payout_hold(at_most=10) is None
    opened = {"reason": "no answer", "opened_at": NOW, "next_probe_at": NOW}
    for state in ("Open", "Half-open"):
        PayoutCircuit.objects.update(state=state, **opened)
        for at_most, waiting in ((10, 3), (2, 2)):
            hold = payouts_selectors.get_payout_hold(at_most=at_most)
            assert hold == PayoutHold("no answer", NOW, waiting), (state, at_most)
    # A closed circuit ignores when it last opened.
    with without_guards() as cursor:
        cursor.execute("UPDATE wallets_payoutcircuit SET state = 'Closed'")
    assert payouts_selectors.get_payout_hold(at_most=10) is None


def test_pending_withdrawals_are_listed_by_currency_oldest_first():
    hours = [NOW + timedelta(hours=n) for n in range(4)]
    put_withdrawals(
        {"status": "Approved", "currency_id": "NGN", "amount": 1000, "created_at": hours[0]},
        {"status": "Pending", "currency_id": "KES", "amount": 3, "created_at": hours[2]},
        {"status": "Pending", "currency_id": "KES", "amount": "4.5", "created_at": hours[3]},
        {"status": "Pending", "currency_id": "NGN", "amount": 20, "created_at": hours[1]},
        {"status": "Pending", "currency_id": "GHS", "amount": 7, "created_at": hours[2]},
    )
    assert payouts_selectors.pending_totals() == [
        PendingTotals("NGN", 1, Decimal(20), hours[1]),
        PendingTotals("GHS", 1, Decimal(7), hours[2]),
        PendingTotals("KES", 2, Decimal("7.5"), hours[2]),
    ]


def test_payouts_count_from_the_first_instant_of_the_day_they_closed():
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
    assert payouts_selectors.closed_payouts(days=3) == (
        [
            DailyPayouts(first, completed=2, failed=1, reversed=0),
            DailyPayouts(first + timedelta(days=1), completed=0, failed=0, reversed=0),
            DailyPayouts(today, completed=2, failed=0, reversed=1),
        ],
        [PaidTotals("GHS", 1, Decimal(7)), PaidTotals("KES", 3, Decimal("15.5"))],
    )
