"""Sequences, storage and rows that the exchange begins with.

It stands for the migrations of databases that were made before it.
"""

from django.db import migrations

# Code, name, decimals (ISO 4217), country of its bank list, order in which messages name it. Six of
# the seven can be paid out.
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
    alias = schema_editor.connection.alias
    currency = apps.get_model("exchange", "Currency")
    currency.objects.using(alias).bulk_create(
        currency(code=code, name=name, decimals=decimals, country=country, position=position)
        for code, name, decimals, country, position in CURRENCIES
    )
    apps.get_model("exchange", "Catalogue").objects.using(alias).create(id=1, version=1)


class Migration(migrations.Migration):
    replaces = [
        ("exchange", "0002_functions"),
        ("exchange", "0003_currencies"),
        ("exchange", "0004_event_body"),
        ("exchange", "0005_tokens"),
        ("exchange", "0006_token_changes"),
        ("exchange", "0007_catalogue"),
        ("exchange", "0008_words_in_lists"),
        ("exchange", "0009_staff_access"),
        ("exchange", "0010_audit"),
        ("exchange", "0011_token_terms"),
        ("exchange", "0012_events_not_told"),
        ("exchange", "0013_exports"),
        ("exchange", "0014_no_history_library"),
        ("exchange", "0015_sign_in_tries"),
        ("exchange", "0016_cheaper_trades"),
        ("exchange", "0017_keys_of_sets"),
        ("exchange", "0018_what_a_trade_pays_for"),
        ("exchange", "0019_one_function_for_events"),
        ("exchange", "0020_prices_and_superusers"),
        ("exchange", "0021_two_person_approval"),
        ("exchange", "0022_power_over_money"),
        ("exchange", "0023_sell_not_above_buy"),
        ("exchange", "0024_staff_public_id"),
        ("exchange", "0025_rotated_to"),
    ]
    dependencies = [("exchange", "0001_initial")]

    operations = [
        migrations.RunSQL(
            [
                "CREATE SEQUENCE exchange_token_reference",
                # Volumes change with every trade; room on the page keeps those updates out of the
                # indexes.
                "ALTER TABLE exchange_token SET (fillfactor = 85)",
            ],
            reverse_sql=[
                "DROP SEQUENCE exchange_token_reference",
                "ALTER TABLE exchange_token RESET (fillfactor)",
            ],
        ),
        migrations.RunPython(seed, migrations.RunPython.noop),
    ]
