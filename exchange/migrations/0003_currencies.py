"""The seven currencies of wallets; six of them can be paid out. Decimals by ISO 4217."""

from django.db import migrations

# Code, name, decimals, country of its bank list, order in which messages name it.
CURRENCIES = [
    ("NGN", "Nigerian naira", 2, "NG", 1),
    ("KES", "Kenyan shilling", 2, "KE", 2),
    ("GHS", "Ghanaian cedi", 2, "GH", 3),
    ("ZAR", "South African rand", 2, "ZA", 4),
    ("UGX", "Ugandan shilling", 0, "UG", 5),
    ("TZS", "Tanzanian shilling", 2, "TZ", 6),
    ("USD", "United States dollar", 2, "", 7),
]


def seed(apps, schema_editor):
    currency = apps.get_model("exchange", "Currency")
    currency.objects.using(schema_editor.connection.alias).bulk_create(
        currency(code=code, name=name, decimals=decimals, country=country, position=position)
        for code, name, decimals, country, position in CURRENCIES
    )


class Migration(migrations.Migration):
    dependencies = [("exchange", "0002_functions")]

    operations = [migrations.RunPython(seed, migrations.RunPython.noop)]
