"""Search of withdrawals: references, account number, payee, owner, amount, email, id.

A rare term is resolved by indexes to a set of ids first. A frequent term is left to the list query,
which stops early. Parts of references have no index, so they find recent withdrawals only.
"""

from collections.abc import Iterator
from uuid import UUID

from django.db.models import Q

from exchange.admin.search import recent_condition
from exchange.core.ids import ALPHABET, parse_id
from exchange.core.numbers import parse_typed_amount
from exchange.core.words import NameWordsQuery
from exchange.participants.models import Member, Organisation
from exchange.participants.selectors import find_participants_by_email
from wallets.banks.models import BankAccount
from wallets.deposits.models import Deposit
from wallets.ledger.models import Transfer
from wallets.withdrawals.models import Withdrawal

_REFERENCE_PREFIX = "payout_"
_REFERENCE_LENGTH = 33
_REFERENCE_ALPHABET = frozenset(ALPHABET.decode())
_MIN_REFERENCE_PART = 8
_MAX_TERMS = 5
_MAX_IDS = 1_000
# Organisations may use the same client reference.
_MAX_NAMED = 1_000
# A list counts no more rows.
_MAX_FOUND = 10_000


def withdrawal_search(term: str) -> Q:
    """Return the condition that every word of `term` matches.

    Names and account numbers match by prefix, account numbers also by their last digits, recent
    payout references by any part, amounts (gross or net) exactly, emails as a whole. An id is of
    the withdrawal or its owner. The whole term may also be a client reference.
    """
    named = Withdrawal.objects.filter(client_reference=term).order_by()
    ids = list(named.values_list("pk", flat=True)[:_MAX_NAMED])
    found = _words_condition(term)
    return found | Q(pk__in=ids) if ids else found


def _words_condition(term: str) -> Q:
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
    """Yield the ids of records found by a whole reference, payee or account number.

    Covers withdrawals, their bank records, deposits, and the subjects of ledger transfers.
    """
    paid_to = BankAccount.objects.filter(words=NameWordsQuery(term), account_name__iexact=term)
    numbered = BankAccount.objects.filter(account_number=term)
    banks = paid_to.order_by().values("pk").union(numbered.order_by().values("pk"))
    meant = (
        Q(reference=term)
        | Q(client_reference=term)
        | Q(bank__in=[row["pk"] for row in banks[:_MAX_IDS]])
    )
    for withdrawal_id, bank_id in Withdrawal.objects.filter(meant).values_list("pk", "bank_id"):
        yield from (withdrawal_id, bank_id)
    yield from Deposit.objects.filter(reference=term).values_list("pk", flat=True)
    transfers = Transfer.objects.filter(reference=term)
    for subject_id in transfers.values_list("subject_id", flat=True):
        if subject_id is not None:
            yield subject_id


def _find_few(word: str) -> set[UUID] | None:
    """Return the ids of withdrawals that match `word`, or None if more than `_MAX_FOUND`.

    A withdrawal that matches in several ways counts each time.
    """
    rows = Withdrawal.objects.order_by().values_list("pk", flat=True)
    first, *others = (rows.filter(way) for way in _term_conditions(word))
    found = list(first.union(*others, all=True)[: _MAX_FOUND + 1])
    return set(found) if len(found) <= _MAX_FOUND else None


def _term_conditions(word: str) -> Iterator[Q]:
    """Yield the conditions that `word` may match."""
    if (amount := parse_typed_amount(word)) is not None:
        yield Q(amount=amount) | Q(disburse_amount=amount)
        if not word.isdigit():
            return
    if "@" in word:
        yield Q(owner_id__in=[one.owner_id for one in find_participants_by_email(word)])
        return
    has_digits = any(character.isdigit() for character in word)
    words = NameWordsQuery(word)
    # Account numbers are also indexed reversed, with the prefix `r`.
    yield Q(bank__words=words | NameWordsQuery(f"r{word[::-1]}") if has_digits else words)
    yield from _name_conditions(Member, word, "owner_id")
    yield from _name_conditions(Organisation, word, "organisation")
    # No index, so only for terms that are unlikely names: references have no i, l, o and u.
    may_be_reference = has_digits or len(word) >= _MIN_REFERENCE_PART
    if may_be_reference and set(word.lower()) <= _REFERENCE_ALPHABET:
        yield Q(reference__contains=word.lower()) & recent_condition()


def _name_conditions(model: type[Member | Organisation], word: str, column: str) -> Iterator[Q]:
    """Yield the condition for owners whose name contains `word`, by id if they are few."""
    found = model._default_manager.filter(name__folded=word)
    few = list(found.values_list("pk", flat=True)[: _MAX_IDS + 1])
    if few:
        yield Q(**{f"{column}__in": few if len(few) <= _MAX_IDS else found.values("pk")})
