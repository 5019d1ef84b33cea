"""Filters of members."""

from django.db.models import QuerySet, Value
from django.db.models.functions import Lower
from django.db.models.lookups import Exact

from exchange.api.filters import ChangingFilters, EnumeratedFilter, OwnIdFilter, TextFilter
from exchange.participants.models import Member, MemberStatus, Verification


class MemberFilters(ChangingFilters):
    """Filter members by email, external ID, status, verification and time."""

    email = TextFilter(
        method="of_email", max_length=254, help_text="Email address, case-insensitive"
    )
    external_id = OwnIdFilter(max_length=100, help_text="Your own ID for the member")
    status = EnumeratedFilter(
        allowed=MemberStatus.values, method="of_status", help_text="Active or closed"
    )
    verification = EnumeratedFilter(allowed=Verification.values, help_text="Verification")

    def of_email(self, queryset: QuerySet[Member], _name: str, value: str) -> QuerySet[Member]:
        """Filter by the email address, compared as its uniqueness is."""
        return queryset.filter(Exact(Lower("email"), Lower(Value(value))))

    def of_status(self, queryset: QuerySet[Member], _name: str, value: str) -> QuerySet[Member]:
        """Filter active or closed members."""
        return queryset.filter(closed_at__isnull=value == MemberStatus.ACTIVE)
