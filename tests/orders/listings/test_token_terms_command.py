"""`manage.py token_terms`: what staff must decide of tokens listed before terms were kept."""

import csv
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import call_command

from exchange.tokens.models import Token
from tests.factories.lifecycle import forget_terms, set_flags
from tests.factories.traders import Trader, make_trader

pytestmark = pytest.mark.django_db


def report() -> tuple[list[dict[str, str]], str]:
    out, err = StringIO(), StringIO()
    call_command("token_terms", stdout=out, stderr=err)
    return list(csv.DictReader(StringIO(out.getvalue()))), err.getvalue().strip()


def sold_out(issuer: Trader) -> Token:
    token = issuer.issue(
        raise_amount=Decimal(100_000),
        interest=Decimal("12.5"),
        tenor=365,
        payout_frequency="Monthly",
    )
    make_trader(100_000).place(token, "Buy", 100, 1000)
    token.refresh_from_db()
    return token


def test_without_a_token_to_decide_there_is_a_head_only():
    make_trader().issue()
    sold_out(make_trader())
    assert report() == ([], "0 tokens with terms to decide")


def test_each_token_is_shown_with_what_records_have():
    issuer = make_trader()
    sold, listed, exited, raising = (
        sold_out(issuer),
        issuer.issue(price_buy=Decimal("99.5")),
        issuer.issue(),
        issuer.issue(raise_amount=Decimal(500)),
    )
    set_flags(exited, exited=True)
    completed = sold.completed_at
    for token in (sold, listed, exited, raising):
        forget_terms(token)
    rows, summary = report()
    assert summary == "2 tokens with terms to decide"
    by_symbol = {row["symbol"]: row for row in rows}
    assert completed is not None
    assert by_symbol[sold.symbol] == {
        "token": str(sold.pk),
        "symbol": sold.symbol,
        "name": sold.name,
        "issuer": issuer.wallet.organisation.name,
        "currency": "KES",
        "interest": "12.5",
        "payout_frequency": "Monthly",
        "tenor": "365",
        "issue_price": "100",
        "raise_price_lowest": "100",
        "raise_price_highest": "100",
        "buy_price": "100",
        "completed_on": str(completed.date()),
    }
    other = by_symbol[listed.symbol]
    assert (other["issue_price"], other["raise_price_lowest"], other["buy_price"]) == (
        *("", ""),
        "99.5",
    )
    assert other["completed_on"] == str(listed.created_at.date())
