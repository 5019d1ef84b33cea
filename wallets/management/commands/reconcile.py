"""`manage.py reconcile [DATE | --since TIME]`: reconcile a day, or every day since a moment."""

import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.errors import DomainError
from exchange.core.numbers import format_plain
from exchange.core.timestamps import parse_moment
from wallets.reconciliation.models import (
    LineKind,
    Reconciliation,
    ReconciliationLine,
    ReportStatus,
)
from wallets.reconciliation.selectors.movements import utc_day
from wallets.reconciliation.services import reports
from wallets.withdrawals.models import Withdrawal

_EXIT_CODES = {ReportStatus.MATCHED: 0, ReportStatus.DIFFERS: 1}
_INCOMPLETE = 2


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError("expected a date such as 2026-11-20") from None


class Command(BaseCommand):
    """Exit with 1 when there are differences, 2 when a report is incomplete."""

    help = (
        "Reconcile the payouts of a day, and the balances, with the provider (default: yesterday)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the day, or the moment since which days are reconciled."""
        days = parser.add_mutually_exclusive_group()
        days.add_argument("date", nargs="?", type=_day, help="a day in UTC: 2026-11-20")
        days.add_argument(
            "--since",
            type=parse_moment,
            metavar="TIME",
            help="every day from that moment up to today, after a restore: 2026-11-25T10:00:03Z",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run the reports and print them."""
        worst = 0
        for day in _days(options["date"], options["since"]):
            report = self._run(day)
            worst = max(worst, _EXIT_CODES.get(ReportStatus(report.status), _INCOMPLETE))
        if worst:
            sys.exit(worst)

    def _run(self, day: date) -> Reconciliation:
        try:
            report = reports.request_report(day=day, actor=Actor.system("manage.py reconcile"))
        except DomainError as error:
            raise CommandError(error.message) from None
        if not reports.claim_report(report):
            raise CommandError("A worker is already running it; see the report in the back office")
        report = reports.run_report(report)
        for line in report.lines.filter(is_difference=True):
            self.stdout.write(_describe(line))
        summary = f"{day}: {report.status}, payouts compared: {report.compared}"
        if report.reason:
            summary += f": {report.reason}"
        elif report.differences:
            summary += f", differences: {report.differences}"
        if report.provisional:
            summary += " (preliminary: the day has not ended)"
        self.stdout.write(summary)
        return report


def _days(day: date | None, since: datetime | None) -> Iterator[date]:
    """Return the given day, every day since a moment, or yesterday."""
    today = utc_day(timezone.now())
    if since is None:
        yield day or today - timedelta(days=1)
        return
    first = utc_day(since)
    if first > today:
        raise CommandError("--since is in the future")
    for number in range((today - first).days + 1):
        yield first + timedelta(days=number)


def _describe(line: ReconciliationLine) -> str:
    if line.kind == LineKind.UNKNOWN:
        amount = format_plain(line.their_amount or Decimal(0))
        status, _, rest = line.their_text.partition(" ")
        return (
            f"{line.kind}: {line.reference}: provider {status} {amount} {rest}; "
            f"{_describe_withdrawal(line.reference)}"
        )
    ours = line.our_text or format_plain(line.our_amount or Decimal(0))
    theirs = line.their_text or format_plain(line.their_amount or Decimal(0))
    about = line.reference or line.currency_id
    return f"{line.kind}: {about}: ours {ours}, provider {theirs}"


def _describe_withdrawal(reference: str) -> str:
    """Return what our records have about a transfer without a payout."""
    withdrawal = Withdrawal.objects.filter(reference=reference).first()
    return "no withdrawal here" if withdrawal is None else f"withdrawal {withdrawal.status} here"
