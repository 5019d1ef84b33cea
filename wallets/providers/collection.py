"""Records of money in at a payment provider: virtual accounts, checkouts, transactions, refunds.

Part of the neutral protocol; `base.PaymentProvider` has the calls. Free of Django.

A *transaction* is one payment by a customer. Its `transaction_id` is the provider's and unique.
`tx_ref` is our reference: one per checkout, but the same for every payment into a permanent virtual
account, so it never identifies a payment. Names follow the provider's wire format.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

BANK_TRANSFER = "bank_transfer"


class TransactionStatus(StrEnum):
    """Status of a transaction at the provider."""

    SUCCESSFUL = "successful"
    FAILED = "failed"
    PENDING = "pending"


@dataclass(frozen=True, slots=True)
class VirtualAccountRequest:
    """A permanent account number to be created.

    `tx_ref` has 1 to 100 characters. An NGN account needs the customer's `bvn` (11 digits), which
    is passed on and never kept, logged or part of an error.
    """

    tx_ref: str
    currency: str
    email: str
    first_name: str = ""
    last_name: str = ""
    narration: str = ""
    bvn: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class IssuedAccount:
    """An account number that customers pay into.

    `order_ref` is the provider's own reference. `account_name` is empty where it is not stated.
    """

    order_ref: str
    account_number: str
    bank_name: str
    account_name: str


@dataclass(frozen=True, slots=True)
class CheckoutRequest:
    """A payment to be made on the provider's page; `tx_ref` has 1 to 100 characters."""

    tx_ref: str
    amount: Decimal
    currency: str
    redirect_url: str
    customer_email: str
    customer_name: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Payer:
    """Who sent a bank transfer, as far as their bank states it; the number may be masked."""

    name: str
    bank: str
    account_number: str


@dataclass(frozen=True, slots=True)
class TransactionRecord:
    """The provider's record of a payment at the time of the status check.

    `amount` is what the customer paid for, `charged_amount` what was taken from them, `app_fee`
    and `merchant_fee` what the provider keeps (0 where not stated), and `amount_settled` what
    reaches us. None where the provider states nothing. `tx_ref`, `flw_ref` and `payment_type` are
    empty where not stated; only `payment_type` equal to `BANK_TRANSFER` is a bank transfer. The
    references have at most 100 characters.
    """

    transaction_id: str
    tx_ref: str
    flw_ref: str
    status: TransactionStatus
    amount: Decimal
    currency: str
    charged_amount: Decimal | None
    app_fee: Decimal
    merchant_fee: Decimal
    amount_settled: Decimal | None
    payment_type: str
    processor_response: str
    customer_name: str
    payer: Payer | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Chargeback:
    """A payer's bank demands a transaction back, or `amount` of it, in its currency.

    One demand may have several of these, one for each stage. Unless it is `won`, the provider has
    taken the amount or will.
    """

    chargeback_id: str
    transaction_id: str
    amount: Decimal
    won: bool
    created_at: datetime


def charged_back_amount(
    record: TransactionRecord | None, chargebacks: Iterable[Chargeback]
) -> Decimal:
    """Return what of a transaction was taken back from us: all of a failed one.

    Of its chargebacks that we have not won the largest counts, since stages repeat the amount.
    """
    if record is not None and record.status is TransactionStatus.FAILED:
        return record.amount
    open_amounts = (each.amount for each in chargebacks if not each.won)
    return max(open_amounts, default=Decimal(0))


@dataclass(frozen=True, slots=True)
class RefundRecord:
    """A refund that the provider accepted."""

    refund_id: str
    amount: Decimal


@dataclass(frozen=True, slots=True)
class ChargeHint:
    """The payment that an authentic webhook names: look it up before acting on it.

    Act on what `verify_transaction(transaction_id)` returns, and only if its `tx_ref` is this one.
    Transaction ids have at most 18 digits, references 100 characters. None where unreadable.
    """

    transaction_id: str | None
    tx_ref: str | None
