"""A movement of money is dated after the record that it is about, whatever its transaction did."""

import pytest
from django.db import connection

from tests.factories.every_record import make_every_record

pytestmark = pytest.mark.django_db

_DATED = """
    SELECT table_name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name IN ('id', 'created_at')
        AND table_name NOT IN ('wallets_transfer', 'wallets_entry')
        AND (column_name, data_type) IN
            (('id', 'uuid'), ('created_at', 'timestamp with time zone'))
    GROUP BY table_name HAVING count(*) = 2
"""


def test_no_movement_is_dated_before_its_record():
    make_every_record()
    early, dated = [], set()
    with connection.cursor() as cursor:
        cursor.execute(_DATED)
        for (table,) in cursor.fetchall():
            cursor.execute(
                "SELECT t.kind, t.created_at - r.created_at, t.created_at < r.created_at "
                f"FROM wallets_transfer t JOIN {table} r ON r.id = t.subject_id"
            )
            found = cursor.fetchall()
            dated |= {table} if found else set()
            early += [(table, kind, str(lead)) for kind, lead, is_early in found if is_early]
    assert early == []
    assert {"orders_order", "orders_trade", "wallets_withdrawal", "wallets_deposit"} <= dated
