"""People who work in the admin. Never members, never bearers of an API key."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models

from exchange.ids import uuid7


class StaffUser(AbstractUser):
    """A back-office user; roles are Django groups."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)

    class Meta:
        verbose_name = "staff user"
        ordering = ["username"]

    def __str__(self) -> str:
        return self.get_full_name() or self.username
