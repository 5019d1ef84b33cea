"""Search of transfers and entries by reference, amount and email."""

from collections.abc import Callable, Collection
from typing import ClassVar
from uuid import UUID

from django.db.models import Q

from exchange.admin.search import recent_condition
from exchange.core.numbers import parse_typed_amount
from exchange.participants.admin.owner_search import owner_email_is
from wallets.ledger.selectors.ledger import find_transfers


class TransferSearch:
    """Mixin for pages that search transfers by reference."""

    # Each returns the ids of the records with a reference. They belong to apps above the ledger, so
    # `config.back_office.transfers` sets them.
    subject_finders: ClassVar[tuple[Callable[[str], Collection[UUID]], ...]] = ()

    def find_transfer_ids(self, reference: str) -> list[UUID]:
        """Return the ids of transfers with this reference, or about a record with it."""
        subjects = [pk for find in self.subject_finders for pk in find(reference)]
        return [found.pk for found in find_transfers(reference, subjects)]


def match_legs(term: str) -> Q | None:
    """Return the condition on entries by amount (recent, either sign) or by the owner's email.

    None when `term` is neither.
    """
    amount = parse_typed_amount(term)
    if amount is None:
        return owner_email_is(term, ("account__",))
    return Q(amount__in=(amount, -amount)) & recent_condition()
