"""Filters of loans."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import QuerySet

from credit.loans.models import Loan, LoanStatus
from exchange.api.filters import (
    ChangingFilters,
    ChoiceFilter,
    CurrencyFilter,
    FlagFilter,
    FromFilter,
    IdFilter,
    ToFilter,
)

# `repayment_date` is printed to the second.
_SECOND = timedelta(seconds=1)


class LoanFilters(ChangingFilters):
    """Loans by state, currency, the people in them and time."""

    status = ChoiceFilter(allowed=LoanStatus.values, help_text="State, in any case")
    currency = CurrencyFilter(field_name="currency_id", help_text="What is lent")
    user_id = IdFilter(field_name="borrower_id", help_text="The borrower")
    creditor = IdFilter(field_name="creditor_id", help_text="The lending organisation")
    loan_configuration_id = IdFilter(
        field_name="configuration_id", help_text="The loan configuration it was made on"
    )
    token_id = IdFilter(method="with_token", help_text="A token pledged for it")
    shortfall = FlagFilter(method="in_shortfall", help_text="Whether its collateral falls short")
    due_from = FromFilter("repayment_date", _SECOND)
    due_to = ToFilter("repayment_date", _SECOND)

    class Meta:
        model = Loan
        fields: tuple[str, ...] = ()

    def with_token(self, found: QuerySet[Loan], _name: str, value: Any) -> QuerySet[Loan]:
        """Loans with open collateral of one token."""
        return found.filter(collaterals__token_id=value, collaterals__quantity__gt=0)

    def in_shortfall(self, found: QuerySet[Loan], _name: str, value: bool) -> QuerySet[Loan]:
        """Loans with, or without, an open shortfall."""
        open_ones = Loan.objects.filter(shortfalls__cured_at__isnull=True, shortfalls__isnull=False)
        return found.filter(id__in=open_ones) if value else found.exclude(id__in=open_ones)
