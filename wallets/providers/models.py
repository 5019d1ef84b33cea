"""Webhooks of the payment provider, as received."""

from django.db import models

from exchange.core.models import Record


class ProviderEvent(Record):
    """Webhook of the provider, stored once; its content only expedites a status check."""

    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the body, hex")
    reference = models.CharField(max_length=100, blank=True)
    provider_id = models.CharField(max_length=40, blank=True)
    body = models.TextField(help_text="At most the first 8 KiB")
    received_at = models.DateTimeField()
    deliveries = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ["-received_at", "-id"]

    def __str__(self) -> str:
        return self.reference or self.digest[:12]
