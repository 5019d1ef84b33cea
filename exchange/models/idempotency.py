"""Answers of money-moving requests, kept under the key the client sent with them.

Written by `claim_idempotency_key` and `store_idempotent_answer` in the transaction of the effect
(see `exchange/sql`): a concurrent duplicate waits on the unique index, so no claim can be left
behind by a process that died.
"""

from __future__ import annotations

from django.db import models

from exchange.models.participants import Organisation


class IdempotencyRecord(models.Model):
    """One key of one organisation for one method and path, and the answer it got."""

    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE)
    method = models.CharField(max_length=10)
    path = models.TextField()
    key = models.CharField(max_length=255)
    body_hash = models.CharField(max_length=64, help_text="SHA-256 of the canonical body, hex")
    status_code = models.PositiveSmallIntegerField(null=True)
    message = models.TextField(default="")
    data = models.TextField(default="", help_text="JSON text of the answer's `data`")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "method", "path", "key"], name="idempotency_key_once"
            ),
        ]
        indexes = [models.Index(fields=["created_at"], name="idempotency_age")]

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.key}"
