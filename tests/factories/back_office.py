"""Signed-in staff of every role, and deposits and withdrawals to decide."""

import re
from dataclasses import asdict
from decimal import Decimal
from html import unescape
from typing import Any
from uuid import UUID

import msgspec
from django.contrib.messages import get_messages
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from exchange.core.actors import Actor
from exchange.participants.models import Member, Organisation
from exchange.staff.models import StaffUser
from tests.factories.logins import sign_in
from tests.factories.staff import create_staff
from tests.factories.wallets import OVERRIDE
from wallets.banks.payout_details import PayoutDetails
from wallets.banks.services import bank_directory
from wallets.deposits.services import manual as deposits
from wallets.withdrawals.commands import RequestWithdrawal
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.selectors.review_flags import review_flags
from wallets.withdrawals.services.requests import request_withdrawal

SYSTEM = Actor.system("tests")


def signed_in_client(role: str, username: str = "") -> Client:
    """Return a client, without CSRF checks, where new staff with `role` have passed both steps."""
    name = username or role.lower().replace(" ", "-")
    client = Client()
    sign_in(client, create_staff(name, "correct horse battery", role))
    return client


def page(record: Model, name: str = "change", *more: object) -> str:
    """Return the address of a page of the record, or of one of its proposals."""
    label = record._meta.label_lower.replace(".", "_")
    return reverse(f"admin:{label}_{name}", args=[record.pk, *more])


def user_of(client: Client) -> StaffUser:
    """Return the signed-in user."""
    return StaffUser.objects.get(pk=client.session["_auth_user_id"])


def make_participants() -> tuple[Organisation, Member]:
    """Make an organisation with a member."""
    organisation = Organisation.objects.create(name="Acme", email="ops@acme.example")
    member = Member.objects.create(organisation=organisation, name="Ada", email="ada@acme.example")
    return organisation, member


def fund(organisation: Organisation, member: Member | None, currency: str, amount: str) -> None:
    """Deposit money into a wallet."""
    owner = member or organisation
    deposits.book_deposit(
        payment=deposits.IncomingPayment(
            organisation_id=organisation.pk,
            member_id=member.pk if member else None,
            currency=currency,
            amount=Decimal(amount),
            reference=f"in-{owner.pk}-{currency}",
        ),
        actor=SYSTEM,
    )


def make_withdrawal(
    organisation: Organisation,
    member: Member | None,
    currency: str,
    amount: str,
    account_number: str = "0690000031",
    corridor: PayoutDetails | None = None,
    account_name: str = "Ada Obi",
) -> Withdrawal:
    """Make a Pending withdrawal."""
    response = request_withdrawal(
        RequestWithdrawal(
            organisation=organisation.pk,
            member=member.pk if member else None,
            actor=str(SYSTEM),
            amount=Decimal(amount),
            currency=currency,
            bank_name=bank_directory(currency).banks[0].name,
            account_name=account_name,
            account_number=account_number,
            **asdict(corridor or PayoutDetails()),
        )
    )
    data = msgspec.json.decode(response.data)
    return Withdrawal.objects.get(pk=data["withdrawalRequest"]["_id"])


def messages_of(response: Any) -> list[str]:
    """Return the messages that a POST has queued for the next page."""
    return [str(message) for message in get_messages(response.wsgi_request)]


def shown_fields(asked: Any) -> dict[str, list[str]]:
    """Return the hidden fields of a loaded confirmation page."""
    html = re.search(
        r'<form method="post"[^>]*id="confirm".*?</form>', asked.content.decode(), re.S
    )
    found: dict[str, list[str]] = {}
    for name, value in re.findall(
        r'<input type="hidden" name="(\w+)" value="([^"]*)"', html.group() if html else ""
    ):
        found.setdefault(name, []).append(unescape(value))
    return found


def submit_confirmation(client: Client, address: str, *, at: Any = None, **typed: Any) -> Any:
    """Submit the confirmation page at `address`, or the loaded page `at`, with the fields `typed`.

    Returns the response of the page itself if that is no confirmation.
    """
    asked = at or client.get(address)
    if asked.status_code != 200:
        return asked
    return client.post(address, {**shown_fields(asked), **typed})


def approve_withdrawal(client: Client, withdrawal: Withdrawal, **typed: Any) -> Any:
    """Approve on the confirmation page, with a reason for critical flags."""
    typed = {"override": OVERRIDE, **typed}
    return submit_confirmation(client, page(withdrawal, "approve"), **typed)


def current_flag_codes(withdrawal: Withdrawal) -> list[str]:
    """Return the codes of the current flags, which the confirmation page submits."""
    found = Withdrawal.objects.select_related("bank").get(pk=withdrawal.pk)
    return [flag.code for flag in review_flags([found])[found.pk]]


def text_of(response: Any) -> str:
    """Return the text of a page: no markup, single spaces."""
    bare = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", response.content.decode(), flags=re.S)
    return re.sub(r"\s+", " ", unescape(bare))


def balances(owner_id: UUID, currency: str) -> tuple[Decimal, Decimal]:
    """Return the available and the escrow balance."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(sum(balance) FILTER (WHERE kind = 'available'), 0),"
            " coalesce(sum(balance) FILTER (WHERE kind = 'escrow'), 0)"
            " FROM wallets_account WHERE owner_id = %s AND asset_id = %s",
            [owner_id, currency],
        )
        row = cursor.fetchone()
    assert row is not None
    return row[0], row[1]
