"""Filters of members."""

from __future__ import annotations

from exchange.api.filters import ChangingFilters, TextFilter
from exchange.participants.models import Member


class MemberFilters(ChangingFilters):
    """Members by email address, by the organisation's own id, and by time."""

    email = TextFilter(lookup_expr="iexact", max_length=254, help_text="In any case")
    external_id = TextFilter(max_length=100, help_text="Your own id of the member")

    class Meta:
        model = Member
        fields: tuple[str, ...] = ()
