"""The provider's balance compared with our clearing account, and the variance between them.

`breaks` decides which part of the variance is explained.
"""

from decimal import Decimal

from exchange.core.currencies import currencies
from exchange.core.numbers import format_plain
from wallets.alerts.services import report_unreadable
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

_READ_ATTEMPTS = 3


def read_balances(provider: PaymentProvider) -> tuple[ClearingSnapshot, dict[str, ProviderBalance]]:
    """Return both sides, read while no payout moved.

    Raises `ProviderUnavailable`, also when payouts moved during every attempt.
    """
    for _ in range(_READ_ATTEMPTS):
        before = clearing_snapshot()
        balances = provider.balances()
        report_unreadable("balances", balances.unreadable)
        by_currency = {balance.currency: balance for balance in balances}
        if len(by_currency) != len(balances):
            raise ProviderUnavailable("the provider returned the balance of a currency twice")
        if clearing_snapshot() == before:
            return before, by_currency
    raise ProviderUnavailable("payouts moved during every read of the balances")


def balance_lines(
    ours: ClearingSnapshot,
    theirs: dict[str, ProviderBalance],
    in_transit: dict[str, OurPayout],
    records: dict[str, TransferRecord],
    unbooked: dict[str, Decimal],
) -> list[ReportLine]:
    """Return, by currency, both balances, the amount in transit and the variance.

    `unbooked` is what arrived at the provider and our books did not have yet.
    """
    lines: list[ReportLine] = []
    for currency in currencies():
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
                        their_text="The provider returned no balance",
                    )
                )
            continue
        expected = sum(
            (
                _in_transit_amount(held, records.get(held.reference))
                for held in in_transit.values()
                if held.currency == currency
            ),
            unbooked.get(currency, Decimal(0)),
        )
        variance = balance.available - booked - expected
        lines += [
            ReportLine(
                LineKind.BALANCE,
                currency,
                our_amount=booked,
                their_amount=balance.available,
                their_text=f"Ledger balance: {format_plain(balance.ledger)}",
            ),
            ReportLine(LineKind.IN_TRANSIT, currency, their_amount=expected),
            ReportLine(LineKind.VARIANCE, currency, their_amount=variance),
        ]
        if adjusted := ours.adjusted.get(currency):
            lines.append(ReportLine(LineKind.BOOKED, currency, our_amount=adjusted))
    return lines


def _in_transit_amount(held: OurPayout, record: TransferRecord | None) -> Decimal:
    """Return how much one payout adds to the provider's balance over our ledger."""
    if record is None:
        return Decimal(0)
    has_left = record.status != TransferStatus.FAILED
    if held.status in {*IN_FLIGHT, WithdrawalStatus.FAILED} and has_left:
        return -(record.amount + record.fee)
    if held.status == WithdrawalStatus.COMPLETED and not has_left:
        return record.amount
    return Decimal(0)
