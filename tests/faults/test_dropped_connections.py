"""Reads by an id when the server has dropped the connection: asked again, and answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import connection

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


def drop_ours(owner: psycopg.Connection[Any]) -> None:
    fetch_one("SELECT 1")
    pid = connection.connection.info.backend_pid
    owner.execute("SELECT pg_terminate_backend(%s)", [pid])

    def gone() -> bool:
        found = owner.execute("SELECT FROM pg_stat_activity WHERE pid = %s", [pid])
        return found.fetchone() is None

    wait_until(gone, "the connection is closed")


def test_a_read_by_an_id_is_asked_again_on_a_new_connection(owner_connection):
    trader = make_trader(1000, member=True)
    organisation, member = trader.wallet.organisation, trader.wallet.member
    assert member is not None
    token = make_trader().issue()
    order_id = trader.place(token, "Buy", 10, 1)
    caller = make_caller(organisation=organisation)
    asked = to_catalogue_query(Token.objects.order_by("-created_at"))
    reads: list[Callable[[], object]] = [
        lambda: read_order(organisation.id, order_id),
        lambda: token_document(organisation.id, token.id),
        lambda: catalogue_page(asked, organisation.id, offset=0, limit=20),
        lambda: read_portfolio(organisation.id, member.id),
        lambda: _authenticate_token(caller.token),
    ]
    for read in reads:
        before = read()
        drop_ours(owner_connection)
        assert read() == before
