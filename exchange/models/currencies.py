"""The currencies the exchange keeps wallets in; rows are seeded by migration (ISO 4217)."""

from __future__ import annotations

from django.db import models


class Currency(models.Model):
    """One currency: its ISO 4217 code and number of decimals, and whether it can be paid out."""

    code = models.CharField(max_length=3, primary_key=True)
    name = models.CharField(max_length=60)
    decimals = models.PositiveSmallIntegerField(help_text="ISO 4217 number of decimals")
    country = models.CharField(
        max_length=2,
        blank=True,
        help_text="ISO 3166 country whose banks are paid in it; empty where payouts are not made",
    )
    position = models.PositiveSmallIntegerField(help_text="Order in which messages name it")

    class Meta:
        ordering = ["position"]
        verbose_name_plural = "currencies"

    def __str__(self) -> str:
        return self.code
