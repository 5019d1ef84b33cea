"""A transfer needs a record that justifies it; a table says which."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("wallets", "0018_one_posting_function"),
        # It posts, and what judges its transfers comes later.
        ("orders", "0009_rounding"),
    ]

    operations = sqlfiles.install("wallets", "transfer_rules", "deposit_entry")
