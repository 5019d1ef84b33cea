"""Closing and reopening of a member below the API."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from exchange.core.database import violated_constraint
from exchange.core.ids import uuid7
from exchange.participants.errors import MemberClosed, UserNotFound
from exchange.participants.models import Member
from tests.environment.database import session
from tests.factories.api_clients import TESTER, make_member, make_organisation
from tests.factories.deposits import Owner, make_checkout
from tests.factories.transfers import transfer
from tests.factories.wallets import Wallet
from wallets.closing.errors import MoneyMoving
from wallets.closing.services import close_member
from wallets.deposits.models import Deposit
from wallets.ledger.models import Account

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def member() -> Member:
    """Return a member with an empty account."""
    made = make_member(make_organisation())
    wallet = Wallet(made.organisation, made).fund(100)
    transfer(wallet, Wallet(made.organisation), 100)
    return made


def close(member: Member) -> Member:
    return close_member(organisation_id=member.organisation_id, member_id=member.pk, actor=TESTER)


def test_closing_does_not_wait_for_a_checkout_that_is_being_credited(member):
    checkout = make_checkout(Owner(member.organisation, member), hours_ago=25)
    with session("owner") as crediting:
        crediting.execute("SELECT FROM wallets_deposit WHERE id = %s FOR UPDATE", [checkout.pk])
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = '5s'")
            with pytest.raises(MoneyMoving):
                close(member)
    assert close(member).closed_at is not None
    assert Deposit.objects.get(pk=checkout.pk).status == "Failed"


def test_accounts_are_opened_for_the_own_organisation_only(member):
    close(member)
    accounts = Account.objects.filter(owner_id=member.pk)
    for organisation_id, closed in (
        (make_organisation("Other").pk, True),
        (member.organisation_id, False),
    ):
        with connection.cursor() as cursor:
            cursor.execute("SELECT reopen_accounts(%s, %s)", [organisation_id, member.pk])
        assert set(accounts.values_list("closed", flat=True)) == {closed}


def test_the_database_itself_refuses_to_close_a_member_without_its_accounts(member):
    with pytest.raises(IntegrityError) as refused:
        Member.objects.filter(pk=member.pk).update(closed_at=timezone.now())
    assert violated_constraint(refused.value) == "member_closed_with_accounts"
    close(member)
    with pytest.raises(IntegrityError) as refused:
        Member.objects.filter(pk=member.pk).update(closed_at=None)
    assert violated_constraint(refused.value) == "member_closed_with_accounts"


def test_an_unknown_member_is_named_before_a_closed_one(member):
    close(member)
    closed = Wallet(member.organisation, member)
    unknown = Wallet(member.organisation, Member(id=uuid7()))
    for payer, payee in ((closed, unknown), (unknown, closed)):
        with pytest.raises(UserNotFound):
            transfer(payer, payee, 1)
    with pytest.raises(MemberClosed):
        transfer(closed, Wallet(member.organisation), 1)
