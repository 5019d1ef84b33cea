"""API keys: OAuth 2.0 clients (RFC 6749 §4.4) of an organisation.

django-oauth-toolkit keeps the access tokens (hashed); the key itself is its swapped Application.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from oauth2_provider.models import AbstractApplication

from exchange.core.ids import uuid7
from exchange.models.participants import Organisation


class ApiKey(AbstractApplication):  # type: ignore[misc] # the library has no types
    """A credential of an organisation: client id, hashed secret, scopes, perhaps an end date."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="api_keys"
    )
    scopes = ArrayField(models.CharField(max_length=40), default=list)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    # The key that was issued in its place.
    rotated_to = models.OneToOneField(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="rotated_from",
    )

    class Meta(AbstractApplication.Meta):  # type: ignore[misc] # as above
        swappable = "OAUTH2_PROVIDER_APPLICATION_MODEL"
        verbose_name = "API key"
        ordering = ["-created", "-id"]
        constraints = [
            # Composite foreign keys hold a record's key to the record's organisation.
            models.UniqueConstraint(fields=["id", "organisation"], name="api_key_organisation"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.client_id})"

    @property
    def usable(self) -> bool:
        """Whether the key may still get and use access tokens."""
        ended = self.expires_at is not None and self.expires_at <= timezone.now()
        return self.revoked_at is None and not ended and self.organisation.active
