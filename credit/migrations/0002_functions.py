"""What PostgreSQL enforces of loans and configurations."""

from django.db import migrations

from credit import payloads
from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [("credit", "0001_initial"), ("wallets", "0006_loans")]

    operations = [*sqlfiles.install("credit", "loan_guard"), payloads.LOAN.install()]
