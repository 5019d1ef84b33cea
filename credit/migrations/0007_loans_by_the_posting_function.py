"""Loans are posted by the one posting function, and every entry of theirs has an ordered id."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("credit", "0006_documents_for_less"),
        ("wallets", "0018_one_posting_function"),
    ]

    operations = sqlfiles.install("credit", "lending")
