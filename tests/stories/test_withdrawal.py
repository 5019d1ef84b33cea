"""A withdrawal from request to bank by the services, against the running sandbox provider."""

from decimal import Decimal

import msgspec
import pytest
import requests as http
from django.contrib.auth.models import Permission
from django.utils import timezone

from config.books import WALLET_CHECKS
from exchange.core.actors import Actor
from exchange.events.models import Event
from exchange.participants.models import Member, Organisation
from exchange.staff.models import StaffUser
from tests.environment.owner import as_owner
from tests.factories.staff import LONG_AGO
from wallets.banks.services import bank_directory
from wallets.deposits.services import manual as deposits
from wallets.ledger import proof as books
from wallets.payouts.services import execution as payouts
from wallets.withdrawals.commands import RequestWithdrawal
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions, requests

SYSTEM = Actor.system("tests")


def _staff(name: str) -> StaffUser:
    with as_owner():
        user = StaffUser.objects.create_user(
            username=name, is_staff=True, access_changed_at=timezone.now() - LONG_AGO
        )
        user.user_permissions.add(*Permission.objects.filter(codename__in=["decide_withdrawal"]))
    return user


@pytest.mark.django_db
def test_a_members_withdrawal_goes_from_request_to_bank_and_the_books_hold(provider_sandbox):
    organisation = Organisation.objects.create(name="Acme")
    member = Member.objects.create(organisation=organisation, name="Ada", email="ada@example.com")
    deposits.book_deposit(
        payment=deposits.IncomingPayment(
            organisation_id=organisation.id,
            member_id=member.id,
            currency="KES",
            amount=Decimal("1000.5"),
            reference="in-1",
        ),
        actor=SYSTEM,
    )
    bank_name = bank_directory("KES").banks[0].name
    response = requests.request_withdrawal(
        RequestWithdrawal(
            organisation=organisation.id,
            member=member.id,
            actor=str(SYSTEM),
            amount=Decimal("500.25"),
            currency="KES",
            bank_name=bank_name,
            account_name="Ada",
            account_number="0690000031",
        )
    )
    data = msgspec.json.decode(response.data)
    withdrawal = Withdrawal.objects.get(id=data["withdrawalRequest"]["_id"])
    decisions.approve(withdrawal_id=withdrawal.id, version=1, approver=_staff("ann"))
    payouts.send_payout(withdrawal.id)
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Processing"
    http.post(f"{provider_sandbox.url}/sandbox/settle", json={}, timeout=10).raise_for_status()
    payouts.check_status(withdrawal.id)
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Completed"
    proof = books.prove(WALLET_CHECKS)
    assert proof.findings == ()
    assert list(Event.objects.order_by("id").values_list("type", flat=True)) == [
        "withdrawal.created",
        "withdrawal.approved",
        "withdrawal.processing",
        "withdrawal.completed",
    ]
