"""What the rest of the product knows about a payment provider: calls, records and failures.

Provider-neutral and free of Django. Services catch the errors defined here and nothing else; a new
provider is a new package beside `flutterwave` that satisfies `PaymentProvider`.

Amounts are `Decimal` in major units of the currency. References are ours: unique, and the
idempotency key towards the provider.

What an error of `PaymentProvider.transfer` says about the money:

| Raised | Was it accepted? | What to do |
|---|---|---|
| `NeverSent` | no: no connection was made | send again later, same reference |
| `InsufficientFloat` | no | wait for float, send again later, same reference |
| `RecipientDeclined` | no, and it never will be | fail the payout |
| `DuplicateReference` | earlier, perhaps by ourselves | look up by reference |
| `OutcomeUnknown` | nobody can tell | look up by reference, never send on this ground alone |
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Protocol


class TransferStatus(StrEnum):
    """Where a transfer stands at the provider."""

    NEW = "NEW"
    PENDING = "PENDING"
    SUCCESSFUL = "SUCCESSFUL"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class BankEntry:
    """One bank of a currency's list. `code` goes into a transfer."""

    id: int
    name: str
    code: str


@dataclass(frozen=True, slots=True)
class ResolvedAccount:
    """The name a bank holds for an account; it is never blank."""

    account_number: str
    account_name: str


@dataclass(frozen=True, slots=True)
class RecipientIdentity:
    """Who is paid, for corridors whose regulator asks (ZAR)."""

    first_name: str
    last_name: str
    email: str
    mobile_number: str
    address: str


@dataclass(frozen=True, slots=True)
class TransferRequest:
    """One payout to a bank account. `reference` has at most 100 characters."""

    reference: str
    amount: Decimal
    currency: str
    bank_code: str
    account_number: str
    beneficiary_name: str
    narration: str
    branch_code: str | None = None
    recipient: RecipientIdentity | None = None
    callback_url: str | None = None


@dataclass(frozen=True, slots=True)
class TransferRecord:
    """The provider's record of a transfer, as it stood when it was asked.

    `reference` is verified to be the one asked for; `amount`, `currency`, `account_number` and
    `bank_code` are what the provider says, for the caller to compare with what was ordered. `fee`
    may have more decimals than the currency. `raw` is the record as received, numbers with a
    fraction as `Decimal`.
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
    """A transfer out of a list, and when the provider took it."""

    record: TransferRecord
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ProviderBalance:
    """What is ours at the provider in one currency: to pay out now, and in its books."""

    currency: str
    available: Decimal
    ledger: Decimal


@dataclass(frozen=True, slots=True)
class WebhookNotification:
    """What an authentic webhook points at. Look the transfer up before acting on it.

    A reference has at most 100 characters, a provider's id 40. Both fields are None when the body
    could not be read: authentic, but of no use.
    """

    reference: str | None
    provider_id: str | None


class ProviderError(Exception):
    """Anything a provider call can end in other than its answer. Messages hold no secret."""


class ProviderUnavailable(ProviderError):
    """A read got no usable answer: network, time-out, 401, 429, 5xx or a malformed body.

    `retry_after` is what the provider asked us to wait, in seconds, when it said so.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class NeverSent(ProviderUnavailable):
    """No connection could be made, so it is certain that the provider has seen nothing."""


class AccountNotResolved(ProviderError):
    """The provider answered that it knows no such account at that bank, or cannot check it."""


class ResolutionUnsupported(ProviderError):
    """The provider resolves no account names in this currency. Nothing was sent."""


class UnsupportedCurrency(ProviderError):
    """The provider has no bank list, and so no bank payout, for this currency."""


class TransferError(ProviderError):
    """A transfer that was not plainly accepted."""


class RecipientDeclined(TransferError):
    """The provider refuses this recipient for good. `code` is our stable name for the reason."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


class InsufficientFloat(TransferError):
    """Our balance at the provider does not cover the transfer; it was not accepted."""


class DuplicateReference(TransferError):
    """The provider already has a transfer with this reference: look it up."""


class OutcomeUnknown(TransferError):
    """The answer was lost or is not one we know: the transfer may or may not be accepted.

    `retry_after` is what the provider asked us to wait, in seconds, when it said so. `outage` is
    True when the provider did not serve us (401, 403, 429, 5xx, a time-out, an answer that makes
    no sense), False when it answered something that we do not know.
    """

    def __init__(
        self, message: str, *, retry_after: float | None = None, outage: bool = False
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.outage = outage


class PaymentProvider(Protocol):
    """A payment provider. Calls block; never make one inside a database transaction."""

    def list_banks(self, currency: str) -> list[BankEntry]:
        """Every bank that can be paid in `currency`.

        Raises `UnsupportedCurrency` or `ProviderUnavailable`.
        """

    def resolve_account(
        self, *, account_number: str, bank_code: str, currency: str
    ) -> ResolvedAccount:
        """The name the bank holds for an account.

        Raises `ResolutionUnsupported`, `AccountNotResolved` or `ProviderUnavailable`.
        """

    def transfer(self, request: TransferRequest) -> TransferRecord:
        """Order one transfer; it is sent at most once.

        Raises `NeverSent` or a `TransferError`; the module docstring says what each means.
        """

    def find_transfer(self, reference: str) -> TransferRecord | None:
        """The transfer with exactly this reference, None when the provider has none.

        Raises `ProviderUnavailable`, which is not the same as None.
        """

    def list_transfers(self, *, first: date, last: date) -> list[ListedTransfer]:
        """Every transfer taken from `first` to `last`, both included, each once.

        In whose days the provider counts is not known: ask for a day more on either side. Raises
        `ProviderUnavailable`, also for a list that contradicts itself.
        """

    def balances(self) -> list[ProviderBalance]:
        """Our balance in each currency. Raises `ProviderUnavailable`."""

    def probe(self) -> None:
        """Read something cheap, once, to see whether the provider serves us.

        Raises `ProviderUnavailable`.
        """

    def verify_webhook(self, headers: Mapping[str, str], body: bytes) -> WebhookNotification | None:
        """What a webhook points at, None when it was not sent by the provider."""
