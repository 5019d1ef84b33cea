"""Requests after the server dropped the connection: none fails."""

import json
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
import requests
from django.db import connection

from credit.portfolio.selectors import read_portfolio
from exchange.core.database import fetch_one
from exchange.core.ids import uuid7
from exchange.participants.authentication import _authenticate_token
from exchange.tokens.models import Token
from exchange.tokens.selectors.catalogue import catalogue_page, to_catalogue_query
from exchange.tokens.selectors.tokens import token_document
from orders.book.selectors import read_order
from tests.environment.concurrency import Call, send_concurrently
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


def test_threads_of_the_web_server_replace_dropped_connections(live_service, owner_connection):
    """They keep their connections; a write must not fail when PostgreSQL has restarted."""
    caller = make_caller()

    def add_members() -> set[int]:
        bodies = [{"name": "Ada", "email": f"{uuid7()}@example.com"} for _ in range(40)]
        headers = {**caller.headers, "Content-Type": "application/json"}
        calls = [Call("/v1/api/members", json.dumps(body), headers) for body in bodies]
        replies = send_concurrently(live_service.base_url, calls, connections_count=16)
        return {reply.status for reply in replies}

    assert add_members() == {201}
    here = fetch_one("SELECT pg_backend_pid()")
    dropped = owner_connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid NOT IN (pg_backend_pid(), %s)",
        here,
    ).fetchall()
    assert len(dropped) > 4
    # Django reads the session first, without a repetition of ours.
    found = {
        requests.get(
            f"{live_service.base_url}/admin/",
            cookies={"sessionid": "unknown" * 5},
            allow_redirects=False,
            timeout=30,
        ).status_code
        for _ in range(40)
    }
    assert found == {302}
    assert add_members() == {201}
