"""`manage.py reconcile [DATE]`: our payouts of a day beside the provider's, as a kept report."""

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
        raise ArgumentTypeError("write it as 2026-11-20") from None


class Command(BaseCommand):
    """Prints what differs; exit 1 when something does, 2 when the report is incomplete."""

    help = "Compare a day's payouts and the balances with the provider's; yesterday by default."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which day."""
        parser.add_argument("date", nargs="?", type=_day, help="a day in UTC: 2026-11-20")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Makes the report and prints it."""
        day = options["date"] or utc_day(timezone.now()) - timedelta(days=1)
        try:
            report = reconciliation.request_report(
                day=day, actor=Actor.system("manage.py reconcile")
            )
        except DomainError as error:
            raise CommandError(error.message) from None
        if not reconciliation.claim_report(report):
            raise CommandError("A worker has taken it up: look at the report in the back office")
        report = reconciliation.run_report(report)
        for line in report.lines.filter(is_difference=True):
            ours = line.our_text or format_plain(line.our_amount or Decimal(0))
            theirs = line.their_text or format_plain(line.their_amount or Decimal(0))
            about = line.reference or line.currency_id
            self.stdout.write(f"{line.kind}: {about}: ours {ours}, theirs {theirs}")
        said = f"{day}: {report.status}, payouts compared: {report.compared}"
        if report.reason:
            said += f": {report.reason}"
        elif report.differences:
            said += f", differences: {report.differences}"
        if report.provisional:
            said += " (provisional: the day is not over)"
        self.stdout.write(said)
        if report.status != ReportStatus.AGREES:
            sys.exit(1 if report.status == ReportStatus.DIFFERS else 2)
