"""The columns that every table of proposals under two-person approval shares.

`exchange.approvals` is the only code that writes them; the trigger `two_person_guard`
(`exchange/sql/two_person.sql`), installed on each such table, holds them.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models

from exchange.core.ids import uuid7


class ApprovalStatus(models.TextChoices):
    """States of a proposal; a table with others of its own overrides `status`."""

    PENDING = "Pending"
    APPROVED = "Approved"
    REJECTED = "Rejected"


class ProposalModel(models.Model):
    """What one person proposed and another one decides. Override a field where a table differs."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    status = models.CharField(
        max_length=10, choices=ApprovalStatus.choices, default=ApprovalStatus.PENDING
    )
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True, help_text="Why it was rejected")

    class Meta:
        abstract = True
        ordering = ["-created_at", "-id"]
