"""Lists that are searched by the email of whom their records belong to.

An email address is compared as a whole, in any case.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Q

from exchange.admin.base import SafeAdmin
from exchange.participants.selectors import find_participants_by_email


def owner_email_is(term: str, owners: Sequence[str]) -> Q | None:
    """Return the records of whoever has the email `term`; None when it is no email.

    `owners` are the ways to what is owned, with `__` at the end: "" for the record itself. It has
    `owner_id` and `organisation_id`.
    """
    if "@" not in term:
        return None
    found = find_participants_by_email(term)
    ids = [one.owner_id for one in found]
    organisations = {one.organisation_id for one in found}
    owned: list[Any] = [
        Q(**{f"{way}owner_id__in": ids, f"{way}organisation_id__in": organisations})
        for way in owners
    ]
    return Q.create(owned, connector=Q.OR)


class OwnedRecordAdmin(SafeAdmin):
    """A list that is also searched by the email of an owner."""

    # Lookup prefixes of the owned record, as `owner_email_is` takes them.
    owner_prefixes: Sequence[str] = ("",)

    def exact_match(self, term: str) -> Q | None:
        """Return what `term` finds as an amount or as an email; None when it is neither."""
        found = super().exact_match(term)
        return owner_email_is(term, self.owner_prefixes) if found is None else found
