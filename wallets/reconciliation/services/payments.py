"""Comparison of one day of our payments with the provider's transactions."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from django.utils import timezone

from exchange.core.currencies import currencies
from exchange.core.numbers import format_plain
from wallets.alerts.services import report_unreadable
from wallets.deposits.services.payments import report_payment
from wallets.providers.base import UnreadableRecord
from wallets.providers.collection import (
    Chargeback,
    ChargeHint,
    TransactionRecord,
    TransactionStatus,
    charged_back_amount,
)
from wallets.providers.registry import payment_provider
from wallets.reconciliation.models import LineKind
from wallets.reconciliation.selectors.movements import UNBOOKED_DAYS, utc_day
from wallets.reconciliation.selectors.payments import (
    OurPayment,
    awaiting_reversal,
    manual_deposits,
    payments_by_transaction,
    payments_made_on,
    reported_charged_back,
)
from wallets.reconciliation.services.differences import ProviderDataUnreliable, ReportLine
from wallets.reconciliation.services.payment_differences import (
    find_charged_back,
    find_payment_differences,
    find_repeated_credits,
    not_taken_back,
    transaction_charge,
)

_MAX_STATUS_CHECKS = 200
_MARGIN = timedelta(days=1)
# A payer's bank may take a payment back for some months.
CHARGEBACK_DAYS = 120
_DAYS_OF_A_LIST = 30

_Records = dict[int, TransactionRecord]


@dataclass(frozen=True, slots=True)
class _ChargedBack:
    """A payment of which the provider took `said` back, in the provider's words."""

    held: OurPayment
    said: Decimal
    words: str


@dataclass(frozen=True, slots=True)
class PaymentComparison:
    """Lines of a report about payments: differences, totals, and the number compared.

    `unbooked` is what the provider's balance has, by currency, and our books have not.
    """

    differences: list[ReportLine]
    totals: list[ReportLine]
    compared: int
    unbooked: dict[str, Decimal]


def compare_payments(
    day: date, *, booked_then: frozenset[int], balances_at: datetime
) -> PaymentComparison:
    """Compare the payments made on `day`.

    `booked_then` are the recent payments that our books had when the balances were read. Raises
    `ProviderError`, and `ProviderDataUnreliable` for data that contradicts itself.
    """
    records = _list(day - _MARGIN, day + _MARGIN)
    ours = payments_made_on(day)
    theirs = {key for key, record in records.items() if utc_day(record.created_at) == day}
    held = {**payments_by_transaction(theirs - ours.keys()), **ours}
    wanted = sorted(ours.keys() | theirs)
    _recheck(wanted, held, records)
    booked = {key: held[key] for key in wanted if key in held and held[key].is_booked}
    references = {each.provider_reference for each in booked.values() if each.provider_reference}
    manual = manual_deposits(references | {str(key) for key in booked})
    charged_back = _charged_back(day)
    differences = [
        *(
            line
            for key in wanted
            for line in find_payment_differences(held.get(key), records.get(key))
        ),
        *find_repeated_credits(booked, manual),
        *_charged_back_lines(day, charged_back),
    ]
    found = {key: records[key] for key in wanted if key in records}
    return PaymentComparison(
        differences,
        _totals(booked, found),
        len(wanted),
        _unbooked(records, day, booked_then, balances_at, charged_back),
    )


def _charged_back(day: date) -> list[_ChargedBack]:
    """Return our payments that the provider has taken back: failed ones of the last months, and
    the chargebacks of the day.
    """
    provider = payment_provider()
    failed: _Records = {}
    unreadable: dict[str, str] = {}
    for begin in range(0, CHARGEBACK_DAYS, _DAYS_OF_A_LIST):
        listed = provider.list_transactions(
            first=day - timedelta(days=min(begin + _DAYS_OF_A_LIST, CHARGEBACK_DAYS)),
            last=day + _MARGIN - timedelta(days=begin),
            status=TransactionStatus.FAILED,
        )
        failed |= {int(record.transaction_id): record for record in listed}
        unreadable |= listed.unreadable
    report_unreadable("failed payments", unreadable)
    demanded: dict[int, list[Chargeback]] = {}
    chargebacks = provider.list_chargebacks(first=day - _MARGIN, last=day + _MARGIN)
    report_unreadable(f"chargebacks, {day}", chargebacks.unreadable)
    for each in chargebacks:
        if utc_day(each.created_at) == day:
            demanded.setdefault(int(each.transaction_id), []).append(each)
    ours = payments_by_transaction(failed.keys() | demanded.keys())
    return [
        _ChargedBack(
            held, said, "failed" if key in failed else f"charged back {format_plain(said)}"
        )
        for key, held in sorted(ours.items())
        if (said := charged_back_amount(failed.get(key), demanded.get(key, [])))
        and not_taken_back(held, said)
    ]


def _charged_back_lines(day: date, charged_back: list[_ChargedBack]) -> Iterator[ReportLine]:
    """Yield the differences, each in the report of one day, and have the payments looked up."""
    reported = reported_charged_back(day)
    for found in charged_back:
        if found.said != found.held.charged_back_amount:
            report_payment(ChargeHint(str(found.held.transaction_id), found.held.tx_ref))
        if found.held.payment_id not in reported:
            yield from find_charged_back(found.held, found.said, found.words)


def _list(first: date, last: date) -> _Records:
    listed = payment_provider().list_transactions(first=first, last=last)
    report_unreadable(f"payments from {first}", listed.unreadable)
    return {int(record.transaction_id): record for record in listed}


def _recheck(wanted: list[int], held: dict[int, OurPayment], records: _Records) -> None:
    """Check each difference at the provider, then read ours again; updates both sides."""
    suspects = [key for key in wanted if find_payment_differences(held.get(key), records.get(key))]
    # Their own list proves transactions that we do not have: after a restore there may be many.
    checked = [key for key in suspects if key in held]
    if len(suspects) <= _MAX_STATUS_CHECKS:
        checked = suspects
    elif len(checked) > _MAX_STATUS_CHECKS:
        raise ProviderDataUnreliable(
            f"{len(checked)} payments differ or are not in the provider's list,"
            f" limit {_MAX_STATUS_CHECKS}"
        )
    provider = payment_provider()
    for key in checked:
        try:
            record = provider.verify_transaction(str(key))
        except UnreadableRecord:  # remains a difference
            continue
        if record is None and key in records:
            raise ProviderDataUnreliable(
                f"the provider lists transaction {key} but does not find it"
            )
        if record is not None and key not in records:
            raise ProviderDataUnreliable(f"the provider's list omits transaction {key}")
        if record is not None:
            records[key] = record
    held.update(payments_by_transaction(suspects))


def _totals(booked: dict[int, OurPayment], records: _Records) -> list[ReportLine]:
    """Return counts, amounts and charges by currency on both sides."""
    arrived = [each for each in records.values() if each.status is TransactionStatus.SUCCESSFUL]
    lines = []
    nothing = Decimal(0)
    for currency in currencies():
        ours = [each for each in booked.values() if each.currency == currency]
        theirs = [each for each in arrived if each.currency == currency]
        lines += [
            ReportLine(
                LineKind.RECEIVED,
                currency,
                our_count=len(ours),
                our_amount=sum((each.amount or nothing for each in ours), nothing),
                their_count=len(theirs),
                their_amount=sum((each.amount for each in theirs), nothing),
            ),
            ReportLine(
                LineKind.DEPOSIT_CHARGES,
                currency,
                our_amount=sum((each.fee or nothing for each in ours), nothing),
                their_amount=sum((transaction_charge(each) for each in theirs), nothing),
            ),
        ]
    return lines


def _unbooked(
    records: _Records,
    day: date,
    booked_then: frozenset[int],
    balances_at: datetime,
    charged_back: list[_ChargedBack],
) -> dict[str, Decimal]:
    """Return what arrived at the provider shortly before `balances_at` and was not booked then.

    Less what the provider has taken back and our books still have.
    """
    today = utc_day(timezone.now())
    first = today - UNBOOKED_DAYS
    recent = records
    if day - _MARGIN > first or day + _MARGIN < today:
        recent = {**records, **_list(first, today)}
    found: dict[str, Decimal] = {}
    for key, record in recent.items():
        if (
            record.status is TransactionStatus.SUCCESSFUL
            and first <= utc_day(record.created_at)
            and record.created_at <= balances_at
            and key not in booked_then
        ):
            settled = record.amount_settled
            arrived = record.amount - transaction_charge(record) if settled is None else settled
            found[record.currency] = found.get(record.currency, Decimal(0)) + arrived
    known = {key: (held, held.charged_back_amount) for key, held in awaiting_reversal().items()}
    known |= {each.held.transaction_id: (each.held, each.said) for each in charged_back}
    for held, said in known.values():
        before = found.get(held.currency, Decimal(0))
        found[held.currency] = before - not_taken_back(held, said)
    return found
