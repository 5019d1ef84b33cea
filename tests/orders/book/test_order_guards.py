"""Attacks on orders and trades: statements that PostgreSQL rejects for every writer."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import DataError
from psycopg import errors

from exchange.core.errors import Rejected
from exchange.core.ids import uuid7
from exchange.participants.errors import UserNotFound
from exchange.tokens.models import Token
from orders.book import services as placing
from orders.book.errors import OrderNotFound
from orders.book.models import Order, Trade
from orders.listings.models import TokenAction
from tests.assertions.ledger import ROLES, ledger_snapshot
from tests.environment.database import session
from tests.factories.lifecycle import approve_only
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import Wallet, assert_books_hold

pytestmark = pytest.mark.django_db(transaction=True)

DENIED = errors.InsufficientPrivilege


@pytest.fixture
def token() -> Token:
    """A token with a partly filled, a fulfilled and a cancelled order, and a trade."""
    issuer, buyer = make_trader(), make_trader(10_000, member=True)
    token = issuer.issue()
    issuer.place(token, "Sell", 100, 10)
    buyer.place(token, "Buy", 100, 4)
    buyer.cancel(buyer.place(token, "Buy", 50, 1))
    return token


@pytest.fixture
def orders(token: Token) -> dict[str, UUID]:
    """Return ids by status."""
    found = Order.objects.filter(token=token)
    return {order.status: order.id for order in found}


def everything() -> tuple[Any, ...]:
    return (
        ledger_snapshot(),
        sorted(Order.objects.values_list()),
        sorted(Trade.objects.values_list()),
    )


def refuse_all(role: str, attacks: list[str], expected: type[psycopg.Error]) -> None:
    """Assert that each of `attacks` fails with that error, changes nothing, and the books hold."""
    before = everything()
    results: dict[str, str] = {}
    for attack in attacks:
        try:
            with session(role) as connection:
                connection.execute(attack)
        except psycopg.Error as error:
            results[attack] = type(error).__name__
        else:
            results[attack] = "taken"
    assert results == dict.fromkeys(attacks, expected.__name__)
    assert everything() == before
    assert_books_hold()


def test_the_application_writes_orders_and_trades_by_functions_only(token):
    attacks = [
        "INSERT INTO orders_order (id, seq) VALUES (gen_random_uuid(), -1)",
        "INSERT INTO orders_trade (id, seq) VALUES (gen_random_uuid(), -1)",
        "UPDATE orders_order SET status = 'Active'",
        "UPDATE orders_order SET status = 'Cancelled', reserved = 0, closed_at = now()",
        "UPDATE orders_order SET filled = 0",
        "UPDATE orders_order SET reserved = 0",
        "UPDATE orders_order SET price = 1",
        "UPDATE orders_order SET document = 'x'",
        "UPDATE orders_trade SET price = 1",
        "UPDATE orders_trade SET document = 'x'",
        "DELETE FROM orders_order",
        "DELETE FROM orders_trade",
        "TRUNCATE orders_order CASCADE",
        "TRUNCATE orders_trade",
        "SELECT * FROM orders_order FOR UPDATE",
    ]
    refuse_all("runtime", attacks, DENIED)


def test_no_amendment_is_of_an_order_of_another_organisation(token, orders):
    stranger = make_trader()
    command = stranger.command(token, "Sell", 99, None, amends=orders["Active"])
    before = everything()
    with pytest.raises(OrderNotFound):
        placing.place_order(command)
    assert everything() == before


@pytest.mark.parametrize(
    "terms", ["price = price + 1", "tokens = tokens + 1", "price = price - 1, seq = seq - 1"]
)
def test_better_terms_do_not_keep_the_place_in_the_queue(orders, terms):
    """Not even for a function that may write orders."""
    with session("owner") as connection:
        connection.execute(
            "CREATE FUNCTION planted(p_order uuid) RETURNS void LANGUAGE sql SECURITY DEFINER AS"
            f" 'UPDATE public.orders_order SET {terms} WHERE id = p_order'"
        )
        connection.execute("SET ROLE exchange_runtime")
        with pytest.raises(errors.RestrictViolation):
            connection.execute("SELECT planted(%s)", [orders["Active"]])


def test_the_parts_of_placing_are_no_way_round_for_the_application(token):
    attacks = [
        "SELECT write_order(o, '{}', id_stem(o.id), false) FROM orders_order o LIMIT 1",
        "SELECT post_legs('trade', 'trade:' || o.id, o.id, 'me', 'x', ARRAY[a.id, b.id],"
        " ARRAY[1, -1]) FROM orders_order o, wallets_account a, wallets_account b"
        " WHERE a.owner_id = o.owner_id AND b.asset_id = a.asset_id AND b.id <> a.id LIMIT 1",
    ]
    refuse_all("runtime", attacks, DENIED)


def test_the_terms_of_an_order_never_change(orders):
    changes = [
        "price = price + 1",
        "tokens = tokens * 2",
        "amount = amount - 1",
        "fee_percent = 0.5",
        "type = 'Buy'",
        "seq = -1",
        "owner_model = 'user'",
        "organisation_id = gen_random_uuid()",
        "token_id = gen_random_uuid()",
        "member_id = gen_random_uuid()",
        "customer_email = 'x@example.com'",
        "client_order_id = 'x'",
        "client_reference = 'x'",
        "metadata = '{}'",
        "placed_by = 'eve'",
        "created_at = now()",
        "id = gen_random_uuid()",
    ]
    attacks = [changed(orders["Active"], change) for change in changes]
    refuse_all("owner", attacks, errors.RestrictViolation)


def test_a_closed_order_is_immutable(orders):
    changes = [
        "status = 'Active', closed_at = NULL",
        "filled = filled",
        "reserved = 1",
        "reason = 'x'",
    ]
    attacks = [
        changed(orders[status], change)
        for status in ("Fulfilled", "Cancelled")
        for change in changes
    ]
    refuse_all("owner", attacks, errors.CheckViolation)


def test_an_open_order_changes_only_by_fills_and_valid_closing(orders):
    changes = [
        "filled = filled - 1",
        "charged = charged - 1",
        "charged_fee = charged_fee - 1",
        "filled = tokens + 1",
        "filled = -1",
        "reserved = -1",
        # What the status says of it.
        "filled = tokens",
        "status = 'Fulfilled', reserved = 0, closed_at = now()",
        "status = 'Cancelled', closed_at = now()",
        "status = 'Cancelled', reserved = 0",
    ]
    attacks = [changed(orders["Active"], change) for change in changes]
    refuse_all("owner", attacks, errors.CheckViolation)


def changed(order_id: UUID, change: str) -> str:
    return f"UPDATE orders_order SET {change} WHERE id = '{order_id}'"


def test_orders_are_never_deleted_and_trades_never_change(token):
    attacks = [
        "DELETE FROM orders_order",
        "DELETE FROM orders_trade",
        "TRUNCATE orders_trade",
        "TRUNCATE orders_order CASCADE",
        "UPDATE orders_trade SET tokens = tokens + 1",
        "UPDATE orders_trade SET document = ''",
    ]
    refuse_all("owner", attacks, errors.RestrictViolation)


@pytest.mark.parametrize("role", ROLES)
def test_sql_rejects_orders_for_members_of_other_organisations(token, role):
    stranger = make_trader(member=True)
    order = Order.objects.filter(status="Active")[0]
    attack = (
        "INSERT INTO orders_order (id, seq, token_id, organisation_id, member_id, owner_model,"
        " type, price, tokens, amount, fee_percent, status, filled, filled_value, charged,"
        " charged_fee, reserved, customer_name, customer_email, client_order_id, placed_by,"
        " reason, created_at, updated_at)"
        f" SELECT gen_random_uuid(), -1, token_id, organisation_id, '{stranger.wallet.member_id}',"
        " 'user', type, price, tokens, amount, fee_percent, status, 0, 0, 0, 0, reserved, '', '',"
        f" '', placed_by, '', now(), now() FROM orders_order WHERE id = '{order.id}'"
    )
    refuse_all(role, [attack], DENIED if role == "runtime" else errors.ForeignKeyViolation)


def test_closing_an_order_again_changes_nothing(orders):
    before = everything()
    for status in ("Fulfilled", "Cancelled"):
        with session("runtime") as connection:
            row = connection.execute(
                "SELECT close_order(%s, 'again', 'system:attack')", [orders[status]]
            ).fetchone()
        assert row == (False,)
    with session("runtime") as connection:
        row = connection.execute(
            "SELECT close_order(%s, 'again', 'system:attack')", [uuid7()]
        ).fetchone()
    assert row == (False,)
    assert everything() == before


def test_completing_a_raise_again_moves_nothing():
    issuer, buyer = make_trader(), make_trader(10_000)
    token = issuer.issue(raise_amount=Decimal(100_000))
    buyer.place(token, "Buy", 100, 10)
    approve_only(token, TokenAction.COMPLETE)
    with session("runtime") as connection:
        connection.execute("SELECT complete_raise(%s, 'system:attack')", [token.id])
    before = everything()
    with session("runtime") as connection:
        connection.execute("SELECT complete_raise(%s, 'system:attack')", [token.id])
    assert everything() == before
    assert issuer.balance("KES") == 1000
    assert_books_hold()


def test_an_organisation_places_no_order_for_the_member_of_another():
    issuer, member = make_trader(), make_trader(10_000, member=True)
    token = issuer.issue()
    thief = Trader(Wallet(make_trader().wallet.organisation, member.wallet.member))
    before = everything()
    with pytest.raises(UserNotFound):
        thief.place(token, "Buy", 100, 1)
    assert everything() == before


def test_an_organisation_is_no_member_of_itself(token):
    trader = make_trader(10_000)
    organisation = trader.wallet.organisation
    before = everything()
    with pytest.raises(UserNotFound):
        trader.place(token, "Buy", 100, 1, member=organisation.id)
    assert everything() == before


@pytest.mark.parametrize("side", ["Buy", "Sell"])
def test_what_no_column_would_hold_is_refused_by_name(token, side):
    trader = make_trader(10_000)
    before = everything()
    with pytest.raises(Rejected) as refused:
        trader.place(token, side, 10**15, 10**15)
    assert refused.value.code == "amount_too_large"
    assert everything() == before


def test_a_name_that_no_column_would_hold_is_refused(token):
    trader = make_trader(10_000)
    before = everything()
    with pytest.raises(DataError):
        trader.place(token, "Buy", 100, 1, customer_name="x" * 201, customer_email="")
    assert everything() == before


def test_decimals_that_a_column_would_round_away_are_refused(token):
    trader = make_trader(10_000)
    before = everything()
    for price, units, code, message in (
        ("100.000000001", "1", "invalid_request", "price must not have more than 2 decimals"),
        ("100", "1.000000001", "invalid_request", "tokens must not have more than 8 decimals"),
    ):
        with pytest.raises(Rejected) as refused:
            trader.place(token, "Buy", price, units)
        assert (refused.value.code, str(refused.value)) == (code, message)
    assert everything() == before
    assert_books_hold()


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ("type = 'Hold'", "order_words_known"),
        ("status = 'Hold'", "order_words_known"),
        ("owner_model = 'Hold'", "order_words_known"),
        ("price = 0", "order_within_bounds"),
        ("tokens = -1", "order_within_bounds"),
    ],
)
def test_an_order_is_within_bounds_and_has_known_values(
    orders, owner_connection, change, constraint
):
    attack = f"UPDATE orders_order SET {change} WHERE id = %s"
    with owner_connection.transaction(force_rollback=True):
        # Which would refuse most of this for another reason.
        owner_connection.execute("ALTER TABLE orders_order DISABLE TRIGGER order_guard")
        with pytest.raises(errors.CheckViolation) as refused:
            owner_connection.execute(attack, [orders["Active"]])
    assert refused.value.diag.constraint_name == constraint
