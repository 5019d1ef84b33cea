"""Reads by id after the server dropped the connection: they are retried."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection

from config.kept_connections import release_connections
from credit.portfolio.selectors import read_portfolio
from exchange.core.database import fetch_one
from exchange.participants.authentication import _authenticate_token
from exchange.tokens.models import Token
from exchange.tokens.selectors.catalogue import catalogue_page, to_catalogue_query
from exchange.tokens.selectors.tokens import token_document
from orders.book.selectors import read_order
from tests.environment.processes import wait_until
from tests.factories.api_clients import make_caller
from tests.factories.traders import make_trader

pytestmark = pytest.mark.django_db(transaction=True)


def drop_connection(owner: psycopg.Connection[Any]) -> None:
    fetch_one("SELECT 1")
    pid = connection.connection.info.backend_pid
    owner.execute("SELECT pg_terminate_backend(%s)", [pid])

    def is_closed() -> bool:
        row = owner.execute("SELECT FROM pg_stat_activity WHERE pid = %s", [pid])
        return row.fetchone() is None

    wait_until(is_closed, "the connection is closed")


def test_a_read_by_id_is_retried_on_a_new_connection(owner_connection):
    trader = make_trader(1000, member=True)
    organisation, member = trader.wallet.organisation, trader.wallet.member
    assert member is not None
    token = make_trader().issue()
    order_id = trader.place(token, "Buy", 10, 1)
    caller = make_caller(organisation=organisation)
    query = to_catalogue_query(Token.objects.order_by("-created_at"))
    reads: list[Callable[[], object]] = [
        lambda: read_order(organisation.id, order_id),
        lambda: token_document(organisation.id, token.id),
        lambda: catalogue_page(query, organisation.id, offset=0, limit=20),
        lambda: read_portfolio(organisation.id, member.id),
        lambda: _authenticate_token(caller.token),
    ]
    for read in reads:
        before = read()
        drop_connection(owner_connection)
        assert read() == before


def test_a_thread_that_keeps_its_connection_for_the_next_request_drops_a_failed_one(
    owner_connection,
):
    assert Token.objects.count() == 0
    kept = connection.connection
    release_connections(only_failed=True)
    assert connection.connection is kept
    drop_connection(owner_connection)
    with pytest.raises(OperationalError):
        Token.objects.count()
    release_connections(only_failed=True)
    assert Token.objects.count() == 0
    release_connections()
    assert connection.connection is None
