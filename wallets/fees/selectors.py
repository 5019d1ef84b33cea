"""Effective, upcoming and pending values of settings."""

from decimal import Decimal
from typing import Any

from django.contrib.postgres.functions import TransactionNow
from django.db import connection
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from exchange.core.database import fetch_one
from wallets.fees.models import Configuration, SettingChange, SettingChangeStatus


def minimum_withdrawal(currency: str) -> Decimal:
    """Return the minimum withdrawal of `currency`, at least 1."""
    return _withdrawal_settings(currency)[0]


def withdrawal_fee(currency: str) -> Decimal:
    """Return the flat fee of a withdrawal in `currency`."""
    return _withdrawal_settings(currency)[1]


def _withdrawal_settings(currency: str) -> tuple[Decimal, Decimal]:
    """Return minimum and fee, from the function that requests use."""
    row = fetch_one("SELECT minimum, fee FROM withdrawal_settings(%s)", [currency])
    assert row is not None  # noqa: S101 - the function always returns a row
    minimum, fee = row
    return minimum, fee


def effective_setting(key: str) -> Decimal | None:
    """Return the effective value, or None for an unknown key."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT effective_setting(%s)", [key])
        value: Decimal | None
        (value,) = cursor.fetchone()
    return value


def effective_settings() -> dict[str, Decimal]:
    """Return the effective value of every setting, by key."""
    found: QuerySet[Any] = settings_with_values()
    return dict(found.values_list("key", "effective_value"))


def settings_with_values() -> QuerySet[Configuration]:
    """Return every setting with its values.

    `effective_value` and `since` (null: the initial value), the next `upcoming_value` with its
    `upcoming_at`, and the `pending_value` that awaits approval.
    """
    return Configuration.objects.annotate(
        effective_value=Coalesce(_first(effective_changes(), "value"), F("value")),
        since=_first(effective_changes(), "effective_at"),
        upcoming_value=_first(upcoming_changes(), "value"),
        upcoming_at=_first(upcoming_changes(), "effective_at"),
        pending_value=_first(
            SettingChange.objects.filter(status=SettingChangeStatus.PENDING), "value"
        ),
    )


def effective_changes() -> QuerySet[SettingChange]:
    """Return approved changes that have taken effect, the effective one first."""
    return SettingChange.objects.filter(
        status=SettingChangeStatus.APPROVED, effective_at__lte=TransactionNow()
    ).order_by("-effective_at", "-decided_at")


def upcoming_changes() -> QuerySet[SettingChange]:
    """Return approved changes that have not taken effect yet, the next one first."""
    return SettingChange.objects.filter(
        status=SettingChangeStatus.APPROVED, effective_at__gt=TransactionNow()
    ).order_by("effective_at", "-decided_at")


def _first(changes: QuerySet[SettingChange], column: str) -> Subquery:
    return Subquery(changes.filter(configuration=OuterRef("pk")).values(column)[:1])
