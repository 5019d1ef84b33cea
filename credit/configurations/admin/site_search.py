"""Loan configurations in the search of the back office."""

from collections.abc import Sequence

from django.db.models import Q

from credit.configurations.models import ConfigurationVersion, LoanConfiguration
from exchange.admin.site_search import SearchKind, SearchTerm


def _conditions(term: SearchTerm) -> Sequence[Q]:
    if not term.names:
        return ()
    versions = ConfigurationVersion.objects.order_by().filter(name__folded=term.names)
    return (Q(pk__in=versions.values("configuration")),)


LOAN_CONFIGURATIONS = SearchKind(
    model=LoanConfiguration,
    describe=lambda configuration: (configuration.status, configuration.creditor),
    conditions=_conditions,
    related=("creditor",),
)
