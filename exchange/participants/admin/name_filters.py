"""List filters by the name of a related owner or organisation, as a text field."""

from django.db.models import Q

from exchange.admin.list_filters import ListFilter
from exchange.participants.models import Member, Organisation

MAX_NAME_LENGTH = 200


def owner_name_contains(text: str) -> Q:
    """Match rows whose owner, a member or else the organisation, has `text` in the name."""
    owners = (model.objects.filter(name__folded=text) for model in (Member, Organisation))
    members, organisations = (rows.values("pk") for rows in owners)
    return Q(member__in=members) | Q(member__isnull=True, organisation__in=organisations)


class OrganisationNameFilter(ListFilter):
    """Rows whose `column` is an organisation with the text in its name."""

    def __init__(
        self, column: str = "organisation", title: str = "", label: str = "Name contains"
    ) -> None:
        def name_contains(text: str) -> Q:
            matches = Organisation.objects.filter(name__folded=text)
            return Q(**{f"{column}__in": matches.order_by().values("pk")})

        super().__init__(
            title=title or column, condition=name_contains, label=label, max_length=MAX_NAME_LENGTH
        )
