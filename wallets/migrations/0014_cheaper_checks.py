"""The legs of a statement are checked at once: transfer, account, decimals, and that they balance."""

import django.db.models.deletion
from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("wallets", "0013_bank_words"),
    ]

    operations = [
        migrations.AlterField(
            model_name="entry",
            name="transfer",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="entries",
                to="wallets.transfer",
            ),
        ),
        migrations.RunSQL(
            "ALTER TABLE wallets_entry DROP CONSTRAINT IF EXISTS entry_asset_of_account;"
            "DROP TRIGGER IF EXISTS entry_guard ON wallets_entry;"
            "DROP TRIGGER IF EXISTS entry_balanced ON wallets_entry;"
            "DROP TRIGGER IF EXISTS transfer_balanced ON wallets_transfer;"
            "DROP FUNCTION IF EXISTS entry_guard();"
            "DROP FUNCTION IF EXISTS transfer_balanced();",
            reverse_sql=migrations.RunSQL.noop,
        ),
        # It was there for that foreign key.
        migrations.RemoveConstraint(model_name="account", name="account_asset"),
        *sqlfiles.install("wallets", "transfer_guard"),
    ]
