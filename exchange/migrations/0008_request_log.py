"""The request log: logged requests, partitioned like the events, and counts of reads."""

import django.contrib.postgres.fields
from django.db import migrations, models
from django.db.models.deletion import PROTECT

import exchange.core.ids

TABLE = """
CREATE TABLE exchange_loggedrequest (
    id uuid NOT NULL PRIMARY KEY,
    organisation_id uuid NOT NULL,
    key_id uuid NOT NULL,
    method varchar(10) NOT NULL,
    path varchar(200) NOT NULL,
    status_code smallint NOT NULL CHECK (status_code >= 0),
    code varchar(60) NOT NULL,
    fields varchar(100)[] NOT NULL,
    request_id varchar(128) NOT NULL,
    milliseconds integer NOT NULL CHECK (milliseconds >= 0),
    created_at timestamptz NOT NULL
) PARTITION BY RANGE (id);
CREATE INDEX request_listed ON exchange_loggedrequest
    (organisation_id, created_at DESC, id DESC);
DO $$
DECLARE
    v_partition text;
    v_bounds text;
BEGIN
    FOR v_partition, v_bounds IN
        SELECT replace(c.relname, 'exchange_event', 'exchange_loggedrequest'),
               pg_get_expr(c.relpartbound, c.oid)
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'exchange_event'::regclass
    LOOP
        EXECUTE format('CREATE TABLE partitions.%I
                        PARTITION OF public.exchange_loggedrequest %s', v_partition, v_bounds);
    END LOOP;
END $$;
"""


def _unchecked(model):
    return models.ForeignKey(
        db_constraint=False, db_index=False, on_delete=PROTECT, related_name="+", to=model
    )


def _id():
    return models.UUIDField(
        default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False
    )


class Migration(migrations.Migration):
    dependencies = [("exchange", "0007_webhook_endpoints")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL([(TABLE, None)], migrations.RunSQL.noop)],
            state_operations=[
                migrations.CreateModel(
                    name="LoggedRequest",
                    fields=[
                        ("id", _id()),
                        ("organisation", _unchecked("exchange.organisation")),
                        ("key", _unchecked("exchange.apikey")),
                        ("method", models.CharField(max_length=10)),
                        (
                            "path",
                            models.CharField(
                                help_text="With ids of records, and no other text", max_length=200
                            ),
                        ),
                        ("status_code", models.PositiveSmallIntegerField()),
                        (
                            "code",
                            models.CharField(
                                blank=True, help_text="Why it was refused", max_length=60
                            ),
                        ),
                        (
                            "fields",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=100),
                                help_text="Fields that were refused",
                                size=None,
                            ),
                        ),
                        ("request_id", models.CharField(max_length=128, verbose_name="request ID")),
                        ("milliseconds", models.PositiveIntegerField()),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={
                        "verbose_name": "API request",
                        "ordering": ["-id"],
                        "default_permissions": ("view",),
                        "indexes": [
                            models.Index(
                                fields=["organisation", "-created_at", "-id"],
                                name="request_listed",
                            )
                        ],
                    },
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReadCount",
            fields=[
                ("id", _id()),
                ("organisation", _unchecked("exchange.organisation")),
                ("key", _unchecked("exchange.apikey")),
                ("path", models.CharField(help_text="With the names of ids", max_length=200)),
                ("hour_at", models.DateTimeField(help_text="Start of the hour")),
                ("count", models.BigIntegerField()),
            ],
            options={
                "verbose_name": "API read",
                "ordering": ["-hour_at", "-id"],
                "default_permissions": ("view",),
                "indexes": [
                    models.Index(
                        fields=["organisation", "-hour_at", "-id"], name="reads_listed"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("key", "path", "hour_at"), name="reads_counted_once"
                    )
                ],
            },
        ),
    ]
