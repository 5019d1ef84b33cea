"""Records by the words of a search: reference, account number, payee, owner, amount, email, id.

A word that few withdrawals have is looked up by indexes, once, and the list is narrowed to their
ids. One that many have is left to the list, which stops early.
"""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from django.db.models import Q

from exchange.core.ids import ALPHABET, parse_id
from exchange.core.numbers import parse_typed_amount
from exchange.participants.models import Member, Organisation
from exchange.participants.selectors import find_participants_by_email
from exchange.tokens.filters import NameWordsQuery
from wallets.deposits.models import Deposit
from wallets.ledger.models import Transfer
from wallets.withdrawals.models import BankAccount, Withdrawal

_REFERENCE_PREFIX = "payout_"
_REFERENCE_LENGTH = 33
_REFERENCE_ALPHABET = frozenset(ALPHABET.decode())
_MIN_REFERENCE_PART = 8
_MAX_TERMS = 5
_MAX_IDS = 1_000


def withdrawal_search(term: str) -> Q:
    """Withdrawals that every word of `term` leads to. Names and account numbers are found by their
    beginnings, a number by its last digits too, a reference by any part of it, an amount (gross or
    net) exactly, an email as a whole. An id is that of the withdrawal or of whose it is.
    """
    if term.startswith(_REFERENCE_PREFIX):
        whole = len(term) == _REFERENCE_LENGTH
        return Q(reference=term) if whole else Q(reference__startswith=term)
    if (wanted := parse_id(term)) is not None:
        return Q(pk=wanted) | Q(owner_id=wanted) | Q(organisation=wanted)
    few: set[UUID] | None = None
    common = Q()
    for word in term.split()[:_MAX_TERMS]:
        found = None if few is not None else _find_few(word)
        if found is None:
            common &= Q.create([*_term_conditions(word)], connector=Q.OR)
        else:
            few = found
    return common if few is None else common & Q(pk__in=few)


def find_ids(term: str) -> Iterator[UUID]:
    """Withdrawals with their bank records, and deposits, by a whole reference; also those of a
    payee or an account number, and what a transfer of the ledger is about.
    """
    paid_to = BankAccount.objects.filter(words=NameWordsQuery(term), account_name__iexact=term)
    numbered = BankAccount.objects.filter(account_number=term)
    banks = paid_to.order_by().values("pk").union(numbered.order_by().values("pk"))
    meant = Q(reference=term) | Q(bank__in=[row["pk"] for row in banks[:_MAX_IDS]])
    for withdrawal_id, bank_id in Withdrawal.objects.filter(meant).values_list("pk", "bank_id"):
        yield from (withdrawal_id, bank_id)
    yield from Deposit.objects.filter(reference=term).values_list("pk", flat=True)
    transfers = Transfer.objects.filter(reference=term)
    for subject_id in transfers.values_list("subject_id", flat=True):
        if subject_id is not None:
            yield subject_id


def _find_few(word: str) -> set[UUID] | None:
    """The withdrawals that `word` leads to; None where they are more than a few. What it leads to
    in several ways counts each time: among more rows than are read, others may be missing.
    """
    rows = Withdrawal.objects.order_by().values_list("pk", flat=True)
    first, *others = (rows.filter(way) for way in _term_conditions(word))
    found = list(first.union(*others, all=True)[: _MAX_IDS + 1])
    return set(found) if len(found) <= _MAX_IDS else None


def _term_conditions(word: str) -> Iterator[Q]:
    """All that a word may mean."""
    if (amount := parse_typed_amount(word)) is not None:
        yield Q(amount=amount) | Q(disburse_amount=amount)
        if not word.isdigit():
            return
    if "@" in word:
        yield Q(owner_id__in=[one.owner_id for one in find_participants_by_email(word)])
        return
    has_digits = any(character.isdigit() for character in word)
    words = NameWordsQuery(word)
    # A number is kept backwards behind an `r`, which without digits would be a name.
    yield Q(bank__words=words | NameWordsQuery(f"r{word[::-1]}") if has_digits else words)
    yield from _name_conditions(Member, word, "owner_id")
    yield from _name_conditions(Organisation, word, "organisation")
    # Without an index, so only for what is hardly a name: references have no i, l, o and u.
    may_be_reference = has_digits or len(word) >= _MIN_REFERENCE_PART
    if may_be_reference and set(word.lower()) <= _REFERENCE_ALPHABET:
        yield Q(reference__contains=word.lower())


def _name_conditions(model: type[Member | Organisation], word: str, column: str) -> Iterator[Q]:
    """Of whoever is called so: a few by their ids, which an index takes; nothing of nobody."""
    found = model._default_manager.filter(name__icontains=word)
    few = list(found.values_list("pk", flat=True)[: _MAX_IDS + 1])
    if few:
        yield Q(**{f"{column}__in": few if len(few) <= _MAX_IDS else found.values("pk")})
