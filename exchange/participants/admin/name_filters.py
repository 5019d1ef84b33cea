"""Filters of lists by the name of somebody related: one text field, however many there are."""

from __future__ import annotations

from django.db.models import Q

from exchange.admin.list_filters import ListFilter
from exchange.participants.models import Member, Organisation

MAX_NAME_LENGTH = 200


def owner_name_contains(text: str) -> Q:
    """Return what belongs to a member, or to an organisation itself, with `text` in the name."""
    owners = (model.objects.filter(name__icontains=text) for model in (Member, Organisation))
    members, firms = (found.values("pk") for found in owners)
    return Q(member__in=members) | Q(member__isnull=True, organisation__in=firms)


class OrganisationNameFilter(ListFilter):
    """Rows whose `column` is an organisation with these letters in its name."""

    def __init__(
        self, column: str = "organisation", title: str = "", label: str = "Name contains"
    ) -> None:
        def named(text: str) -> Q:
            found = Organisation.objects.filter(name__icontains=text)
            return Q(**{f"{column}__in": found.order_by().values("pk")})

        super().__init__(
            title=title or column, condition=named, label=label, max_length=MAX_NAME_LENGTH
        )
