"""Filters of loans."""

from datetime import timedelta
from typing import Any, cast

from django.db.models import QuerySet
from rest_framework.request import Request

from credit.loans.models import Loan, LoanStatus
from exchange.api.authentication import get_caller
from exchange.api.filters import (
    ChangingFilters,
    CurrencyFilter,
    EnumeratedFilter,
    FlagFilter,
    FromFilter,
    IdFilter,
    ToFilter,
)
from exchange.api.references import client_reference_filter
from exchange.core.references import same_ids

# `repayment_date` is printed to the second.
_SECOND = timedelta(seconds=1)


class LoanFilters(ChangingFilters):
    """Filter loans by status, currency, parties, collateral and time."""

    status = EnumeratedFilter(allowed=LoanStatus.values, help_text="Status")
    currency = CurrencyFilter(field_name="currency_id", help_text="Currency of the loan")
    user_id = IdFilter(field_name="borrower_id", help_text="The borrower")
    creditor = IdFilter(field_name="creditor_id", help_text="The lending organisation")
    loan_configuration_id = IdFilter(
        field_name="configuration_id", help_text="The loan configuration of the loan"
    )
    token_id = IdFilter(method="with_token", help_text="A token pledged as collateral")
    shortfall = FlagFilter(
        method="in_shortfall", help_text="Whether the loan has an open shortfall"
    )
    client_reference = client_reference_filter(method="of_caller")
    due_from = FromFilter("repayment_date", _SECOND)
    due_to = ToFilter("repayment_date", _SECOND)

    def of_caller(self, found: QuerySet[Loan], _name: str, value: str) -> QuerySet[Loan]:
        """Keep the loan that the caller, not its other party, gave this reference."""
        caller = get_caller(cast("Request", self.request))
        return found.filter(
            organisation_id=caller.organisation_id, client_reference__in=same_ids(value)
        )

    def with_token(self, found: QuerySet[Loan], _name: str, value: Any) -> QuerySet[Loan]:
        """Keep loans with pledged units of one token."""
        return found.filter(collaterals__token_id=value, collaterals__quantity__gt=0)

    def in_shortfall(self, found: QuerySet[Loan], _name: str, value: bool) -> QuerySet[Loan]:
        """Keep loans with, or without, an open shortfall."""
        open_ones = Loan.objects.filter(shortfalls__cured_at__isnull=True, shortfalls__isnull=False)
        return found.filter(id__in=open_ones) if value else found.exclude(id__in=open_ones)
