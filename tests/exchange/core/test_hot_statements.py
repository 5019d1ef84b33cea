"""Prepared statements run in Django's transaction and raise Django's errors."""

import pytest
from django.db import (
    DatabaseError,
    IntegrityError,
    OperationalError,
    ProgrammingError,
    connection,
    transaction,
)

from exchange.core.database import fetch_one, sqlstate, violated_constraint
from exchange.core.ids import uuid7
from exchange.core.models import Currency
from tests.environment.processes import wait_until
from tests.factories.api_clients import make_organisation


@pytest.mark.django_db
def test_the_first_row_is_returned_or_none():
    assert fetch_one("SELECT %s::int + 1, %s::text", [41, "x%"]) == (42, "x%")
    assert fetch_one("SELECT 1 WHERE false") is None


@pytest.mark.django_db
def test_a_statement_is_prepared_once_per_connection():
    for number in range(3):
        fetch_one("SELECT %s::int * 7", [number])
    row = fetch_one(
        "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s",
        ["SELECT $1::int * 7%"],
    )
    assert row == (1,)


@pytest.mark.django_db(transaction=True)
def test_a_call_runs_in_the_open_transaction():
    organisation = make_organisation("Before")
    rename = "UPDATE exchange_organisation SET name = %s WHERE id = %s RETURNING name"
    with transaction.atomic():
        assert fetch_one(rename, ["After", organisation.id]) == ("After",)
        transaction.set_rollback(True)
    organisation.refresh_from_db()
    assert organisation.name == "Before"
    assert fetch_one(rename, ["After", organisation.id]) == ("After",)
    organisation.refresh_from_db()
    assert organisation.name == "After"


@pytest.mark.django_db
def test_errors_are_djangos_and_have_state_and_constraint():
    insert = (
        "INSERT INTO exchange_member (id, organisation_id, name, email, external_id, created_at,"
        " updated_at, document) VALUES (%s, %s, 'a', 'a@b.c', '', now(), now(), '') RETURNING id"
    )
    organisation = make_organisation()
    fetch_one(insert, [uuid7(), organisation.id])
    with pytest.raises(IntegrityError) as taken, transaction.atomic():
        fetch_one(insert, [uuid7(), organisation.id])
    assert sqlstate(taken.value) == "23505"
    assert violated_constraint(taken.value) == "member_email_once_per_organisation"
    with pytest.raises(ProgrammingError) as unknown, transaction.atomic():
        fetch_one("SELECT nothing_of_the_kind()")
    assert sqlstate(unknown.value) == "42883"
    assert violated_constraint(unknown.value) is None
    assert Currency.objects.count() == 7


@pytest.mark.django_db
def test_nothing_runs_in_a_broken_transaction():
    with transaction.atomic():
        transaction.set_rollback(True)
        with pytest.raises(DatabaseError):
            fetch_one("SELECT 1")


@pytest.mark.django_db(transaction=True)
def test_a_read_is_retried_after_a_dropped_connection_and_a_write_is_not(
    owner_connection,
):
    def gone(pid):
        found = owner_connection.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [pid])
        return found.fetchone() is None

    def drop_ours():
        fetch_one("SELECT 1")
        pid = connection.connection.info.backend_pid
        owner_connection.execute("SELECT pg_terminate_backend(%s)", [pid])
        wait_until(lambda: gone(pid), "the connection is closed")

    drop_ours()
    assert fetch_one("SELECT 7", retryable=True) == (7,)
    drop_ours()
    with pytest.raises(OperationalError):
        fetch_one("SELECT 7")
    connection.close()
    assert fetch_one("SELECT 7") == (7,)
