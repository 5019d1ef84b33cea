"""Provider-neutral protocol of payment providers: calls, records and errors. Free of Django.

Services catch only the errors defined here. A new provider is a package next to `flutterwave` that
implements `PaymentProvider`.

Amounts are `Decimal` in major units of the currency. References are ours: unique, and the
idempotency key towards the provider.

Errors of `PaymentProvider.transfer`:

| Error | Accepted? | Next step |
|---|---|---|
| `NeverSent` | no: no connection was made | send again later, same reference |
| `InsufficientFloat` | no | wait for float, send again later, same reference |
| `RecipientDeclined` | no, permanently | fail the payout |
| `DuplicateReference` | earlier, perhaps from us | check status by reference |
| `OutcomeUnknown` | unknown | check status by reference, never send again on this alone |

Records of money in are in `collection`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from wallets.providers.collection import (
    Chargeback,
    ChargeHint,
    CheckoutRequest,
    IssuedAccount,
    RefundRecord,
    TransactionRecord,
    TransactionStatus,
    VirtualAccountRequest,
)

_Row = TypeVar("_Row")


class Listed(list[_Row]):
    """Rows of a list. `unreadable` has the rows that could not be read: the reason by id."""

    def __init__(self, rows: Iterable[_Row] = (), unreadable: Mapping[str, str] | None = None):
        super().__init__(rows)
        self.unreadable = dict(unreadable or {})


class TransferStatus(StrEnum):
    """Status of a transfer at the provider."""

    NEW = "NEW"
    PENDING = "PENDING"
    SUCCESSFUL = "SUCCESSFUL"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class BankEntry:
    """A bank of a currency's list. Transfers use `code`."""

    id: int
    name: str
    code: str


@dataclass(frozen=True, slots=True)
class ResolvedAccount:
    """An account and its holder's name at the bank, never blank."""

    account_number: str
    account_name: str


@dataclass(frozen=True, slots=True)
class RecipientIdentity:
    """Identity of the recipient, for corridors that require it (ZAR)."""

    first_name: str
    last_name: str
    email: str
    mobile_number: str
    address: str


@dataclass(frozen=True, slots=True)
class TransferRequest:
    """A payout to a bank account. `reference` has at most 100 characters."""

    reference: str
    amount: Decimal
    currency: str
    bank_code: str
    account_number: str
    beneficiary_name: str
    narration: str
    branch_code: str | None = None
    recipient: RecipientIdentity | None = None


@dataclass(frozen=True, slots=True)
class TransferRecord:
    """The provider's record of a transfer at the time of the request.

    `reference` is verified. Callers compare `amount`, `currency`, `account_number` and `bank_code`
    with what they ordered. `fee` may have more decimals than the currency. `raw` is the record as
    received, with fractions as `Decimal`.
    """

    provider_id: str
    reference: str
    status: TransferStatus
    amount: Decimal
    fee: Decimal
    currency: str
    account_number: str
    bank_code: str
    complete_message: str
    raw: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ListedTransfer:
    """A transfer of a list, and when the provider created it."""

    record: TransferRecord
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ProviderBalance:
    """Our available and ledger balance at the provider in one currency."""

    currency: str
    available: Decimal
    ledger: Decimal


@dataclass(frozen=True, slots=True)
class WebhookNotification:
    """The transfer that an authentic webhook names. Check its status before acting on it.

    References have at most 100 characters, provider ids 40. Both fields are None when the body is
    unreadable.
    """

    reference: str | None
    provider_id: str | None


class ProviderError(Exception):
    """Base of all errors of provider calls. Messages hold no secrets.

    `retry_after` is the wait in seconds that the provider requested, if any.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ProviderUnavailable(ProviderError):
    """A read got no usable response: network, time-out, 401, 429, 5xx or a malformed body."""


class UnreadableRecord(ProviderUnavailable):
    """The provider responded, but its record of one thing is malformed."""


class NeverSent(ProviderUnavailable):
    """No connection was made, so the provider has received nothing."""


class AccountNotResolved(ProviderError):
    """The provider has no such account at that bank, or cannot check it."""


class ResolutionUnsupported(ProviderError):
    """The provider resolves no account names in this currency. Nothing was sent."""


class UnsupportedCurrency(ProviderError):
    """The provider has no bank list, and so no bank payouts, for this currency."""


class CollectionDeclined(ProviderError):
    """The provider declines to create an account, a checkout or a refund, and did nothing.

    The message is the provider's.
    """


class TransferError(ProviderError):
    """Base of errors of transfers that were not plainly accepted."""


class RecipientDeclined(TransferError):
    """The provider permanently declines this recipient."""


class InsufficientFloat(TransferError):
    """Our balance at the provider does not cover the transfer; it was not accepted."""


class DuplicateReference(TransferError):
    """The provider already has a transfer with this reference: check its status."""


class OutcomeUnknown(TransferError):
    """No response, or an unknown one: the transfer may or may not be accepted.

    `outage` is True when the provider did not serve the request (401, 403, 429, 5xx, time-out,
    malformed response), False for a response that we do not know.
    """

    def __init__(
        self, message: str, *, retry_after: float | None = None, outage: bool = False
    ) -> None:
        super().__init__(message, retry_after=retry_after)
        self.outage = outage


class PaymentProvider(Protocol):
    """A payment provider. Calls block; never make one inside a database transaction."""

    def list_banks(self, currency: str) -> list[BankEntry]:
        """Return every bank that can be paid in `currency`.

        Raises `UnsupportedCurrency` or `ProviderUnavailable`.
        """

    def resolve_account(
        self, *, account_number: str, bank_code: str, currency: str
    ) -> ResolvedAccount:
        """Return the account with its holder's name.

        Raises `ResolutionUnsupported`, `AccountNotResolved` or `ProviderUnavailable`.
        """

    def transfer(self, request: TransferRequest) -> TransferRecord:
        """Order a transfer, sent at most once.

        Raises `NeverSent` or a `TransferError`; see the module docstring.
        """

    def find_transfer(self, reference: str) -> TransferRecord | None:
        """Return the transfer with exactly this reference, or None.

        Raises `ProviderUnavailable`, which is not the same as None.
        """

    def list_transfers(self, *, first: date, last: date) -> Listed[ListedTransfer]:
        """Return every transfer created from `first` to `last`, both included, each once.

        The provider's time zone is unknown: request a day more on either side. Raises
        `ProviderUnavailable`, also for a list that contradicts itself.
        """

    def balances(self) -> Listed[ProviderBalance]:
        """Return our balance in each currency. Raises `ProviderUnavailable`."""

    def probe(self) -> None:
        """Read something cheap, once, to check whether the provider serves us.

        Raises `ProviderUnavailable`.
        """

    def create_virtual_account(self, request: VirtualAccountRequest) -> IssuedAccount:
        """Create an account number, sent once.

        After `ProviderUnavailable` it may exist. Create it again with the same `tx_ref`: payments
        into either number carry it. Raises `UnsupportedCurrency` (nothing was sent),
        `CollectionDeclined` or `ProviderUnavailable`.
        """

    def create_checkout(self, request: CheckoutRequest) -> str:
        """Return the address of a page on which the customer pays, sent once.

        After `ProviderUnavailable` request another with the same `tx_ref`. Raises
        `CollectionDeclined` or `ProviderUnavailable`.
        """

    def verify_transaction(self, transaction_id: str) -> TransactionRecord | None:
        """Return the transaction with exactly this id, or None if the provider has none.

        Raises ValueError for an id that is not a number, and `ProviderUnavailable`, which is not
        the same as None.
        """

    def list_transactions(
        self, *, first: date, last: date, status: TransactionStatus | None = None
    ) -> Listed[TransactionRecord]:
        """Return every transaction created from `first` to `last`, both included, each once.

        With `status` those that have it. The provider's time zone is unknown: request a day more on
        either side. Raises `ProviderUnavailable`, also for a list that contradicts itself.
        """

    def list_chargebacks(
        self, *, first: date, last: date, flw_ref: str | None = None
    ) -> Listed[Chargeback]:
        """Return every chargeback created from `first` to `last`, both included, each once.

        With `flw_ref` those of the transaction with this reference of the provider. The provider's
        time zone is unknown: request a day more on either side. Raises `ProviderUnavailable`, also
        for a list that contradicts itself.
        """

    def refund_transaction(
        self, transaction_id: str, amount: Decimal | None = None
    ) -> RefundRecord:
        """Refund a transaction, or `amount` of it, sent at most once.

        Raises `NeverSent`, `CollectionDeclined` (the provider has no such transaction),
        `InsufficientFloat` or `OutcomeUnknown`: check at the provider, never send again on that.
        """

    def verify_webhook(
        self, headers: Mapping[str, str], body: bytes
    ) -> WebhookNotification | ChargeHint | None:
        """Return the transfer or payment that a webhook names, or None if it is not authentic."""
