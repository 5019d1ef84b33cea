"""Figures that finance sets: minimums, fees, rates, thresholds, under the interface's own keys."""

from __future__ import annotations

from django.db import models


class Configuration(models.Model):
    """One figure. Keys: `MINIMUM_WITHDRAWAL_<CUR>`, `<CUR>_WITHDRAWAL_FEE`, `<CUR>_USD_RATE`
    (units per USD), `SECOND_APPROVAL_ABOVE_<CUR>`, `<CUR>_INTERNAL_FEE`.
    """

    key = models.CharField(max_length=60, primary_key=True)
    value = models.DecimalField(max_digits=30, decimal_places=8)
    description = models.CharField(max_length=200, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["key"]
        verbose_name = "configuration key"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(value__gte=0), name="configuration_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return self.key
