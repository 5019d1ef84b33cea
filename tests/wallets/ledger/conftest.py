"""Wallets to attack, and who attacks: the owner of the schema, the runtime role, and a login that
is only that role's member.
"""

import os
from collections.abc import Iterator
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from exchange.core.ids import uuid7
from tests.assertions.ledger import ROLES
from tests.environment.database import Connection, server_url, worker_database
from tests.factories.plain_sql import books
from tests.factories.wallets import Wallet, make_wallet, store_bank_list
from tests.wallets.ledger.attacked import LedgerRecords, make_ledger_records

__all__ = ["books"]


@pytest.fixture(params=ROLES)
def role(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def temporary_tables_allowed(owner_connection: Connection) -> Iterator[None]:
    """Grant temporary tables to the runtime role, which the installation revokes."""
    database = sql.Identifier(worker_database())
    grant = sql.SQL("GRANT TEMPORARY ON DATABASE {} TO exchange_runtime").format(database)
    revoke = sql.SQL("REVOKE TEMPORARY ON DATABASE {} FROM exchange_runtime").format(database)
    owner_connection.execute(grant)
    yield
    owner_connection.execute(revoke)


@pytest.fixture
def wallet() -> Wallet:
    store_bank_list()
    return make_wallet(1000)


@pytest.fixture
def other() -> Wallet:
    return make_wallet(1000)


@pytest.fixture(scope="module")
def login(django_db_setup: None) -> Iterator[str]:
    """Return the connection parameters of a login that can only act as the runtime role."""
    name, password = f"login_{os.getpid()}", uuid7().hex
    url = server_url(worker_database())
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute(
            sql.SQL(
                "CREATE ROLE {} LOGIN NOINHERIT NOSUPERUSER PASSWORD {} IN ROLE exchange_runtime"
            ).format(sql.Identifier(name), sql.Literal(password))
        )
        yield make_conninfo(
            url, user=name, password=quote(password), options="-c role=exchange_runtime"
        )
        owner.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))


@pytest.fixture
def runtime(login: str) -> Iterator[Connection]:
    with psycopg.connect(login, autocommit=True) as connection:
        yield connection


@pytest.fixture
def records(runtime: Connection) -> LedgerRecords:
    return make_ledger_records(runtime)
