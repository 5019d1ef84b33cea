"""Totals of a report by currency: payouts on both sides, and our clearing movements."""

from decimal import Decimal

from exchange.core.currencies import currencies, payout_currencies
from wallets.providers.base import TransferRecord, TransferStatus
from wallets.reconciliation.models import LineKind
from wallets.reconciliation.selectors.movements import DayMovement, OurPayout
from wallets.reconciliation.services.differences import ReportLine, provider_charge
from wallets.withdrawals.models import IN_FLIGHT

# The clearing account over a day, from the opening to the closing balance.
MOVEMENT_KINDS = (
    LineKind.OPENING,
    LineKind.DEPOSITS,
    LineKind.PAYOUTS,
    LineKind.CHARGED,
    LineKind.REVERSALS,
    LineKind.TREASURY,
    LineKind.OTHER,
    LineKind.CLOSING,
)


def payout_totals(
    wanted: set[str], held: dict[str, OurPayout], records: dict[str, TransferRecord]
) -> list[ReportLine]:
    """Return counts and amounts by currency and state on both sides, and the charges."""
    ours = [held[reference] for reference in wanted if reference in held]
    theirs = [records[reference] for reference in wanted if reference in records]
    open_ = {TransferStatus.NEW, TransferStatus.PENDING}
    groups = (
        (LineKind.IN_FLIGHT, set(IN_FLIGHT), open_),
        (LineKind.COMPLETED, {"Completed"}, {TransferStatus.SUCCESSFUL}),
        (LineKind.FAILED, {"Failed", "Reversed"}, {TransferStatus.FAILED}),
    )
    lines = []
    for currency in payout_currencies():
        our_payouts = [each for each in ours if each.currency == currency]
        their_records = [each for each in theirs if each.currency == currency]
        for kind, states, their_statuses in groups:
            our_matches = [each for each in our_payouts if each.status in states]
            their_matches = [each for each in their_records if each.status in their_statuses]
            lines.append(
                ReportLine(
                    kind,
                    currency,
                    our_count=len(our_matches),
                    our_amount=sum((each.amount for each in our_matches), Decimal(0)),
                    their_count=len(their_matches),
                    their_amount=sum((each.amount for each in their_matches), Decimal(0)),
                )
            )
        lines.append(
            ReportLine(
                LineKind.CHARGES,
                currency,
                our_amount=sum((each.charge or Decimal(0) for each in our_payouts), Decimal(0)),
                their_amount=sum(
                    (
                        provider_charge(each, currency)
                        for each in their_records
                        if each.status == TransferStatus.SUCCESSFUL
                    ),
                    Decimal(0),
                ),
            )
        )
    return lines


def movement_lines(found: dict[str, DayMovement]) -> list[ReportLine]:
    """Return the opening balance, movements and closing balance of clearing by currency."""
    nothing = DayMovement(Decimal(0), {}, Decimal(0))
    lines = []
    for currency in currencies():
        movement = found.get(currency, nothing)
        amounts = {
            LineKind.OPENING: movement.opening,
            **movement.moves,
            LineKind.CLOSING: movement.closing,
        }
        lines += [
            ReportLine(kind, currency, our_amount=amounts.get(kind, Decimal(0)))
            for kind in MOVEMENT_KINDS
        ]
    return lines
