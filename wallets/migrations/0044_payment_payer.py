"""The bank account that a payment came from; names of ledger accounts, transfers and decisions."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("wallets", "0043_write_off_name")]

    operations = [
        migrations.AddField(
            model_name="payment",
            name="payer_bank",
            field=models.CharField(blank=True, db_default="", max_length=200),
        ),
        migrations.AddField(
            model_name="payment",
            name="payer_account",
            field=models.CharField(blank=True, db_default="", max_length=40),
        ),
        migrations.AlterModelOptions(
            name="transfer",
            options={"ordering": ["-created_at", "-id"], "verbose_name": "ledger transfer"},
        ),
        migrations.AlterField(
            model_name="account",
            name="kind",
            field=models.CharField(
                choices=[
                    ("available", "Available"),
                    ("escrow", "Escrow"),
                    ("lien", "Lien"),
                    ("reserved", "Reserved"),
                    ("unsold", "Unsold"),
                    ("raise", "Raise"),
                    ("uncleared", "Uncleared"),
                    ("receivable", "Receivable"),
                    ("clearing", "Clearing"),
                    ("fees", "Fees"),
                    ("expenses", "Expenses"),
                    ("issuance", "Issuance"),
                    ("unmatched", "Unmatched"),
                    ("treasury", "Treasury"),
                    ("position", "Position"),
                    ("principal", "Principal"),
                    ("interest", "Interest"),
                    ("loans", "Loans and earned interest"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="paymentresolution",
            name="action",
            field=models.CharField(
                choices=[
                    ("Assign", "Assign"),
                    ("Refund", "Refund"),
                    ("Refunded", "Record refund"),
                    ("Not refunded", "Record no refund"),
                ],
                max_length=12,
            ),
        ),
    ]
