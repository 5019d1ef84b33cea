"""Filters of members."""

from __future__ import annotations

from exchange.api.filters import ChangingFilters, TextFilter
from exchange.participants.models import Member


class MemberFilters(ChangingFilters):
    """Filter members by email, external ID and time."""

    email = TextFilter(
        lookup_expr="iexact", max_length=254, help_text="Email address, case-insensitive"
    )
    external_id = TextFilter(max_length=100, help_text="Your own ID for the member")

    class Meta:
        model = Member
        fields: tuple[str, ...] = ()
