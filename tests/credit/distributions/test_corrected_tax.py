"""Corrections of taxed income: tax withheld too much goes back, as far as it is still held."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import transaction
from django.utils import timezone

from credit.distributions.models import Income
from credit.distributions.services import funding, paying, recovering
from tests.assertions.unchanged import assert_nothing_changes
from tests.credit.distributions.corrected import pay_with_tax, rows, spend
from tests.environment.concurrency import is_waited_for, start_call
from tests.environment.processes import wait_until
from tests.factories.distributions import (
    DAY,
    correct,
    make_distribution,
    make_holding,
    make_terms,
    settle,
)
from tests.factories.tax_rates import make_rate, set_tax_facts
from tests.factories.treasury import move, terms
from tests.factories.wallets import Wallet, assert_books_hold, balance_of
from wallets.treasury.selectors import treasury_balances

pytestmark = pytest.mark.django_db


def test_tax_is_corrected_at_the_rate_that_was_withheld():
    held, paid = pay_with_tax()
    assert rows(paid)[held.member.owner_id][:3] == (1_000, 100, 900)
    more = settle(correct(paid, amount=Decimal("2.51")))
    assert more.status == "Funded" or more.status == "Recorded"
    Wallet(held.token.issuer).fund(7, "NGN")
    settle(more)
    assert rows(more)[held.member.owner_id] == (4, Decimal("0.4"), Decimal("3.6"), 0, "Paid")
    assert_books_hold()
    less = settle(correct(paid, amount=Decimal(2)))
    assert rows(less)[held.member.owner_id] == (
        -204,
        Decimal("-20.4"),
        Decimal("-183.6"),
        Decimal("183.6"),
        "Paid",
    )
    assert less.gross == Decimal(-357)
    assert balance_of(held.member.owner_id, "NGN") == 721  # 800 - 80 + 1
    assert_books_hold()


@pytest.mark.slow
def test_tax_that_is_remitted_is_not_advanced():
    held, paid = pay_with_tax()
    move(terms("tax_remittance", 175, currency="NGN"))
    made = settle(correct(paid, amount=Decimal(2)))
    assert made.status == "Paid"
    assert {row[-1] for row in rows(made).values()} == {"Due"}
    assert rows(made)[held.member.owner_id][3] == 180
    assert_books_hold()
    # Later tax covers it.
    make_distribution(
        held.token, "Paid", make_terms(held.token, record_at=timezone.now() + 9 * DAY)
    )
    paying.pay_due()
    assert {row[-1] for row in rows(made).values()} == {"Paid"}
    assert_books_hold()


def test_all_tax_that_is_held_goes_back():
    _, paid = pay_with_tax()
    # Of 175 that was withheld; the correction gives 20, 12.5 and 2.5 back.
    move(terms("tax_remittance", 140, currency="NGN"))
    made = settle(correct(paid, amount=Decimal(2)))
    assert {row[-1] for row in rows(made).values()} == {"Paid"}
    assert treasury_balances("NGN").tax == 0
    assert_books_hold()


def test_what_was_recovered_and_what_tax_went_back_is_counted():
    """Two of three holders have something to take; their tax waits for that of another issuer."""
    held, paid = pay_with_tax()
    spend(held.member, left=0)
    owed = Income.objects.filter(status="Due")
    move(terms("tax_remittance", 175, currency="NGN"))
    made = correct(paid, amount=Decimal(2))
    funding.fund_due()
    assert paying.pay(made.pk) == 2
    assert recovering.return_tax() == 0
    assert owed.filter(recovered__gt=0).count() == 2
    other = make_holding()
    set_tax_facts(other.token.issuer, tax_residence="NG")
    make_distribution(other.token, "Paid")
    assert recovering.return_tax() == 2
    assert owed.count() == 1
    # A worker that had selected them before: one has its tax back, one is not recovered.
    for late in Income.objects.filter(distribution=made):
        with assert_nothing_changes():
            assert not recovering._return_tax(late.pk)
    assert_books_hold()


def test_tax_of_less_than_a_unit_of_money_goes_back():
    held, paid = pay_with_tax()
    made = settle(correct(paid, amount=Decimal("2.49")))
    # 50 units at 0.01, and a tenth of it.
    assert rows(made)[held.own_member.owner_id] == (
        Decimal("-0.5"),
        Decimal("-0.05"),
        Decimal("-0.45"),
        Decimal("0.45"),
        "Paid",
    )
    assert_books_hold()


@pytest.mark.django_db(transaction=True)
def test_tax_that_is_remitted_at_the_same_time_does_not_go_back():
    """The remittance is posted and not committed yet when the worker starts."""
    _, paid = pay_with_tax()
    move(terms("tax_remittance", 175, currency="NGN"))
    made = settle(correct(paid, amount=Decimal(2)))
    other = make_holding()
    set_tax_facts(other.token.issuer, tax_residence="NG")
    make_distribution(other.token, "Paid")
    with transaction.atomic():
        move(terms("tax_remittance", 175, currency="NGN", reference="BANK-second"))
        returned = start_call(recovering.return_tax)
        wait_until(lambda: returned.done() or is_waited_for(), "the worker waits or is done")
    assert returned.result(30) == 0
    assert {row[-1] for row in rows(made).values()} == {"Due"}
    assert treasury_balances("NGN").tax == 0
    assert_books_hold()


def test_income_that_had_rounded_to_nothing_is_corrected_with_its_tax():
    held = make_holding(currency="UGX")
    set_tax_facts(held.token.issuer, tax_residence="NG")
    make_rate(50)
    terms = make_terms(held.token, amount=Decimal("0.01"))
    paid = make_distribution(held.token, "Paid", terms)
    assert rows(paid)[held.own_member.owner_id] == (0, 0, 0, 0, "Nil")
    Wallet(held.token.issuer).fund(1_000, "UGX")
    made = settle(correct(paid, amount=Decimal("0.04")))
    assert rows(made)[held.own_member.owner_id] == (2, 1, 1, 0, "Paid")
    assert rows(paid)[held.own_member.owner_id][-1] == "Corrected"
    assert_books_hold()
