"""Ids that SQL functions generate for the rows of one request."""

import time
from uuid import RFC_4122, UUID

import pytest
from django.db import connection

from exchange.core.ids import uuid7

pytestmark = pytest.mark.django_db


def made(request: UUID, table: str, *numbers: int) -> list[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nth_id(stem, %s, n) FROM id_stem(%s) stem, unnest(%s) WITH ORDINALITY u (n, i)"
            " ORDER BY i",
            [table, request, list(numbers)],
        )
        return [row[0] for row in cursor.fetchall()]


def test_ids_have_version_7_and_the_current_time():
    before = time.time_ns() // 1_000_000 - 1
    for created_id in made(uuid7(), "0", 1, 2, 2**28 - 1):
        assert (created_id.version, created_id.variant) == (7, RFC_4122)
        assert before <= created_id.int >> 80 <= time.time_ns() // 1_000_000 + 1


def test_ids_sort_by_number_and_time():
    # Requests sort by time, whatever the random part of their ids.
    requests = sorted((uuid7() for _ in range(50)), reverse=True)
    ids = [created_id for request in requests for created_id in made(request, "1", 1, 2, 3)]
    assert ids == sorted(set(ids))


def test_ids_are_unique():
    first, second = uuid7(), uuid7()
    ids = [
        created_id
        for request in (first, second)
        for table in ("0", "1", "2")
        for created_id in made(request, table, 1, 2)
    ]
    assert len(set(ids)) == len(ids) == 12
