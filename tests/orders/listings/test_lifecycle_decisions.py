"""Each lifecycle action: what it rejects, changes, leaves and locks."""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from exchange.core.errors import InvalidRequest, Rejected, StateConflict
from exchange.core.ids import uuid7
from exchange.staff.models import StaffUser
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.models import Token
from orders.book.models import Order
from tests.environment.database import session
from tests.factories import lifecycle
from tests.factories.traders import Trader, make_trader
from tests.factories.unjustified_transfers import take_units
from tests.factories.wallets import assert_books_hold, make_staff
from wallets.ledger.models import Transfer

pytestmark = pytest.mark.django_db

Decide = Callable[..., Token]
FLAGS = ("closed", "secondaries", "exited", "cancelled", "completed_raise")
cancel = partial(lifecycle.cancel_token, reason="over")


@pytest.fixture
def issuer() -> Trader:
    return make_trader(1_000)


@pytest.fixture
def officer() -> StaffUser:
    return make_staff("end_token")


def flags(token: Token) -> set[str]:
    """Return which flags of the token are set in the database."""
    kept = Token.objects.get(id=token.id)
    return {name for name in FLAGS if getattr(kept, name)}


def in_raise(issuer: Trader) -> Token:
    return issuer.issue(raise_amount=Decimal(50_000))


def test_each_decision_sets_its_flag_once_on_its_token_only(issuer, officer):
    token, other = in_raise(issuer), in_raise(issuer)
    steps: list[tuple[Decide, set[str], str]] = [
        (lifecycle.close_token, {"closed"}, "The token is already closed"),
        (lifecycle.reopen_token, set(), "The token is not closed"),
        (lifecycle.complete_raise, {"completed_raise"}, "The raise is already complete"),
        (
            lifecycle.open_secondaries,
            {"completed_raise", "secondaries"},
            "Secondary trading is already open",
        ),
        (
            lifecycle.exit_token,
            {"completed_raise", "secondaries", "exited"},
            "The token has already exited",
        ),
        (cancel, {"completed_raise", "exited", "cancelled"}, "The token is cancelled"),
    ]
    for decide, wanted, again in steps:
        changed = decide(token_id=token.id, user=officer)
        assert changed.id == token.id
        assert {name for name in FLAGS if getattr(changed, name)} == wanted
        assert flags(token) == wanted
        with pytest.raises(StateConflict) as refused:
            decide(token_id=token.id, user=officer)
        assert str(refused.value) == again
    assert flags(other) == set()


@pytest.mark.parametrize("decide", [lifecycle.open_secondaries, lifecycle.exit_token])
def test_an_open_raise_is_neither_traded_nor_exited(issuer, officer, decide: Decide):
    token = in_raise(issuer)
    with pytest.raises(Rejected) as refused:
        decide(token_id=token.id, user=officer)
    assert refused.value.code == "raise_open"
    assert flags(token) == set()


def test_a_token_that_does_not_exist_is_not_found(issuer, officer):
    in_raise(issuer)
    for decide in (
        lifecycle.close_token,
        lifecycle.complete_raise,
        cancel,
    ):
        with pytest.raises(TokenNotFound):
            decide(token_id=uuid7(), user=officer)


def test_a_reason_for_cancelling_has_at_most_300_characters(issuer, officer):
    token = in_raise(issuer)
    make_trader(1_000).place(token, "Buy", 100, 1)
    with pytest.raises(InvalidRequest):
        lifecycle.cancel_token(token_id=token.id, user=officer, reason="r" * 301)
    assert flags(token) == set()
    lifecycle.cancel_token(token_id=token.id, user=officer, reason="r" * 300)
    assert Transfer.objects.get(kind="raise_refund").memo == "r" * 300


def test_cancelling_a_raise_gives_back_money_and_fees_and_retires_all_units(issuer, officer):
    token = issuer.issue(raise_amount=Decimal(50_000), price_buy=Decimal(100), buy_fee=Decimal(1))
    first, second = make_trader(1_000), make_trader(1_000, member=True)
    for trader, units in ((first, 2), (second, 3), (first, 4)):
        trader.place(token, "Buy", 100, units)
    assert (first.balance("KES"), second.balance("KES")) == (394, 697)
    cancelled = cancel(token_id=token.id, user=officer)
    assert (first.balance("KES"), second.balance("KES")) == (1_000, 1_000)
    assert (first.balance(token), second.balance(token), issuer.balance(token, "unsold")) == (
        0,
        0,
        0,
    )
    assert (issuer.balance("KES"), issuer.balance("KES", "raise")) == (1_000, 0)
    assert (cancelled.supply, cancelled.total_raised, cancelled.total_allocated) == (0, 0, 0)
    refunds = Transfer.objects.filter(kind="raise_refund")
    assert sorted(refund.memo for refund in refunds) == ["over", "over", "over"]
    retired = Transfer.objects.get(kind="units_retire")
    assert (retired.reference, retired.memo) == (f"token:{token.id}:retire", token.symbol)
    assert_books_hold()


def test_cancelling_a_complete_raise_undoes_no_sale(issuer, officer):
    token, buyer = in_raise(issuer), make_trader(1_000)
    buyer.place(token, "Buy", 100, 2)
    lifecycle.complete_raise(token_id=token.id, user=officer)
    cancel(token_id=token.id, user=officer)
    assert (buyer.balance(token), issuer.balance("KES")) == (2, 1_200)
    assert not Transfer.objects.filter(kind__in=["raise_refund", "units_retire"]).exists()


@pytest.mark.parametrize("member", [False, True], ids=["organisation", "member"])
def test_unavailable_units_are_reported_with_their_owner(issuer, officer, member):
    token, buyer = in_raise(issuer), make_trader(1_000, member=member)
    buyer.place(token, "Buy", 100, 2)
    take_units(buyer.wallet, str(token.id), 1)
    with pytest.raises(Rejected) as refused:
        cancel(token_id=token.id, user=officer)
    owner = "Ada Obi" if member else buyer.wallet.organisation.name
    assert str(refused.value) == (
        f"2 units bought by {owner} are not available; release them first"
    )


@pytest.mark.parametrize(
    "decide", [lifecycle.close_token, lifecycle.exit_token, cancel], ids=["close", "exit", "cancel"]
)
def test_closing_cancels_only_active_orders_of_its_token(issuer, officer, decide: Decide):
    """However many orders the token has had."""
    few, many = issuer.issue(), issuer.issue()
    other = issuer.place(issuer.issue(), "Sell", 110, 1)
    counts = []
    for token, over in ((few, 0), (many, 4)):
        for _ in range(over):
            issuer.cancel(issuer.place(token, "Sell", 110, 1))
        issuer.place(token, "Sell", 110, 1)
        issuer.place(token, "Sell", 111, 1)
        with CaptureQueriesContext(connection) as queries:
            decide(token_id=token.id, user=officer)
        counts.append(sum("orders_order" in query["sql"] for query in queries))
        assert not Order.objects.filter(token=token, status="Active").exists()
    assert counts[0] == counts[1]
    assert Order.objects.get(status="Active").id == other


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "decide",
    [
        lifecycle.close_token,
        lifecycle.complete_raise,
        cancel,
    ],
    ids=["close", "complete", "cancel"],
)
def test_a_decision_locks_its_token_but_not_for_those_who_only_refer_to_it(decide: Decide):
    issuer, officer = make_trader(), make_staff("end_token")
    token, other = in_raise(issuer), in_raise(issuer)

    def free(strength: str) -> set[Any]:
        with session("owner") as elsewhere:
            rows = elsewhere.execute(
                f"SELECT id FROM exchange_token FOR {strength} SKIP LOCKED"
            ).fetchall()
        return {row[0] for row in rows} & {token.id, other.id}

    with transaction.atomic():
        decide(token_id=token.id, user=officer)
        assert free("NO KEY UPDATE") == {other.id}
        assert free("KEY SHARE") == {token.id, other.id}
