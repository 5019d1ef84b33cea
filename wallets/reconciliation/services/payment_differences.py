"""Differences between our payment and the provider's transaction. Pure functions."""

from decimal import Decimal

from exchange.core.currencies import currencies
from exchange.core.numbers import format_plain, round_half_even
from wallets.deposits.models import Deposit, PaymentStatus
from wallets.providers.collection import TransactionRecord, TransactionStatus
from wallets.reconciliation.models import LineKind
from wallets.reconciliation.selectors.payments import OurPayment
from wallets.reconciliation.services.differences import ReportLine

_REFUNDS = (PaymentStatus.REFUNDING, PaymentStatus.REFUNDED)


def transaction_charge(record: TransactionRecord) -> Decimal:
    """Return the provider's fee, rounded as the ledger books it."""
    facts = currencies().get(record.currency)
    return round_half_even(record.app_fee + record.merchant_fee, facts.decimals if facts else 2)


def find_payment_differences(
    held: OurPayment | None, record: TransactionRecord | None
) -> list[ReportLine]:
    """Return every difference between the two."""
    if record is None:
        return [_line(LineKind.MISSING, held, None)] if held and held.is_booked else []
    arrived = record.status is TransactionStatus.SUCCESSFUL
    if held is None or not held.is_booked:
        return [_line(LineKind.UNKNOWN, held, record)] if arrived else []
    found = []
    # What was taken back or refunded, as far as is known, may be either there. A failed payment was
    # charged back (`find_charged_back`).
    pending = record.status is TransactionStatus.PENDING
    if pending and not held.is_reversed and held.status not in _REFUNDS:
        found.append(_texts(LineKind.STATUS, held, record, held.status, record.status))
    if held.amount != record.amount:
        found.append(_amounts(LineKind.AMOUNT, held, record, held.amount, record.amount))
    if held.currency != record.currency:
        found.append(_texts(LineKind.CURRENCY, held, record, held.currency, record.currency))
    charged = transaction_charge(record)
    if arrived and held.fee is not None and held.fee != charged:
        found.append(_amounts(LineKind.FEE, held, record, held.fee, charged))
    return found


def not_taken_back(held: OurPayment, said: Decimal) -> Decimal:
    """Return what of `said`, which the provider took back, is still in our books."""
    if held.status in _REFUNDS or held.amount is None or not held.is_booked:
        return Decimal(0)
    return max(min(said, held.amount) - held.taken_back, Decimal(0))


def find_charged_back(held: OurPayment, said: Decimal, words: str) -> list[ReportLine]:
    """Return the difference of a payment of which the provider took `said` back."""
    if not not_taken_back(held, said) or held.amount is None:
        return []
    return [
        _line(
            LineKind.CHARGED_BACK,
            held,
            None,
            our_text=held.status,
            their_text=words,
            our_amount=held.amount - held.taken_back,
            their_amount=held.amount - min(said, held.amount),
        )
    ]


def find_repeated_credits(
    booked: dict[int, OurPayment], manual: dict[str, Deposit]
) -> list[ReportLine]:
    """Return the payments that were credited a second time.

    By another transaction with the same reference of the provider, or by hand.
    """
    found: list[ReportLine] = []
    seen: dict[str, int] = {}
    for transaction_id, held in sorted(booked.items()):
        if held.status != PaymentStatus.CREDITED or held.is_reversed:
            continue
        reference = held.provider_reference
        first = seen.setdefault(reference, transaction_id) if reference else transaction_id
        if first != transaction_id:
            found.append(_twice(held, f"Transaction {first} has the same reference"))
        for deposit in {manual.get(reference), manual.get(str(transaction_id))} - {None}:
            if deposit is not None:
                found.append(_twice(held, f"Also entered by hand: {deposit.reference}"))
    return found


def _twice(held: OurPayment, text: str) -> ReportLine:
    return _line(LineKind.TWICE, held, None, our_text=text, our_amount=held.amount)


def _texts(
    kind: LineKind, held: OurPayment, record: TransactionRecord, ours: str, theirs: str
) -> ReportLine:
    return _line(kind, held, record, our_text=ours, their_text=theirs)


def _amounts(
    kind: LineKind,
    held: OurPayment,
    record: TransactionRecord,
    ours: Decimal | None,
    theirs: Decimal,
) -> ReportLine:
    our_text = "" if ours is None else format_plain(ours)
    return _line(
        kind,
        held,
        record,
        our_text=our_text,
        their_text=format_plain(theirs),
        our_amount=ours,
        their_amount=theirs,
    )


def _line(
    kind: LineKind,
    held: OurPayment | None,
    record: TransactionRecord | None,
    *,
    our_text: str | None = None,
    their_text: str | None = None,
    our_amount: Decimal | None = None,
    their_amount: Decimal | None = None,
) -> ReportLine:
    """Return a difference; without texts it states status and amount of the sides there are."""
    if our_text is None and held is not None:
        our_text, our_amount = held.status, held.amount if held.is_booked else None
    if their_text is None and record is not None:
        their_text = f"{record.status} {record.currency} from {record.customer_name}"
        their_amount = record.amount
    currency = held.currency if held and held.currency else record.currency if record else ""
    transaction_id = str(held.transaction_id if held else record.transaction_id if record else "")
    reference = held.tx_ref if held else record.tx_ref if record else ""
    return ReportLine(
        kind,
        currency if currency in currencies() else None,
        is_difference=True,
        our_amount=our_amount,
        their_amount=their_amount,
        our_text=(our_text or "")[:200],
        their_text=(their_text or "")[:200],
        reference=reference[:120],
        provider_id=transaction_id[:40],
        payment_id=held.payment_id if held else None,
    )
