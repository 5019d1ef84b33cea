"""Filters of withdrawals and of statements, by query parameters."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import django_filters
from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field

from exchange.filtersets import ChoiceFilter, IdFilter, MomentFilter
from exchange.numbers import LARGEST
from wallets.models import Entry, TransferKind, Withdrawal, WithdrawalStatus
from wallets.selectors.wallets import WALLET_KINDS

_CURRENCIES = ("NGN", "KES", "GHS", "ZAR", "UGX", "TZS", "USD")
_FROM = "At or after this ISO 8601 date-time, or the first instant of this date in UTC"
_BEFORE = "Before this ISO 8601 date-time, or the first instant of this date in UTC"
_PLAIN = re.compile(r"[0-9]{1,16}(\.[0-9]{1,8})?", re.ASCII)


def read_amount(text: str) -> Decimal | None:
    """The amount a query parameter holds, from 0 to 10^15 in plain notation; None otherwise."""
    if not _PLAIN.fullmatch(text):
        return None
    amount = Decimal(text)
    return amount if amount <= LARGEST else None


class AmountField(forms.Field):
    """An amount in plain notation."""

    def to_python(self, value: Any) -> Decimal | None:
        """The amount; None when absent."""
        if value in self.empty_values:
            return None
        amount = read_amount(str(value))
        if amount is None:
            raise ValidationError("must be a number such as 1000 or 90.02")
        return amount


@extend_schema_field({"type": "number", "minimum": 0, "maximum": 10**15})
class AmountFilter(django_filters.Filter):
    """Compares an amount: `AmountFilter("amount", lookup_expr="gte")`."""

    field_class = AmountField


class WithdrawalFilters(django_filters.FilterSet):
    """Withdrawals by state, owner, reference, time and amount."""

    status = ChoiceFilter(allowed=WithdrawalStatus.values)
    currency = ChoiceFilter(field_name="currency_id", allowed=_CURRENCIES)
    owner_model = ChoiceFilter(allowed=("organisation", "user"), method="of_owner_model")
    owner = IdFilter(field_name="owner_id", help_text="Id of the organisation or member")
    user_id = IdFilter(field_name="member_id", help_text="Id of the member")
    reference = django_filters.CharFilter(lookup_expr="exact", max_length=40)
    created_from = MomentFilter(field_name="created_at", lookup_expr="gte", help_text=_FROM)
    created_before = MomentFilter(field_name="created_at", lookup_expr="lt", help_text=_BEFORE)
    amount_from = AmountFilter(field_name="amount", lookup_expr="gte", help_text="At least this")
    amount_to = AmountFilter(field_name="amount", lookup_expr="lte", help_text="At most this")

    class Meta:
        model = Withdrawal
        fields: tuple[str, ...] = ()

    def of_owner_model(
        self, queryset: QuerySet[Withdrawal], _name: str, value: str
    ) -> QuerySet[Withdrawal]:
        """The organisation's own, or its members'."""
        return queryset.filter(member__isnull=value == "organisation")


class TransactionFilters(django_filters.FilterSet):
    """Entries of a statement by currency, kind of movement, part of the wallet and time."""

    currency = ChoiceFilter(field_name="asset_id", allowed=_CURRENCIES)
    type = ChoiceFilter(field_name="transfer__kind", allowed=TransferKind.values)
    account = ChoiceFilter(field_name="account__kind", allowed=[str(k) for k in WALLET_KINDS])
    created_from = MomentFilter(
        field_name="transfer__created_at", lookup_expr="gte", help_text=_FROM
    )
    created_before = MomentFilter(
        field_name="transfer__created_at", lookup_expr="lt", help_text=_BEFORE
    )

    class Meta:
        model = Entry
        fields: tuple[str, ...] = ()
