"""Logged requests, and counts of the reads that are not logged one by one (decision 67).

Neither has a body, a value or a query. Rows are kept for `REQUEST_LOG_DAYS`.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from exchange.core.fields import UNCHECKED
from exchange.core.models import Record
from exchange.participants.models import ApiKey, Organisation


class LoggedRequest(Record):
    """A write, or a request that was refused. Partitioned by month on its id."""

    # Written in the background, and never removed from their tables.
    organisation = models.ForeignKey(Organisation, related_name="+", **UNCHECKED)
    key = models.ForeignKey(ApiKey, related_name="+", **UNCHECKED)
    method = models.CharField(max_length=10)
    path = models.CharField(max_length=200, help_text="With ids of records, and no other text")
    status_code = models.PositiveSmallIntegerField()
    code = models.CharField(max_length=60, blank=True, help_text="Why it was refused")
    fields = ArrayField(models.CharField(max_length=100), help_text="Fields that were refused")
    request_id = models.CharField("request ID", max_length=128)
    milliseconds = models.PositiveIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = "API request"
        default_permissions = ("view",)
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["organisation", "-created_at", "-id"], name="request_listed")
        ]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class ReadCount(Record):
    """Successful reads of one key, address and hour."""

    organisation = models.ForeignKey(Organisation, related_name="+", **UNCHECKED)
    key = models.ForeignKey(ApiKey, related_name="+", **UNCHECKED)
    path = models.CharField(max_length=200, help_text="With the names of ids")
    hour_at = models.DateTimeField(help_text="Start of the hour")
    count = models.BigIntegerField()

    class Meta:
        verbose_name = "API read"
        default_permissions = ("view",)
        ordering = ["-hour_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["key", "path", "hour_at"], name="reads_counted_once")
        ]
        indexes = [models.Index(fields=["organisation", "-hour_at", "-id"], name="reads_listed")]

    def __str__(self) -> str:
        return f"{self.count} {self.path}"
