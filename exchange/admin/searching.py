"""What the search of a list finds besides words: an amount, or whose record it is, by an email.

An amount is compared exactly and an email address as a whole, in any case. A long list whose
amounts have no index is searched for them among its records of late.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from exchange.core.ids import first_id_at
from exchange.core.numbers import read_typed
from exchange.participants.selectors import participants_with_email

# How far back amounts without an index are looked for.
OF_LATE = timedelta(days=31)


def of_late(id_field: str = "pk") -> Q:
    """Records whose id was made within `OF_LATE`."""
    return Q(**{f"{id_field}__gte": first_id_at(timezone.now() - OF_LATE)})


def by_amount(term: str, fields: Sequence[str]) -> Q | None:
    """Records that have the amount `term` in one of `fields`; None when it is no amount."""
    amount = read_typed(term) if fields else None
    return None if amount is None else Q.create([(name, amount) for name in fields], connector=Q.OR)


def by_email(term: str, owners: Sequence[str]) -> Q | None:
    """Records of the member or organisation with the email `term`; None when it is no email.

    `owners` are the ways to what is owned, with `__` at the end: "" for the record itself. It has
    `owner_id` and `organisation_id`.
    """
    if not owners or "@" not in term:
        return None
    found = participants_with_email(term)
    ids = [one.owner_id for one in found]
    organisations = {one.organisation_id for one in found}
    owned: list[Any] = [
        Q(**{f"{way}owner_id__in": ids, f"{way}organisation_id__in": organisations})
        for way in owners
    ]
    return Q.create(owned, connector=Q.OR)
