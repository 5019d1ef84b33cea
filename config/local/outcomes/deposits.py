"""Outcomes of deposits: a payer pays, and a payer's bank takes the money back."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from config.local.outcomes.provider import instruct, wait_until
from exchange.core.actors import Actor
from exchange.core.currencies import currencies
from exchange.core.errors import InvalidRequest, NotFound, ProviderFailed, StateConflict
from exchange.core.numbers import decimals_error
from exchange.core.querysets import get_or_raise
from wallets.deposits.errors import DepositNotFound
from wallets.deposits.models import (
    OPEN_PAYMENTS,
    Deposit,
    DepositChannel,
    DepositStatus,
    Payment,
    VirtualAccount,
)
from wallets.deposits.services.payments import look_up, report_payment
from wallets.providers.collection import ChargeHint

_ACTOR = Actor.system("sandbox")


class VirtualAccountNotFound(NotFound):
    """The calling organisation has no virtual account with this number."""

    code = "virtual_account_not_found"
    message = "Virtual account not found"


def pay_account(
    organisation_id: UUID, account_number: str, amount: Decimal, payer: dict[str, str]
) -> UUID:
    """Pay into a virtual account; return the deposit. Raises `VirtualAccountNotFound`."""
    rows = VirtualAccount.objects.filter(
        organisation_id=organisation_id, account_number=account_number
    )
    account = get_or_raise(rows, VirtualAccountNotFound)
    _check_amount(amount, account.currency_id)
    return _pay(account_number=account_number, amount=str(amount), payer=payer)


def pay_checkout(organisation_id: UUID, deposit_id: UUID, **payment: Any) -> UUID:
    """Pay a Pending checkout, or fail its payment; return the deposit.

    Raises `DepositNotFound`, `StateConflict`.
    """
    rows = Deposit.objects.filter(
        pk=deposit_id, organisation_id=organisation_id, channel=DepositChannel.CHECKOUT
    )
    deposit = get_or_raise(rows, DepositNotFound)
    if deposit.status != DepositStatus.PENDING:
        raise StateConflict(f"Only a Pending checkout can be paid: it is {deposit.status}")
    if "amount" in payment:
        _check_amount(payment["amount"], deposit.requested_currency)
        payment["amount"] = str(payment["amount"])
    _pay(tx_ref=deposit.reference, **payment)
    return deposit_id


def dispute(deposit_id: UUID, organisation_id: UUID, amount: Decimal | None) -> None:
    """Let the payer's bank demand a deposit back, or `amount` of it.

    Raises `DepositNotFound`, `StateConflict`, `InvalidRequest`, `ProviderFailed`.
    """
    rows = Deposit.objects.filter(pk=deposit_id, organisation_id=organisation_id)
    deposit = get_or_raise(rows, DepositNotFound)
    payment = Payment.objects.filter(deposit=deposit).first()
    if payment is None or deposit.status != DepositStatus.COMPLETED or deposit.disputed_at:
        raise StateConflict(
            "Only a Completed deposit that the provider credited, and that is not disputed, can be"
            " disputed"
        )
    order: dict[str, Any] = {"id": payment.transaction_id}
    if amount is not None:
        _check_amount(amount, deposit.currency_id)
        if amount > deposit.remaining:
            raise InvalidRequest.for_field("amount", "amount is more than the deposit has left")
        order |= {"amount": str(amount)}
    instruct("charge-back", **order)

    def is_disputed() -> bool:
        _look_up(payment.transaction_id, payment.tx_ref)
        deposit.refresh_from_db(fields=["disputed_at"])
        return deposit.disputed_at is not None

    _require(is_disputed)


def _pay(**order: Any) -> UUID:
    made = instruct("pay", **order)

    def is_closed() -> bool:
        _look_up(made["id"], made["tx_ref"])
        return not _payments(made["id"]).filter(status__in=OPEN_PAYMENTS).exists()

    _require(is_closed)
    deposit_id: UUID = _payments(made["id"]).values_list("deposit_id", flat=True).get()
    return deposit_id


def _look_up(transaction_id: int, tx_ref: str) -> None:
    """Look the payment up at the provider, as its webhook makes a worker do."""
    report_payment(ChargeHint(str(transaction_id), tx_ref))
    look_up(_payments(transaction_id).get().pk, _ACTOR)


def _payments(transaction_id: int) -> QuerySet[Payment]:
    return Payment.objects.filter(transaction_id=transaction_id)


def _require(is_done: Callable[[], bool]) -> None:
    if not wait_until(is_done):
        raise ProviderFailed("The payment provider's sandbox did not confirm the outcome")


def _check_amount(amount: Decimal, currency: str) -> None:
    problem = decimals_error(amount, currencies()[currency].decimals)
    if problem:
        raise InvalidRequest.for_field("amount", f"amount {problem}")
