"""Corrections: the difference of each holder is paid, or taken back as far as there is money."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

import pytest
from django.db import transaction
from django.utils import timezone

from credit.distributions.models import DistributionAction, Income
from credit.distributions.schedule import Basis
from credit.distributions.services import funding, paying, recovering
from credit.distributions.services.assigning import unpaid_of_closed
from credit.distributions.services.terms import check_period
from credit.loans.models import PriceDeduction
from exchange.events.models import Event
from exchange.participants.models import Member
from orders.freezing.services import freeze_owner
from tests.credit.distributions.corrected import pay_with_tax, rows, spend
from tests.environment.concurrency import is_waited_for, start_call
from tests.environment.owner import without_guards
from tests.environment.processes import wait_until
from tests.factories.distributions import (
    DAY,
    close_holder,
    complete_on,
    correct,
    decide_step,
    held_for,
    interest_terms,
    make_distribution,
    make_holding,
    make_terms,
    owe,
    redemption_terms,
    settle,
)
from tests.factories.lending import make_lending
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import Wallet, assert_books_hold, balance_of, make_staff

pytestmark = pytest.mark.django_db


def freeze(wallet: Wallet) -> None:
    """Freeze the wallet of a member."""
    freeze_owner(
        owner=Member.objects.get(pk=wallet.owner_id),
        currency=None,
        reason="Court order of today",
        user=make_staff("place_freeze"),
    )


def test_what_was_too_little_is_paid_to_each_holder():
    held = make_holding()
    paid = make_distribution(held.token, "Paid")  # 2.5 a unit
    issuer = Wallet(held.token.issuer).fund(350, "NGN")
    made = correct(paid, amount=Decimal(3))
    assert made.corrects_id == paid.pk
    assert (made.holders, made.units, made.gross) == (3, Decimal(700), Decimal(350))
    held.token.refresh_from_db()
    assert held.token.next_record_at is None
    assert held.token.next_payment_date is None
    assert not PriceDeduction.objects.filter(pk=made.pk).exists()
    settle(made)
    assert made.status == "Paid"
    assert rows(made) == {
        held.member.owner_id: (200, 0, 200, 0, "Paid"),
        held.organisation.owner_id: (125, 0, 125, 0, "Paid"),
        held.own_member.owner_id: (25, 0, 25, 0, "Paid"),
    }
    assert set(Income.objects.filter(distribution=paid).values_list("status", flat=True)) == {
        "Corrected"
    }
    assert balance_of(held.member.owner_id, "NGN") == 1_201
    assert balance_of(issuer.owner_id, "NGN") == 0
    assert held_for() == 0
    assert_books_hold()


def test_what_was_too_much_is_taken_back():
    held = make_holding()
    paid = make_distribution(held.token, "Paid")
    made = correct(paid, amount=Decimal(2))
    assert made.gross == -350
    before = Decimal(balance_of(held.token.issuer_id, "NGN"))
    settle(made)
    assert made.status == "Paid"
    assert rows(made) == {
        held.member.owner_id: (-200, 0, -200, 200, "Paid"),
        held.organisation.owner_id: (-125, 0, -125, 125, "Paid"),
        held.own_member.owner_id: (-25, 0, -25, 25, "Paid"),
    }
    assert balance_of(held.member.owner_id, "NGN") == 801
    assert balance_of(held.token.issuer_id, "NGN") == before + 350
    assert_books_hold()


def test_the_rest_is_taken_from_later_income_of_the_issuer_alone():
    held = make_holding()
    paid = make_distribution(held.token, "Paid")
    spend(held.member, left=50)
    issuer = Wallet(held.token.issuer)
    made = correct(paid, amount=Decimal(2))
    settle(made)
    assert made.status == "Paid"
    assert rows(made)[held.member.owner_id] == (-200, 0, -200, 50, "Due")
    assert balance_of(held.member.owner_id, "NGN") == 0
    assert balance_of(held.member.owner_id, "NGN", "receivable") == 0
    assert_books_hold()
    # Money from elsewhere stays, also in a later run, and income of another issuer.
    held.member.fund(5, "NGN")
    paying.pay_due()
    assert paying.pay(made.pk) == 0
    other = make_holding()
    give_units(other.token, held.member, 10)
    make_distribution(other.token, "Paid")
    assert balance_of(held.member.owner_id, "NGN") == 30
    # 400 units at 0.25: 100 of the 150 that are left.
    first = make_distribution(held.token, "Paid", make_terms(held.token, amount=Decimal("0.25")))
    assert rows(made)[held.member.owner_id] == (-200, 0, -200, 150, "Due")
    assert balance_of(held.member.owner_id, "NGN") == 30
    assert_books_hold()
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_distribution SET record_at = record_at - interval '40 days'"
            " WHERE id = %s",
            [first.pk],
        )
    before = Decimal(balance_of(issuer.owner_id, "NGN"))
    make_distribution(held.token, "Paid", make_terms(held.token, amount=Decimal(1)))
    assert rows(made)[held.member.owner_id] == (-200, 0, -200, 200, "Paid")
    assert balance_of(held.member.owner_id, "NGN") == 30 + 400 - 50
    assert balance_of(issuer.owner_id, "NGN") == before + 50
    assert_books_hold()


def test_a_frozen_owner_and_one_who_owes_are_left_alone_at_first():
    held = make_holding()
    paid = make_distribution(held.token, "Paid")
    freeze(held.member)
    owe(held.organisation, 10)
    made = settle(correct(paid, amount=Decimal(2)))
    assert made.status == "Paid"
    found = rows(made)
    assert found[held.member.owner_id] == (-200, 0, -200, 0, "Due")
    assert found[held.organisation.owner_id] == (-125, 0, -125, 0, "Due")
    assert found[held.own_member.owner_id][-1] == "Paid"
    # Who is frozen keeps later income too. Who owes repays the exchange first: 10 of 62.50.
    available = Decimal(balance_of(held.member.owner_id, "NGN"))
    make_distribution(held.token, "Paid", make_terms(held.token, amount=Decimal("0.25")))
    assert balance_of(held.member.owner_id, "NGN") == available + 100
    assert rows(made)[held.organisation.owner_id][3] == Decimal("52.5")
    assert balance_of(held.organisation.owner_id, "NGN", "receivable") == 0


@pytest.mark.django_db(transaction=True)
def test_nothing_is_taken_from_an_owner_who_is_frozen_at_the_same_time():
    """The freeze is placed and not committed yet when the worker starts."""
    held = make_holding()
    made = correct(make_distribution(held.token, "Paid"), amount=Decimal(2))
    assert funding.fund_due() == 1
    with transaction.atomic():
        freeze(held.member)
        taken = start_call(partial(paying.pay, made.pk))
        wait_until(lambda: taken.done() or is_waited_for(), "the worker waits or is done")
    assert taken.result(30) == 2
    assert rows(made)[held.member.owner_id] == (-200, 0, -200, 0, "Due")
    assert_books_hold()


def test_a_correction_is_paid_although_less_than_a_unit_of_money_is_not_taken_back():
    held = make_holding()
    paid = make_distribution(held.token, "Paid")
    spend(held.own_member, left=0)
    made = settle(correct(paid, amount=Decimal("2.49")))
    assert made.status == "Paid"
    assert rows(made)[held.own_member.owner_id] == (Decimal("-0.5"), 0, Decimal("-0.5"), 0, "Due")


def test_what_is_not_recovered_yet_costs_the_worker_no_query(django_assert_num_queries):
    held, paid = pay_with_tax()
    spend(held.member, left=0)
    settle(correct(paid, amount=Decimal(2)))
    assert Income.objects.get(status="Due").owner_id == held.member.owner_id
    with django_assert_num_queries(1):
        assert recovering.return_tax() == 0


def test_interest_is_corrected_by_its_basis():
    held = make_holding()
    paid = make_distribution(held.token, "Paid", interest_terms(held.token))
    Wallet(held.token.issuer).fund(10_000, "NGN")
    made = settle(correct(paid, basis=Basis(Decimal(100), Decimal("18.5"), 93)))
    # 400 * 100 * 18.5 * 93 / 36500 = 1885.479…
    assert rows(made)[held.member.owner_id][0] == Decimal("20.27")
    # It takes no other days than what it corrects.
    check_period(held.token, interest_terms(held.token, record_at=paid.record_at - 92 * DAY))
    assert_books_hold()


def test_what_a_closed_member_was_paid_too_much_is_no_other_owners():
    held = make_holding()
    paid = make_distribution(held.token, "Paid")
    spend(held.member, left=0)
    made = correct(paid, amount=Decimal("2.499"))
    close_holder(held.member, held.token)
    settle(made)
    assert made.status == "Paid"
    due = (Decimal("-0.4"), 0, Decimal("-0.4"), 0, "Due")
    assert rows(made)[held.member.owner_id] == due
    assert not unpaid_of_closed(made).exists()


def test_only_income_that_differs_is_corrected():
    """At 0.01 and 0.012 a unit, 400, 250 and 50 units receive 4, 2 or 3, and no shilling."""
    held = make_holding(currency="UGX")
    elsewhere = make_token(currency="UGX")
    give_units(elsewhere, held.organisation, 100)
    other = make_distribution(elsewhere, "Paid", make_terms(elsewhere))
    terms = make_terms(held.token, amount=Decimal("0.01"))
    paid = make_distribution(held.token, "Paid", terms)
    Wallet(held.token.issuer).fund(1_000, "UGX")
    made = settle(correct(paid, amount=Decimal("0.012")))
    assert made.gross == 1
    assert {owner: row[-1] for owner, row in rows(paid).items()} == {
        held.member.owner_id: "Paid",
        held.organisation.owner_id: "Corrected",
        held.own_member.owner_id: "Nil",
    }
    assert [row[-1] for row in rows(other).values()] == ["Paid"]


def test_a_cancelled_correction_changes_nothing():
    held = make_holding()
    paid = make_distribution(held.token, "Paid")
    made = correct(paid, amount=Decimal(3))
    decide_step(made, DistributionAction.CANCEL)
    assert {row[-1] for row in rows(paid).values()} == {"Paid"}
    assert_books_hold()
    # Nothing should have been paid.
    again = settle(correct(paid, amount=Decimal(0)))
    assert again.gross == -1_750


def test_organisations_of_holders_receive_events():
    held = make_holding()
    paid = make_distribution(held.token, "Paid")
    made = settle(correct(paid, amount=Decimal(2)))
    received = Event.objects.filter(
        organisation_id=held.organisation.organisation.pk, subject_id=made.pk
    )
    assert set(received.values_list("type", flat=True)) == {
        "distribution.announced",
        "distribution.paid",
    }
    recorded = Event.objects.filter(type="distribution.recorded", subject_id=made.pk)
    assert [event.organisation_id for event in recorded] == [held.token.issuer_id]


@pytest.mark.parametrize(("amount", "each"), [("600", 100), ("450", -50)])
def test_pledged_units_are_corrected_apart(amount, each):
    """Cash collateral receives what was too little; what was too much comes from the wallet."""
    lending = make_lending()
    loan = lending.lend()
    paid = make_distribution(lending.token, "Paid", make_terms(lending.token, amount=Decimal(500)))
    loan.refresh_from_db()
    assert loan.cash_collateral == 105 * 500
    assert not loan.cash_funded
    wallet = Decimal(balance_of(lending.borrower.owner_id, "NGN"))
    Wallet(lending.token.issuer).fund(100_000, "NGN")
    made = correct(paid, amount=Decimal(amount))
    funding.fund_due()
    loan.refresh_from_db()
    # What comes is counted once it is funded; what goes leaves the collateral as it is.
    assert loan.cash_funded == max(0, 105 * each)
    settle(made)
    found = Income.objects.filter(distribution=made)
    to = "loan" if each > 0 else "wallet"
    assert set(found.values_list("loan_id", "net", "status", "paid_to")) == {
        (None, 895 * each, "Paid", "wallet"),
        (loan.pk, 105 * each, "Paid", to),
    }
    loan.refresh_from_db()
    in_loan = max(0, 105 * each)
    assert loan.cash_collateral == 105 * 500 + in_loan
    assert not loan.cash_funded
    assert not loan.cash_expected
    assert balance_of(lending.borrower.owner_id, "NGN") == wallet + 1_000 * each - in_loan
    assert_books_hold()


def test_what_goes_to_a_loan_leaves_the_wallet_to_a_later_recovery():
    lending = make_lending(units=105)
    loan = lending.lend()
    paid = make_distribution(lending.token, "Paid", make_terms(lending.token, amount=Decimal(500)))
    spend(lending.borrower, left=0)
    made = settle(correct(paid, amount=Decimal(499)))
    lending.borrower.fund(10, "NGN")
    make_distribution(lending.token, "Paid", make_terms(lending.token, amount=Decimal(600)))
    loan.refresh_from_db()
    assert loan.cash_collateral == 105 * 1_100
    assert rows(made)[lending.borrower.owner_id] == (-105, 0, -105, 0, "Due")
    assert balance_of(lending.borrower.owner_id, "NGN") == 10


def test_what_was_rounded_down_is_divided_as_by_the_record():
    lending = make_lending()
    loan = lending.lend()
    paid = make_distribution(lending.token, "Paid", make_terms(lending.token, amount=Decimal(500)))
    made = correct(paid, amount=Decimal("500.0037"))
    # 105 units: 0.3885. 1,000 units: 3.70, of which the other 895 have the rest.
    assert dict(Income.objects.filter(distribution=made).values_list("loan_id", "gross")) == {
        loan.pk: Decimal("0.38"),
        None: Decimal("3.32"),
    }


def test_two_recoveries_share_one_payment():
    held = make_holding()
    first = make_distribution(held.token, "Paid")
    second = make_distribution(
        held.token, "Paid", make_terms(held.token, record_at=timezone.now() + 9 * DAY)
    )
    spend(held.member, left=0)
    recoveries = [settle(correct(one, amount=Decimal(2))) for one in (first, second)]
    held.member.fund(500, "NGN")
    make_distribution(held.token, "Paid", make_terms(held.token, amount=Decimal("0.75")))
    taken = [rows(one)[held.member.owner_id][3] for one in recoveries]
    assert sorted(taken) == [100, 200]
    assert balance_of(held.member.owner_id, "NGN") == 500
    assert_books_hold()


def test_what_is_not_due_yet_takes_nothing_of_a_payment():
    held = make_holding()
    paid = make_distribution(held.token, "Paid")
    made = correct(paid, amount=Decimal(2))
    make_distribution(held.token, "Paid", make_terms(held.token, amount=Decimal(1)))
    assert rows(made)[held.member.owner_id] == (-200, 0, -200, 0, "Due")
    assert_books_hold()


def test_a_redemption_is_corrected_after_its_units_are_gone():
    held = make_holding()
    complete_on(held.token, timezone.now().date())
    paid = make_distribution(held.token, "Paid", redemption_terms(held.token))
    held.token.refresh_from_db()
    assert held.token.exited
    Wallet(held.token.issuer).fund(7_000, "NGN")
    made = settle(correct(paid, amount=Decimal(110)))
    assert not made.final
    assert (made.status, made.gross) == ("Paid", Decimal(7_000))
    assert rows(made)[held.member.owner_id][2] == 4_000
    assert_books_hold()
