"""What a search of the ledger finds besides references and ids."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import ClassVar
from uuid import UUID

from django.db.models import Q

from exchange.admin.search import recent_condition
from exchange.core.numbers import parse_typed_amount
from exchange.participants.admin.owner_search import owner_email_is
from wallets.ledger.selectors.ledger import find_transfers


class TransferSearch:
    """A page of the ledger that finds transfers by a reference."""

    # Each gives the ids of the records with a reference. They belong to the subjects that transfers
    # are about, which stand above the ledger; `config.back_office.transfers` lists them.
    subject_finders: ClassVar[tuple[Callable[[str], Collection[UUID]], ...]] = ()

    def find_transfer_ids(self, reference: str) -> list[UUID]:
        """The transfers with this reference, or about a record with it."""
        subjects = [pk for called in self.subject_finders for pk in called(reference)]
        return [found.pk for found in find_transfers(reference, subjects)]


def match_legs(term: str) -> Q | None:
    """Entries of the amount `term` of late, whichever way they went, or of the owner with the email
    `term`; None when it is neither.
    """
    amount = parse_typed_amount(term)
    if amount is None:
        return owner_email_is(term, ("account__",))
    return Q(amount__in=(amount, -amount)) & recent_condition()
