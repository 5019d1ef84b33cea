"""The figures of a report by currency: payouts here and there, and our movements of the day."""

from __future__ import annotations

from decimal import Decimal

from exchange.core.currencies import currencies, payout_currencies
from wallets.providers.base import TransferRecord, TransferStatus
from wallets.reconciliation.models import LineKind
from wallets.reconciliation.selectors.movements import Movement, OurPayout
from wallets.reconciliation.services.differences import ReportLine, provider_charge
from wallets.withdrawals.models import IN_FLIGHT

# From the beginning of a day to its end, what our clearing account held and what moved it.
MOVEMENT_KINDS = (
    LineKind.OPENING,
    LineKind.DEPOSITS,
    LineKind.PAYOUTS,
    LineKind.CHARGED,
    LineKind.REVERSALS,
    LineKind.OTHER,
    LineKind.CLOSING,
)


def payout_totals(
    wanted: set[str], held: dict[str, OurPayout], records: dict[str, TransferRecord]
) -> list[ReportLine]:
    """By currency: how many under way, completed and failed, here and there, and the charges."""
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
        ours_here = [each for each in ours if each.currency == currency]
        theirs_here = [each for each in theirs if each.currency == currency]
        for kind, states, their_states in groups:
            ours_so = [each for each in ours_here if each.status in states]
            theirs_so = [each for each in theirs_here if each.status in their_states]
            lines.append(
                ReportLine(
                    kind,
                    currency,
                    our_count=len(ours_so),
                    our_amount=sum((each.amount for each in ours_so), Decimal(0)),
                    their_count=len(theirs_so),
                    their_amount=sum((each.amount for each in theirs_so), Decimal(0)),
                )
            )
        lines.append(
            ReportLine(
                LineKind.CHARGES,
                currency,
                our_amount=sum((each.charge or Decimal(0) for each in ours_here), Decimal(0)),
                their_amount=sum(
                    (
                        provider_charge(each, currency)
                        for each in theirs_here
                        if each.status == TransferStatus.SUCCESSFUL
                    ),
                    Decimal(0),
                ),
            )
        )
    return lines


def movement_lines(found: dict[str, Movement]) -> list[ReportLine]:
    """By currency: what our clearing account began and ended the day with, and what moved it."""
    nothing = Movement(Decimal(0), {}, Decimal(0))
    lines = []
    for currency in currencies():
        movement = found.get(currency, nothing)
        figures = {
            LineKind.OPENING: movement.opening,
            **movement.moves,
            LineKind.CLOSING: movement.closing,
        }
        lines += [
            ReportLine(kind, currency, our_amount=figures.get(kind, Decimal(0)))
            for kind in MOVEMENT_KINDS
        ]
    return lines
