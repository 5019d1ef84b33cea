"""`manage.py hold_payouts --reason TEXT [--restored-to TIME]`: put payouts on hold at once."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from exchange.core.errors import DomainError
from exchange.core.timestamps import parse_moment
from wallets.payouts.services.holds import hold_payouts


class Command(BaseCommand):
    """Place the hold; two people end it in the back office."""

    help = "Put payouts on hold. Two people end the hold under Settings, Payouts on hold."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the reason and the restored moment."""
        parser.add_argument("--reason", required=True, help="shown to finance")
        parser.add_argument(
            "--restored-to",
            type=parse_moment,
            metavar="TIME",
            help="after a restore: its target, such as 2026-11-25T10:00:03Z",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Place the hold and print how it ends."""
        try:
            hold = hold_payouts(reason=options["reason"], restored_to=options["restored_to"])
        except DomainError as error:
            raise CommandError(error.message) from None
        since = f"{hold.effective_at:%Y-%m-%d %H:%M:%S} UTC"
        self.stdout.write(f"Payouts are on hold, effective from {since}. No payout is sent.")
        if options["restored_to"]:
            self.stdout.write(
                f"Run manage.py reconcile --since {hold.effective_at:%Y-%m-%dT%H:%M:%SZ}. Then two"
                " people end the hold in the back office: Settings, Payouts on hold."
            )
