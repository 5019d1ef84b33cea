"""Figures that finance sets, by their interface keys: in force now, coming, and before."""

from __future__ import annotations

from decimal import Decimal

from django.contrib.postgres.functions import TransactionNow
from django.db import connection
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from wallets.fees.models import Configuration, ConfigurationFigure, FigureStatus


def minimum_withdrawal(currency: str) -> Decimal:
    """The smallest withdrawal of `currency`: at least 1, more where finance says so."""
    figure = figure_in_force(f"MINIMUM_WITHDRAWAL_{currency}")
    return max(figure, Decimal(1)) if figure is not None else Decimal(1)


def withdrawal_fee(currency: str) -> Decimal:
    """The flat fee of a withdrawal in `currency`."""
    return figure_in_force(f"{currency}_WITHDRAWAL_FEE") or Decimal(0)


def figure_in_force(key: str) -> Decimal | None:
    """The figure in force now; None for an unknown key."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT figure_in_force(%s)", [key])
        figure: Decimal | None
        (figure,) = cursor.fetchone()
    return figure


def keys_with_figures() -> QuerySet[Configuration]:
    """Every key with `in_force` and `since` (null: the first figure), the next one to come
    (`coming`, `coming_from`), and what waits for a decision (`waiting`).
    """
    return Configuration.objects.annotate(
        in_force=Coalesce(_first_of(in_force(), "value"), F("value")),
        since=_first_of(in_force(), "in_force_from"),
        coming=_first_of(coming(), "value"),
        coming_from=_first_of(coming(), "in_force_from"),
        waiting=_first_of(ConfigurationFigure.objects.filter(status=FigureStatus.PENDING), "value"),
    )


def in_force() -> QuerySet[ConfigurationFigure]:
    """Approved figures that have taken effect, the one in force first."""
    return ConfigurationFigure.objects.filter(
        status=FigureStatus.APPROVED, in_force_from__lte=TransactionNow()
    ).order_by("-in_force_from", "-decided_at")


def coming() -> QuerySet[ConfigurationFigure]:
    """Approved figures that are yet to take effect, the next one first."""
    return ConfigurationFigure.objects.filter(
        status=FigureStatus.APPROVED, in_force_from__gt=TransactionNow()
    ).order_by("in_force_from", "-decided_at")


def _first_of(figures: QuerySet[ConfigurationFigure], column: str) -> Subquery:
    return Subquery(figures.filter(configuration=OuterRef("pk")).values(column)[:1])
