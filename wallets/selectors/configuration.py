"""Figures that finance sets, by their interface keys."""

from __future__ import annotations

from decimal import Decimal

from wallets.models import Configuration


def minimum_withdrawal(currency: str) -> Decimal:
    """The smallest withdrawal of `currency`: at least 1, more where finance says so."""
    figure = _figure(f"MINIMUM_WITHDRAWAL_{currency}")
    return max(figure, Decimal(1)) if figure is not None else Decimal(1)


def withdrawal_fee(currency: str) -> Decimal:
    """The flat fee of a withdrawal in `currency`."""
    return _figure(f"{currency}_WITHDRAWAL_FEE") or Decimal(0)


def _figure(key: str) -> Decimal | None:
    return Configuration.objects.filter(key=key).values_list("value", flat=True).first()
