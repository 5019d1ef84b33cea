"""Alerts for staff."""

from django.db import models

from exchange.core.models import Record


class Alert(Record):
    """Condition that needs attention, open at most once per kind and subject."""

    kind = models.CharField(max_length=40)
    subject = models.CharField(max_length=80, blank=True)
    message = models.CharField(max_length=500)
    raised_at = models.DateTimeField()
    occurrences = models.PositiveIntegerField(default=1)
    resolved_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-raised_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "subject"],
                condition=models.Q(resolved_at__isnull=True),
                name="alert_open_once",
            ),
        ]

    def __str__(self) -> str:
        return self.message
