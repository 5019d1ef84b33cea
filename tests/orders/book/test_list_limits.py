"""Lists of orders and trades read a bounded number of pages, whatever others did or closed."""

import json
from collections.abc import Iterator
from itertools import product
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import connection
from django.db.models import QuerySet

from orders.book.api import SORT_FIELDS
from orders.book.models import Order
from orders.book.selectors import merge_sorted, orders_of, orders_on_token
from orders.trades.api import TradeViewSet
from orders.trades.selectors import trades_of
from tests.factories.traders import make_trader

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = 20_000
# Of 8 KiB. The orders made here fill some 1,200, their indexes some 700.
MOST_PAGES = 60
STATES: list[dict[str, str]] = [
    {},
    {"status": "Active"},
    {"status": "Cancelled"},
    {"status": "Fulfilled"},
]
SIDES: list[dict[str, str]] = [{}, {"type": "Buy"}, {"type": "Sell"}]


@pytest.fixture
def crowded(owner_connection: psycopg.Connection[Any]) -> tuple[UUID, UUID]:
    """A token where one caller has a closed and an open order, and one open elsewhere; others have
    20,000 closed ones.
    """
    issuer, other, quiet = make_trader(), make_trader(), make_trader(10_000)
    token, elsewhere = issuer.issue(), issuer.issue()
    quiet.cancel(quiet.place(token, "Buy", 90, 1))
    quiet.place(token, "Buy", 91, 1)
    quiet.place(elsewhere, "Buy", 92, 1)
    with owner_connection.transaction():
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        owner_connection.execute(
            """
            INSERT INTO orders_order (id, seq, token_id, organisation_id, owner_model, type, price,
                tokens, amount, fee_percent, status, filled, filled_value, charged, charged_fee,
                reserved, customer_name, customer_email, client_order_id, placed_by, reason,
                created_at, updated_at, closed_at, document)
            SELECT gen_random_uuid(), -n, %s, %s, 'organisation',
                   (ARRAY['Buy', 'Sell'])[1 + n %% 2], 1 + n %% 97, 1, 1 + n %% 97, 0,
                   (ARRAY['Cancelled', 'Fulfilled'])[1 + n / 2 %% 2], 0, 0, 0, 0, 0, '', '', '',
                   'x', '', now() - n * interval '1 second', now(), now(), repeat('x', 400)
            FROM generate_series(1, %s) n
            """,
            [token.id, other.owner_id, ROWS],
        )
    owner_connection.execute("VACUUM ANALYZE orders_order")
    return token.id, quiet.owner_id


def pages_read(found: QuerySet[Any, Any]) -> int:
    """Return the number of table and index pages read for `found`."""
    statement, parameters = found.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", parameters)
        response = cursor.fetchone()[0]
    (plan,) = json.loads(response) if isinstance(response, str) else response
    return int(plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"])


def orders() -> Iterator[tuple[str, str]]:
    """Return every way to sort orders."""
    for column, sign in product(SORT_FIELDS.values(), ("", "-")):
        yield f"{sign}{column}", f"{sign}id"


def test_closed_orders_cost_other_callers_nothing(crowded):
    token_id, quiet = crowded
    costs = {}
    for state, side, order in product(STATES, SIDES, orders()):
        wanted = {**state, **side}
        own = orders_of(quiet).filter(**wanted).order_by(*order)
        lists = {
            "token": merge_sorted(
                [
                    part.filter(**wanted).order_by(*order)
                    for part in orders_on_token(quiet, token_id)
                ]
            ),
            "own": own.values_list("id"),
            "own on token": own.filter(token_id=token_id).values_list("id"),
        }
        for name, found in lists.items():
            key = (name, *wanted.values(), order[0])
            costs[key] = max(pages_read(found[:20]), pages_read(found.order_by()))
    assert {key: cost for key, cost in costs.items() if cost > MOST_PAGES} == {}
    assert Order.objects.count() == ROWS + 3


def test_a_list_of_trades_reads_an_index_and_not_the_trades(crowded):
    token_id, _ = crowded
    for side, column in product([{}, {"taker": "Buy"}], TradeViewSet.sort_fields.values()):
        found = trades_of(token_id).filter(**side).order_by(column, "id").values_list("id")
        statement, parameters = found.query.sql_with_params()
        with connection.cursor() as cursor:
            cursor.execute("SET enable_seqscan = off")
            cursor.execute("SET enable_bitmapscan = off")
            cursor.execute(f"EXPLAIN {statement}", parameters)
            plan = "\n".join(line for (line,) in cursor.fetchall())
            cursor.execute("RESET enable_seqscan")
            cursor.execute("RESET enable_bitmapscan")
        assert "Index Only Scan" in plan, (side, column, plan)
        assert "trade_of_token" in plan, (side, column, plan)
