"""The complete catalogue and funds of the demo data: tokens, balances, deep books."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from config.local.demo.coupons import NOTE, REDEEMED
from config.local.demo.tokens import TOKENS, Stage
from credit.distributions.models import Distribution, Income
from credit.distributions.selectors import read_schedule
from exchange.events.models import Event
from exchange.tokens.models import InvestmentCategory, InvestmentType, Quote, Token
from orders.book.models import Order, Trade
from orders.listings.models import TermsProposal
from orders.listings.selectors import unknown_terms
from tests.environment.processes import Program
from tests.environment.services import Sandbox, ServiceStack
from tests.factories.demo import CURRENCIES, demo_data_for_module
from tests.factories.wallets import assert_books_hold
from wallets.alerts.models import Alert
from wallets.fees.selectors import minimum_withdrawal
from wallets.ledger.models import Account
from wallets.ledger.selectors.wallets import wallet_balances

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture(scope="module")
def demo(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    sandbox_program: Callable[[], Program],
    service_stack: ServiceStack,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, Any]]:
    """The content of demo.json of the complete demo data, loaded once."""
    folder = tmp_path_factory.mktemp("demo")
    sandbox = Sandbox(service_stack, sandbox_program())
    with demo_data_for_module(folder, sandbox, django_db_blocker) as found:
        yield found


def test_every_owner_has_enough_of_every_currency_and_the_books_hold(demo):
    owners = [record["id"] for record in demo["organisations"] + demo["members"]]
    assert len(owners) == 12
    for owner in owners:
        rows = {row["currency"]: row for row in wallet_balances(owner)}
        assert list(rows) == CURRENCIES
        assert rows["NGN"]["available"] >= 1_000_000
        assert rows["USD"]["available"] >= 1_000
        for currency, row in rows.items():
            assert row["available"] >= 5 * minimum_withdrawal(currency)
    assert_books_hold()
    assert set(Event.objects.values_list("status", flat=True)) == {"Unsent"}


def test_the_catalogue_has_every_kind_in_every_currency_and_every_stage(demo):
    tokens = Token.objects.all()
    assert len(demo["tokens"]) == tokens.count() == len(TOKENS) == 60
    assert {token.investment_type for token in tokens} == set(InvestmentType.values)
    assert {token.investment_category for token in tokens} == set(InvestmentCategory.values)
    assert {token.currency_id for token in tokens} == set(CURRENCIES)
    open_to_all = [
        token
        for token in tokens
        if token.deal_access == "Public" and not (token.closed or token.exited or token.cancelled)
    ]
    assert len(open_to_all) >= 45
    # Tokens visible to every demo organisation come first.
    first = [token["symbol"] for token in demo["tokens"][: len(open_to_all)]]
    assert {token.deal_access for token in tokens if token.symbol in first} == {"Public"}
    assert Counter(token.cancelled for token in tokens) == {False: 58, True: 2}
    assert sum(token.exited for token in tokens) == 3
    assert sum(token.closed for token in tokens) == 2
    shares = {
        token.total_raised / token.raise_amount
        for token in tokens
        if not (token.completed_raise or token.cancelled)
    }
    assert len(shares) >= 15
    assert min(shares) == 0
    assert max(shares) < 1
    for token in tokens:
        assert token.price_buy >= token.price_sell > 0
        assert token.price_exchange > 0
        assert token.completed_raise or token.raise_amount > 0
        assert bool(token.payout_frequency) == bool(token.interest or token.dividend) or (
            token.investment_category == "Charity"
        )
    assert Quote.objects.filter(status="Pending").count() == 2
    assert Token.objects.exclude(prev_price_buy=0).count() == 60


def test_every_member_holds_tokens_and_a_dozen_books_have_depth(demo):
    for owner in demo["organisations"] + demo["members"]:
        held = Account.objects.filter(
            owner_id=owner["id"], asset__token__isnull=False, kind="available", balance__gt=0
        )
        assert held.count() >= 5, owner["name"]
    active = Order.objects.filter(status="Active")
    depth = Counter(active.values_list("token__symbol", "type"))
    deep = {symbol for symbol, _ in depth if depth[symbol, "Buy"] > 4 < depth[symbol, "Sell"]}
    assert len(deep) >= 12
    assert len(deep) == Token.objects.filter(secondaries=True, closed=False).count()
    traded = Trade.objects.exclude(sell_order=None).values("token__symbol").distinct().count()
    assert traded >= len(deep)
    assert active.exclude(member=None).count() >= 20


def test_the_order_of_the_guide_is_accepted_for_every_token_that_the_guide_lists(demo):
    """At `price.buy`, for the fewest units whose value is `min_trade.buy`."""
    client, organisation = Client(), demo["organisations"][0]
    member = next(one for one in demo["members"] if one["organisation"] == organisation["id"])
    bearer = {"Authorization": f"Bearer {organisation['access_token']}"}
    listed = client.get(
        "/v1/api/tokens",
        {"currency": "NGN", "primary_raise": "false", "sort": "name"},
        headers=bearer,
    )
    tokens = listed.json()["data"]["tokens"]
    assert len(tokens) >= 3
    for token in tokens:
        price = token["price"]["buy"]
        body = {
            "token_id": token["_id"],
            "user_id": member["id"],
            "type": "Buy",
            "price": price,
            "tokens": math.ceil(token["min_trade"]["buy"] / price),
        }
        order = client.post(
            "/v1/orders", json.dumps(body), content_type="application/json", headers=bearer
        )
        assert order.status_code == 201, (token["symbol"], order.content)
    [(price, least)] = [
        (token["price"]["buy"], token["min_trade"]["buy"])
        for token in tokens
        if token["symbol"] == "JOL30"
    ]
    chapter = " ".join((settings.BASE_DIR / "docs/api/08-orders.md").read_text().split())
    assert f"at {price:,} NGN with a `min_trade.buy` of {least:,}" in chapter
    assert f"`PRICE={price}` and `TOKENS={math.ceil(least / price)}`" in chapter


def test_a_note_has_paid_two_coupons_and_the_next_one_awaits_approval(demo):
    token = Token.objects.get(symbol=NOTE)
    *paid, following = Distribution.objects.filter(token=token).order_by("period_end")
    assert [(made.type, made.status) for made in paid] == [("Interest", "Paid")] * 2
    assert all(made.holders and made.gross for made in paid)
    days = (following.record_at.date() - timezone.now().date()).days
    assert (following.status, 5 <= days <= 14) == ("Draft", True)
    assert following.proposals.get().status == "Pending"
    assert not Alert.objects.filter(kind__startswith="distribution").exists()
    members = Income.objects.filter(distribution=paid[0]).exclude(member=None)
    assert set(members.values_list("status", flat=True)) == {"Paid"}


def test_another_note_has_paid_two_coupons_and_is_redeemed(demo):
    token = Token.objects.get(symbol=REDEEMED)
    made = list(Distribution.objects.filter(token=token).order_by("record_at"))
    assert [(each.type, each.status) for each in made] == [
        ("Interest", "Paid"),
        ("Interest", "Paid"),
        ("Redemption", "Paid"),
    ]
    assert made[-1].gross == token.total_supply * token.issue_price
    held = Account.objects.filter(asset__token=token, balance__gt=0)
    assert (token.exited, held.exists()) == (True, False)


def test_every_completed_token_with_interest_has_a_schedule_and_no_terms_are_unknown(demo):
    """A pending proposal changes nothing."""
    assert unknown_terms() == []
    today, paying = timezone.now().date(), set()
    for token in Token.objects.all():
        schedule = read_schedule(token.issuer_id, token.pk, today)
        if schedule.periods:
            paying.add(token.symbol)
            assert token.completed_at is not None
            assert schedule.periods[0].starts == token.completed_at.date()
            assert schedule.periods[0].basis.principal_per_unit == token.issue_price
            assert schedule.periods[0].basis.amount_per_unit > 0
    expected = {
        about.symbol
        for about in TOKENS
        if about.interest
        and about.pays
        and about.stage not in {Stage.RAISING, Stage.EXITED, Stage.REDEEMED, Stage.CANCELLED}
    }
    assert paying == expected
    assert len(paying) == 17
    assert TermsProposal.objects.get(status="Pending").token.symbol == "RVTN"
