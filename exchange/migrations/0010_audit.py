"""The audit, and what is audited of participants, access, tokens and events."""

from django.db import migrations, models

import exchange.ids
import exchange.models.audit
from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("oauth2_provider", "0022_refreshtoken_token_family_index"),
        ("exchange", "0009_staff_access"),
    ]

    operations = [
        migrations.CreateModel(
            name="Change",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=exchange.ids.uuid7,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "actor",
                    models.CharField(
                        help_text="staff:<id>, api_key:<id>, system:<job>, visitor:web, or "
                        "database:<user> where nobody said",
                        max_length=120,
                    ),
                ),
                (
                    "actor_label",
                    models.CharField(
                        blank=True, help_text="Their name at the time", max_length=200
                    ),
                ),
                (
                    "via",
                    models.CharField(
                        blank=True,
                        help_text="request:<id>, task:<name>:<id> or command:<name>",
                        max_length=200,
                    ),
                ),
                ("database_user", models.CharField(max_length=140)),
                ("application", models.CharField(blank=True, max_length=64)),
                ("table", models.CharField(db_column="table_name", max_length=63)),
                ("record_id", models.CharField(max_length=64)),
                (
                    "about_id",
                    models.CharField(
                        blank=True,
                        help_text="A record in whose history it shows as well",
                        max_length=64,
                    ),
                ),
                (
                    "operation",
                    models.CharField(
                        choices=[
                            ("INSERT", "Created"),
                            ("UPDATE", "Changed"),
                            ("DELETE", "Removed"),
                            ("TRUNCATE", "Table emptied"),
                        ],
                        max_length=8,
                    ),
                ),
                ("before", models.JSONField(decoder=exchange.models.audit.Exact, null=True)),
                ("after", models.JSONField(decoder=exchange.models.audit.Exact, null=True)),
            ],
            options={
                "ordering": ["-id"],
                "default_permissions": ("view",),
                "indexes": [
                    models.Index(fields=["record_id", "-id"], name="change_of_record"),
                    models.Index(fields=["about_id", "-id"], name="change_about_record"),
                    models.Index(fields=["actor", "-id"], name="change_by_actor"),
                    models.Index(fields=["table", "-id"], name="change_of_table"),
                    models.Index(fields=["operation", "-id"], name="change_by_operation"),
                    models.Index(fields=["via"], name="change_via"),
                ],
            },
        ),
        *sqlfiles.install("exchange", "audit", "audit_past", "audited"),
        migrations.RunSQL(
            "SELECT adopt_history('exchange_tokenchange', 'exchange_token')",
            migrations.RunSQL.noop,
        ),
        migrations.DeleteModel(name="TokenChange"),
        migrations.RunSQL("DROP TABLE IF EXISTS pghistory_context CASCADE", migrations.RunSQL.noop),
    ]
