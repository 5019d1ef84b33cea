"""Currencies as ledger assets, their system accounts, and the figures finance can change."""

from decimal import Decimal

from django.db import migrations

from exchange.ids import uuid7

# Minimum, fee, units per USD, amount from which two people must approve.
FIGURES = {
    "NGN": ("1000", "50", "1500", "5000000"),
    "KES": ("100", "30", "129", "500000"),
    "GHS": ("20", "5", "12", "50000"),
    "ZAR": ("50", "10", "18", "75000"),
    "UGX": ("5000", "1500", "3700", "15000000"),
    "TZS": ("2500", "1000", "2500", "10000000"),
}
KEYS = (
    ("MINIMUM_WITHDRAWAL_{}", "Smallest withdrawal, in {}"),
    ("{}_WITHDRAWAL_FEE", "Flat fee of a withdrawal, in {}"),
    ("{}_USD_RATE", "{} for one USD, for the USD value shown on withdrawals"),
    ("SECOND_APPROVAL_ABOVE_{}", "From this amount in {} two different people must approve"),
)


def seed(apps, schema_editor):
    alias = schema_editor.connection.alias
    currency = apps.get_model("exchange", "Currency")
    asset = apps.get_model("wallets", "Asset")
    account = apps.get_model("wallets", "Account")
    configuration = apps.get_model("wallets", "Configuration")
    for row in currency.objects.using(alias).order_by("position"):
        asset.objects.using(alias).create(id=row.code, currency=row, decimals=row.decimals)
        for kind in ("clearing", "fees", "expenses"):
            account.objects.using(alias).create(
                id=uuid7(), asset_id=row.code, kind=kind, balance=None
            )
        for (key, description), value in zip(KEYS, FIGURES.get(row.code, ()), strict=False):
            configuration.objects.using(alias).create(
                key=key.format(row.code),
                value=Decimal(value),
                description=description.format(row.code),
            )


class Migration(migrations.Migration):
    dependencies = [("wallets", "0002_functions")]

    operations = [migrations.RunPython(seed, migrations.RunPython.noop)]
