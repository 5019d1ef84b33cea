"""Installed SQL during table changes, and with any order of columns."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, ProgrammingError, connection, transaction
from django.db.migrations import Migration
from django.db.migrations.state import ProjectState

from exchange.core import sqlfiles
from orders.book.models import Order
from tests.environment.owner import as_owner
from tests.factories.lending import make_lending
from tests.factories.loans import make_completed_loan
from tests.factories.traders import make_trader
from tests.factories.wallets import (
    assert_books_hold,
    make_approved_withdrawal,
    make_wallet,
    store_bank_list,
)

pytestmark = pytest.mark.django_db


def rows(sql: str) -> set[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return set(cursor.fetchall())


def uninstall() -> None:
    """Uninstall the SQL like a migration does."""
    first = type("Migration", (Migration,), {"operations": [sqlfiles.Uninstalled()]})
    with connection.schema_editor(atomic=False) as editor:
        first("0003_wider", "orders").apply(ProjectState(), editor)


def test_a_change_that_a_trigger_blocks_is_made_without_the_installed_sql() -> None:
    wider = "ALTER TABLE orders_order ALTER COLUMN status TYPE varchar(11)"
    with as_owner() as cursor:
        with pytest.raises(DatabaseError, match="trigger"), transaction.atomic():
            cursor.execute(wider)
        uninstall()
        cursor.execute(wider)
    assert not sqlfiles.is_installed()
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        Order.objects.exists()
    with as_owner():
        assert sqlfiles.install("default")
    assert sqlfiles.is_installed()
    make_trader(100).place(make_trader().issue(), "Buy", 1, 5)
    assert_books_hold()


# Every column of our tables is created again at the end, in another order than the
# models'; only identity columns and partitioned tables, whose keys cannot move, stay as they are.
_TURN_ROUND = """
DO $turn$
DECLARE
    v_tables oid[] := ARRAY(
        SELECT oid FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
            AND relname ~ '^(exchange|wallets|orders|credit)_');
    v_before text[];
    v_after text[];
    v_columns text[];
    v_command text;
BEGIN
    SELECT array_agg(format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname)
                     ORDER BY contype = 'f' DESC),
           array_agg(format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname,
                            pg_get_constraintdef(oid)) ORDER BY contype = 'f')
        INTO v_before, v_after
        FROM pg_constraint WHERE contype IN ('p', 'u', 'c', 'f') AND conparentid = 0
            AND (conrelid = ANY (v_tables) OR confrelid = ANY (v_tables));
    SELECT v_before || array_agg(format('DROP INDEX %s', indexrelid::regclass)),
           array_agg(pg_get_indexdef(indexrelid)) || v_after
        INTO v_before, v_after
        FROM pg_index i WHERE indrelid = ANY (v_tables) AND NOT EXISTS (
            SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND contype IN ('p', 'u'));
    SELECT v_before || array_agg(
               format('ALTER TABLE %s DROP COLUMN %I', attrelid::regclass, attname)),
           array_agg(format('ALTER TABLE %s ADD COLUMN %I %s GENERATED ALWAYS AS (%s) STORED',
                            attrelid::regclass, attname, format_type(atttypid, atttypmod),
                            pg_get_expr(adbin, adrelid))) || v_after
        INTO v_before, v_after
        FROM pg_attribute JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE attrelid = ANY (v_tables) AND attgenerated = 's';
    SELECT array_agg(
               format('ALTER TABLE %1$s ADD COLUMN moved %3$s %4$s;'
                      'UPDATE %1$s SET moved = %2$I;'
                      'ALTER TABLE %1$s DROP COLUMN %2$I;'
                      'ALTER TABLE %1$s RENAME COLUMN moved TO %2$I;',
                      attrelid::regclass, attname, format_type(atttypid, atttypmod),
                      'DEFAULT ' || pg_get_expr(adbin, adrelid))
               || CASE WHEN attnotnull THEN
                   format('ALTER TABLE %s ALTER %I SET NOT NULL', attrelid::regclass, attname)
                  ELSE '' END
               ORDER BY attrelid, attname DESC)
        INTO v_columns
        FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE attrelid = ANY (v_tables) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
            AND attidentity = '';
    FOREACH v_command IN ARRAY v_before || v_columns || v_after LOOP
        EXECUTE v_command;
    END LOOP;
END $turn$
"""
_ORDER_OF_COLUMNS = """
SELECT attrelid::regclass::text, string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute
WHERE attrelid IN ('orders_order'::regclass, 'credit_loan'::regclass, 'wallets_transfer'::regclass)
    AND attnum > 0 AND NOT attisdropped
GROUP BY 1
"""


@pytest.mark.slow
def test_nothing_depends_on_the_order_of_columns() -> None:
    with as_owner() as cursor:
        columns = rows(_ORDER_OF_COLUMNS)
        uninstall()
        cursor.execute(_TURN_ROUND)
        assert not columns & rows(_ORDER_OF_COLUMNS)
        assert sqlfiles.install("default")
    seller, buyer = make_trader(), make_trader(100)
    token = seller.issue()
    seller.place(token, "Sell", 1, 5)
    order = buyer.place(token, "Buy", 2, 8)
    found = Order.objects.get(id=order)
    assert (found.status, found.filled, found.reserved) == ("Active", Decimal(5), Decimal(6))
    store_bank_list()
    make_approved_withdrawal(make_wallet(1000))
    assert make_completed_loan(make_lending()).status == "COMPLETED"
    assert_books_hold()
