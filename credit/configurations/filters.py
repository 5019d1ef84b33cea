"""Filters of loan configurations."""

import django_filters
from django.db.models import Case, Exists, OuterRef, QuerySet, Subquery, Value, When

from credit.configurations.models import (
    ConfigurationStatus,
    ConfigurationVersion,
    LoanConfiguration,
    LoanLimit,
    VersionStatus,
)
from exchange.api.filters import (
    CurrencyFilter,
    EnumeratedFilter,
)


class ConfigurationFilters(django_filters.FilterSet):
    """Filter configurations by status and by lent currency."""

    status = EnumeratedFilter(allowed=ConfigurationStatus.values, help_text="Status")
    currency = CurrencyFilter(method="lending", help_text="A currency that is lent")

    def lending(
        self, found: QuerySet[LoanConfiguration], _name: str, value: str
    ) -> QuerySet[LoanConfiguration]:
        """Keep those whose displayed terms lend the currency."""
        versions = ConfigurationVersion.objects.filter(configuration=OuterRef("pk"))
        effective_first = Case(When(status=VersionStatus.APPROVED, then=0), default=Value(1))
        shown = versions.order_by(effective_first, "-number").values("id")[:1]
        limit = LoanLimit.objects.filter(version=OuterRef("shown"), currency=value)
        return found.annotate(shown=Subquery(shown)).filter(Exists(limit))
