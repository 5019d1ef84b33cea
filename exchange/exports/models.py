"""Exports of back-office lists: who, which list and filter, and the file.

The record is kept for auditors; the file, in `ExportChunk`, is deleted after a week.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from exchange.core.fields import choice_field
from exchange.core.models import Record


class ExportStatus(models.TextChoices):
    """Status of an export."""

    WAITING = "Waiting"
    RUNNING = "Running"
    READY = "Ready"
    DOWNLOADED = "Downloaded"
    FAILED = "Failed"
    REMOVED = "Removed"


class Export(Record):
    """An export. Short ones are returned in the response, long ones are written by a worker."""

    source = models.CharField(max_length=60)
    title = models.CharField(max_length=80)
    query = models.TextField(blank=True, help_text="Query string of the list")
    filter_words = models.TextField(blank=True)
    first_day = models.DateField(null=True)
    last_day = models.DateField(null=True)
    form = models.CharField(max_length=4, choices=[("csv", "CSV"), ("xlsx", "XLSX")])
    file_name = models.CharField(max_length=150)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="exports"
    )
    status = choice_field(ExportStatus, max_length=11, default=ExportStatus.WAITING)
    direct = models.BooleanField(default=False, help_text="Sent in the response to the request")
    about_rows = models.PositiveIntegerField(help_text="Number of rows when it was requested")
    rows_done = models.PositiveIntegerField(default=0)
    size_bytes = models.PositiveBigIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True)
    # The claim: the worker that writes it, and the end of its lease.
    attempts = models.PositiveSmallIntegerField(default=0)
    claimed_by = models.CharField(max_length=80, blank=True)
    leased_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    as_of = models.DateTimeField(null=True, help_text="Time of the snapshot")
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        permissions = [("read_every_export", "Can see and download everybody's exports")]
        indexes = [
            models.Index(
                fields=["created_at"],
                condition=Q(status__in=["Waiting", "Running"]),
                name="export_under_way",
            ),
            models.Index(
                fields=["finished_at"], condition=Q(status="Ready"), name="export_with_file"
            ),
        ]

    def __str__(self) -> str:
        return self.file_name


class ExportChunk(models.Model):
    """A chunk of a file. All chunks of an export are written in one transaction."""

    export = models.ForeignKey(
        Export, on_delete=models.CASCADE, related_name="chunks", db_index=False
    )
    position = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["export", "position"], name="export_chunk_once"),
        ]

    def __str__(self) -> str:
        return f"{self.position} of {self.export_id}"
