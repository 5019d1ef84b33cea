"""Tables of the kernel (currencies, idempotency keys, periodic tasks, positions of writes, audit).

Also the base of most models.
"""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from django.db import models

from exchange.core.fields import choice_field
from exchange.core.ids import uuid7


class Record(models.Model):
    """Base of tables with a UUIDv7 id."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)

    class Meta:
        abstract = True


class Currency(models.Model):
    """A currency: ISO 4217 code, number of decimals, and country of payouts."""

    code = models.CharField(max_length=3, primary_key=True)
    name = models.CharField(max_length=60)
    decimals = models.PositiveSmallIntegerField(help_text="ISO 4217 number of decimals")
    country = models.CharField(
        max_length=2,
        blank=True,
        help_text="ISO 3166 country whose banks are paid in it; empty where payouts are not made",
    )
    position = models.PositiveSmallIntegerField(help_text="Order in which messages name it")

    class Meta:
        ordering = ["position"]
        verbose_name_plural = "currencies"

    def __str__(self) -> str:
        return self.code


class ScheduledRun(models.Model):
    """The last time that a beat process published a periodic task."""

    task = models.CharField(max_length=100, primary_key=True)
    published_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.task


class WritePosition(models.Model):
    """The position in the write-ahead log of the last write of an organisation or staff user."""

    writer = models.UUIDField(primary_key=True)
    position = models.BigIntegerField()

    def __str__(self) -> str:
        return str(self.writer)


def current_month() -> date:
    """Return the first day of this month (UTC)."""
    return datetime.now(UTC).date().replace(day=1)


class IdempotencyRecord(models.Model):
    """One key of one organisation for one method and path, and its response.

    Partitioned by `month`: a key that is claimed early in a month has a row in the last month, too
    (`sql/idempotency.sql`).
    """

    organisation = models.ForeignKey("exchange.Organisation", on_delete=models.CASCADE)
    method = models.CharField(max_length=10)
    path = models.TextField()
    key = models.CharField(max_length=255)
    month = models.DateField(default=current_month)
    body_hash = models.CharField(max_length=64, help_text="SHA-256 of the canonical body, hex")
    status_code = models.PositiveSmallIntegerField(null=True)
    message = models.TextField(default="")
    data = models.TextField(default="", help_text="JSON text of the response's `data`")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "method", "path", "key", "month"],
                name="idempotency_key_once",
            ),
        ]
        indexes = [models.Index(fields=["created_at"], name="idempotency_age")]

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.key}"


class ChangeOperation(models.TextChoices):
    """The operation on the record."""

    INSERT = "INSERT", "Created"
    UPDATE = "UPDATE", "Changed"
    DELETE = "DELETE", "Removed"
    TRUNCATE = "TRUNCATE", "Table emptied"


class ExactDecoder(json.JSONDecoder):
    """A JSON decoder that keeps all digits of numbers."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "parse_float": Decimal})


class Change(Record):
    """A change of a record; `before` and `after` hold the changed columns.

    Triggers write it (`sql/audit.sql`) in the transaction of the change, whatever made the change.
    The runtime role can only read it; rows are append-only.
    """

    at = models.DateTimeField()
    actor = models.CharField(
        max_length=120,
        help_text="staff:<id>, api_key:<id>, system:<job>, visitor:web, or database:<user> if no "
        "actor is set",
    )
    actor_label = models.CharField(
        max_length=200, blank=True, help_text="Name of the actor at the time"
    )
    via = models.CharField(
        max_length=200, blank=True, help_text="request:<id>, task:<name>:<id> or command:<name>"
    )
    database_user = models.CharField(max_length=140)
    application = models.CharField(max_length=64, blank=True)
    table = models.CharField(max_length=63, db_column="table_name")
    record_id = models.CharField(max_length=64)
    about_id = models.CharField(
        max_length=64, blank=True, help_text="A record whose history includes this change"
    )
    operation = choice_field(ChangeOperation, max_length=8)
    before = models.JSONField(null=True, decoder=ExactDecoder)
    after = models.JSONField(null=True, decoder=ExactDecoder)

    class Meta:
        ordering = ["-id"]
        default_permissions = ("view",)
        indexes = [
            # Ids follow time, so each of these is also in the order of time.
            models.Index(fields=["record_id", "-id"], name="change_of_record"),
            models.Index(fields=["about_id", "-id"], name="change_about_record"),
            models.Index(fields=["actor", "-id"], name="change_by_actor"),
            models.Index(fields=["table", "-id"], name="change_of_table"),
            models.Index(fields=["operation", "-id"], name="change_by_operation"),
            models.Index(fields=["via"], name="change_via"),
        ]

    def __str__(self) -> str:
        return f"{self.get_operation_display()} {self.table} {self.record_id}"
