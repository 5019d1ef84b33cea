"""`manage.py recover_withdrawal REFERENCE OWNER_ID`: request a paid withdrawal again."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from exchange.core.actors import Actor
from exchange.core.currencies import format_money
from exchange.core.errors import DomainError
from wallets.management.commands.deposit import find_owner
from wallets.payouts.services.recovery import recover_withdrawal


class Command(BaseCommand):
    """Request the withdrawal under its old reference; it is approved in the back office."""

    help = (
        "After a restore: request again, under its old reference, a withdrawal that the provider"
        " has and the database lost. Nothing is sent for it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the transfer and its owner."""
        parser.add_argument("reference", help="of the transfer, as reconcile lists it")
        parser.add_argument("owner", help="id of the organisation or member that withdrew")
        parser.add_argument("--account-name", required=True, help="holder of the bank account")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Request the withdrawal and print it."""
        organisation_id, member_id, name = find_owner(options["owner"])
        try:
            withdrawal = recover_withdrawal(
                reference=options["reference"],
                organisation_id=organisation_id,
                member_id=member_id,
                account_name=options["account_name"],
                actor=Actor.system("recover_withdrawal"),
            )
        except DomainError as error:
            raise CommandError(error.message) from None
        amount = format_money(withdrawal.amount, withdrawal.currency_id)
        self.stdout.write(
            f"Requested {withdrawal.reference}: {amount} of {name}, {withdrawal.status}."
            " Approve it in the back office"
        )
