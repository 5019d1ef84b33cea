"""Deposits, virtual accounts and unmatched payments in the search of the back office."""

from collections.abc import Iterator, Sequence

from django.db.models import Q

from exchange.admin.site_search import SearchKind, SearchTerm, bounded, starts_with
from exchange.core.currencies import format_money, format_paid
from exchange.core.words import name_query
from wallets.deposits.models import Deposit, Payment, PaymentStatus, VirtualAccount
from wallets.deposits.selectors import has_reference, paid_by

REFERENCE_PREFIX = "deposit_"


def _deposit_conditions(term: SearchTerm) -> Sequence[Q]:
    if beginning := term.reference_of(REFERENCE_PREFIX):
        begins = starts_with("reference", beginning)
        return [Q(pk__in=bounded(Deposit.objects.filter(each))) for each in has_reference(begins)]
    if not term.is_text:
        return ()
    found = [*has_reference(Q(reference=term.text))]
    if query := name_query(term.names):
        credited = paid_by(query).filter(deposit__isnull=False)
        found.append(Q(pk__in=bounded(credited, "deposit_id")))
    return found


def _payment_conditions(term: SearchTerm) -> Sequence[Q]:
    """Match by number, reference and payer; one without an owner also by amount."""
    found = []
    if term.integer is not None:
        found.append(Q(transaction_id=term.integer))
    if term.is_text:
        found.append(Q(tx_ref=term.text))
    if query := name_query(term.names):
        found.append(Q(pk__in=bounded(paid_by(query))))
    if term.amount is not None:
        amount = Q(status=PaymentStatus.UNMATCHED, amount=term.amount)
        found.append(amount & Q(currency_code=term.currency) if term.currency else amount)
    return found


def _describe_deposit(deposit: Deposit) -> Iterator[object]:
    yield format_money(deposit.amount, deposit.currency_id)
    yield deposit.state
    yield deposit.member or deposit.organisation
    if deposit.payer_account:
        yield f"from account {deposit.payer_account}"


def _describe_payment(payment: Payment) -> Iterator[object]:
    if payment.amount is not None:
        yield format_paid(payment.amount, payment.currency_code)
    yield payment.status
    if payment.payer_name:
        yield f"from {payment.payer_name}"


DEPOSITS = SearchKind(
    model=Deposit,
    describe=_describe_deposit,
    texts=("client_reference", "payer_account"),
    amounts=(("amount", "currency"),),
    conditions=_deposit_conditions,
    related=("member", "organisation"),
)
VIRTUAL_ACCOUNTS = SearchKind(
    model=VirtualAccount,
    describe=lambda account: (account.currency_id, account.member or account.organisation),
    texts=("account_number", "reference"),
    related=("member", "organisation"),
)
PAYMENTS = SearchKind(
    model=Payment,
    describe=_describe_payment,
    texts=("provider_reference",),
    conditions=_payment_conditions,
    filtered=("amount", "currency_code"),
)
