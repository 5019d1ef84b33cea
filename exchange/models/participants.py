"""Organisations (API clients) and their members (the people they act for)."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Lower

from exchange.core.ids import uuid7


class Organisation(models.Model):
    """A firm that integrates with the exchange. Owns keys, wallets, members and a webhook."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(max_length=200)
    email = models.EmailField(blank=True)
    active = models.BooleanField(
        default=True, help_text="Inactive: every key of the organisation stops working at once"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class Member(models.Model):
    """A person one organisation acts for: the `user` of the interface."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="members")
    name = models.CharField(max_length=200)
    email = models.EmailField()
    external_id = models.CharField(
        max_length=100, blank=True, help_text="The organisation's own id of the person"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    document = models.TextField(editable=False, default="")

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            # The target of composite foreign keys: whatever names a member and an organisation
            # is held to a pair that exists.
            models.UniqueConstraint(fields=["id", "organisation"], name="member_organisation"),
            models.UniqueConstraint(
                "organisation", Lower("email"), name="member_email_once_per_organisation"
            ),
            models.UniqueConstraint(
                fields=["organisation", "external_id"],
                condition=~models.Q(external_id=""),
                name="member_external_id_once_per_organisation",
            ),
        ]
        indexes = [
            models.Index(fields=["organisation", "-created_at", "-id"], name="member_listed")
        ]

    def __str__(self) -> str:
        return self.name
