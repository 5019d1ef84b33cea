"""The positions of the last writes, which a replica must have replayed.

Unlogged: empty after a crash, as positions of another history would be wrong, and without
write-ahead log of its own.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("exchange", "0010_second_factor_secret")]

    operations = [
        migrations.RunSQL(
            "CREATE UNLOGGED TABLE exchange_writeposition"
            " (writer uuid NOT NULL PRIMARY KEY, position bigint NOT NULL)",
            "DROP TABLE exchange_writeposition",
            state_operations=[
                migrations.CreateModel(
                    name="WritePosition",
                    fields=[
                        ("writer", models.UUIDField(primary_key=True, serialize=False)),
                        ("position", models.BigIntegerField()),
                    ],
                ),
            ],
        ),
    ]
