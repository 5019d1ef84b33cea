"""Lists of records with an owner: its columns, and the search by its email address.

The address is compared as a whole, in any case.
"""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q
from django.utils.html import format_html

from exchange.admin.base import SafeAdmin
from exchange.admin.columns import column, link_column
from exchange.admin.display import record_link
from exchange.participants.selectors import find_participants_by_email


def owner_email_is(term: str, owners: Sequence[str]) -> Q | None:
    """Match records whose owner has the email `term`; None when `term` is not an email.

    `owners` are lookup prefixes of what has `owner_id` and `organisation_id`, each ending in `__`;
    "" is the record itself.
    """
    if "@" not in term:
        return None
    participants = find_participants_by_email(term)
    ids = [participant.owner_id for participant in participants]
    organisations = {participant.organisation_id for participant in participants}
    owned: list[Any] = [
        Q(**{f"{prefix}owner_id__in": ids, f"{prefix}organisation_id__in": organisations})
        for prefix in owners
    ]
    return Q.create(owned, connector=Q.OR)


def _owner_with_organisation(record: Any) -> str:
    if record.member is None:
        return record_link(record.organisation)
    return format_html("{}<br>{}", record_link(record.member), record.organisation)


class OwnedRecordAdmin(SafeAdmin):
    """A list of records with an owner, which its email finds too."""

    # Lookup prefixes, as `owner_email_is` takes them.
    owner_prefixes: Sequence[str] = ("",)

    owner = column("owner", lambda record: record_link(record.member or record.organisation))
    organisation_display = link_column("organisation", "organisation")
    owned_by = column("owner", _owner_with_organisation)

    def exact_match(self, term: str) -> Q | None:
        """Match `term` as an amount or an email; None when it is neither."""
        match = super().exact_match(term)
        return owner_email_is(term, self.owner_prefixes) if match is None else match
