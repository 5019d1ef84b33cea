"""What a search of the ledger finds besides references and ids."""

from __future__ import annotations

from django.db.models import Q

from exchange.admin.searching import by_email, of_late
from exchange.core.numbers import read_typed


def legs_found_by(term: str) -> Q | None:
    """Entries of the amount `term` of late, whichever way they went, or of the owner with the email
    `term`; None when it is neither.
    """
    amount = read_typed(term)
    if amount is None:
        return by_email(term, ("account__",))
    return Q(amount__in=(amount, -amount)) & of_late()
