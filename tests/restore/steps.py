"""What people and clients do in the restored installation, run with its own settings."""

from decimal import Decimal
from typing import Any

from django.conf import settings
from django.test import Client

from config.back_office.roles import BACK_OFFICE, FINANCE_APPROVER
from exchange.core.errors import DomainError
from exchange.events.models import WebhookEndpoint
from exchange.participants.models import Member
from exchange.staff.models import StaffUser
from exchange.staff.services.accounts import invitation_tokens
from tests.factories import logins
from tests.factories.api_clients import make_caller, make_member
from tests.factories.staff import create_staff
from tests.factories.wallets import OVERRIDE, Wallet
from wallets.fees import services as fees
from wallets.fees.definitions import PAYOUTS_ON_HOLD
from wallets.fees.models import SettingChange
from wallets.payouts.services import execution as payouts
from wallets.payouts.tasks import sweep_payouts
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

_PASSWORD = "correct horse battery"
_CHECKS = 50


def seed(funds: int) -> dict[str, str]:
    """Create staff, and a member with `funds` in KES; return its id and an access token."""
    for name, role in (
        ("amina", FINANCE_APPROVER),
        ("kwesi", FINANCE_APPROVER),
        ("samuel", BACK_OFFICE),
    ):
        create_staff(name, _PASSWORD, role, skip_cooling_off=False)
    caller = make_caller()
    member = make_member(caller.organisation)
    Wallet(caller.organisation, member).fund(funds)
    return {"member": str(member.id), "token": caller.token}


def request(count: int) -> list[str]:
    """Request withdrawals and return their references."""
    member = Member.objects.select_related("organisation").get()
    wallet = Wallet(member.organisation, member)
    return [wallet.request(500 + number).reference for number in range(count)]


def approve(*references: str) -> None:
    """Approve withdrawals as a finance approver."""
    for reference in references:
        withdrawal = Withdrawal.objects.get(reference=reference)
        decisions.approve(
            withdrawal_id=withdrawal.pk,
            version=withdrawal.version,
            approver=StaffUser.objects.get(username="amina"),
            override=OVERRIDE,
        )


def pay(*references: str) -> None:
    """Send approved withdrawals and check their status until they are paid."""
    for reference in references:
        withdrawal = Withdrawal.objects.get(reference=reference)
        payouts.send_payout(withdrawal.pk)
        for _ in range(_CHECKS):
            payouts.check_status(withdrawal.pk)
            withdrawal.refresh_from_db()
            if withdrawal.status == "Completed":
                break
        assert withdrawal.status == "Completed", withdrawal.status


def before_moment() -> dict[str, str]:
    """Pay one withdrawal, approve a second and request a third; return their references."""
    paid, approved, pending = request(3)
    approve(paid, approved)
    pay(paid)
    return {"paid": paid, "approved": approved, "pending": pending}


def after_moment(approved: str, pending: str) -> str:
    """Pay both, and request and pay a fourth; return its reference."""
    [lost] = request(1)
    approve(pending, lost)
    pay(approved, pending, lost)
    return lost


def statuses() -> dict[str, str]:
    """Return the status of every withdrawal by reference."""
    return dict(Withdrawal.objects.values_list("reference", "status"))


def sweep() -> dict[str, str]:
    """Run the workers' sweep; return the statuses."""
    sweep_payouts()
    return statuses()


def release() -> str:
    """Propose and approve the end of the hold; return the error, if it is refused."""
    change = SettingChange.objects.filter(
        configuration_id=PAYOUTS_ON_HOLD, status="Pending"
    ).first() or fees.propose(
        key=PAYOUTS_ON_HOLD,
        value=Decimal(0),
        reason="Reconciled",
        user=StaffUser.objects.get(username="samuel"),
    )
    try:
        fees.approve(
            change_id=change.pk,
            expected_value=Decimal(1),
            user=StaffUser.objects.get(username="kwesi"),
        )
    except DomainError as error:
        return error.message
    return ""


def balances() -> list[Any]:
    """Return available and escrow of the member in KES."""
    member = Member.objects.select_related("organisation").get()
    return [str(each) for each in Wallet(member.organisation, member).kes]


def set_webhook(url: str = "https://example.com/") -> None:
    """Give the member's organisation a webhook endpoint, whose secret is encrypted."""
    member = Member.objects.select_related("organisation").get()
    WebhookEndpoint.objects.create(organisation=member.organisation, url=url, secret="whsec_first")


def sign_in(username: str) -> str:
    """Sign a person in and return the session's cookie."""
    client = Client()
    logins.sign_in(client, StaffUser.objects.get(username=username))
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


def invite(username: str) -> str:
    """Return the token of a person's invitation link."""
    return invitation_tokens.make_token(StaffUser.objects.get(username=username))


def accepts_invitation(username: str, token: str) -> bool:
    """Return whether the token of an invitation link is valid."""
    return bool(invitation_tokens.check_token(StaffUser.objects.get(username=username), token))
