"""Differences between our payout and the provider's record of it. Pure functions."""

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from exchange.core.currencies import currencies
from exchange.core.numbers import format_plain, round_half_even
from wallets.providers.base import TransferRecord, TransferStatus
from wallets.reconciliation.models import LineKind
from wallets.reconciliation.selectors.movements import OurPayout
from wallets.withdrawals.models import IN_FLIGHT, WithdrawalStatus

_OPEN = frozenset({TransferStatus.NEW, TransferStatus.PENDING})
# The provider's statuses that match each of ours; in other states it has no record.
_AGREE: dict[WithdrawalStatus, frozenset[TransferStatus]] = {
    WithdrawalStatus.PROCESSING: _OPEN,
    WithdrawalStatus.UNKNOWN: _OPEN,
    WithdrawalStatus.COMPLETED: frozenset({TransferStatus.SUCCESSFUL}),
    WithdrawalStatus.FAILED: frozenset({TransferStatus.FAILED}),
    # A transfer whose money the bank returned has failed.
    WithdrawalStatus.REVERSED: frozenset({TransferStatus.FAILED}),
}
_CHARGED = frozenset({WithdrawalStatus.COMPLETED, WithdrawalStatus.REVERSED})


@dataclass(frozen=True, slots=True)
class ReportLine:
    """One line of a report before it is stored; see `ReconciliationLine`."""

    kind: LineKind
    currency_id: str | None = None
    is_difference: bool = False
    our_count: int | None = None
    our_amount: Decimal | None = None
    their_count: int | None = None
    their_amount: Decimal | None = None
    our_text: str = ""
    their_text: str = ""
    reference: str = ""
    provider_id: str = ""
    withdrawal_id: UUID | None = None
    payment_id: UUID | None = None


class ProviderDataUnreliable(Exception):
    """The provider's data contradicts itself; the message states how."""


def find_differences(held: OurPayout | None, record: TransferRecord | None) -> list[ReportLine]:
    """Return every difference between the two."""
    if held is None:
        return [] if record is None else [_unknown(record)]
    if record is None:
        return [] if _may_be_missing(held) else [_missing(held)]
    found: list[ReportLine] = []

    def differ(
        kind: LineKind,
        ours: str,
        theirs: str,
        our_amount: Decimal | None = None,
        their_amount: Decimal | None = None,
    ) -> None:
        found.append(
            ReportLine(
                kind,
                held.currency,
                is_difference=True,
                our_text=ours[:200],
                their_text=theirs[:200],
                reference=held.reference,
                provider_id=record.provider_id[:40],
                withdrawal_id=held.withdrawal_id,
                our_amount=our_amount,
                their_amount=their_amount,
            )
        )

    def differ_in_amount(kind: LineKind, ours: Decimal, theirs: Decimal) -> None:
        differ(kind, format_plain(ours), format_plain(theirs), ours, theirs)

    if record.status not in _AGREE.get(held.status, frozenset()):
        differ(LineKind.STATUS, held.status, record.status)
    if record.amount != held.amount:
        differ_in_amount(LineKind.AMOUNT, held.amount, record.amount)
    if record.currency != held.currency:
        differ(LineKind.CURRENCY, held.currency, record.currency)
    if not _same_account(held, record):
        differ(
            LineKind.ACCOUNT,
            f"{held.bank_code} {held.account_number}",
            f"{record.bank_code} {record.account_number}",
        )
    charged, booked = provider_charge(record, held.currency), held.charge or Decimal(0)
    if held.status in _CHARGED and charged != booked:
        differ_in_amount(LineKind.FEE, booked, charged)
    return found


def provider_charge(record: TransferRecord, currency: str) -> Decimal:
    """Return the provider's fee, rounded as the ledger books it."""
    facts = currencies().get(currency)
    return round_half_even(record.fee, facts.decimals if facts else 2)


def _may_be_missing(held: OurPayout) -> bool:
    """Return whether the provider need not have a record: never sent, or declined at once."""
    return held.posted_at is None or held.status not in {*IN_FLIGHT, *_CHARGED}


def _same_account(held: OurPayout, record: TransferRecord) -> bool:
    # Some responses render codes as numbers, without leading zeros.
    code, theirs = held.bank_code.lstrip("0"), record.bank_code.lstrip("0")
    return code == theirs and held.account_number == record.account_number


def _missing(held: OurPayout) -> ReportLine:
    return ReportLine(
        LineKind.MISSING,
        held.currency,
        is_difference=True,
        our_amount=held.amount,
        our_text=held.status,
        reference=held.reference,
        withdrawal_id=held.withdrawal_id,
    )


def _unknown(record: TransferRecord) -> ReportLine:
    return ReportLine(
        LineKind.UNKNOWN,
        record.currency if record.currency in currencies() else None,
        is_difference=True,
        their_amount=record.amount,
        their_text=f"{record.status} {record.currency} to {record.bank_code}"
        f" {record.account_number}"[:200],
        reference=record.reference[:120],
        provider_id=record.provider_id[:40],
    )
