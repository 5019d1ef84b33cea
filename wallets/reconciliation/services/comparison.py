"""One day of payouts as we have it beside the same day as the provider has it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone

from wallets.providers.base import ListedTransfer, TransferRecord
from wallets.providers.registry import payment_provider
from wallets.reconciliation.selectors.movements import (
    Held,
    bounds,
    day_of,
    disputed,
    held_under,
    sent_on,
)
from wallets.reconciliation.services.balances import balance_lines, read_balances
from wallets.reconciliation.services.differences import Line, differences
from wallets.reconciliation.services.figures import totals

_MOST_LOOK_UPS = 200
_SKEW = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class _Sides:
    """What we hold and what they have, by reference; `listed` is what stood in their list."""

    day: date
    asked_at: datetime
    held: dict[str, Held]
    records: dict[str, TransferRecord]
    listed: frozenset[str]


class Unreliable(Exception):
    """What the provider says cannot be relied on; the text says why."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The lines of a report, how many payouts were compared, and when the balances were read."""

    lines: list[Line]
    compared: int
    balances_at: datetime


def compare(day: date, moved: list[Line]) -> Comparison:
    """Compare `day`; the lines hold those of what `moved` by our books.

    Raises `ProviderError`, and `Unreliable` when the provider's answers contradict each other.
    """
    provider = payment_provider()
    balances_at = timezone.now()
    holding, balances = read_balances(provider)
    asked_at = timezone.now()
    near = timedelta(days=1)
    listed = provider.list_transfers(first=day - near, last=day + near)
    theirs = _by_reference(listed)
    ours = sent_on(day)
    others = held_under(
        {
            reference
            for reference, found in theirs.items()
            if reference not in ours and day_of(found.created_at) == day
        }
    )
    # What is matched here: what we sent on the day, and what they took on it and we did not send
    # on the day before or after.
    wanted = set(ours) | {
        reference
        for reference, found in theirs.items()
        if day_of(found.created_at) == day and _is_of_the_day(others.get(reference), day)
    }
    held = {**others, **ours}
    records = {reference: found.record for reference, found in theirs.items()}
    _look_again(wanted, _Sides(day, asked_at, held, records, frozenset(theirs)))
    off = [
        line
        for reference in sorted(wanted)
        for line in _judged(held.get(reference), records.get(reference))
    ]
    under_way = disputed()
    known = _records_of(under_way, records)
    lines = [
        *off,
        *totals(wanted, held, records),
        *moved,
        *balance_lines(holding, balances, under_way, known),
    ]
    return Comparison(lines, len(wanted), balances_at)


def _by_reference(listed: list[ListedTransfer]) -> dict[str, ListedTransfer]:
    found: dict[str, ListedTransfer] = {}
    for each in listed:
        if each.record.reference in found:
            raise Unreliable(f"the provider has {each.record.reference} twice")
        found[each.record.reference] = each
    return found


def _is_of_the_day(held: Held | None, day: date) -> bool:
    return held is None or held.posted_at is None or day_of(held.posted_at) == day


def _look_again(wanted: set[str], sides: _Sides) -> None:
    """Asks alone for each that differs, then reads ours anew; changes `held` and `records`."""
    suspects = {
        reference
        for reference in wanted
        if differences(sides.held.get(reference), sides.records.get(reference))
    }
    if len(suspects) > _MOST_LOOK_UPS:
        raise Unreliable(
            f"{len(suspects)} payouts differ or are not in the provider's list, too many to be so"
        )
    provider = payment_provider()
    for reference in sorted(suspects):
        record = provider.find_transfer(reference)
        if record is not None:
            sides.records[reference] = record
        if (record is None) != (reference not in sides.listed):
            _doubt(reference, sides)
    sides.held.update(held_under(suspects))


def _doubt(reference: str, sides: _Sides) -> None:
    """The provider's list and its look-up contradict each other: only the edge of a day excuses."""
    if reference in sides.listed:
        raise Unreliable(f"the provider lists {reference} and does not find it")
    mine = sides.held.get(reference)
    start, end = bounds(sides.day)
    if (
        mine is not None
        and mine.posted_at is not None
        and start <= mine.posted_at < min(end, sides.asked_at) - _SKEW
    ):
        raise Unreliable(f"the provider's list leaves {reference} out")


def _judged(held: Held | None, record: TransferRecord | None) -> list[Line]:
    """The differences that count: not those of an order that is just being sent."""
    if held and record is None and held.leased_until and held.leased_until > timezone.now():
        return []
    return differences(held, record)


def _records_of(
    under_way: dict[str, Held], records: dict[str, TransferRecord]
) -> dict[str, TransferRecord]:
    """The provider's records of payouts under way or in dispute, from any day."""
    known = {reference: records[reference] for reference in under_way if reference in records}
    unknown = sorted(under_way.keys() - known.keys())
    if len(unknown) > _MOST_LOOK_UPS:
        raise Unreliable(f"{len(unknown)} payouts are under way, too many to ask for one by one")
    provider = payment_provider()
    for reference in unknown:
        record = provider.find_transfer(reference)
        if record is not None:
            known[reference] = record
    return known
