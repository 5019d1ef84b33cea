"""The database every test stands on."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from django.db import connection

pytestmark = pytest.mark.django_db


def test_tests_act_as_the_runtime_role() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("exchange_runtime",)


@pytest.mark.django_db(transaction=True)
def test_seeded_rows_survive_a_test_that_commits(owner_connection: psycopg.Connection[Any]) -> None:
    query = "SELECT count(*) FROM django_content_type"
    before = owner_connection.execute(query).fetchone()
    owner_connection.execute("DELETE FROM auth_permission")
    owner_connection.execute("INSERT INTO django_content_type (app_label, model) VALUES ('a', 'b')")
    assert owner_connection.execute(query).fetchone() != before
