"""Our payments and deposits, as compared with the provider's transactions."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from uuid import UUID

from django.db.models import Q

from wallets.deposits.models import (
    UNMATCHED_PAYMENTS,
    Deposit,
    DepositChannel,
    DepositStatus,
    Payment,
    PaymentStatus,
)
from wallets.deposits.selectors import open_disputes
from wallets.reconciliation.models import LineKind, ReconciliationBreak
from wallets.reconciliation.selectors.movements import BOOKED, day_bounds

_CHUNK_SIZE = 1_000


@dataclass(frozen=True, slots=True)
class OurPayment:
    """A payment in our records. `fee` is what was booked; None where nothing was."""

    payment_id: UUID
    transaction_id: int
    tx_ref: str
    provider_reference: str
    status: PaymentStatus
    currency: str
    amount: Decimal | None
    fee: Decimal | None
    is_reversed: bool
    # What of the amount was taken back here.
    taken_back: Decimal
    charged_back_amount: Decimal

    @property
    def is_booked(self) -> bool:
        """Whether the ledger has it, or it waits for a decision."""
        return self.status in BOOKED


def payments_made_on(day: date) -> dict[int, OurPayment]:
    """Return the booked payments that were made on `day`, by transaction id."""
    start, end = day_bounds(day)
    return _our_payments(Q(paid_at__gte=start, paid_at__lt=end, status__in=BOOKED))


def payments_by_transaction(ids: Collection[int]) -> dict[int, OurPayment]:
    """Return the payments with these transaction ids, of any day and status."""
    ordered = sorted(ids)
    found: dict[int, OurPayment] = {}
    for begin in range(0, len(ordered), _CHUNK_SIZE):
        found |= _our_payments(Q(transaction_id__in=ordered[begin : begin + _CHUNK_SIZE]))
    return found


def manual_deposits(references: Collection[str]) -> dict[str, Deposit]:
    """Return the completed manual deposits with these references, by reference."""
    ordered = sorted(references)
    found: dict[str, Deposit] = {}
    for begin in range(0, len(ordered), _CHUNK_SIZE):
        rows = Deposit.objects.filter(
            channel=DepositChannel.MANUAL,
            status=DepositStatus.COMPLETED,
            reference__in=ordered[begin : begin + _CHUNK_SIZE],
        )
        found |= {row.reference: row for row in rows}
    return found


def awaiting_reversal() -> dict[int, OurPayment]:
    """Return the payments that were charged back, as far as is known, and are in our books.

    Those of open disputes, and unmatched ones.
    """
    disputed = open_disputes().values("deposit")
    unmatched = Q(status__in=UNMATCHED_PAYMENTS, charged_back_amount__gt=0)
    return _our_payments(unmatched | Q(deposit__in=disputed, charged_back_amount__gt=0))


def reported_charged_back(day: date) -> set[UUID]:
    """Return the payments whose chargeback another day's report found."""
    found = ReconciliationBreak.objects.filter(kind=LineKind.CHARGED_BACK, payment__isnull=False)
    return set(found.exclude(day=day).values_list("payment_id", flat=True))


def _taken_back(payment: Payment) -> Decimal:
    if payment.deposit is None:
        return Decimal(0)
    if payment.deposit.status == DepositStatus.REVERSED:
        return payment.deposit.amount
    return payment.deposit.reversed_amount


def _our_payments(condition: Q) -> dict[int, OurPayment]:
    rows = Payment.objects.filter(condition).select_related("deposit")
    return {
        row.transaction_id: OurPayment(
            payment_id=row.pk,
            transaction_id=row.transaction_id,
            tx_ref=row.tx_ref,
            provider_reference=row.provider_reference,
            status=PaymentStatus(row.status),
            currency=row.currency_code,
            amount=row.amount,
            fee=row.deposit.provider_fee
            if row.deposit and row.booked_fee is None
            else row.booked_fee,
            is_reversed=row.deposit is not None and row.deposit.status == DepositStatus.REVERSED,
            taken_back=_taken_back(row),
            charged_back_amount=row.charged_back_amount,
        )
        for row in rows.iterator(chunk_size=_CHUNK_SIZE)
    }
