"""Check the rows that exist against the constraints of accounts."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("wallets", "0012_account_kinds")]

    operations = [
        ValidateConstraint("account", "account_balance_not_negative"),
        ValidateConstraint("account", "account_receivable_not_positive"),
    ]
