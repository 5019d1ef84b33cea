"""A trade pays for less: totals and words of tokens and states of events by triggers, ids from one stem."""

import django.contrib.postgres.search
from django.db import migrations, models

from exchange import payloads, sqlfiles


class Migration(migrations.Migration):
    dependencies = [("exchange", "0017_keys_of_sets")]

    operations = [
        migrations.RemoveConstraint(model_name="token", name="token_supply_within_total"),
        migrations.RemoveConstraint(model_name="token", name="token_totals_not_negative"),
        migrations.RemoveConstraint(model_name="event", name="event_status_known"),
        migrations.AlterField(
            model_name="event",
            name="status",
            field=models.CharField(
                choices=[
                    ("Pending", "Pending"),
                    ("Delivered", "Delivered"),
                    ("Exhausted", "Exhausted"),
                    ("Unsent", "Unsent"),
                ],
                db_default="Pending",
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="event",
            name="attempts",
            field=models.SmallIntegerField(db_default=0),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="token",
                    name="words",
                    field=django.contrib.postgres.search.SearchVectorField(
                        editable=False, null=True
                    ),
                ),
            ],
            database_operations=[
                # What is in the column stays.
                migrations.RunSQL(
                    "ALTER TABLE exchange_token ALTER COLUMN words DROP EXPRESSION",
                    reverse_sql=migrations.RunSQL.noop,
                ),
            ],
        ),
        *sqlfiles.install("exchange", "ids", "emit_event", "token_guard", "token_terms", "token_words"),
        payloads.MEMBER.install(rewrite=False),
        payloads.TOKEN.install(rewrite=False),
    ]
