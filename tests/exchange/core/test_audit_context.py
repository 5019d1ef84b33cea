"""Which statements carry the actor, and for how long."""

from typing import Any

import pytest
from django.db import connection
from psycopg import sql

from exchange.core.actors import Actor
from exchange.core.audit_context import (
    VISITOR,
    actor_parameters,
    audit_context,
    set_actor,
)
from exchange.core.ids import uuid7

pytestmark = pytest.mark.django_db

STAFF = Actor.staff(uuid7(), "O'Neill 100%")
JOB = Actor.system("nightly")
WRITING = "UPDATE exchange_organisation SET name = name"


def execute(statement: Any, *parameters: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, *parameters)


def read_actor() -> tuple[str, ...]:
    """Return actor, label and `via` of the transaction, by a read without settings."""
    names = ("exchange.actor", "exchange.actor_label", "exchange.via")
    columns = ", ".join(f"coalesce(current_setting('{name}', true), '')" for name in names)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 AS one, {columns}")
        return tuple(cursor.fetchone()[1:])


NO_ACTOR = ("", "", "")


@pytest.mark.parametrize("parameters", [[], [["x"]]])
def test_writes_carry_the_actor_with_and_without_parameters(parameters):
    where = " WHERE name = %s" if parameters else ""
    with audit_context(STAFF, "request:1"):
        assert read_actor() == NO_ACTOR
        execute(WRITING + where, *parameters)
        assert read_actor() == (str(STAFF), "O'Neill 100%", "request:1")


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO exchange_member (id) SELECT NULL WHERE false",
        "DELETE FROM exchange_idempotencyrecord WHERE false",
        "WITH x AS (SELECT 1 AS n) SELECT n FROM x",
        "SELECT public_actor(NULL, '', false)",
        "\n  select public.public_actor(NULL, '', false)",
        "DO 'BEGIN END'",
    ],
)
def test_statements_that_may_write_are_recognised_by_their_start(statement):
    with audit_context(JOB, "task:1"):
        execute(statement)
        assert read_actor() == (str(JOB), "nightly", "task:1")


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT COUNT(*) FROM exchange_member",
        "SELECT 1",
        'SELECT "id" FROM exchange_member',
        sql.SQL(WRITING),
    ],
)
def test_reads_and_composed_statements_are_sent_unchanged(statement):
    with audit_context(JOB, "task:1"):
        execute(statement)
        assert read_actor() == NO_ACTOR


def test_a_server_side_cursor_is_opened_by_the_statement_alone():
    with audit_context(JOB, "task:1"), connection.chunked_cursor() as cursor:
        cursor.execute("WITH x AS (SELECT 7 AS n) SELECT n FROM x")
        assert cursor.fetchall() == [(7,)]
        assert read_actor() == NO_ACTOR


def test_the_result_is_that_of_the_statement_itself():
    with audit_context(JOB, "task:1"), connection.cursor() as cursor:
        cursor.execute("SELECT public_actor(%s, '', false)", ["system:x"])
        assert cursor.fetchall() == [('{"role":"system","id":"system"}',)]
        # Of several statements, the result of the last.
        cursor.execute("DELETE FROM exchange_idempotencyrecord WHERE false; SELECT 7")
        assert cursor.fetchall() == [(7,)]


def test_a_nested_actor_applies_until_the_end_of_its_block():
    with audit_context(STAFF, "request:1"):
        with audit_context(JOB, "task:1"):
            execute(WRITING)
            assert read_actor()[0] == str(JOB)
        execute(WRITING)
        assert read_actor() == (str(STAFF), "O'Neill 100%", "request:1")
        assert actor_parameters(JOB) == [str(JOB), "nightly", "request:1"]
    assert actor_parameters(JOB) == [str(JOB), "nightly", ""]


def test_the_actor_is_a_visitor_until_authentication():
    set_actor(STAFF)  # no audit context: nothing to change
    with audit_context(lambda: None, "request:1"):
        execute(WRITING)
        assert read_actor() == (VISITOR, "", "request:1")
        set_actor(STAFF)
        execute(WRITING)
        assert read_actor() == (str(STAFF), "O'Neill 100%", "request:1")


def test_nul_characters_are_removed():
    with audit_context(Actor.system("a\0b"), "request:\1\0"):
        execute(WRITING)
        assert read_actor() == ("system:ab", "ab", "request:\1")


def test_without_an_actor_statements_are_unchanged():
    with audit_context(JOB, "task:1"):
        pass  # the connection's wrapper stays
    execute(WRITING)
    assert read_actor() == NO_ACTOR


def test_executemany_sends_the_actor_once_in_the_open_transaction():
    with audit_context(JOB, "task:1"), connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE exchange_organisation SET name = %s WHERE name = %s", [["a", "b"], ["c", "d"]]
        )
        assert read_actor() == (str(JOB), "nightly", "task:1")
