"""Collateral value of units: usable prices, blocking prices, exact products."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from credit.loans.services.valuation import (
    CollateralValue,
    Pledge,
    amount_owed,
    lending_value,
    open_collateral,
    price_problem,
    principal_owed,
    round_down,
    value_collateral,
)
from exchange.tokens.models import Token
from tests.factories.loans import repay_loan
from tests.factories.tokens import give_units, make_token

NAME = "ABC"


def quoted(price: str = "100", *, hours: float = 0, symbol: str = NAME, **facts: Any) -> Token:
    """Return an unsaved token with a price of that age in hours."""
    at = timezone.now() - timedelta(hours=hours)
    return Token(**{"symbol": symbol, "price_sell": Decimal(price), "quoted_at": at, **facts})


def test_a_price_counts_while_it_is_above_zero_quoted_and_fresh(settings):
    settings.PRICE_MAX_AGE_HOURS = 36
    for fresh in (quoted("0.00000001"), quoted("1"), quoted(hours=35.9)):
        assert price_problem(fresh) == ""
    for none in (quoted("0"), quoted(quoted_at=None), quoted("0", quoted_at=None)):
        assert price_problem(none) == f"{NAME} has no price"
    assert price_problem(quoted(hours=36.1)) == f"The price of {NAME} is older than 36 hours"


def test_the_maximum_price_age_is_shown_in_whole_days(settings):
    labels = {23: "23 hours", 24: "1 days", 25: "25 hours", 46: "46 hours", 600: "25 days"}
    for hours, age in labels.items():
        settings.PRICE_MAX_AGE_HOURS = hours
        assert price_problem(quoted(hours=700)) == f"The price of {NAME} is older than {age}"


@pytest.mark.django_db
def test_units_are_worth_their_price_each_to_the_last_digit():
    units = [(quoted("999999999999999.99"), Decimal("999999999999999.99999999"))]
    exact = Decimal("999999999999999989999990000000.0000000001")
    assert value_collateral(units) == CollateralValue(exact)
    both = Decimal("999999999999999989999990000000.0000000002")
    assert value_collateral([*units, (quoted("0.01"), Decimal("0.00000001"))]) == CollateralValue(
        both
    )
    assert value_collateral([]) == CollateralValue(Decimal(0))


@pytest.mark.django_db
def test_delisted_tokens_are_worth_nothing_and_missing_prices_block():
    fine, two = (quoted("3"), Decimal(2)), Decimal(2)
    exited = (quoted(exited=True, symbol="EXI"), two)
    cancelled = (quoted("0", cancelled=True, symbol="CAN"), two)
    stale, none = (quoted(hours=9999, symbol="OLD"), two), (quoted("0", symbol="NIL"), two)
    assert value_collateral([exited, fine, cancelled]) == CollateralValue(
        Decimal(6), "", ("EXI", "CAN")
    )
    age = "The price of OLD is older than 30 days"
    assert value_collateral([fine, stale, exited, none]) == CollateralValue(
        None, f"{age}; NIL has no price", ("EXI",)
    )
    assert value_collateral([none]) == CollateralValue(None, "NIL has no price")


def test_the_maximum_amount_is_rounded_down():
    assert lending_value(Decimal("0.12345678"), Decimal("0.87654321")) == Decimal(
        "0.1082152022374638"
    )
    cases = [("1.999", 2, "1.99"), ("1.999", 0, "1"), ("0.009", 2, "0.00"), ("840000", 2, "840000")]
    for amount, decimals, least in cases:
        assert round_down(Decimal(amount), decimals) == Decimal(least)


@pytest.mark.django_db
def test_collateral_and_balance_are_of_one_loan_in_pledge_order(lending):
    other, third = (make_token(price_sell=Decimal(10)) for _ in range(2))
    for token in (other, third):
        give_units(token, lending.borrower, 5)
    small = Pledge(other.id, Decimal("0.5"))
    loan = lending.lend(
        collaterals=(
            small, Pledge(lending.token.id, Decimal(105)), Pledge(third.id, Decimal(1)),
        )
    )  # fmt: skip
    lending.lend(amount=10_000, units=2)
    listed = [(row.token_id, row.quantity, token.id) for row, token in open_collateral(loan)]
    assert listed == [
        (other.id, Decimal("0.5"), other.id),
        (lending.token.id, Decimal(105), lending.token.id),
        (third.id, Decimal(1), third.id),
    ]
    loan = repay_loan(loan, 800_000)  # 756,000 interest, 44,000 of the principal
    assert principal_owed(loan) == amount_owed(loan) == 796_000
    loan = repay_loan(loan, 1)
    assert principal_owed(loan) == amount_owed(loan) == 795_999


@pytest.mark.django_db
def test_paid_interest_reduces_the_total_owed_and_not_the_principal(lending):
    loan = repay_loan(lending.lend(), 6000)
    assert principal_owed(loan) == 840_000
    assert amount_owed(loan) == 1_590_000
