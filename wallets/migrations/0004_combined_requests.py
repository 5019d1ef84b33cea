"""Withdrawal requests that arrive together are written together."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [("wallets", "0003_seed"), ("exchange", "0004_event_body")]

    operations = [
        migrations.RunSQL(
            """
            DROP FUNCTION IF EXISTS request_withdrawal(
                jsonb, text, text, text, text, integer, interval, integer, text);
            DROP TYPE IF EXISTS withdrawal_order;
            """,
            migrations.RunSQL.noop,
        ),
        *sqlfiles.install("wallets", "hold_withdrawals", "request_withdrawal"),
    ]
