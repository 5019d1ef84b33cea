"""Filters of lists of loans and loan configurations."""

from __future__ import annotations

from typing import Any

import django_filters
from django.db.models import Case, Exists, OuterRef, QuerySet, Subquery, Value, When

from credit.models import (
    ConfigurationStatus,
    ConfigurationVersion,
    Loan,
    LoanConfiguration,
    LoanLimit,
    LoanStatus,
    VersionStatus,
)
from exchange.filtersets import ChoiceFilter, FlagFilter, IdFilter, MomentFilter

_CURRENCIES = ("NGN", "KES", "GHS", "ZAR", "UGX", "TZS", "USD")


class LoanFilters(django_filters.FilterSet):
    """Loans by state, currency, the people in them and time."""

    status = ChoiceFilter(allowed=LoanStatus.values)
    currency = ChoiceFilter(field_name="currency_id", allowed=_CURRENCIES)
    user_id = IdFilter(field_name="borrower_id", help_text="The borrower")
    creditor = IdFilter(field_name="creditor_id", help_text="The lending organisation")
    loan_configuration_id = IdFilter(field_name="configuration_id")
    token_id = IdFilter(method="with_token", help_text="A token pledged for it")
    shortfall = FlagFilter(method="in_shortfall", help_text="Whether its collateral falls short")
    created_from = MomentFilter("created_at", lookup_expr="gte")
    created_to = MomentFilter("created_at", lookup_expr="lt")
    due_from = MomentFilter("repayment_date", lookup_expr="gte")
    due_to = MomentFilter("repayment_date", lookup_expr="lt")

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


class ConfigurationFilters(django_filters.FilterSet):
    """Configurations by state, and by a currency that their terms lend."""

    status = ChoiceFilter(allowed=ConfigurationStatus.values)
    currency = ChoiceFilter(allowed=_CURRENCIES, method="lending")

    class Meta:
        model = LoanConfiguration
        fields: tuple[str, ...] = ()

    def lending(
        self, found: QuerySet[LoanConfiguration], _name: str, value: str
    ) -> QuerySet[LoanConfiguration]:
        """Those whose terms, in force or else the newest, lend the currency."""
        versions = ConfigurationVersion.objects.filter(configuration=OuterRef("pk"))
        in_force_first = Case(When(status=VersionStatus.APPROVED, then=0), default=Value(1))
        shown = versions.order_by(in_force_first, "-number").values("id")[:1]
        limit = LoanLimit.objects.filter(version=OuterRef("shown"), currency=value)
        return found.annotate(shown=Subquery(shown)).filter(Exists(limit))
