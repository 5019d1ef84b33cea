"""Reports: requested, claimed under a lease, run, stored and reported by alerts."""

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
from wallets.reconciliation.services.comparison import Comparison, compare
from wallets.reconciliation.services.differences import ProviderDataUnreliable, ReportLine
from wallets.reconciliation.services.explanations import ALERT
from wallets.reconciliation.services.totals import movement_lines

log = structlog.get_logger(__name__)

TASK = "wallets.tasks.reconcile"
PERMISSION = "wallets.run_reconciliation"
ALERT_INCOMPLETE = "reconciliation_incomplete"
_LEASE = timedelta(minutes=30)
_ATTEMPTS = 3
_UNFINISHED = Q(status__in=[ReportStatus.WAITING, ReportStatus.RUNNING])
# Hour (UTC) from which yesterday is reported: late payouts have a response by then.
_START_HOUR = 2
_MAX_REPORTS_PER_DAY = 5
_RETRY_INTERVAL = timedelta(hours=1)


def request_report(*, day: date, actor: Actor) -> Reconciliation:
    """Request a report of `day`. Raises `Conflict` when one is pending, `InvalidRequest`."""
    if day > utc_day(timezone.now()):
        raise InvalidRequest.for_field("day", "Choose a day that is not in the future")
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
        raise Conflict(f"A reconciliation of {day} is already running") from None
    task_notifier.notify_after_commit(TASK)
    return report


def request_report_as_staff(*, day: date, user: StaffUser) -> Reconciliation:
    """Request a report as `request_report`. Raises `Forbidden` too."""
    if not user.may(PERMISSION):
        raise Forbidden("You may not run reconciliation")
    return request_report(day=day, actor=Actor.staff(user.pk, str(user)))


def request_daily_report() -> Reconciliation | None:
    """Request the report of yesterday if due: once, or hourly while it stays incomplete."""
    now = timezone.now()
    yesterday = utc_day(now) - timedelta(days=1)
    if not _is_due(yesterday, now):
        return None
    try:
        return request_report(day=yesterday, actor=Actor.system("reconciliation"))
    except Conflict:
        return None


def _is_due(yesterday: date, now: datetime) -> bool:
    """Return whether a report of `yesterday` is due."""
    if now < day_bounds(utc_day(now))[0] + timedelta(hours=_START_HOUR):
        return False
    reports = Reconciliation.objects.filter(day=yesterday, provisional=False)
    if reports.exclude(status=ReportStatus.INCOMPLETE).exists():
        return False
    if reports.count() >= _MAX_REPORTS_PER_DAY:
        return False
    return not reports.filter(created_at__gt=now - _RETRY_INTERVAL).exists()


def run_next_report() -> Reconciliation | None:
    """Claim and run one report that is pending, or whose worker died; None when there is none."""
    report = _claim()
    return None if report is None else run_report(report)


def run_report(report: Reconciliation) -> Reconciliation:
    """Run a claimed report, and store its result or the reason why it is incomplete."""
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
        reason = "An internal error occurred; see the log"
    return _store(report, found or reason, lines)


def claim_report(report: Reconciliation) -> bool:
    """Claim the report, and return whether this worker has it."""
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
            _store(report, "The worker was interrupted on every attempt", [])
        elif claim_report(report):
            return report
    return None


def _store(
    report: Reconciliation, found: Comparison | str, movement: list[ReportLine]
) -> Reconciliation:
    """Store the comparison, or why it is incomplete together with our own movements."""
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
        has_differences = any(line.is_difference for line in lines)
        status = ReportStatus.DIFFERS if has_differences else ReportStatus.MATCHED
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
            **asdict(line),
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
            message=f"Reconciliation of {day} is incomplete: {reason}",
        )
        return
    resolve_alert(ALERT_INCOMPLETE, subject=subject)
    count = count_open(day)
    if count and status == ReportStatus.DIFFERS:
        what = "One difference" if count == 1 else f"{count} differences"
        raise_alert(
            ALERT,
            subject=subject,
            message=f"{what} with the provider for {day}, not closed by two people yet",
        )
