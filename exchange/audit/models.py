"""The audit: what was changed, by whom, when, through what, before and after.

A trigger writes it (`exchange/audit/sql/audit.sql`), in the transaction of the change and whatever
made the change. The runtime role can only read it, and nobody changes or removes a row.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from django.db import models

from exchange.core.fields import choice_field
from exchange.core.models import Record


class Operation(models.TextChoices):
    """What happened to the record."""

    INSERT = "INSERT", "Created"
    UPDATE = "UPDATE", "Changed"
    DELETE = "DELETE", "Removed"
    TRUNCATE = "TRUNCATE", "Table emptied"


class ExactDecoder(json.JSONDecoder):
    """Reads numbers with all their digits."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "parse_float": Decimal})


class Change(Record):
    """One change of one record. `before` and `after` hold the columns that changed."""

    at = models.DateTimeField()
    actor = models.CharField(
        max_length=120,
        help_text="staff:<id>, api_key:<id>, system:<job>, visitor:web, or database:<user> where "
        "nobody said",
    )
    actor_label = models.CharField(max_length=200, blank=True, help_text="Their name at the time")
    via = models.CharField(
        max_length=200, blank=True, help_text="request:<id>, task:<name>:<id> or command:<name>"
    )
    database_user = models.CharField(max_length=140)
    application = models.CharField(max_length=64, blank=True)
    table = models.CharField(max_length=63, db_column="table_name")
    record_id = models.CharField(max_length=64)
    about_id = models.CharField(
        max_length=64, blank=True, help_text="A record in whose history it shows as well"
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
