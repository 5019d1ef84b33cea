"""Orders that go as one set: those it takes, those it leaves, and what stays of them.

`as_set` makes the set's call as the service does, as the runtime role. Random streams in sets are
in `test_matching_oracle`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction

from exchange.errors import Refused
from exchange.idempotency import IdempotencyClaim
from exchange.ids import uuid7
from exchange.models import Event, IdempotencyRecord, Token
from exchange.sets import Form
from orders.models import Order, Trade
from orders.services import placing
from tests.support.access import make_organisation
from tests.support.market import Trader, make_trader
from tests.support.tokens import give_units
from tests.support.world import assert_books_hold
from wallets.ledger import open_account
from wallets.models import Account, AccountKind, Entry

pytestmark = pytest.mark.django_db


def as_set(*orders: Form) -> list[str | None]:
    """What each answers; None for those that were left."""
    found = placing._call_for_many(list(orders))
    return [None if answer is None else answer.data for answer in found]


def ready(trader: Trader, *tokens: Token) -> Trader:
    """With every account that its orders can need."""
    wallet = trader.wallet
    for asset in ("KES", *(str(token.id) for token in tokens)):
        for kind in (AccountKind.AVAILABLE, AccountKind.RESERVED):
            open_account(
                asset, kind, organisation_id=wallet.organisation.id, member_id=wallet.member_id
            )
    return trader


class Market:
    """Two tokens, their issuer, and two members who have money and units of both."""

    def __init__(self, **more: Any) -> None:
        self.issuer = make_trader(100_000)
        self.tokens = [
            self.issuer.issue(buy_fee=Decimal(1), sell_fee=Decimal("0.5"), **more) for _ in range(2)
        ]
        self.ann, self.bob = (
            make_trader(10_000, organisation=self.issuer.wallet.organisation, member=True)
            for _ in range(2)
        )
        for trader in (self.issuer, self.ann, self.bob):
            ready(trader, *self.tokens)
            for token in self.tokens:
                if trader is not self.issuer:
                    give_units(token, trader.wallet, 100)

    def orders(self) -> list[tuple[Trader, Token, str, int, Decimal | int]]:
        """Rests, fills of several, a rest after a fill, both tokens in turn."""
        one, other = self.tokens
        return [
            (self.ann, one, "Sell", 90, 3),
            (self.ann, other, "Sell", 80, 2),
            (self.issuer, one, "Sell", 91, Decimal("4.25")),
            (self.bob, one, "Buy", 91, 6),
            (self.bob, other, "Buy", 85, 5),
            (self.bob, one, "Buy", 70, 1),
            (self.issuer, other, "Sell", 85, 3),
            (self.bob, one, "Sell", 95, 2),
            (self.ann, one, "Buy", 95, 3),
        ]


class _Undo(Exception):
    """Takes back what was played."""


def played(play: Callable[[], object]) -> tuple[list[Any], list[Any]]:
    """What `play` tells and books, in their order, by names of its own; it is undone after."""
    found: tuple[list[Any], list[Any]] = ([], [])
    with suppress(_Undo), transaction.atomic():
        before = set(Event.objects.values_list("id", flat=True))
        play()
        connection.cursor().execute("SET CONSTRAINTS ALL IMMEDIATE")
        assert_books_hold()
        found = (told(before), booked())
        raise _Undo
    return found


def told(before: set[UUID]) -> list[Any]:
    """Type, subject and data of each event."""
    made: list[Order | Trade] = [*Order.objects.order_by("seq"), *Trade.objects.order_by("seq")]
    names = {str(one.id): f"{type(one).__name__} {n}" for n, one in enumerate(made)}

    def named(value: Any) -> Any:
        if isinstance(value, dict):
            times = ("createdAt", "updatedAt")
            return {key: named(each) for key, each in value.items() if key not in times}
        return names.get(value, value) if isinstance(value, str) else value

    found = Event.objects.exclude(id__in=before).order_by("id")
    return [
        (event.type, names[str(event.subject_id)], named(json.loads(event.body)["data"]))
        for event in found
    ]


def booked() -> list[Any]:
    """The legs of orders and trades, account by account, with the balance after each."""
    found = Entry.objects.filter(transfer__kind__in=["order_reserve", "trade"])
    rows = found.order_by("account_id", "id").values_list(
        *("account_id", "asset_id", "amount", "balance_after"),
        *("transfer__kind", "transfer__memo", "transfer__actor"),
    )
    return list(rows)


def test_a_set_tells_and_books_what_the_same_orders_do_one_by_one():
    market = Market()
    one_by_one = played(lambda: [trader.place(*order) for trader, *order in market.orders()])
    forms = [trader.form(*order) for trader, *order in market.orders()]
    answers: list[str | None] = []
    together = played(lambda: answers.extend(as_set(*forms)))
    assert None not in answers
    assert together == one_by_one
    # Nine orders, six trades told to both sides, seven ends; six rests, and the trades' legs.
    assert [len(part) for part in together] == [9 + 2 * 6 + 7, 2 * 6 + 5 * 6]


def test_the_answer_is_the_order_as_it_stands_then():
    market = Market()
    forms = [trader.form(*order) for trader, *order in market.orders()]
    answers = as_set(*forms)
    found = [json.loads(answer) for answer in answers if answer is not None]
    assert [each["_id"] for each in found] == [form["id"] for form in forms]
    # The first is filled by the fourth, and was not yet when it was placed.
    assert (found[0]["status"], found[0]["meta"]["filled"]) == ("Active", 0)
    assert (found[3]["status"], found[3]["meta"]["filled"]) == ("Fulfilled", 6)
    assert Order.objects.get(id=forms[0]["id"]).status == "Fulfilled"


def test_what_is_out_of_the_ordinary_is_left_and_not_touched():
    market = Market(min_trade_buy=Decimal(10))
    [one, other], ann, bob = market.tokens, market.ann, market.bob
    raising = make_trader().issue(raise_amount=Decimal(10_000))
    closed = market.issuer.issue()
    Token.objects.filter(id=closed.id).update(closed=True)
    hidden = make_trader().issue(deal_access="Private")
    stranger = make_trader(1000, member=True)
    stranger_form = stranger.form(one, "Buy", 10, 1)
    ready(bob, closed, raising, hidden)
    ann.place(one, "Sell", Decimal("0.01"), "100")
    left = [
        bob.form(one, "Buy", 1, 1),  # less than the smallest purchase
        bob.form(one, "Buy", "10.001", 1),  # decimals
        bob.form(one, "Buy", 10, "0.000000001"),
        bob.form(one, "Buy", 100, 500),  # more than it has
        bob.form(other, "Sell", 100, 101),
        bob.form(closed, "Buy", 10, 1),
        bob.form(hidden, "Buy", 10, 1),
        bob.form(raising, "Buy", 100, 1),  # a raise
        stranger_form,  # an account to open
        {**bob.form(other, "Buy", 10, 1), "organisation": str(make_organisation().id)},
        {**bob.form(other, "Buy", 10, 1), "token": str(uuid7())},
    ]
    accounts, orders = Account.objects.count(), Order.objects.count()
    good = bob.form(other, "Buy", 10, 5)
    assert as_set(*left[:6], good, *left[6:])[6] is not None
    assert as_set(*left) == [None] * len(left)
    assert Account.objects.count() == accounts
    assert list(Order.objects.order_by("-seq").values_list("id", flat=True)[:1]) == [
        UUID(good["id"])
    ]
    assert Order.objects.count() == orders + 1
    assert_books_hold()


def test_what_orders_of_a_set_reserve_the_next_ones_cannot_spend_but_what_they_get_they_can():
    market = Market()
    [one, other], ann, bob = market.tokens, market.ann, market.bob
    buy, too_much, sells, now_enough = (
        ann.form(one, "Buy", 100, 90),  # 9,090 of 10,000
        ann.form(other, "Buy", 100, 15),
        bob.form(one, "Sell", 100, 20),
        bob.form(other, "Buy", 100, 118),  # 11,918 of 10,000 and 1,990
    )
    answers = as_set(buy, too_much, sells, now_enough)
    assert [answer is None for answer in answers] == [False, True, False, False]
    assert (ann.has("KES"), bob.has("KES")) == (910, 72)
    assert_books_hold()


def test_a_maker_whose_rest_is_worth_nothing_is_left_to_who_comes_alone():
    market = Market()
    [one, other], ann, bob = market.tokens, market.ann, market.bob
    ann.place(one, "Sell", Decimal("0.01"), "2.4")
    market.issuer.place(one, "Buy", Decimal("0.01"), 2)
    taker, elsewhere = bob.form(one, "Buy", Decimal("0.02"), 1), bob.form(other, "Buy", 1, 1)
    assert [answer is None for answer in as_set(taker, elsewhere)] == [True, False]
    assert_books_hold()


def test_keys_are_kept_with_what_was_done_and_with_nothing_else():
    market = Market()
    [one, _], ann = market.tokens, market.ann

    def claim(key: str, body: str = "body") -> IdempotencyClaim:
        organisation_id = ann.wallet.organisation.id
        return IdempotencyClaim(organisation_id, "POST", "/v1/orders", key, body)

    first = ann.ask(one, "Buy", 10, 1, claim=claim("seen"))
    forms = {
        name: ann.form(one, "Buy", 10, units, claim=claim(key))
        for name, key, units in (
            *(("seen", "seen", 1), ("new", "new", 2), ("twin", "new", 3)),
            *(("refused", "refused", 10**6), ("last", "last", 4)),
        )
    }
    answers = dict(zip(forms, as_set(*forms.values()), strict=True))
    assert [name for name, answer in answers.items() if answer] == ["new", "last"]
    kept = IdempotencyRecord.objects.order_by("key").values_list("key", "status_code", "data")
    assert list(kept) == [
        ("last", 201, answers["last"]),
        ("new", 201, answers["new"]),
        ("seen", 201, first.data),
    ]
    again = ann.ask(one, "Buy", 10, 2, claim=claim("new"))
    assert (again.data, again.replayed) == (answers["new"], True)
    with pytest.raises(Refused), transaction.atomic():
        ann.ask(one, "Buy", 10, 10**6, claim=claim("refused"))
    assert Order.objects.count() == 3
    assert_books_hold()


def test_an_own_id_that_is_taken_refuses_the_set_and_so_each_goes_by_itself():
    market = Market()
    one, ann = market.tokens[0], market.ann
    ann.place(one, "Buy", 10, 1, client_order_id="mine")
    forms = [
        ann.form(one, "Buy", 10, 1, client_order_id=name) for name in ("yours", "mine", "theirs")
    ]
    with transaction.atomic():
        assert as_set(*forms) == [None] * 3
        transaction.set_rollback(True)
    assert Order.objects.count() == 1
