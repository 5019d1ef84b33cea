"""The fills of trades until now, in batches."""

from django.db import migrations

# May run again: trades of the last migration's trigger have their fills.
WRITE = """
WITH next AS (
    SELECT id, seq, token_id, buy_order_id, sell_order_id, created_at FROM orders_trade
    WHERE seq > %s ORDER BY seq LIMIT 10000
), made AS (
    INSERT INTO orders_fill
        (id, trade_id, order_id, token_id, organisation_id, member_id, created_at)
    SELECT 2 * n.seq + (o.type = 'Sell')::integer, n.id, o.id, n.token_id, o.organisation_id,
           o.member_id, n.created_at
    FROM next n JOIN orders_order o ON o.id IN (n.buy_order_id, n.sell_order_id)
    ON CONFLICT (id) DO NOTHING
)
SELECT max(seq) FROM next
"""


def write_fills(apps, schema_editor):
    last = 0
    with schema_editor.connection.cursor() as cursor:
        while last is not None:
            cursor.execute(WRITE, [last])
            (last,) = cursor.fetchone()


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("orders", "0003_fills")]
    operations = [migrations.RunPython(write_fills, migrations.RunPython.noop)]
