"""Funding and cancellation: the order of their locks, and the alert that ends with them."""

from decimal import Decimal
from functools import partial

import pytest
from django.db import transaction

from credit.distributions.models import DistributionAction
from credit.distributions.services import funding, paying, recording
from credit.loans.models import Loan
from exchange.core.actors import Actor
from tests.environment.concurrency import is_waited_for, start_call
from tests.environment.database import session
from tests.environment.processes import wait_until
from tests.factories.api_clients import make_member
from tests.factories.distributions import (
    approve,
    close_holder,
    correct,
    decide_step,
    held_for,
    issuer_of,
    make_distribution,
    make_due,
    make_holding,
    make_terms,
    propose,
)
from tests.factories.lending import make_lending
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import Wallet, assert_books_hold, make_staff
from wallets.alerts.models import Alert

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("status", "action", "held"),
    [
        # 1,000 units at 500.
        ("Recorded", DistributionAction.FUND, 500_000),
        ("Funded", DistributionAction.CANCEL, 0),
    ],
)
def test_loans_are_locked_before_accounts(status, action, held):
    """As by a repayment: in the other order the two would wait for each other."""
    unconcerned = make_lending().lend()
    lending = make_lending()
    loan = lending.lend()
    made = make_distribution(lending.token, status, make_terms(lending.token, amount=Decimal(500)))
    Wallet(lending.token.issuer).fund(500_000, "NGN")
    with transaction.atomic():
        Loan.objects.select_for_update(no_key=True).get(pk=loan.pk)
        moved = start_call(partial(decide_step, made, action))
        wait_until(is_waited_for, "it waits for the loan")
        with session("owner") as other:
            # Fails if the account, or a loan without its income, is locked.
            other.execute(
                "SELECT FROM credit_loan WHERE id = %s FOR NO KEY UPDATE NOWAIT", [unconcerned.pk]
            )
            other.execute(
                "SELECT FROM wallets_account WHERE owner_id = %s AND kind = 'available'"
                " FOR NO KEY UPDATE NOWAIT",
                [lending.token.issuer_id],
            )
            other.rollback()
    moved.result(30)
    assert held_for() == held
    assert_books_hold()


def test_workers_pay_at_once_what_the_issuer_funds(task_notifications):
    held = make_holding()
    made = make_distribution(held.token, "Recorded")
    Wallet(held.token.issuer).fund(1_750, "NGN")
    funding.fund(
        distribution_id=made.pk, organisation_id=held.token.issuer_id, actor=issuer_of(held.token)
    )
    wait_until(lambda: funding.PAY_DISTRIBUTIONS in task_notifications, "workers are notified", 10)


def test_what_staff_take_back_needs_neither_money_nor_the_word_of_the_issuer():
    paid = make_distribution(make_holding().token, "Paid")
    person = make_staff("propose_distribution")
    made = correct(paid, actor=Actor.staff(person.pk, str(person)), amount=Decimal("2.499"))
    assert funding.fund_due() == 1
    made.refresh_from_db()
    assert (made.gross, made.status, made.overdue) == (Decimal("-0.7"), "Funded", False)
    assert decide_step(made, DistributionAction.CANCEL).status == "Cancelled"
    assert held_for() == 0
    assert_books_hold()


def test_what_has_no_holders_left_needs_no_word_of_the_issuer():
    token = make_token()
    member = Wallet(token.issuer, make_member(token.issuer))
    give_units(token, member, 50)
    person = make_staff("propose_distribution")
    made = approve(propose(token, actor=Actor.staff(person.pk, str(person))))
    close_holder(member, token)
    recording.record(make_due(made).pk)
    assert funding.fund_due() == 1
    assert paying.pay_due() == 0
    made.refresh_from_db()
    assert (made.holders, made.gross) == (0, Decimal(0))
    assert (made.status, made.overdue) == ("Paid", False)


def test_the_alert_of_an_overdue_one_ends_when_it_is_funded():
    held = make_holding()
    made = make_distribution(held.token, "Recorded")
    assert funding.fund_due() == 0
    alerts = Alert.objects.filter(kind="distribution_overdue", subject=str(made.pk))
    assert alerts.get().resolved_at is None
    Wallet(held.token.issuer).fund(1_750, "NGN")
    assert funding.fund_due() == 1
    assert alerts.get().resolved_at is not None
