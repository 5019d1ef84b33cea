"""The provider's balance beside our clearing account, and the gap between them.

What of the gap is expected is judged when the report is kept: see `breaks`.
"""

from __future__ import annotations

from decimal import Decimal

from exchange.core.currencies import payout_currencies
from exchange.core.numbers import format_plain
from wallets.providers.base import (
    PaymentProvider,
    ProviderBalance,
    ProviderUnavailable,
    TransferRecord,
    TransferStatus,
)
from wallets.reconciliation.models import LineKind
from wallets.reconciliation.selectors.movements import (
    ClearingSnapshot,
    OurPayout,
    clearing_snapshot,
)
from wallets.reconciliation.services.differences import ReportLine
from wallets.withdrawals.models import IN_FLIGHT, WithdrawalStatus

_READINGS = 3


def read_balances(provider: PaymentProvider) -> tuple[ClearingSnapshot, dict[str, ProviderBalance]]:
    """Ours and theirs while nothing moved between the two.

    Raises `ProviderUnavailable` for an answer that is none, and when payouts would not rest.
    """
    for _ in range(_READINGS):
        before = clearing_snapshot()
        answer = provider.balances()
        found = {balance.currency: balance for balance in answer}
        if len(found) != len(answer):
            raise ProviderUnavailable("the provider names the balance of a currency twice")
        if clearing_snapshot() == before:
            return before, found
    raise ProviderUnavailable("payouts moved whenever the balances were read")


def balance_lines(
    ours: ClearingSnapshot,
    theirs: dict[str, ProviderBalance],
    in_transit: dict[str, OurPayout],
    records: dict[str, TransferRecord],
) -> list[ReportLine]:
    """By currency: both balances, what is under way between them, and the gap."""
    lines: list[ReportLine] = []
    for currency in payout_currencies():
        booked = ours.clearing.get(currency, Decimal(0))
        balance = theirs.get(currency)
        if balance is None:
            if booked:
                lines.append(
                    ReportLine(
                        LineKind.NO_BALANCE,
                        currency,
                        is_difference=True,
                        our_amount=booked,
                        their_text="The provider names no balance",
                    )
                )
            continue
        expected = sum(
            (
                _in_transit_amount(held, records.get(held.reference))
                for held in in_transit.values()
                if held.currency == currency
            ),
            Decimal(0),
        )
        variance = balance.available - booked - expected
        lines += [
            ReportLine(
                LineKind.BALANCE,
                currency,
                our_amount=booked,
                their_amount=balance.available,
                their_text=f"In its books: {format_plain(balance.ledger)}",
            ),
            ReportLine(LineKind.IN_TRANSIT, currency, their_amount=expected),
            ReportLine(LineKind.VARIANCE, currency, their_amount=variance),
        ]
    return lines


def _in_transit_amount(held: OurPayout, record: TransferRecord | None) -> Decimal:
    """By how much the provider's balance is ahead of our ledger because of one payout."""
    if record is None:
        return Decimal(0)
    left = record.status != TransferStatus.FAILED
    if held.status in {*IN_FLIGHT, WithdrawalStatus.FAILED} and left:
        return -(record.amount + record.fee)
    if held.status == WithdrawalStatus.COMPLETED and not left:
        return record.amount
    return Decimal(0)
