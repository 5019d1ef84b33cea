"""Withdrawals in the search of the back office."""

from collections.abc import Iterator, Sequence

from django.db.models import Q

from exchange.admin.site_search import ROWS, SearchKind, SearchTerm, bounded, starts_with
from exchange.core.words import name_query
from wallets.banks.models import BankAccount
from wallets.banks.selectors import records_at_banks
from wallets.withdrawals.models import Withdrawal

REFERENCE_PREFIX = "payout_"
_MAX_ACCOUNTS = 50


def _conditions(term: SearchTerm) -> Sequence[Q]:
    if not term.is_text:
        return ()
    # Limited, so that the bank records are found first, whatever the order of the withdrawals.
    accounts = BankAccount.objects.order_by("-pk").filter(account_number=term.text)
    found = [Q(bank__in=accounts.values("pk")[:_MAX_ACCOUNTS])]
    if beginning := term.reference_of(REFERENCE_PREFIX):
        begins = Withdrawal.objects.filter(starts_with("reference", beginning))
        found.append(Q(pk__in=bounded(begins)))
    # The words of a payee include the account number, of which only the whole is searched for.
    elif any(map(str.isalpha, term.names)) and (query := name_query(term.names)):
        found.append(Q(bank__in=bounded(BankAccount.objects.filter(words=query))))
        found.append(Q(bank__in=records_at_banks(term.names, ROWS + 1)))
    return found


def _describe(withdrawal: Withdrawal) -> Iterator[object]:
    yield withdrawal.reference
    yield withdrawal.status
    yield withdrawal.member or withdrawal.organisation
    yield f"{withdrawal.bank.name} {withdrawal.bank.account_number}"


WITHDRAWALS = SearchKind(
    model=Withdrawal,
    describe=_describe,
    texts=("reference", "client_reference"),
    amounts=(("amount", "currency"), ("disburse_amount", "currency")),
    conditions=_conditions,
    related=("member", "organisation", "bank"),
)
