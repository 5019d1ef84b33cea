"""The database every test stands on."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection

pytestmark = pytest.mark.django_db


def test_tests_act_as_the_runtime_role() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("exchange_runtime",)


@pytest.mark.django_db(transaction=True)
def test_flush_removes_what_tests_wrote_and_restores_what_migrations_wrote(
    owner_connection: psycopg.Connection[Any],
) -> None:
    seeded = "SELECT array_agg(c ORDER BY c.key) FROM wallets_configuration c"
    before = owner_connection.execute(seeded).fetchone()
    assert before is not None
    assert before[0]
    owner_connection.execute("SET session_replication_role = replica")
    owner_connection.execute("DELETE FROM wallets_configuration")
    owner_connection.execute("INSERT INTO django_content_type (app_label, model) VALUES ('a', 'b')")

    call_command("flush", interactive=False)

    assert owner_connection.execute(seeded).fetchone() == before
    left = "SELECT count(*) FROM django_content_type WHERE app_label = 'a'"
    assert owner_connection.execute(left).fetchone() == (0,)
