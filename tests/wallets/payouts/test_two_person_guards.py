"""What the service's own login cannot write about deposits and proposals on payouts."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import psycopg
import pytest
from django.utils import timezone
from psycopg import errors

from exchange.core.ids import uuid7
from tests.environment.database import Connection, session
from tests.factories.wallets import Wallet, make_staff, make_wallet, store_bank_list
from wallets.deposits import services as deposits
from wallets.deposits.models import Deposit
from wallets.payouts.models import Proposal, ProposalAction, ProposalStatus

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def runtime() -> Iterator[Connection]:
    with session("runtime") as connection:
        connection.autocommit = True
        yield connection


@pytest.fixture
def wallet() -> Wallet:
    store_bank_list()
    return make_wallet(1000)


@pytest.fixture
def entered(wallet: Wallet) -> Deposit:
    payment = deposits.IncomingPayment(
        organisation_id=wallet.organisation.id,
        member_id=None,
        currency="KES",
        amount=Decimal(700),
        reference="wire 7",
    )
    return deposits.enter(payment=payment, user=make_staff())


@pytest.fixture
def proposal(wallet: Wallet) -> Proposal:
    return Proposal.objects.create(
        withdrawal_id=wallet.request(500).id,
        action=ProposalAction.SEND_AGAIN,
        reason="Not found twice",
        proposed_by=make_staff(),
        created_at=timezone.now(),
    )


def picture() -> list[tuple[object, ...]]:
    return [*Deposit.objects.order_by("id").values_list(), *Proposal.objects.values_list()]


def refuses(
    connection: Connection, kind: type[psycopg.Error], statement: str, *values: object
) -> str:
    """Assert that PostgreSQL refuses the statement and that nothing changed."""
    before = picture()
    with pytest.raises(kind) as refusal:
        connection.execute(statement, values)
    assert picture() == before
    return refusal.value.diag.constraint_name or ""


def test_a_deposit_is_not_confirmed_without_another_person(runtime, entered):
    for person in (None, entered.entered_by_id):
        broken = refuses(
            runtime,
            errors.CheckViolation,
            "UPDATE wallets_deposit SET status = 'Confirmed', decided_by_id = %s,"
            " decided_at = now() WHERE id = %s",
            person,
            entered.id,
        )
        assert broken == "deposit_confirmed_by_another"


def test_a_deposit_is_cancelled_only_by_whoever_entered_it(runtime, entered):
    for person in (None, make_staff().id):
        broken = refuses(
            runtime,
            errors.CheckViolation,
            "UPDATE wallets_deposit SET status = 'Cancelled', decided_by_id = %s,"
            " decided_at = now() WHERE id = %s",
            person,
            entered.id,
        )
        assert broken == "deposit_cancelled_by_who_entered_it"


def test_what_was_entered_about_a_deposit_stays(runtime, entered):
    for change in ("amount = 1e9", "entered_by_id = NULL", "reference = 'other'"):
        refuses(
            runtime,
            errors.RestrictViolation,
            f"UPDATE wallets_deposit SET {change} WHERE id = %s",
            entered.id,
        )


def test_a_deposit_is_not_inserted_as_confirmed_by_two(runtime, wallet):
    people = [make_staff().id for _ in range(2)]
    broken = refuses(
        runtime,
        errors.CheckViolation,
        "INSERT INTO wallets_deposit (id, organisation_id, currency_id, amount, reference, note,"
        " status, entered_by_id, decided_by_id, decided_at, reason, created_at)"
        " VALUES (%s, %s, 'KES', 5, 'forged', '', 'Confirmed', %s, %s, now(), '', now())",
        uuid7(),
        wallet.organisation.id,
        *people,
    )
    assert broken == "deposit_starts_pending"


def test_an_open_proposal_keeps_what_it_proposes(runtime, proposal):
    other = make_staff().id
    for change in ("action = 'Fail'", "reason = 'x'", f"proposed_by_id = '{other}'"):
        refuses(
            runtime,
            errors.RestrictViolation,
            f"UPDATE wallets_proposal SET {change} WHERE id = %s",
            proposal.id,
        )


def test_a_decided_proposal_is_not_opened_again_nor_decided_by_others(runtime, proposal):
    decider = make_staff()
    Proposal.objects.filter(pk=proposal.pk).update(
        status=ProposalStatus.DECLINED, decided_by=decider, decided_at=timezone.now()
    )
    for change in (
        "status = 'Open', decided_by_id = NULL, decided_at = NULL",
        "status = 'Confirmed'",
        f"decided_by_id = '{make_staff().id}'",
    ):
        refuses(
            runtime,
            errors.RestrictViolation,
            f"UPDATE wallets_proposal SET {change} WHERE id = %s",
            proposal.id,
        )


def test_a_proposal_is_confirmed_by_another_person_only(runtime, proposal):
    broken = refuses(
        runtime,
        errors.CheckViolation,
        "UPDATE wallets_proposal SET status = 'Confirmed', decided_by_id = proposed_by_id,"
        " decided_at = now() WHERE id = %s",
        proposal.id,
    )
    assert broken == "proposal_confirmed_by_another"


def test_a_proposal_is_not_inserted_as_confirmed_by_two(runtime, wallet):
    withdrawal = wallet.request(500)
    people = [make_staff() for _ in range(2)]
    broken = refuses(
        runtime,
        errors.CheckViolation,
        "INSERT INTO wallets_proposal (id, withdrawal_id, action, reason, status, proposed_by_id,"
        " decided_by_id, created_at, decided_at)"
        " VALUES (%s, %s, 'Reverse', 'forged', 'Confirmed', %s, %s, now(), now())",
        uuid7(),
        withdrawal.id,
        *[person.id for person in people],
    )
    assert broken == "proposal_starts_pending"
