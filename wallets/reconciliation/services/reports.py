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
from wallets.reconciliation.selectors.movements import day_bounds, movements, utc_day
from wallets.reconciliation.services.breaks import apply_report, count_open
from wallets.reconciliation.services.comparison import Comparison, ProviderDataUnreliable, compare
from wallets.reconciliation.services.differences import ReportLine
from wallets.reconciliation.services.explanations import ALERT
from wallets.reconciliation.services.totals import movement_lines

log = structlog.get_logger(__name__)

TASK = "wallets.tasks.reconcile"
PERMISSION = "wallets.run_reconciliation"
ALERT_INCOMPLETE = "reconciliation_incomplete"
_LEASE = timedelta(minutes=30)
_ATTEMPTS = 3
_UNFINISHED = Q(status__in=[ReportStatus.WAITING, ReportStatus.RUNNING])
# Yesterday is reported on from then on: what was sent late has been answered.
_FROM_HOUR = 2
_MAX_REPORTS_PER_DAY = 5
_RETRY_INTERVAL = timedelta(hours=1)


def request_report(*, day: date, actor: Actor) -> Reconciliation:
    """Asks for a report about `day`. Raises `Conflict` when one is under way, `InvalidRequest`."""
    if day > utc_day(timezone.now()):
        raise InvalidRequest.for_field("day", "The day has not come yet")
    try:
        with transaction.atomic():
            report = Reconciliation.objects.create(
                id=uuid7(),
                day=day,
                requested_by=str(actor),
                requested_by_label=actor.label,
                created_at=timezone.now(),
            )
    except IntegrityError:
        raise Conflict(f"A report about {day} is under way") from None
    task_notifier.notify_after_commit(TASK)
    return report


def request_report_as_staff(*, day: date, user: StaffUser) -> Reconciliation:
    """The same for a person. Raises `Forbidden` too."""
    if not user.may(PERMISSION):
        raise Forbidden("You may not run the comparison with the provider")
    return request_report(day=day, actor=Actor.staff(user.pk, str(user)))


def request_daily_report() -> Reconciliation | None:
    """The daily report, once a day; anew, an hour later, while it stays incomplete."""
    now = timezone.now()
    yesterday = utc_day(now) - timedelta(days=1)
    if not _is_due(yesterday, now):
        return None
    try:
        return request_report(day=yesterday, actor=Actor.system("reconciliation"))
    except Conflict:
        return None


def _is_due(yesterday: date, now: datetime) -> bool:
    """Whether the day that is over is to be reported on now."""
    if now < day_bounds(utc_day(now))[0] + timedelta(hours=_FROM_HOUR):
        return False
    reports = Reconciliation.objects.filter(day=yesterday, provisional=False)
    if reports.exclude(status=ReportStatus.INCOMPLETE).exists():
        return False
    if reports.count() >= _MAX_REPORTS_PER_DAY:
        return False
    return not reports.filter(created_at__gt=now - _RETRY_INTERVAL).exists()


def run_next_report() -> Reconciliation | None:
    """Claims one report that waits, or whose worker died, and makes it; None when none does."""
    report = _claim()
    return None if report is None else run_report(report)


def run_report(report: Reconciliation) -> Reconciliation:
    """Makes a claimed report, and keeps it whatever comes of it."""
    lines: list[ReportLine] = []
    found: Comparison | None = None
    reason = ""
    try:
        lines = movement_lines(movements(report.day))
        found = compare(report.day, lines)
    except (ProviderError, ProviderDataUnreliable) as error:
        reason = str(error)[:500]
    except Exception:
        log.exception("reconciliation_failed", day=str(report.day))
        reason = "The comparison failed on our side; the log says why"
    return _store(report, found or reason, lines)


def claim_report(report: Reconciliation) -> bool:
    """Whether the report is now ours to make."""
    token = leases.acquire(
        Reconciliation.objects.filter(_UNFINISHED, pk=report.pk, attempts__lt=_ATTEMPTS),
        prefix="report_",
        until=timezone.now() + _LEASE,
        status=ReportStatus.RUNNING,
    )
    report.refresh_from_db()
    return token is not None


def _claim() -> Reconciliation | None:
    due = Reconciliation.objects.filter(_UNFINISHED, leases.available(timezone.now()))
    for report in due.order_by("created_at")[:20]:
        if report.attempts >= _ATTEMPTS:
            _store(report, "It was cut off again and again while it was made", [])
        elif claim_report(report):
            return report
    return None


def _store(
    report: Reconciliation, found: Comparison | str, movement: list[ReportLine]
) -> Reconciliation:
    """Keep what was found, or, with the figures of our books, why it is incomplete."""
    with transaction.atomic():
        ours = Reconciliation.objects.select_for_update(no_key=True).filter(
            pk=report.pk, status=ReportStatus.RUNNING, claimed_by=report.claimed_by
        )
        if ours.first() is not None:
            _write(report, found, movement)
    report.refresh_from_db()
    return report


def _write(report: Reconciliation, found: Comparison | str, movement: list[ReportLine]) -> None:
    if isinstance(found, str):
        lines, status, reason = movement, ReportStatus.INCOMPLETE, found
        facts: dict[str, Any] = {}
    else:
        lines, reason = apply_report(report, found.lines, found.balances_at), ""
        off = any(line.is_difference for line in lines)
        status = ReportStatus.DIFFERS if off else ReportStatus.AGREES
        facts = {"compared": found.compared, "balances_at": found.balances_at}
    Reconciliation.objects.filter(pk=report.pk).update(
        status=status,
        reason=reason,
        differences=sum(line.is_difference for line in lines),
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
        for position, line in enumerate(sorted(lines, key=lambda line: not line.is_difference))
    )
    if not report.provisional:
        _update_alerts(report.day, status, reason)


def _update_alerts(day: date, status: ReportStatus, reason: str) -> None:
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
