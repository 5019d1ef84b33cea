"""The audit log: every change with actor, time, source, and values before and after.

Triggers write it (`exchange/audit/sql/audit.sql`) in the transaction of the change, whatever made
the change. The runtime role can only read it; rows are append-only.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from django.db import models

from exchange.core.fields import choice_field
from exchange.core.models import Record


class Operation(models.TextChoices):
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
    """A change of a record; `before` and `after` hold the changed columns."""

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
    operation = choice_field(Operation, max_length=8)
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
