"""One function posts transfers, a set of one or many, and makes the ids of entries itself."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("wallets", "0017_cheaper_guard"),
        ("exchange", "0019_one_function_for_events"),
    ]

    operations = [
        migrations.RunSQL(
            """
            ALTER TYPE withdrawal_order
                DROP ATTRIBUTE IF EXISTS entry_out, DROP ATTRIBUTE IF EXISTS entry_in;
            ALTER TYPE withdrawal_hold DROP ATTRIBUTE IF EXISTS escrow_after;
            DROP FUNCTION IF EXISTS post_transfer(
                uuid, text, text, uuid, text, text, uuid[], uuid[], numeric[]);
            """,
            reverse_sql=migrations.RunSQL.noop,
        ),
        *sqlfiles.install(
            "wallets",
            "ordered_ids",
            "post_transfers",
            "transfer_guard",
            "withdrawal_events",
            "hold_withdrawals",
        ),
    ]
