"""`manage.py deposit OWNER_ID CURRENCY AMOUNT`: book an incoming payment to a wallet."""

from argparse import ArgumentParser
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from exchange.api.filters import parse_amount
from exchange.core.actors import Actor
from exchange.core.errors import DomainError
from exchange.core.ids import new_reference, parse_id
from exchange.core.numbers import format_plain
from exchange.participants.models import Member, Organisation
from wallets.deposits.services.manual import IncomingPayment, book_deposit
from wallets.ledger.selectors.wallets import available_balance


class Command(BaseCommand):
    """Book the deposit immediately (clearing to available) and print the new balance."""

    help = "Book an incoming payment of an organisation or a member, and print the new balance."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the payment."""
        parser.add_argument("owner", help="id of the organisation or member")
        parser.add_argument("currency", help="code of the currency, such as NGN")
        parser.add_argument("amount", help="in units of the currency, such as 1000 or 90.02")
        parser.add_argument(
            "--reference", help="the bank's reference, booked once (default: generated)"
        )
        parser.add_argument("--note", default="", help="internal note")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Book the deposit and print the balance."""
        organisation_id, member_id, name = find_owner(options["owner"])
        amount = _amount(options["amount"])
        currency = options["currency"].upper()
        reference = options["reference"] or new_reference("deposit_")
        for option, text, longest in (
            ("--reference", reference, 100),
            ("--note", options["note"], 300),
        ):
            if len(text) > longest or not (text.isprintable() or not text):
                raise CommandError(f"{option} must be at most {longest} printable characters")
        payment = IncomingPayment(
            organisation_id=organisation_id,
            member_id=member_id,
            currency=currency,
            amount=amount,
            reference=reference,
            note=options["note"],
        )
        try:
            book_deposit(payment=payment, actor=Actor.system("deposit"), announce=True)
        except DomainError as error:
            raise CommandError(error.message) from error
        balance = available_balance(member_id or organisation_id, currency)
        self.stdout.write(
            f"Deposited {format_plain(amount)} {currency} for {name} ({reference}). "
            f"Available: {format_plain(balance)} {currency}"
        )


def find_owner(text: str) -> tuple[UUID, UUID | None, str]:
    """Return organisation, member (if any) and name of an owner. Raises CommandError."""
    identifier = parse_id(text)
    if identifier is not None:
        organisation = Organisation.objects.filter(id=identifier).first()
        if organisation is not None:
            return organisation.id, None, organisation.name
        member = Member.objects.filter(id=identifier).first()
        if member is not None:
            return member.organisation_id, member.id, member.name
    raise CommandError(f"No organisation and no member has the id {text!r}")


def _amount(text: str) -> Decimal:
    amount = parse_amount(text)
    if amount is None:
        raise CommandError(f"{text!r} is not an amount such as 1000 or 90.02")
    return amount
