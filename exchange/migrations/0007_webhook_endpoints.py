"""Several webhook endpoints for an organisation, and the deliveries of events to them.

Finished events get the delivery to the endpoint of their organisation, in batches. Those that are
pending keep their place for workers of the previous release; `adopt_events` (`events/sql/deliveries.sql`)
takes them over when they are due.
"""

import django.contrib.postgres.fields
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models.deletion import DO_NOTHING, PROTECT

STATUSES = [
    ("Pending", "Pending"),
    ("Delivered", "Delivered"),
    ("Exhausted", "Exhausted"),
    ("Unsent", "Unsent"),
]

# Every part may run again.
ENDPOINT = """
ALTER TABLE exchange_webhookendpoint
    ADD COLUMN IF NOT EXISTS events varchar(60)[] NOT NULL DEFAULT '{*}',
    ADD COLUMN IF NOT EXISTS description varchar(200) NOT NULL DEFAULT '',
    ADD COLUMN IF NOT EXISTS failing_since timestamptz,
    ADD COLUMN IF NOT EXISTS failed_attempts integer NOT NULL DEFAULT 0,
    DROP CONSTRAINT IF EXISTS exchange_webhookendpoint_organisation_id_key
"""
ATTEMPT = "ALTER TABLE exchange_deliveryattempt ADD COLUMN IF NOT EXISTS endpoint_id uuid"
# Partitions are those of the events.
DELIVERIES = """
CREATE TABLE IF NOT EXISTS exchange_eventdelivery (
    event_id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    status varchar(10) NOT NULL DEFAULT 'Pending',
    attempts smallint NOT NULL DEFAULT 0,
    next_attempt_at timestamptz,
    leased_until timestamptz,
    last_attempt_at timestamptz,
    delivered_at timestamptz,
    PRIMARY KEY (event_id, endpoint_id)
) PARTITION BY RANGE (event_id);
CREATE INDEX IF NOT EXISTS delivery_due ON exchange_eventdelivery (endpoint_id, next_attempt_at)
    WHERE status = 'Pending';
CREATE INDEX IF NOT EXISTS delivery_undelivered ON exchange_eventdelivery (endpoint_id, event_id)
    WHERE status IN ('Exhausted', 'Unsent');
DO $$
DECLARE
    v_partition text;
    v_bounds text;
BEGIN
    FOR v_partition, v_bounds IN
        SELECT replace(c.relname, 'exchange_event', 'exchange_eventdelivery'),
               pg_get_expr(c.relpartbound, c.oid)
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'exchange_event'::regclass
    LOOP
        EXECUTE format('CREATE TABLE IF NOT EXISTS partitions.%I
                        PARTITION OF public.exchange_eventdelivery %s', v_partition, v_bounds);
    END LOOP;
END $$;
"""
FINISHED = """
WITH next AS (
    SELECT id, organisation_id, status, attempts, delivered_at FROM exchange_event
    WHERE id > %s ORDER BY id LIMIT 10000
), made AS (
    INSERT INTO exchange_eventdelivery (event_id, endpoint_id, status, attempts, delivered_at)
    SELECT n.id, w.id, n.status, n.attempts, n.delivered_at
    FROM next n JOIN exchange_webhookendpoint w USING (organisation_id)
    WHERE n.status <> 'Pending'
    ON CONFLICT DO NOTHING
)
SELECT id FROM next ORDER BY id DESC LIMIT 1
"""


def add_deliveries(apps, schema_editor):
    last = "00000000-0000-0000-0000-000000000000"
    with schema_editor.connection.cursor() as cursor:
        while last:
            cursor.execute(FINISHED, [last])
            (last,) = cursor.fetchone() or (None,)


def _reference(model, **options):
    options = {"db_constraint": False, "db_index": False, **options}
    return models.ForeignKey(to=f"exchange.{model}", **options)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("exchange", "0006_event_feed")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL([(sql, None)], migrations.RunSQL.noop)
                for sql in (ENDPOINT, ATTEMPT, DELIVERIES)
            ],
            state_operations=[
                migrations.AddField(
                    model_name="webhookendpoint",
                    name="events",
                    field=django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=60),
                        db_default=["*"],
                        help_text="Event types that it wants; * for all",
                        size=None,
                    ),
                ),
                migrations.AddField(
                    model_name="webhookendpoint",
                    name="description",
                    field=models.CharField(blank=True, db_default="", default="", max_length=200),
                ),
                migrations.AddField(
                    model_name="webhookendpoint",
                    name="failing_since",
                    field=models.DateTimeField(blank=True, null=True),
                ),
                migrations.AddField(
                    model_name="webhookendpoint",
                    name="failed_attempts",
                    field=models.IntegerField(db_default=0, default=0),
                ),
                migrations.AlterField(
                    model_name="webhookendpoint",
                    name="organisation",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=PROTECT,
                        related_name="webhook_endpoints",
                        to="exchange.organisation",
                    ),
                ),
                migrations.AddField(
                    model_name="deliveryattempt",
                    name="endpoint",
                    field=_reference(
                        "webhookendpoint", on_delete=DO_NOTHING, related_name="+", null=True
                    ),
                ),
                migrations.AlterField(
                    model_name="deliveryattempt",
                    name="number",
                    field=models.PositiveSmallIntegerField(help_text="Counted for each endpoint"),
                ),
                # The columns and the index of the previous release stay until the next one.
                migrations.RemoveIndex(model_name="event", name="event_due"),
                migrations.RemoveField(model_name="event", name="next_attempt_at"),
                migrations.RemoveField(model_name="event", name="leased_until"),
                migrations.CreateModel(
                    name="EventDelivery",
                    fields=[
                        (
                            "pk",
                            models.CompositePrimaryKey(
                                "event_id",
                                "endpoint_id",
                                blank=True,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "event",
                            _reference("event", on_delete=PROTECT, related_name="deliveries"),
                        ),
                        (
                            "endpoint",
                            _reference(
                                "webhookendpoint", on_delete=DO_NOTHING, related_name="deliveries"
                            ),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=STATUSES, db_default="Pending", max_length=10
                            ),
                        ),
                        ("attempts", models.SmallIntegerField(db_default=0)),
                        ("next_attempt_at", models.DateTimeField(blank=True, null=True)),
                        ("leased_until", models.DateTimeField(blank=True, null=True)),
                        ("last_attempt_at", models.DateTimeField(blank=True, null=True)),
                        ("delivered_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                fields=["endpoint", "next_attempt_at"],
                                condition=models.Q(status="Pending"),
                                name="delivery_due",
                            ),
                            models.Index(
                                fields=["endpoint", "event"],
                                condition=models.Q(status__in=["Exhausted", "Unsent"]),
                                name="delivery_undelivered",
                            ),
                        ]
                    },
                ),
            ],
        ),
        AddIndexConcurrently(
            model_name="webhookendpoint",
            index=models.Index(fields=["organisation", "id"], name="endpoint_listed"),
        ),
        migrations.RunPython(add_deliveries, migrations.RunPython.noop),
    ]
