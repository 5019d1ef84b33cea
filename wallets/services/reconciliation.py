"""The daily comparison of our payouts and money with the provider's, as a kept report.

A day's payouts are those we sent on it (UTC). They are matched with the provider's list by our
reference; whatever differs is looked at a second time, one by one, before it counts, because both
sides go on while they are compared. The network is asked outside of transactions, under a lease.

A report that says it agrees has seen everything: a provider that fails, or whose list contradicts
itself, makes it incomplete, with the reason.

The provider's balance need not equal the ledger's clearing account: we keep money of our own there.
So the gap between them, less what is under way, is kept, and a gap that changed from one complete
report to the next is a difference. Charges are booked rounded, which may move it by half of the
smallest unit for each.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

import structlog
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

from exchange import wake
from exchange.actors import Actor
from exchange.errors import Conflict, Forbidden, InvalidRequest
from exchange.ids import new_reference, uuid7
from exchange.models import StaffUser
from wallets.models import LineKind, Reconciliation, ReconciliationLine, ReportStatus
from wallets.providers.base import ListedTransfer, ProviderError, TransferRecord, TransferStatus
from wallets.providers.registry import payment_provider
from wallets.selectors.currencies import currencies, payout_currencies
from wallets.selectors.reconciliation import (
    IN_FLIGHT,
    Held,
    Movement,
    bounds,
    day_of,
    disputed,
    held_under,
    movements,
    sent_on,
)
from wallets.services.alerts import raise_alert, resolve_alert
from wallets.services.balances import balance_lines, read_balances
from wallets.services.comparing import Line, charge, differences

log = structlog.get_logger(__name__)

TASK = "wallets.tasks.reconcile"
PERMISSION = "wallets.run_reconciliation"
ALERT, ALERT_INCOMPLETE = "reconciliation", "reconciliation_incomplete"
_LEASE = timedelta(minutes=30)
_ATTEMPTS = 3
# Yesterday is reported on from then on: what was sent late has been answered.
_FROM_HOUR = 2
_TRIES_OF_A_DAY = 5
_BETWEEN_TRIES = timedelta(hours=1)
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


def ask(*, day: date, actor: Actor) -> Reconciliation:
    """Asks for a report about `day`. Raises `Conflict` when one is under way, `InvalidRequest`."""
    if day > day_of(timezone.now()):
        raise InvalidRequest("The day has not come yet")
    try:
        with transaction.atomic():
            report = Reconciliation.objects.create(
                id=uuid7(),
                day=day,
                asked_by=str(actor),
                asked_by_label=actor.label,
                created_at=timezone.now(),
            )
    except IntegrityError:
        raise Conflict(f"A report about {day} is under way") from None
    wake.after_commit(TASK)
    return report


def ask_as_staff(*, day: date, user: StaffUser) -> Reconciliation:
    """The same for a person. Raises `Forbidden` too."""
    if not user.has_perm(PERMISSION):
        raise Forbidden("You may not run the comparison with the provider")
    return ask(day=day, actor=Actor.staff(user.pk, str(user)))


def ask_for_yesterday() -> Reconciliation | None:
    """The daily report, once a day; anew, an hour later, while it stays incomplete."""
    now = timezone.now()
    yesterday = day_of(now) - timedelta(days=1)
    if now < bounds(day_of(now))[0] + timedelta(hours=_FROM_HOUR):
        return None
    reports = Reconciliation.objects.filter(day=yesterday)
    if reports.exclude(status=ReportStatus.INCOMPLETE).exists():
        return None
    if reports.count() >= _TRIES_OF_A_DAY:
        return None
    if reports.filter(created_at__gt=now - _BETWEEN_TRIES).exists():
        return None
    try:
        return ask(day=yesterday, actor=Actor.system("reconciliation"))
    except Conflict:
        return None


def run_next() -> Reconciliation | None:
    """Claims one report that waits, or whose worker died, and makes it; None when none does."""
    report = _claim()
    return None if report is None else run(report)


def run(report: Reconciliation) -> Reconciliation:
    """Makes a claimed report, and keeps it whatever comes of it."""
    lines: list[Line] = []
    reason, compared = "", 0
    try:
        lines = _movement_lines(movements(report.day))
        lines, compared = _compare(report.day, lines)
    except (ProviderError, Unreliable) as error:
        reason = f"{error}"[:500] or type(error).__name__
    except Exception:
        log.exception("reconciliation_failed", day=str(report.day))
        reason = "The comparison failed on our side; the log says why"
    return _keep(report, lines, reason, compared)


def claim(report: Reconciliation) -> bool:
    """Whether the report is now ours to make."""
    now = timezone.now()
    token = new_reference("report_")
    rows = Reconciliation.objects.filter(
        Q(leased_until=None) | Q(leased_until__lt=now),
        pk=report.pk,
        status__in=[ReportStatus.WAITING, ReportStatus.RUNNING],
        attempts__lt=_ATTEMPTS,
    ).update(
        status=ReportStatus.RUNNING,
        claimed_by=token,
        leased_until=now + _LEASE,
        attempts=F("attempts") + 1,
    )
    report.refresh_from_db()
    return rows == 1


def _claim() -> Reconciliation | None:
    now = timezone.now()
    due = Reconciliation.objects.filter(
        Q(leased_until=None) | Q(leased_until__lt=now),
        status__in=[ReportStatus.WAITING, ReportStatus.RUNNING],
    ).order_by("created_at")
    for report in due[:20]:
        if claim(report):
            return report
        if report.attempts >= _ATTEMPTS:
            _keep(report, [], "It was cut off again and again while it was made", 0)
    return None


def _keep(report: Reconciliation, lines: list[Line], reason: str, compared: int) -> Reconciliation:
    off = 0 if reason else sum(line.off for line in lines)
    if reason:
        status = ReportStatus.INCOMPLETE
        lines = [line for line in lines if not line.off]
    else:
        status = ReportStatus.DIFFERS if off else ReportStatus.AGREES
    with transaction.atomic():
        kept = Reconciliation.objects.filter(
            pk=report.pk, status=ReportStatus.RUNNING, claimed_by=report.claimed_by
        ).update(
            status=status,
            reason=reason,
            differences=off,
            compared=compared,
            leased_until=None,
            finished_at=timezone.now(),
        )
        if kept:
            ReconciliationLine.objects.bulk_create(
                ReconciliationLine(
                    id=uuid7(),
                    report=report,
                    position=position,
                    currency_id=line.currency,
                    **{k: v for k, v in asdict(line).items() if k != "currency"},
                )
                for position, line in enumerate(sorted(lines, key=lambda line: not line.off))
            )
            _tell(report.day, status, off, reason)
    report.refresh_from_db()
    return report


def _tell(day: date, status: ReportStatus, off: int, reason: str) -> None:
    subject = str(day)
    if status == ReportStatus.INCOMPLETE:
        raise_alert(
            ALERT_INCOMPLETE,
            subject=subject,
            message=f"The comparison with the provider for {day} is incomplete: {reason}",
        )
        return
    resolve_alert(ALERT_INCOMPLETE, subject=subject)
    if status == ReportStatus.DIFFERS:
        places = "one place" if off == 1 else f"{off} places"
        raise_alert(
            ALERT,
            subject=subject,
            message=f"We and the provider differ in {places} for {day}: see the report",
        )
    else:
        resolve_alert(ALERT, subject=subject)


# --- the comparison ---


def _compare(day: date, lines: list[Line]) -> tuple[list[Line], int]:
    provider = payment_provider()
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
    return [
        *off,
        *_totals(wanted, held, records),
        *lines,
        *balance_lines(holding, balances, under_way, known),
    ], len(wanted)


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


def _totals(
    wanted: set[str], held: dict[str, Held], records: dict[str, TransferRecord]
) -> list[Line]:
    """By currency: how many under way, completed and failed, here and there, and the charges."""
    mine = [held[reference] for reference in wanted if reference in held]
    theirs = [records[reference] for reference in wanted if reference in records]
    open_ = {TransferStatus.NEW, TransferStatus.PENDING}
    groups = (
        (LineKind.IN_FLIGHT, set(IN_FLIGHT), open_),
        (LineKind.COMPLETED, {"Completed"}, {TransferStatus.SUCCESSFUL}),
        (LineKind.FAILED, {"Failed", "Reversed"}, {TransferStatus.FAILED}),
    )
    lines = []
    for currency in payout_currencies():
        ours_here = [each for each in mine if each.currency == currency]
        theirs_here = [each for each in theirs if each.currency == currency]
        for kind, states, their_states in groups:
            ours_so = [each for each in ours_here if each.status in states]
            theirs_so = [each for each in theirs_here if each.status in their_states]
            lines.append(
                Line(
                    kind,
                    currency,
                    our_count=len(ours_so),
                    our_amount=sum((each.amount for each in ours_so), Decimal(0)),
                    their_count=len(theirs_so),
                    their_amount=sum((each.amount for each in theirs_so), Decimal(0)),
                )
            )
        lines.append(
            Line(
                LineKind.CHARGES,
                currency,
                our_amount=sum((each.charge or Decimal(0) for each in ours_here), Decimal(0)),
                their_amount=sum(
                    (
                        charge(each, currency)
                        for each in theirs_here
                        if each.status == TransferStatus.SUCCESSFUL
                    ),
                    Decimal(0),
                ),
            )
        )
    return lines


def _movement_lines(found: dict[str, Movement]) -> list[Line]:
    nothing = Movement(Decimal(0), {}, Decimal(0))
    lines = []
    for currency in currencies():
        movement = found.get(currency, nothing)
        figures = [
            (LineKind.OPENING, movement.opening),
            *((kind, movement.moves.get(kind, Decimal(0))) for kind in _MOVED),
            (LineKind.CLOSING, movement.closing),
        ]
        lines += [Line(kind, currency, our_amount=amount) for kind, amount in figures]
    return lines


_MOVED = (
    LineKind.DEPOSITS,
    LineKind.PAYOUTS,
    LineKind.CHARGED,
    LineKind.REVERSALS,
    LineKind.OTHER,
)
