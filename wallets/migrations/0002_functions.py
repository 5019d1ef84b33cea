"""What PostgreSQL enforces of the ledger and of withdrawals, and the functions of the hot paths."""

from django.db import migrations

from exchange import sqlfiles
from wallets import payloads


class Migration(migrations.Migration):
    dependencies = [("wallets", "0001_initial"), ("exchange", "0003_currencies")]

    operations = [
        *sqlfiles.install(
            "wallets",
            "account_start",
            "ledger_guard",
            "transfer_guard",
            "open_account",
            "post_transfers",
            "withdrawal_transitions",
            "withdrawal_guard",
            "withdrawal_events",
            "withdrawal_figures",
            "grants",
        ),
        payloads.BANK.install(),
        payloads.WITHDRAWAL.install(),
    ]
