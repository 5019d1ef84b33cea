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

from exchange.core.numbers import LARGEST, decimals_of
from exchange.filtersets import (
    ChangingFilters,
    ChoiceFilter,
    CurrencyFilter,
    DatedFilters,
    From,
    IdFilter,
    TextFilter,
    To,
)
from wallets.models import Entry, TransferKind, Withdrawal, WithdrawalStatus
from wallets.selectors.wallets import WALLET_KINDS

_PLAIN = re.compile(r"[0-9]{1,16}(\.[0-9]{1,8})?", re.ASCII)

# No currency has more.
_DECIMALS = 2


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
        if decimals_of(amount) > _DECIMALS:
            raise ValidationError(f"must not have more than {_DECIMALS} decimals")
        return amount


@extend_schema_field(
    {"type": "number", "minimum": 0, "maximum": int(LARGEST), "multipleOf": 10**-_DECIMALS}
)
class AmountFilter(django_filters.Filter):
    """Compares an amount: `AmountFilter("amount", lookup_expr="gte")`."""

    field_class = AmountField


class WithdrawalFilters(ChangingFilters):
    """Withdrawals by state, owner, reference, time and amount."""

    status = ChoiceFilter(allowed=WithdrawalStatus.values, help_text="State, in any case")
    currency = CurrencyFilter(field_name="currency_id", help_text="Currency of the wallet")
    owner_model = ChoiceFilter(
        allowed=("organisation", "user"),
        method="of_owner_model",
        help_text="Whether from the organisation's wallet or a member's",
    )
    owner = IdFilter(field_name="owner_id", help_text="Id of the organisation or member")
    user_id = IdFilter(field_name="member_id", help_text="Id of the member")
    reference = TextFilter(max_length=40, help_text="The payout reference, whole")
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


class TransactionFilters(DatedFilters):
    """Entries of a statement by currency, kind of movement, part of the wallet and time."""

    currency = CurrencyFilter(field_name="asset_id", help_text="Currency of the account")
    type = ChoiceFilter(
        field_name="transfer__kind", allowed=TransferKind.values, help_text="What moved it"
    )
    account = ChoiceFilter(
        field_name="account__kind",
        allowed=[str(kind) for kind in WALLET_KINDS],
        help_text="Part of the wallet",
    )
    created_from = From("transfer__created_at")
    created_to = To("transfer__created_at")

    class Meta:
        model = Entry
        fields: tuple[str, ...] = ()
