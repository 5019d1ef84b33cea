"""Bank lists of the provider."""

from __future__ import annotations

from django.db import models

from exchange.core.models import Currency


class BankList(models.Model):
    """The provider's banks of one currency, as last fetched."""

    currency = models.OneToOneField(Currency, on_delete=models.CASCADE, primary_key=True)
    banks = models.JSONField(default=list, help_text="[{id, name, code}], the provider's own")
    fetched_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.currency_id} banks of {self.fetched_at:%Y-%m-%d %H:%M}"
