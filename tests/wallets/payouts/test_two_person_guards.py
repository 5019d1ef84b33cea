"""Dual control of deposits and payout proposals in the database, as the runtime role."""

from collections.abc import Iterator
from decimal import Decimal

import psycopg
import pytest
from django.utils import timezone
from psycopg import errors

from exchange.core.ids import uuid7
from exchange.staff.models import ApprovalStatus
from tests.environment.database import Connection, session
from tests.factories.wallets import Wallet, make_staff, make_wallet, store_bank_list
from wallets.deposits.models import Deposit
from wallets.deposits.services import manual as deposits
from wallets.payouts.models import Proposal, ProposalAction

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
def deposit(wallet: Wallet) -> Deposit:
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


def read_rows() -> list[tuple[object, ...]]:
    return [*Deposit.objects.order_by("id").values_list(), *Proposal.objects.values_list()]


def assert_rejected(
    connection: Connection, kind: type[psycopg.Error], statement: str, *values: object
) -> str:
    """Assert that PostgreSQL rejects the statement, and return the constraint."""
    before = read_rows()
    with pytest.raises(kind) as rejection:
        connection.execute(statement, values)
    assert read_rows() == before
    return rejection.value.diag.constraint_name or ""


def test_a_deposit_is_not_confirmed_without_another_person(runtime, deposit):
    for person in (None, deposit.entered_by_id):
        constraint = assert_rejected(
            runtime,
            errors.CheckViolation,
            "UPDATE wallets_deposit SET status = 'Completed', decided_by_id = %s,"
            " decided_at = now() WHERE id = %s",
            person,
            deposit.id,
        )
        assert constraint == "deposit_completed_by_another"


def test_the_entered_columns_of_a_deposit_never_change(runtime, deposit):
    for change in ("amount = 1e9", "entered_by_id = NULL", "reference = 'other'"):
        assert_rejected(
            runtime,
            errors.RestrictViolation,
            f"UPDATE wallets_deposit SET {change} WHERE id = %s",
            deposit.id,
        )


def test_a_deposit_cannot_be_inserted_as_confirmed(runtime, wallet):
    people = [make_staff().id for _ in range(2)]
    constraint = assert_rejected(
        runtime,
        errors.CheckViolation,
        "INSERT INTO wallets_deposit (id, organisation_id, currency_id, amount, reference, note,"
        " status, entered_by_id, decided_by_id, decided_at, reason, created_at)"
        " VALUES (%s, %s, 'KES', 5, 'forged', '', 'Completed', %s, %s, now(), '', now())",
        uuid7(),
        wallet.organisation.id,
        *people,
    )
    assert constraint == "deposit_starts_pending"


def test_the_content_of_an_open_proposal_never_changes(runtime, proposal):
    other = make_staff().id
    for change in ("action = 'Fail'", "reason = 'x'", f"proposed_by_id = '{other}'"):
        assert_rejected(
            runtime,
            errors.RestrictViolation,
            f"UPDATE wallets_proposal SET {change} WHERE id = %s",
            proposal.id,
        )


def test_a_decided_proposal_is_neither_reopened_nor_decided_again(runtime, proposal):
    decider = make_staff()
    Proposal.objects.filter(pk=proposal.pk).update(
        status=ApprovalStatus.REJECTED, decided_by=decider, decided_at=timezone.now()
    )
    for change in (
        "status = 'Pending', decided_by_id = NULL, decided_at = NULL",
        "status = 'Approved'",
        f"decided_by_id = '{make_staff().id}'",
    ):
        assert_rejected(
            runtime,
            errors.RestrictViolation,
            f"UPDATE wallets_proposal SET {change} WHERE id = %s",
            proposal.id,
        )


def test_a_proposal_is_confirmed_only_by_another_person(runtime, proposal):
    constraint = assert_rejected(
        runtime,
        errors.CheckViolation,
        "UPDATE wallets_proposal SET status = 'Approved', decided_by_id = proposed_by_id,"
        " decided_at = now() WHERE id = %s",
        proposal.id,
    )
    assert constraint == "proposal_approved_by_another"


def test_a_proposal_cannot_be_inserted_as_confirmed(runtime, wallet):
    withdrawal = wallet.request(500)
    people = [make_staff() for _ in range(2)]
    constraint = assert_rejected(
        runtime,
        errors.CheckViolation,
        "INSERT INTO wallets_proposal (id, withdrawal_id, action, reason, status, proposed_by_id,"
        " decided_by_id, created_at, decided_at)"
        " VALUES (%s, %s, 'Reverse', 'forged', 'Approved', %s, %s, now(), now())",
        uuid7(),
        withdrawal.id,
        *[person.id for person in people],
    )
    assert constraint == "proposal_starts_pending"
