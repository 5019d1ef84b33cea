"""Comparison of one day with the provider: our payouts with its transfers, and our payments."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone

from wallets.alerts.services import report_unreadable
from wallets.providers.base import ListedTransfer, TransferRecord, UnreadableRecord
from wallets.providers.registry import payment_provider
from wallets.reconciliation.selectors.movements import (
    OurPayout,
    day_bounds,
    payouts_by_reference,
    payouts_sent_on,
    unsettled_payouts,
    utc_day,
)
from wallets.reconciliation.services.balances import balance_lines, read_balances
from wallets.reconciliation.services.differences import (
    ProviderDataUnreliable,
    ReportLine,
    find_differences,
)
from wallets.reconciliation.services.payments import compare_payments
from wallets.reconciliation.services.totals import payout_totals

_MAX_STATUS_CHECKS = 200
_SKEW = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class _Sides:
    """Our payouts and their records by reference; `listed` are the references in their list."""

    day: date
    listed_at: datetime
    held: dict[str, OurPayout]
    records: dict[str, TransferRecord]
    listed: frozenset[str]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Lines of a report, number of records compared, and when the balances were read."""

    lines: list[ReportLine]
    compared: int
    balances_at: datetime


def compare(day: date, moved: list[ReportLine]) -> Comparison:
    """Compare `day`, and return the lines with those of `moved` among them.

    Raises `ProviderError`, and `ProviderDataUnreliable` for data that contradicts itself.
    """
    provider = payment_provider()
    balances_at = timezone.now()
    clearing_snapshot, balances = read_balances(provider)
    listed_at = timezone.now()
    margin = timedelta(days=1)
    listed = provider.list_transfers(first=day - margin, last=day + margin)
    report_unreadable(f"transfers, {day}", listed.unreadable)
    theirs = _by_reference(listed)
    ours = payouts_sent_on(day)
    others = payouts_by_reference(
        {
            reference
            for reference, found in theirs.items()
            if reference not in ours and utc_day(found.created_at) == day
        }
    )
    # Payouts sent on the day, and transfers created on it that were not sent on an adjacent day.
    wanted = set(ours) | {
        reference
        for reference, found in theirs.items()
        if utc_day(found.created_at) == day and _belongs_to_day(others.get(reference), day)
    }
    held = {**others, **ours}
    records = {reference: found.record for reference, found in theirs.items()}
    _recheck_differences(wanted, _Sides(day, listed_at, held, records, frozenset(theirs)))
    confirmed = [
        line
        for reference in sorted(wanted)
        for line in _confirmed_differences(held.get(reference), records.get(reference))
    ]
    payments = compare_payments(day, booked_then=clearing_snapshot.booked, balances_at=balances_at)
    in_transit = unsettled_payouts()
    known = _provider_records(in_transit, records)
    lines = [
        *confirmed,
        *payments.differences,
        *payout_totals(wanted, held, records),
        *payments.totals,
        *moved,
        *balance_lines(clearing_snapshot, balances, in_transit, known, payments.unbooked),
    ]
    return Comparison(lines, len(wanted) + payments.compared, balances_at)


def _by_reference(listed: list[ListedTransfer]) -> dict[str, ListedTransfer]:
    found: dict[str, ListedTransfer] = {}
    for each in listed:
        if each.record.reference in found:
            raise ProviderDataUnreliable(f"the provider lists {each.record.reference} twice")
        found[each.record.reference] = each
    return found


def _belongs_to_day(held: OurPayout | None, day: date) -> bool:
    return held is None or held.posted_at is None or utc_day(held.posted_at) == day


def _recheck_differences(wanted: set[str], sides: _Sides) -> None:
    """Check each difference at the provider, then read ours again; updates `sides`."""
    suspects = {
        reference
        for reference in wanted
        if find_differences(sides.held.get(reference), sides.records.get(reference))
    }
    checked = suspects
    if len(suspects) > _MAX_STATUS_CHECKS:
        # Their own list proves transfers that we do not have: after a restore there may be many.
        checked = suspects & sides.held.keys()
    if len(checked) > _MAX_STATUS_CHECKS:
        raise ProviderDataUnreliable(
            f"{len(checked)} payouts differ or are not in the provider's list,"
            f" limit {_MAX_STATUS_CHECKS}"
        )
    provider = payment_provider()
    for reference in sorted(checked):
        try:
            record = provider.find_transfer(reference)
        except UnreadableRecord:  # remains a difference
            continue
        if record is not None:
            sides.records[reference] = record
        if (record is None) != (reference not in sides.listed):
            _check_consistency(reference, sides)
    sides.held.update(payouts_by_reference(suspects))


def _check_consistency(reference: str, sides: _Sides) -> None:
    """Raise when the provider's list and status check disagree, except near the edge of a day."""
    if reference in sides.listed:
        raise ProviderDataUnreliable(f"the provider lists {reference} but does not find it")
    ours = sides.held.get(reference)
    start, end = day_bounds(sides.day)
    if (
        ours is not None
        and ours.posted_at is not None
        and start <= ours.posted_at < min(end, sides.listed_at) - _SKEW
    ):
        raise ProviderDataUnreliable(f"the provider's list omits {reference}")


def _confirmed_differences(
    held: OurPayout | None, record: TransferRecord | None
) -> list[ReportLine]:
    """Return the differences, except of a payout that is being sent."""
    if held and record is None and held.leased_until and held.leased_until > timezone.now():
        return []
    return find_differences(held, record)


def _provider_records(
    in_transit: dict[str, OurPayout], records: dict[str, TransferRecord]
) -> dict[str, TransferRecord]:
    """Return the provider's records of the unsettled payouts of any day."""
    known = {reference: records[reference] for reference in in_transit if reference in records}
    unknown = sorted(in_transit.keys() - known.keys())
    if len(unknown) > _MAX_STATUS_CHECKS:
        raise ProviderDataUnreliable(
            f"{len(unknown)} payouts in transit, limit {_MAX_STATUS_CHECKS}"
        )
    provider = payment_provider()
    for reference in unknown:
        record = provider.find_transfer(reference)
        if record is not None:
            known[reference] = record
    return known
