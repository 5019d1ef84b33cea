"""Periodic servicing: which loans it visits, changes, counts and reports."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.utils import timezone

from credit.loans.models import Loan, LoanStatus, Valuation
from credit.loans.services.servicing import age_loan, age_loans, revalue_loan, revalue_loans
from exchange.core.ids import uuid7
from exchange.events.models import Event
from exchange.tokens.models import Token
from tests.environment.database import Connection, session
from tests.factories.lending import Lending
from tests.factories.loans import backdate_loan, loan_event_types, make_completed_loan
from tests.factories.tokens import give_units, make_token
from wallets.alerts.models import Alert

pytestmark = pytest.mark.django_db(transaction=True)


def small(lending: Lending, **changes: Any) -> Loan:
    """Make a loan of 1,000."""
    return lending.lend(**{"amount": 1000, "units": 1, **changes})


def status(loan: Loan) -> str:
    loan.refresh_from_db()
    return str(loan.status)


def overdue(lending: Lending, **past: int) -> Loan:
    """Make a loan that became OVERDUE a day after its due date, so long ago."""
    loan = small(lending)
    backdate_loan(loan, days=1)
    assert age_loan(loan.id) == 1
    backdate_loan(loan, **past)
    return loan


@contextmanager
def looking() -> Iterator[Connection]:
    """Open another connection that sees the locks of the block; the block is rolled back."""
    with session("owner") as other, transaction.atomic():
        yield other
        transaction.set_rollback(True)


def locked(other: Connection, table: str = "credit_loan") -> set[UUID]:
    """Return the rows of a table that another transaction cannot update meanwhile."""
    every = {id_ for (id_,) in other.execute(f"SELECT id FROM {table}")}
    free = other.execute(f"SELECT id FROM {table} FOR NO KEY UPDATE SKIP LOCKED")
    found = every - {id_ for (id_,) in free}
    other.rollback()
    return found


def test_a_loan_is_aged_by_its_own_dates_and_no_other_is_touched(lending):
    kept = {
        "not yet due": small(lending),
        "overdue within its grace": overdue(lending, days=6, hours=23),
        "over": make_completed_loan(lending),
    }
    for loan in (kept["overdue within its grace"], kept["over"]):
        assert status(loan) != LoanStatus.ACTIVE
    backdate_loan(kept["not yet due"], hours=-1)
    due, late = small(lending), overdue(lending, days=7, minutes=1)
    backdate_loan(due, seconds=1)
    with looking() as other:
        assert age_loans() == 2
        assert locked(other) == {due.id, late.id}
    before = {name: status(loan) for name, loan in kept.items()}
    assert age_loans() == 2
    assert (status(due), status(late)) == (LoanStatus.OVERDUE, LoanStatus.DEFAULTED)
    # Under the lock the dates are asked once more.
    for name, loan in kept.items():
        assert age_loan(loan.id) == 0
        assert status(loan) == before[name]
    assert age_loan(late.id) == age_loan(uuid7()) == 0
    assert age_loans() == 0


def test_a_long_unserviced_loan_becomes_overdue_and_defaulted_at_once(lending):
    loan = small(lending)
    backdate_loan(loan, days=7, minutes=1)
    assert age_loans() == 1
    assert status(loan) == LoanStatus.DEFAULTED
    assert loan_event_types(loan) == ["loan.created", "loan.overdue", "loan.defaulted"]
    states = [
        json.loads(body)["data"]["loan"]["status"]
        for body in Event.objects.filter(
            subject_id=loan.id, organisation_id=loan.organisation_id
        ).order_by("created_at", "id").values_list("body", flat=True)
    ]  # fmt: skip
    assert states == ["ACTIVE", "OVERDUE", "DEFAULTED"]


def test_a_locked_loan_is_left_for_the_next_run(lending):
    loan = overdue(lending, days=8)
    with session("owner") as other, transaction.atomic():
        other.execute("SELECT FROM credit_loan WHERE id = %s FOR NO KEY UPDATE", [loan.id])
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '2s'")
        assert age_loan(loan.id) == 0
        other.rollback()
    assert age_loan(loan.id) == 1


def valued(loan: Loan, **ago: int) -> None:
    Valuation.objects.filter(loan=loan).update(valued_at=timezone.now() - timedelta(**ago))


def test_an_open_loan_is_valued_once_a_day_and_all_on_request(lending):
    loans = [small(lending) for _ in range(3)]
    over = make_completed_loan(lending)
    assert revalue_loans() == 3
    assert revalue_loans() == 0
    valued(loans[0], hours=24, seconds=1)
    valued(loans[1], hours=23, minutes=59)
    valued(over, days=9)
    with looking() as other:
        assert revalue_loans() == 1
        assert locked(other) == {loans[0].id}
    with looking() as other:
        assert revalue_loans(force=True) == 3
        assert locked(other) == {loan.id for loan in loans}
    assert revalue_loans() == 1
    assert Valuation.objects.get(loan=loans[0]).valued_at > timezone.now() - timedelta(minutes=1)
    assert [revalue_loan(loan.id) for loan in (loans[1], over)] == [1, 0]
    assert revalue_loan(uuid7()) == 0
    assert Valuation.objects.get(loan=over).valued_at < timezone.now() - timedelta(days=8)


def test_the_loans_without_a_price_are_counted_and_the_first_is_named(lending):
    unpriced = make_token(price_sell=Decimal(10_000), symbol="NIL")
    give_units(unpriced, lending.borrower, 100)
    fine = small(lending)
    lending.token, priced = unpriced, lending.token
    without = [small(lending) for _ in range(3)]
    lending.token = priced
    over = make_completed_loan(lending)
    Token.objects.filter(id=unpriced.id).update(quoted_at=None)
    assert revalue_loans(force=True) == 4
    # What was found before a loan was over is no question any more.
    Valuation.objects.filter(loan=over).update(problem="was", valued_at=timezone.now())
    valued(without[1], hours=3)
    valued(without[0], hours=2)
    valued(fine, hours=4)
    assert revalue_loans() == 0
    alert = Alert.objects.get(kind="collateral_prices")
    assert (alert.resolved_at, alert.message) == (
        None,
        f"Collateral of 3 open loans cannot be valued. First: loan {without[1].id},"
        " NIL has no price",
    )
    lending.token = unpriced
    lending.set_price(10_000)
    revalue_loans(force=True)
    alert.refresh_from_db()
    assert alert.resolved_at is not None


@pytest.mark.slow
def test_a_locked_loan_is_skipped_and_blocks_no_others(lending):
    busy, waiting = (small(lending) for _ in range(2))
    for loan in (busy, waiting):
        backdate_loan(loan, days=1)
    with session("owner") as other, connection.cursor() as cursor:
        other.execute("SELECT FROM credit_loan WHERE id = %s FOR UPDATE", [busy.id])
        cursor.execute("SET lock_timeout = '500ms'")
        try:
            assert (age_loans(), revalue_loans()) == (1, 1)
            other.rollback()
            # One whose tokens cannot be had in time fails; the others are served all the same.
            other.execute("SELECT FROM exchange_token WHERE id = %s FOR UPDATE", [lending.token.id])
            assert revalue_loans(force=True) == 0
        finally:
            cursor.execute("RESET lock_timeout")
        other.rollback()
    assert [status(loan) for loan in (busy, waiting)] == [LoanStatus.ACTIVE, LoanStatus.OVERDUE]
