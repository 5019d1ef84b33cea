"""Income of pledged units: to which loan it goes, and what it takes off prices."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from django.db import IntegrityError, transaction
from hypothesis import given
from hypothesis import strategies as st

from credit.distributions.models import DistributionAction, Income
from credit.distributions.services import funding, paying
from credit.loans.models import Shortfall
from credit.loans.services import servicing
from credit.loans.services.assessing import assess
from credit.loans.services.valuation import expected_in_prices
from exchange.core.errors import Rejected
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.owner import without_guards
from tests.environment.property_tests import examples
from tests.factories.distributions import (
    decide_step,
    held_for,
    issuer_of,
    make_distribution,
    make_terms,
)
from tests.factories.lending import make_lending
from tests.factories.lifecycle import set_flags
from tests.factories.loans import backdate_loan, repay_loan
from tests.factories.pledged_income import cash, lien, pay, rows, value
from tests.factories.tax_rates import make_rate, set_tax_facts
from tests.factories.wallets import Wallet, assert_books_hold, balance_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("amount", "to"), [("499.99", "wallet"), ("500", "loan")])
def test_income_of_five_percent_of_the_price_becomes_cash_collateral(amount, to):
    lending = make_lending()
    loan = lending.lend()
    before = balance_of(lending.borrower.owner_id, "NGN")
    made = pay(lending, amount)
    each = Decimal(amount)
    assert rows(made) == {
        (None, 895 * each, "Paid", "wallet"),
        (loan.pk, 105 * each, "Paid", to),
    }
    in_loan = 105 * each if to == "loan" else 0
    assert lien(lending) == in_loan
    assert cash(loan) == (in_loan, 0, 0)
    assert balance_of(lending.borrower.owner_id, "NGN") == before + 1_000 * each - in_loan
    assert_books_hold()


def test_two_loans_of_one_holder_share_what_was_rounded_down_once():
    """1,000 units at 600.123456: 600123.45, of which the loans round down 63012.96 and 21004.32."""
    lending = make_lending()
    first, second = lending.lend(), lending.lend(amount=200_000, units=35)
    made = pay(lending, "600.123456")
    assert rows(made) == {
        (first.pk, Decimal("63012.96"), "Paid", "loan"),
        (second.pk, Decimal("21004.32"), "Paid", "loan"),
        (None, Decimal("516106.17"), "Paid", "wallet"),
    }
    assert made.holders == 1
    assert lien(lending) == Decimal("84017.28")
    assert_books_hold()


def test_without_other_units_the_newest_loan_has_what_was_rounded_down():
    """140 units at 600.129999 are 84018.19: 0.00 more than the parts, rounded down."""
    lending = make_lending(units=140)
    first, second = lending.lend(), lending.lend(amount=200_000, units=35)
    made = pay(lending, "600.129999")
    # 105 * 600.129999 = 63013.649895, 35 * 600.129999 = 21004.549965, together 84018.19986
    assert rows(made) == {
        (first.pk, Decimal("63013.64"), "Paid", "loan"),
        (second.pk, Decimal("21004.55"), "Paid", "loan"),
    }
    assert made.gross == Decimal("84018.19")
    assert_books_hold()


@pytest.mark.parametrize("days", [0, 1, 30])
@pytest.mark.one_in(3)
def test_small_income_of_pledged_units_goes_to_the_loan_from_its_default_on(days):
    lending = make_lending()
    loan = lending.lend()
    if days:
        backdate_loan(loan, days=days, minutes=1)
        servicing.age_loans()
        loan.refresh_from_db()
    status = {0: "ACTIVE", 1: "OVERDUE", 30: "DEFAULTED"}[days]
    assert loan.status == status
    made = pay(lending, 2)
    target = "loan" if status == "DEFAULTED" else "wallet"
    assert (loan.pk, Decimal(210), "Paid", target) in rows(made)
    assert cash(loan)[0] == (210 if target == "loan" else 0)
    assert_books_hold()


def test_income_of_a_loan_that_was_repaid_meanwhile_goes_to_the_wallet():
    lending = make_lending()
    lending.borrower.fund(2_000_000, "NGN")
    loan = lending.lend()
    made = pay(lending, 600, "Funded")
    assert cash(loan) == (0, 63_000, 0)
    repay_loan(loan, 1_596_000)
    paying.pay(made.pk)
    assert (loan.pk, Decimal(63_000), "Paid", "wallet") in rows(made)
    assert cash(loan) == (0, 0, 0)
    assert lien(lending) == 0
    assert_books_hold()


def test_no_step_of_a_payment_lowers_the_cover():
    """105 units at 10,000 are 1,050,000: exactly what 840,000 needs. Each step keeps the value."""
    lending = make_lending()
    loan = lending.lend(units=105)
    assert value(loan) == 1_050_000
    made = pay(lending, "600.129999", "Recorded")
    assert cash(loan) == (0, 0, Decimal("63013.64"))
    assert value(loan) == 1_050_000
    Wallet(lending.token.issuer).fund(made.gross, "NGN")
    funding.fund(
        distribution_id=made.pk,
        organisation_id=lending.token.issuer_id,
        actor=issuer_of(lending.token),
    )
    assert cash(loan) == (0, Decimal("63013.64"), 0)
    assert value(loan) == 1_050_000
    paying.pay(made.pk)
    assert cash(loan) == (Decimal("63013.64"), 0, 0)
    assert value(loan) == 1_050_000
    # The price after the record: it includes nothing of the payment.
    lending.set_price("9399.87")
    assert value(loan) == Decimal("986986.35") + Decimal("63013.64")
    assert_books_hold()


def test_a_price_after_the_record_is_no_margin_call_while_the_issuer_is_in_time():
    lending = make_lending()
    loan = lending.lend(amount=800_000, units=105)
    made = pay(lending, 600, "Recorded")
    lending.set_price(9_400)
    # 987,000 at 0.8 are 789,600, with what is expected 840,000.
    assert value(loan) == 987_000
    assert not Shortfall.objects.exists()
    # Overdue, it is expected no more.
    assert funding.fund_due() == 0
    made.refresh_from_db()
    assert made.overdue
    assert cash(loan) == (0, 0, 0)
    assert value(loan) == 987_000
    assert Shortfall.objects.filter(cured_at=None).count() == 1
    Wallet(lending.token.issuer).fund(made.gross, "NGN")
    funding.fund_due()
    assert value(loan) == 1_050_000
    assert not Shortfall.objects.filter(cured_at=None).exists()
    assert_books_hold()


def test_an_old_price_counts_less_for_new_loans_once_it_was_paid():
    lending = make_lending()
    pay(lending, 400, "Recorded")
    # To wallets: from the record on 9,600 a unit.
    found = assess(lending.request(), organisation_id=lending.borrower.organisation.id)
    assert found.collateral_value == 105 * 9_600
    assert [error.code for error in found.errors] == ["insufficient_collateral"]
    with assert_nothing_changes(), pytest.raises(Rejected):
        lending.lend()
    # Nor by PostgreSQL, whatever was assessed: 110 units are worth 1,056,000, and 109 too little.
    lending.lend(units=110)
    lending.set_price(10_000)
    lending.lend()


def test_units_pledged_after_the_record_count_without_its_payment():
    """Its payment goes to the wallet: no loan counts it, funded or not."""
    lending = make_lending()
    made = pay(lending, 9_000, "Recorded")
    organisation = lending.borrower.organisation.id
    assert assess(lending.request(), organisation_id=organisation).collateral_value == 105_000
    with assert_nothing_changes(), pytest.raises(Rejected):
        lending.lend()
    loan = lending.lend(amount=80_000)
    assert value(loan) == 105_000
    Wallet(lending.token.issuer).fund(made.gross, "NGN")
    funding.fund_due()
    assert value(loan) == 105_000
    paying.pay(made.pk)
    assert cash(loan) == (0, 0, 0)


def test_what_a_price_includes_is_not_expected_once_more():
    """105 units at 9,500 cover 798,000, with what the record takes off and the issuer will pay."""
    lending = make_lending()
    loan = lending.lend()
    with without_guards() as cursor:
        cursor.execute("UPDATE exchange_token SET price_sell = 9500")
    pay(lending, 600, "Recorded")
    assert value(loan) == 997_500
    assert Shortfall.objects.filter(cured_at=None).count() == 1


def test_income_that_is_all_tax_leaves_its_loan_nothing():
    lending = make_lending()
    loan = lending.lend()
    set_tax_facts(lending.token.issuer, tax_residence="NG")
    make_rate(100)
    made = pay(lending, 600)
    assert (loan.pk, Decimal(0), "Paid", "loan") in rows(made)
    assert cash(loan) == (0, 0, 0)
    assert_books_hold()


def test_no_more_is_expected_in_an_old_price_than_it_was():
    lending = make_lending()
    loan = lending.lend()
    # Of 105 units 1260000.00735, rounded down.
    pay(lending, "12000.00007", "Recorded")
    assert value(loan) == 1_050_000
    pay(lending, 1_000, "Recorded")
    assert value(loan) == 1_050_000
    set_flags(lending.token, exited=True)
    assert value(loan) == 0


def test_a_record_before_the_price_takes_nothing_off_what_is_expected():
    """4,000 of 10,000 are repaid, and quoted at 6,000: of 4,000 more all is expected."""
    lending = make_lending()
    loan = lending.lend()
    pay(lending, 4_000, "Recorded")
    lending.set_price(6_000)
    with without_guards() as cursor:
        cursor.execute("UPDATE credit_pricededuction SET record_at = now() - interval '2 hours'")
        cursor.execute("UPDATE credit_distribution SET record_at = now() - interval '2 hours'")
    pay(lending, 4_000, "Recorded")
    loan.refresh_from_db()
    assert expected_in_prices(loan) == 105 * 4_000


def test_each_loan_expects_its_own_income_that_becomes_collateral():
    lending = make_lending()
    first, second = lending.lend(), lending.lend(amount=200_000, units=35)
    pay(lending, 400, "Recorded")
    pay(lending, 600, "Recorded")
    for loan, units in ((first, 105), (second, 35)):
        loan.refresh_from_db()
        assert expected_in_prices(loan) == units * 600
    with without_guards() as cursor:
        cursor.execute("UPDATE exchange_token SET cancelled = true")
    assert expected_in_prices(first) == 0


def test_an_overdue_payment_is_no_part_of_an_old_price():
    lending = make_lending()
    loan = lending.lend()
    pay(lending, 600, "Recorded")
    assert value(loan) == 1_050_000
    funding.fund_due()
    assert value(loan) == 987_000


@pytest.mark.django_db(transaction=True)
def test_a_cancelled_distribution_leaves_the_price_as_it_was():
    lending = make_lending()
    loan = lending.lend()
    made = pay(lending, 600, "Funded")
    decide_step(made, DistributionAction.CANCEL)
    assert cash(loan) == (0, 0, 0)
    assert value(loan) == 1_050_000
    assert_books_hold()


def test_income_is_paid_where_it_belongs():
    lending = make_lending()
    loan = lending.lend()
    made = pay(lending, 600, "Funded")
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_distribution SET to_collateral = false WHERE id = %s", [made.pk]
        )
    paying.pay(made.pk)
    assert (loan.pk, Decimal(63_000), "Paid", "wallet") in rows(made)
    income = Income.objects.get(distribution=made, loan=loan)
    with pytest.raises(IntegrityError), transaction.atomic():
        Income.objects.filter(pk=income.pk).update(paid_to="loan")


# --- random pledges ----------------------------------------------------------------------------


def floor(units: int, amount: Decimal) -> Decimal:
    """Return units times an amount, rounded down to kobo, in exact fractions."""
    return Decimal(math.floor(Fraction(units) * Fraction(amount) * 100)) / 100


@pytest.mark.standalone
@examples("PLEDGES", 3)
@given(
    pledges=st.lists(st.integers(1, 60), max_size=3),
    amount=st.decimals("0.001", "9000", places=5),
    kind=st.sampled_from(["Dividend", "Redemption", "Exit"]),
    final=st.booleans(),
)
@pytest.mark.slow
def test_random_pledges_are_paid_exactly(pledges, amount, kind, final):
    """Of 200 units: each loan what its units pay, the wallet the rest of what all pay."""
    with transaction.atomic():
        lending = make_lending(units=200)
        loans = [lending.lend(amount=1_000, units=units) for units in pledges]
        if kind == "Exit":
            set_flags(lending.token, exited=True)
        if kind == "Redemption":
            amount, final = amount + 10_000, True
        final = final and kind != "Dividend"
        owner = lending.borrower.owner_id
        before = balance_of(owner, "NGN")
        terms = make_terms(lending.token, type=kind, amount=amount, final=final)
        made = make_distribution(lending.token, "Funded", terms)
        total, parts = floor(200, amount), [floor(units, amount) for units in pledges]
        assert held_for() == made.gross == total
        paying.pay(made.pk)
        kept = kind != "Dividend" or amount >= 500
        for loan, part in zip(loans, parts, strict=True):
            assert cash(loan) == (part if kept else 0, 0, 0)
        assert lien(lending) == (sum(parts) if kept else 0)
        assert balance_of(owner, "NGN") == before + total - (sum(parts) if kept else 0)
        left = [balance_of(owner, lending.token, each) for each in ("available", "lien")]
        assert left == ([0, 0] if final else [200 - sum(pledges), sum(pledges)])
        made.refresh_from_db()
        assert (made.status, held_for()) == ("Paid", 0)
        assert_books_hold()
        transaction.set_rollback(True)
