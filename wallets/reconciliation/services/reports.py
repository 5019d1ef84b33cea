"""The life of a report: asked for, claimed under a lease, made, kept, and told of."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date, datetime, timedelta
from typing import Any

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from exchange.core import leases, task_notifier
from exchange.core.actors import Actor
from exchange.core.errors import Conflict, Forbidden, InvalidRequest
from exchange.core.ids import uuid7
from exchange.staff.models import StaffUser
from wallets.alerts.services import raise_alert, resolve_alert
from wallets.providers.base import ProviderError
from wallets.reconciliation.models import Reconciliation, ReconciliationLine, ReportStatus
from wallets.reconciliation.selectors.movements import bounds, day_of, movements
from wallets.reconciliation.services.breaks import count_open, take_up
from wallets.reconciliation.services.comparison import Comparison, Unreliable, compare
from wallets.reconciliation.services.differences import Line
from wallets.reconciliation.services.explanations import ALERT
from wallets.reconciliation.services.figures import movement_lines

log = structlog.get_logger(__name__)

TASK = "wallets.tasks.reconcile"
PERMISSION = "wallets.run_reconciliation"
ALERT_INCOMPLETE = "reconciliation_incomplete"
_LEASE = timedelta(minutes=30)
_ATTEMPTS = 3
_UNDER_WAY = Q(status__in=[ReportStatus.WAITING, ReportStatus.RUNNING])
# Yesterday is reported on from then on: what was sent late has been answered.
_FROM_HOUR = 2
_TRIES_OF_A_DAY = 5
_BETWEEN_TRIES = timedelta(hours=1)


def ask(*, day: date, actor: Actor) -> Reconciliation:
    """Asks for a report about `day`. Raises `Conflict` when one is under way, `InvalidRequest`."""
    if day > day_of(timezone.now()):
        raise InvalidRequest.for_field("day", "The day has not come yet")
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
    task_notifier.notify_after_commit(TASK)
    return report


def ask_as_staff(*, day: date, user: StaffUser) -> Reconciliation:
    """The same for a person. Raises `Forbidden` too."""
    if not user.may(PERMISSION):
        raise Forbidden("You may not run the comparison with the provider")
    return ask(day=day, actor=Actor.staff(user.pk, str(user)))


def ask_for_yesterday() -> Reconciliation | None:
    """The daily report, once a day; anew, an hour later, while it stays incomplete."""
    now = timezone.now()
    yesterday = day_of(now) - timedelta(days=1)
    if not _is_due(yesterday, now):
        return None
    try:
        return ask(day=yesterday, actor=Actor.system("reconciliation"))
    except Conflict:
        return None


def _is_due(yesterday: date, now: datetime) -> bool:
    """Whether the day that is over is to be reported on now."""
    if now < bounds(day_of(now))[0] + timedelta(hours=_FROM_HOUR):
        return False
    reports = Reconciliation.objects.filter(day=yesterday, provisional=False)
    if reports.exclude(status=ReportStatus.INCOMPLETE).exists():
        return False
    if reports.count() >= _TRIES_OF_A_DAY:
        return False
    return not reports.filter(created_at__gt=now - _BETWEEN_TRIES).exists()


def run_next() -> Reconciliation | None:
    """Claims one report that waits, or whose worker died, and makes it; None when none does."""
    report = _claim()
    return None if report is None else run(report)


def run(report: Reconciliation) -> Reconciliation:
    """Makes a claimed report, and keeps it whatever comes of it."""
    lines: list[Line] = []
    found: Comparison | None = None
    reason = ""
    try:
        lines = movement_lines(movements(report.day))
        found = compare(report.day, lines)
    except (ProviderError, Unreliable) as error:
        reason = str(error)[:500]
    except Exception:
        log.exception("reconciliation_failed", day=str(report.day))
        reason = "The comparison failed on our side; the log says why"
    return _keep(report, found or reason, lines)


def claim(report: Reconciliation) -> bool:
    """Whether the report is now ours to make."""
    token = leases.acquire(
        Reconciliation.objects.filter(_UNDER_WAY, pk=report.pk, attempts__lt=_ATTEMPTS),
        prefix="report_",
        until=timezone.now() + _LEASE,
        status=ReportStatus.RUNNING,
    )
    report.refresh_from_db()
    return token is not None


def _claim() -> Reconciliation | None:
    due = Reconciliation.objects.filter(_UNDER_WAY, leases.available(timezone.now()))
    for report in due.order_by("created_at")[:20]:
        if report.attempts >= _ATTEMPTS:
            _keep(report, "It was cut off again and again while it was made", [])
        elif claim(report):
            return report
    return None


def _keep(report: Reconciliation, found: Comparison | str, movement: list[Line]) -> Reconciliation:
    """Keep what was found, or, with the figures of our books, why it is incomplete."""
    with transaction.atomic():
        mine = Reconciliation.objects.select_for_update(no_key=True).filter(
            pk=report.pk, status=ReportStatus.RUNNING, claimed_by=report.claimed_by
        )
        if mine.first() is not None:
            _write(report, found, movement)
    report.refresh_from_db()
    return report


def _write(report: Reconciliation, found: Comparison | str, movement: list[Line]) -> None:
    if isinstance(found, str):
        lines, status, reason = movement, ReportStatus.INCOMPLETE, found
        facts: dict[str, Any] = {}
    else:
        lines, reason = take_up(report, found.lines, found.balances_at), ""
        off = any(line.off for line in lines)
        status = ReportStatus.DIFFERS if off else ReportStatus.AGREES
        facts = {"compared": found.compared, "balances_at": found.balances_at}
    Reconciliation.objects.filter(pk=report.pk).update(
        status=status,
        reason=reason,
        differences=sum(line.off for line in lines),
        leased_until=None,
        finished_at=timezone.now(),
        **facts,
    )
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
    if not report.provisional:
        _tell(report.day, status, reason)


def _tell(day: date, status: ReportStatus, reason: str) -> None:
    subject = str(day)
    if status == ReportStatus.INCOMPLETE:
        raise_alert(
            ALERT_INCOMPLETE,
            subject=subject,
            message=f"The comparison with the provider for {day} is incomplete: {reason}",
        )
        return
    resolve_alert(ALERT_INCOMPLETE, subject=subject)
    waiting = count_open(day)
    if waiting and status == ReportStatus.DIFFERS:
        what = "One difference" if waiting == 1 else f"{waiting} differences"
        raise_alert(
            ALERT,
            subject=subject,
            message=f"{what} with the provider for {day}, not explained by two people yet",
        )
