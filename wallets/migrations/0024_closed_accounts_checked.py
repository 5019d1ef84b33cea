"""Check the rows that exist against the constraint of closed accounts."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("wallets", "0023_closed_accounts")]

    operations = [ValidateConstraint("account", "account_of_closed_member")]
