"""`manage.py reconcile [DATE]`: run reconciliation of a day and print its differences."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.errors import DomainError
from exchange.core.numbers import format_plain
from wallets.reconciliation import services as reconciliation
from wallets.reconciliation.models import ReportStatus
from wallets.reconciliation.selectors.movements import utc_day


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError("expected a date such as 2026-11-20") from None


class Command(BaseCommand):
    """Exit with 1 when there are differences, 2 when the report is incomplete."""

    help = (
        "Reconcile the payouts of a day, and the balances, with the provider (default: yesterday)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the day."""
        parser.add_argument("date", nargs="?", type=_day, help="a day in UTC: 2026-11-20")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run the report and print it."""
        day = options["date"] or utc_day(timezone.now()) - timedelta(days=1)
        try:
            report = reconciliation.request_report(
                day=day, actor=Actor.system("manage.py reconcile")
            )
        except DomainError as error:
            raise CommandError(error.message) from None
        if not reconciliation.claim_report(report):
            raise CommandError("A worker is already running it; see the report in the back office")
        report = reconciliation.run_report(report)
        for line in report.lines.filter(is_difference=True):
            ours = line.our_text or format_plain(line.our_amount or Decimal(0))
            theirs = line.their_text or format_plain(line.their_amount or Decimal(0))
            about = line.reference or line.currency_id
            self.stdout.write(f"{line.kind}: {about}: ours {ours}, provider {theirs}")
        summary = f"{day}: {report.status}, payouts compared: {report.compared}"
        if report.reason:
            summary += f": {report.reason}"
        elif report.differences:
            summary += f", differences: {report.differences}"
        if report.provisional:
            summary += " (preliminary: the day has not ended)"
        self.stdout.write(summary)
        if report.status != ReportStatus.MATCHED:
            sys.exit(1 if report.status == ReportStatus.DIFFERS else 2)
