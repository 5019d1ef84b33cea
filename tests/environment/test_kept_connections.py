"""Connections that tests keep from one to the next."""

import psycopg
import pytest
from django.db import connection
from django.test import TransactionTestCase

from tests.environment.database import Connection, _keep_connections


def backend() -> int:
    """Return the process of the server that serves Django's connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone() or (0,)
    return int(pid)


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_the_server_has_ended_is_replaced(owner_connection: Connection) -> None:
    ended = backend()
    owner_connection.execute("SELECT pg_terminate_backend(%s, 5000)", [ended])
    _keep_connections(TransactionTestCase(methodName="__init__"))
    assert connection.connection is None
    assert backend() != ended


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_works_is_kept(owner_connection: Connection) -> None:
    kept = backend()
    _keep_connections(TransactionTestCase(methodName="__init__"))
    assert isinstance(connection.connection, psycopg.Connection)
    assert backend() == kept
