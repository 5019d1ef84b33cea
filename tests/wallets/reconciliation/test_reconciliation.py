"""What we hold for the comparison with the provider: which days, which moves, from one snapshot."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from exchange.core.ids import uuid7
from tests.environment.owner import without_guards
from tests.factories.bare_rows import insert_row
from tests.factories.wallets import SYSTEM
from wallets.banks.models import BankAccount
from wallets.ledger.models import AccountKind, Entry, Transfer
from wallets.ledger.posting import system_account
from wallets.reconciliation.models import LineKind, Reconciliation, ReconciliationLine
from wallets.reconciliation.selectors import movements as reconciliation
from wallets.reconciliation.selectors.movements import (
    ClearingSnapshot,
    DayMovement,
    VarianceReading,
)
from wallets.withdrawals.models import Payout, Withdrawal, WithdrawalStatus

pytestmark = pytest.mark.django_db

DAY = date(2026, 3, 10)
BEGINS, ENDS = datetime(2026, 3, 10, tzinfo=UTC), datetime(2026, 3, 11, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)


def put_payout(cursor: Any, status: str = "Processing", **payout: Any) -> dict[str, Any]:
    """A withdrawal that has come to `status`, with its bank record and its payout."""
    bank = insert_row(cursor, BankAccount)
    row = insert_row(cursor, Withdrawal, status=status, bank_id=bank["id"])
    insert_row(cursor, Payout, withdrawal_id=row["id"], **payout)
    return row


def put_entry(
    cursor: Any, kind: str, moment: datetime, amount: int, currency: str = "KES",
    account: AccountKind = AccountKind.CLEARING,
) -> None:  # fmt: skip
    """A transfer with one entry, in an account of the exchange."""
    moved = insert_row(cursor, Transfer, kind=kind, created_at=moment)
    insert_row(
        cursor,
        Entry,
        transfer_id=moved["id"],
        account_id=system_account(currency, account),
        asset_id=currency,
        amount=amount,
    )


def test_a_day_is_of_utc_and_ends_where_the_next_one_begins():
    assert reconciliation.day_bounds(DAY) == (BEGINS, ENDS)
    with without_guards() as cursor:
        sent = [
            put_payout(cursor, posted_at=moment)["reference"]
            for moment in (BEGINS - MOMENT, BEGINS, ENDS - MOMENT, ENDS)
        ]
    assert {*reconciliation.payouts_sent_on(DAY)} == {*sent[1:3]}


def test_withdrawals_are_looked_up_a_thousand_at_a_time():
    with without_guards() as cursor:
        reference = put_payout(cursor)["reference"]
        put_payout(cursor)
    for others, statements in ((999, 1), (1000, 2)):
        wanted = {reference, *(f"payout_{number}" for number in range(others))}
        with CaptureQueriesContext(connection) as made:
            assert {*reconciliation.payouts_by_reference(wanted)} == {reference}
        assert len(made) == statements, others


def test_payouts_with_another_outcome_or_still_open_are_disputed():
    outcomes = ("", "NEW", "PENDING", "SUCCESSFUL", "FAILED")
    with without_guards() as cursor:
        made = {
            put_payout(cursor, status, provider_status=outcome, posted_at=posted_at)["reference"]: (
                status, outcome, posted_at is not None,
            )
            for status in WithdrawalStatus
            for outcome in outcomes
            for posted_at in (BEGINS, None)
        }  # fmt: skip
    unsettled_payouts = {made[reference] for reference in reconciliation.unsettled_payouts()}
    assert unsettled_payouts == {
        *((status, outcome, True) for status in ("Processing", "Unknown") for outcome in outcomes),
        *(("Completed", "FAILED", posted) for posted in (True, False)),
        *(
            ("Failed", outcome, posted)
            for outcome in ("NEW", "PENDING", "SUCCESSFUL")
            for posted in (True, False)
        ),
    }


def test_movements_of_a_day_are_grouped_by_kind():
    with without_guards() as cursor:
        for kind, moment, amount in (
            ("deposit", BEGINS - MOMENT, -1000),
            ("withdrawal_settle", BEGINS - timedelta(days=9), 300),
            ("deposit", BEGINS, -20),
            ("deposit", ENDS - MOMENT, -1),
            ("withdrawal_settle", BEGINS, 4),
            ("provider_charge", BEGINS, 8),
            ("withdrawal_reverse", BEGINS, -16),
            ("trade", BEGINS, -32),
            ("raise_refund", BEGINS, -64),
            ("deposit", ENDS, -128),
        ):
            put_entry(cursor, kind, moment, amount)
        put_entry(cursor, "deposit", BEGINS, -5, "NGN")
        put_entry(cursor, "provider_charge", BEGINS, -7, "NGN", AccountKind.EXPENSES)
        put_entry(cursor, "deposit", BEGINS - MOMENT, -6, "GHS")
    assert reconciliation.movements(DAY) == {
        "KES": DayMovement(
            opening=Decimal(700),
            moves={
                LineKind.DEPOSITS: Decimal(21),
                LineKind.PAYOUTS: Decimal(-4),
                LineKind.CHARGED: Decimal(-8),
                LineKind.REVERSALS: Decimal(16),
                LineKind.OTHER: Decimal(96),
            },
            closing=Decimal(821),
        ),
        "NGN": DayMovement(Decimal(0), {LineKind.DEPOSITS: Decimal(5)}, Decimal(5)),
        "GHS": DayMovement(Decimal(6), {}, Decimal(6)),
    }


def test_charges_are_counted_from_a_moment_on_by_currency():
    with without_guards() as cursor:
        for kind, moment, amount, currency in (
            ("provider_charge", BEGINS - MOMENT, 1, "KES"),
            ("provider_charge", BEGINS, 1, "KES"),
            ("provider_charge", BEGINS + MOMENT, 1, "KES"),
            ("provider_charge", BEGINS, -1, "KES"),
            ("provider_charge", BEGINS, 1, "NGN"),
            ("deposit", BEGINS, 1, "KES"),
        ):
            put_entry(cursor, kind, moment, amount, currency, AccountKind.EXPENSES)
    counted = {code: reconciliation.charges_since(code, BEGINS) for code in ("KES", "NGN", "GHS")}
    assert counted == {"KES": 2, "NGN": 1, "GHS": 0}


def read(
    variance: int | None,
    read_at: datetime | None = BEGINS,
    *,
    status: str = "Matched",
    listed_at: datetime = ENDS,
    currency: str = "KES",
    kind: LineKind = LineKind.VARIANCE,
) -> None:
    """A report on the day that has read that gap."""
    with without_guards():
        report = Reconciliation.objects.create(
            day=DAY,
            status=status,
            requested_by=str(SYSTEM),
            requested_by_label=SYSTEM.label,
            created_at=listed_at,
            balances_at=read_at,
        )
    ReconciliationLine.objects.create(
        report=report,
        position=0,
        is_difference=False,
        kind=kind,
        currency_id=currency,
        their_amount=variance,
    )


def test_the_last_reading_is_the_newest_of_a_complete_report_on_a_day_that_was_over():
    later = BEGINS + timedelta(hours=1)
    assert reconciliation.last_variance("KES") is None
    read(1, later, status="Incomplete")
    read(2, later, listed_at=ENDS - MOMENT)
    read(3, later, currency="NGN")
    read(4, later, kind=LineKind.IN_TRANSIT)
    assert reconciliation.last_variance("KES") is None
    read(5, BEGINS, status="Differs")
    assert reconciliation.last_variance("KES") == VarianceReading(BEGINS, Decimal(5))
    read(6, BEGINS - MOMENT)
    assert reconciliation.last_variance("KES") == VarianceReading(BEGINS, Decimal(5))
    read(7, BEGINS + MOMENT)
    assert reconciliation.last_variance("KES") == VarianceReading(BEGINS + MOMENT, Decimal(7))
    assert reconciliation.last_variance("NGN") == VarianceReading(later, Decimal(3))


@pytest.mark.parametrize(("variance", "read_at"), [(None, BEGINS), (1, None)])
def test_a_report_that_read_no_balance_is_no_reading(variance, read_at):
    read(variance, read_at)
    assert reconciliation.last_variance("KES") is None


@pytest.mark.django_db(transaction=True)
def test_balances_and_payouts_in_transit_are_of_one_snapshot(owner_connection):
    """A payout ends, and its settlement is booked, while the two are read."""
    with without_guards() as cursor:
        row = put_payout(cursor, posted_at=BEGINS)
        put_payout(cursor, "Approved")
        put_entry(cursor, "deposit", BEGINS, -50)
    owner_connection.execute("SET session_replication_role = replica")

    def end_it(execute: Any, sql: str, *rest: Any) -> Any:
        if "wallets_payout" in sql:
            owner_connection.execute("UPDATE wallets_withdrawal SET status = 'Completed'")
            owner_connection.execute("UPDATE wallets_entry SET amount = -20")
        return execute(sql, *rest)

    with connection.execute_wrapper(end_it):
        seen = reconciliation.clearing_snapshot()
    in_transit = frozenset({(row["id"], "Processing", BEGINS)})
    assert seen == ClearingSnapshot({"KES": Decimal(50)}, in_transit, frozenset())
    assert reconciliation.clearing_snapshot() == ClearingSnapshot(
        {"KES": Decimal(20)}, frozenset(), frozenset()
    )


def test_nothing_is_held_of_nothing():
    assert reconciliation.clearing_snapshot() == ClearingSnapshot({}, frozenset(), frozenset())
    assert reconciliation.payouts_by_reference({str(uuid7())}) == {}
