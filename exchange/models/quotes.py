"""Quotes: the prices that staff set for a token, with four eyes. Prices are in its currency;
`exchange` is units of that currency per USD.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from exchange.ids import uuid7
from exchange.models.tokens import Token
from exchange.numbers import plain


class QuoteStatus(models.TextChoices):
    """States of a quote."""

    PENDING = "Pending"
    APPROVED = "Approved"
    REJECTED = "Rejected"


class Quote(models.Model):
    """New prices for a token: proposed by one person, in force once another approves them.

    The approved ones are the token's price history.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    token = models.ForeignKey(Token, on_delete=models.PROTECT, related_name="quotes")
    buy = models.DecimalField(max_digits=38, decimal_places=8)
    sell = models.DecimalField(max_digits=38, decimal_places=8)
    exchange = models.DecimalField(max_digits=38, decimal_places=8, default=0)
    status = models.CharField(
        max_length=10, choices=QuoteStatus.choices, default=QuoteStatus.PENDING
    )
    note = models.CharField(max_length=300, blank=True)
    reason = models.CharField(max_length=300, blank=True, help_text="Why it was rejected")
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(buy__gt=0, sell__gt=0, exchange__gte=0), name="quote_positive"
            ),
            models.CheckConstraint(
                condition=Q(decided_by__isnull=True)
                | ~Q(status="Approved")
                | ~Q(decided_by=F("proposed_by")),
                name="quote_approved_by_another",
            ),
            models.UniqueConstraint(
                fields=["token"], condition=Q(status="Pending"), name="quote_pending_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{plain(self.buy)} / {plain(self.sell)}"
