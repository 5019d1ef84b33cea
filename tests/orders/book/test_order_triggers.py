"""Checks of every write of an order, field by field and at each limit, for every writer."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError

from exchange.core.ids import uuid7
from exchange.core.models import Change
from exchange.events.models import Event
from exchange.tokens.models import Token
from orders.book.models import Order
from orders.listings.models import TokenAction
from tests.environment.owner import as_owner
from tests.factories.lifecycle import approve_only, set_flags
from tests.factories.traders import Trader, make_trader
from wallets.ledger.models import Transfer

pytestmark = pytest.mark.django_db

BOUNDS, WORDS, STATE = "order_within_bounds", "order_words_known", "order_state"
FILLS, ENDED = "order_fills_add_up", "order_transition"


class Market:
    """A Sell and a Buy, each partly filled, and one of each closed status."""

    def __init__(self) -> None:
        self.issuer, self.buyer = make_trader(10_000), make_trader(10_000, member=True)
        self.token: Token = self.issuer.issue(buy_fee=Decimal(1), sell_fee=Decimal(1))
        self.fulfilled = self.issuer.place(self.token, "Sell", 100, 1)
        self.sell = self.issuer.place(self.token, "Sell", 100, 10)
        self.buyer.place(self.token, "Buy", 100, 5)
        self.buy = self.buyer.place(self.token, "Buy", 90, 10)
        self.buyer.place(self.token, "Sell", 95, 4)
        self.issuer.place(self.token, "Sell", 90, 4)
        self.cancelled = self.buyer.place(self.token, "Buy", 50, 1)
        self.buyer.cancel(self.cancelled)


@pytest.fixture
def market() -> Market:
    return Market()


def outcome(statement: str, *values: Any) -> str:
    """Return the constraint that rejects a statement, else its SQLSTATE, or "allowed"."""
    try:
        with as_owner(rollback=True) as cursor:
            cursor.execute(statement, values)
            assert cursor.rowcount == 1
    except DatabaseError as error:
        cause: Any = error.__cause__
        return str(cause.diag.constraint_name or cause.sqlstate)
    return "allowed"


def update(order_id: Any, change: str) -> str:
    return outcome(f"UPDATE orders_order SET {change} WHERE id = %s", order_id)


def test_fills_and_charges_only_increase(market):
    assert Order.objects.get(id=market.buy).filled == 4
    # In the Buy's charge a fee adds, in the Sell's it takes away.
    less = "filled = filled + 1, charged = charged + 1, charged_fee = charged_fee"
    more = [
        (market.buy, "filled = filled", "allowed"),
        (market.buy, "reserved = 0", "allowed"),
        (market.buy, "filled = filled - 1", FILLS),
        (market.buy, "filled = filled - 1, filled_value = filled_value", FILLS),
        (market.buy, "filled = filled + 1", "allowed"),
        (market.buy, "filled = filled + 1, charged = charged - 0.01", FILLS),
        (market.buy, "filled = filled + 1, charged = charged - 0.01, charged_fee = 9", FILLS),
        (market.buy, "filled = filled + 1, filled_value = 0", "allowed"),
        (market.buy, "filled_value = filled_value + 1", FILLS),
        (market.buy, "charged = charged + 1", FILLS),
        (market.buy, "charged_fee = charged_fee + 1", FILLS),
        (market.sell, "charged_fee = charged_fee - 1", FILLS),
        (market.buy, f"{less} - 1", "allowed"),
        (market.buy, f"{less} - 1.01", FILLS),
        (market.buy, f"{less} + 2", "allowed"),
        (market.sell, f"{less} + 1", "allowed"),
        (market.sell, f"{less} + 1.01", FILLS),
        (market.sell, f"{less} - 2", "allowed"),
        (market.buy, "filled = filled + 1, charged = charged + 0.5", "allowed"),
    ]
    assert [(change, update(order, change)) for order, change, _ in more] == [
        (change, expected) for _, change, expected in more
    ]


def test_a_closed_order_is_never_updated(market):
    for order in (market.fulfilled, market.cancelled):
        assert update(order, "updated_at = now()") == ENDED
        assert outcome("DELETE FROM orders_order WHERE id = %s", order) == "23001"
    with pytest.raises(DatabaseError, match="never removed"), as_owner() as cursor:
        cursor.execute("DELETE FROM orders_order WHERE id = %s", [market.buy])
    assert update(market.buy, "price = price + 1") == "23001"
    assert update(market.fulfilled, "price = price + 1") == "23001"
    assert outcome("DELETE FROM orders_order WHERE id = %s", market.buy) == "23001"


def test_closing_records_the_actor_and_truncates_the_reason(market):
    with as_owner() as cursor:
        cursor.execute("SELECT close_order(%s, %s, 'system:closer')", [market.buy, "x" * 400])
        assert cursor.fetchone() == (True,)
    order = Order.objects.get(id=market.buy)
    assert (order.status, order.reason) == ("Cancelled", "x" * 100)
    assert order.reserved == 0
    assert order.closed_at is not None
    assert order.updated_at == order.closed_at > order.created_at
    assert market.buyer.balance("KES", "reserved") == 0
    assert Order.objects.filter(status="Active").count() == 2
    release = Transfer.objects.get(kind="order_release", subject_id=market.buy)
    assert (release.memo, release.actor) == ("x" * 300, "system:closer")
    event = Event.objects.get(subject_id=market.buy, type="order.cancelled")
    assert event.organisation_id == market.buyer.wallet.organisation.id
    assert Change.objects.filter(record_id=str(market.buy)).latest("id").actor == "system:closer"
    with as_owner() as cursor:
        cursor.execute("SELECT close_order(%s, 'again', 'system:closer')", [market.buy])
        assert cursor.fetchone() == (False,)


def test_completing_a_raise_pays_out_its_own_and_leaves_other_tokens_as_they_are():
    issuer, buyer = make_trader(7), make_trader(10_000)
    one, other, over = (
        issuer.issue(raise_amount=Decimal(5000), offered=Decimal(50)) for _ in range(3)
    )
    buyer.place(one, "Buy", 100, 12)
    buyer.place(other, "Buy", 100, 3)
    buyer.place(over, "Buy", 100, 1)
    set_flags(over, cancelled=True)
    approve_only(one, TokenAction.COMPLETE)
    for token in (over, one):
        with as_owner() as cursor:
            cursor.execute("SELECT complete_raise(%s, 'system:closer')", [token.id])
    done = Token.objects.filter(completed_raise=True, id__in=[one.id, other.id, over.id])
    assert list(done) == [one]
    assert (issuer.balance("KES"), issuer.balance("KES", "raise")) == (1207, 400)
    assert (issuer.balance(one), issuer.balance(one, "unsold")) == (988, 0)
    assert (issuer.balance(other), issuer.balance(other, "unsold")) == (950, 47)
    assert (issuer.balance(over), issuer.balance(over, "unsold")) == (950, 49)
    assert Change.objects.filter(record_id=str(one.id)).latest("id").actor == "system:closer"
    assert Transfer.objects.get(kind="raise_complete").memo == one.symbol


# --- What an order may be ------------------------------------------------------------------------

_COLUMNS = {
    "id": "gen_random_uuid()", "seq": "nextval('orders_seq')", "token_id": "token_id",
    "organisation_id": "organisation_id", "member_id": "member_id", "owner_model": "'user'",
    "type": "'Buy'", "price": "10", "tokens": "5", "amount": "50", "fee_percent": "0",
    "status": "'Active'", "filled": "0", "filled_value": "0", "charged": "0", "charged_fee": "0",
    "reserved": "50", "customer_name": "''", "customer_email": "''", "client_order_id": "''",
    "placed_by": "'me'", "reason": "''", "created_at": "now()", "updated_at": "now()",
    "closed_at": "NULL",
}  # fmt: skip


def insert(like: Any, **changes: str) -> str:
    """Insert an order of the owner of `like` with these changes; return the outcome."""
    columns = _COLUMNS | changes
    return outcome(
        f"INSERT INTO orders_order ({', '.join(columns)})"
        f" SELECT {', '.join(columns.values())} FROM orders_order WHERE id = %s",
        like,
    )


def test_an_order_is_within_bounds_and_its_status_matches(market):
    over = {"reserved": "0", "closed_at": "now()"}
    cases: list[tuple[dict[str, str], str]] = [
        ({}, "allowed"),
        ({"price": "0"}, BOUNDS),
        ({"price": "-1"}, BOUNDS),
        ({"price": "0.01"}, "allowed"),
        ({"tokens": "0"}, BOUNDS),
        ({"tokens": "0.00000001"}, "allowed"),
        ({"tokens": "0.5", "price": "7"}, "allowed"),
        ({"filled": "-0.01"}, BOUNDS),
        ({"filled": "-1"}, BOUNDS),
        ({"filled": "0.5"}, "allowed"),
        ({"filled": "4.5"}, "allowed"),
        ({"filled": "5.01", "reserved": "0"}, BOUNDS),
        ({"reserved": "-0.01"}, BOUNDS),
        ({"reserved": "0"}, "allowed"),
        ({"reserved": "0.5"}, "allowed"),
        ({"type": "'Sell'"}, "allowed"),
        ({"type": "'Hold'"}, WORDS),
        ({"type": "''"}, WORDS),
        ({"status": "'Open'"}, WORDS),
        ({"owner_model": "'user'"}, "allowed"),
        ({"owner_model": "'api_key'"}, "allowed"),
        ({"owner_model": "'organisation'"}, "allowed"),
        ({"owner_model": "'staff'"}, WORDS),
        ({"status": "'Cancelled'", **over}, "allowed"),
        ({"status": "'Cancelled'", **over, "filled": "4.99"}, "allowed"),
        ({"status": "'Cancelled'", **over, "reserved": "0.01"}, STATE),
        ({"status": "'Cancelled'", **over, "reserved": "1"}, STATE),
        ({"status": "'Cancelled'", **over, "closed_at": "NULL"}, STATE),
        ({"status": "'Cancelled'", **over, "filled": "5"}, STATE),
        ({"status": "'Fulfilled'", **over, "filled": "5"}, "allowed"),
        ({"status": "'Fulfilled'", **over, "filled": "4.99"}, STATE),
        ({"status": "'Fulfilled'", **over, "filled": "5", "reserved": "1"}, STATE),
        ({"status": "'Fulfilled'", **over, "filled": "5", "closed_at": "NULL"}, STATE),
        ({"filled": "5"}, STATE),
        ({"closed_at": "now()"}, "allowed"),
    ]
    assert [(changes, insert(market.buy, **changes)) for changes, _ in cases] == cases


def test_a_member_that_an_order_is_written_for_is_of_its_organisation(market):
    elsewhere = make_trader(member=True)
    colleague = make_trader(member=True, organisation=market.buyer.wallet.organisation)
    cases = [
        (market.buyer, "allowed"),
        (colleague, "allowed"),
        (elsewhere, "order_member_of_organisation"),
    ]
    for trader, expected in cases:
        assert insert(market.buy, member_id=member(trader)) == expected
    assert insert(market.buy, member_id=f"'{uuid7()}'") == "order_member_of_organisation"
    assert insert(market.buy, member_id="NULL", owner_model="'organisation'") == "allowed"


def member(trader: Trader) -> str:
    return f"'{trader.wallet.member_id}'"
