"""Functions that use a table's row type, set aside for a column with a default."""

from typing import Any

import pytest
from psycopg import Cursor

from exchange.core.row_functions import RestoreRowFunctions, SetRowFunctionsAside
from tests.environment.database import session

pytestmark = pytest.mark.django_db(transaction=True)

MADE = """
CREATE TABLE planted (a int);
CREATE TYPE planted_pair AS (one planted, other planted);
SELECT make_constructor('planted'), make_constructor('planted_pair');
CREATE FUNCTION planted_sum(p planted) RETURNS int LANGUAGE sql RETURN (p).a + 1;
CREATE FUNCTION planted_twice(p planted) RETURNS int LANGUAGE sql RETURN 2 * planted_sum(p);
CREATE FUNCTION planted_first(p planted_pair) RETURNS int LANGUAGE sql RETURN ((p).one).a;
REVOKE ALL ON FUNCTION planted_sum FROM PUBLIC;
GRANT EXECUTE ON FUNCTION planted_sum TO exchange_runtime;
"""
RIGHTS = """
SELECT proname, proacl::text FROM pg_proc WHERE proname ~ '^planted_(sum|twice|first)' ORDER BY 1
"""


def forwards(cursor: Cursor, operation: SetRowFunctionsAside | RestoreRowFunctions) -> None:
    statements: Any = operation.sql
    cursor.execute(statements[0][0])


def test_they_are_the_same_afterwards_and_constructors_know_the_column():
    with session("owner") as connection, connection.cursor() as cursor:
        cursor.execute(MADE)
        before = cursor.execute(RIGHTS).fetchall()
        forwards(cursor, SetRowFunctionsAside("planted"))
        assert cursor.execute(RIGHTS).fetchall() == []
        cursor.execute("ALTER TABLE planted ADD b varchar(6) NOT NULL DEFAULT 'x'")
        forwards(cursor, RestoreRowFunctions())
        assert cursor.execute(RIGHTS).fetchall() == before
        row = "planted(a => 1, b => 'y')"
        cursor.execute(f"SELECT planted_twice({row}), planted_first(planted_pair(one => {row}))")
        assert cursor.fetchone() == (4, 1)
        connection.rollback()


def test_a_table_without_any_is_left_as_it_is():
    with session("owner") as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE planted (a int)")
        forwards(cursor, SetRowFunctionsAside("planted"))
        forwards(cursor, RestoreRowFunctions())
        connection.rollback()
