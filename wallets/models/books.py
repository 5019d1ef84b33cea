"""Runs of the proof of books, and what staff must be told."""

from __future__ import annotations

from django.db import models

from exchange.core.ids import uuid7


class BooksProof(models.Model):
    """One run of the proof: whether the books held, and what was off."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    ran_at = models.DateTimeField()
    passed = models.BooleanField()
    findings = models.JSONField(default=list)
    milliseconds = models.PositiveIntegerField()
    totals = models.JSONField(
        default=dict,
        help_text="Sum of each system account's entries before `totals_before`, by account",
    )
    totals_before = models.UUIDField(
        null=True, help_text="Entries with smaller ids are in `totals`"
    )

    class Meta:
        ordering = ["-ran_at", "-id"]
        verbose_name = "proof of books"
        verbose_name_plural = "proofs of books"

    def __str__(self) -> str:
        return f"{self.ran_at:%Y-%m-%d %H:%M} {'holds' if self.passed else 'OFF'}"


class Alert(models.Model):
    """Something a person must look at. Raised once per kind and subject until resolved."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    kind = models.CharField(max_length=40)
    subject = models.CharField(max_length=80, blank=True)
    message = models.CharField(max_length=500)
    raised_at = models.DateTimeField()
    times = models.PositiveIntegerField(default=1)
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
