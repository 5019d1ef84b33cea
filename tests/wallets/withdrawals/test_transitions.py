"""Status pairs, initial values and changes that PostgreSQL must reject."""

from itertools import product
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import connection, transaction
from psycopg import errors

from exchange.core.ids import uuid7
from exchange.staff.models import StaffUser
from tests.factories.wallets import Wallet, make_staff, make_wallet, store_bank_list
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus

pytestmark = pytest.mark.django_db(transaction=True)

LEGAL = {
    ("Pending", "Approved"),
    ("Pending", "Rejected"),
    ("Pending", "Cancelled"),
    ("Approved", "Processing"),
    ("Processing", "Completed"),
    ("Processing", "Failed"),
    ("Processing", "Unknown"),
    ("Processing", "Approved"),
    ("Unknown", "Completed"),
    ("Unknown", "Failed"),
    ("Unknown", "Approved"),
    ("Completed", "Reversed"),
}
# Legal steps that lead to each status.
ROADS = {
    "Pending": (),
    "Approved": ("Approved",),
    "Rejected": ("Rejected",),
    "Cancelled": ("Cancelled",),
    "Processing": ("Approved", "Processing"),
    "Unknown": ("Approved", "Processing", "Unknown"),
    "Completed": ("Approved", "Processing", "Completed"),
    "Failed": ("Approved", "Processing", "Failed"),
    "Reversed": ("Approved", "Processing", "Completed", "Reversed"),
}


@pytest.fixture
def wallet() -> Wallet:
    store_bank_list()
    return make_wallet(1_000_000)


@pytest.fixture
def approver() -> StaffUser:
    return make_staff()


def step(owner: psycopg.Connection[Any], withdrawal_id: UUID, status: str, approver: UUID) -> None:
    owner.execute(
        "UPDATE wallets_withdrawal SET status = %s, version = version + 1,"
        " first_approver_id = coalesce(first_approver_id, %s) WHERE id = %s",
        [status, approver, withdrawal_id],
    )


def test_only_legal_pairs_of_statuses_are_accepted(wallet, approver, owner_connection):
    taken, refusals = set(), set()
    pairs = [pair for pair in product(WithdrawalStatus.values, repeat=2) if pair[0] != pair[1]]
    assert len(pairs) == 72
    withdrawal_id = wallet.request(500).id
    for old, new in pairs:
        with owner_connection.transaction(force_rollback=True):
            for status in ROADS[old]:
                step(owner_connection, withdrawal_id, status, approver.id)
            try:
                with owner_connection.transaction():
                    step(owner_connection, withdrawal_id, new, approver.id)
                taken.add((old, new))
            except errors.CheckViolation as error:
                refusals.add(error.diag.constraint_name)
    assert taken == LEGAL
    # Rejecting an Approved one takes two people, not a step like these.
    assert refusals == {"withdrawal_transition", "withdrawal_returned_by_two"}


def test_the_test_paths_cover_every_status():
    assert set(ROADS) == set(WithdrawalStatus.values)


@pytest.mark.parametrize("status", [s for s in WithdrawalStatus.values if s != "Pending"])
def test_a_withdrawal_starts_pending(wallet, approver, owner_connection, status):
    _reject_insert(wallet, owner_connection, f"'{status}'", "1", f"'{approver.id}'", "NULL")


@pytest.mark.parametrize("version", ["0", "2"])
def test_a_withdrawal_starts_with_version_one(wallet, owner_connection, version):
    _reject_insert(wallet, owner_connection, "'Pending'", version, "NULL", "NULL")


def test_a_withdrawal_starts_without_a_decision(wallet, approver, owner_connection):
    _reject_insert(wallet, owner_connection, "'Pending'", "1", f"'{approver.id}'", "NULL")
    _reject_insert(wallet, owner_connection, "'Pending'", "1", "NULL", "now()")


def test_an_unknown_status_is_rejected(wallet, owner_connection):
    _reject_insert(wallet, owner_connection, "'Paid'", "1", "NULL", "NULL")


def _reject_insert(
    wallet: Wallet,
    owner: psycopg.Connection[Any],
    status: str,
    version: str,
    approver: str,
    actioned: str,
) -> None:
    source = wallet.request(500)
    with pytest.raises(errors.CheckViolation), owner.transaction():
        # The bank is the source row's: the row is rejected before the bank is checked.
        owner.execute(
            "INSERT INTO wallets_withdrawal (id, organisation_id, reference, currency_id, amount,"
            " fee, disburse_amount, internal_fee, internal_fee_type, escrow_account_id, bank_id,"
            " status, version,"
            " requested_by, approvals_needed, first_approver_id, actioned_on, actioned_by, reason,"
            " created_at, updated_at, document)"
            " SELECT %s, organisation_id, 'payout_x', currency_id, amount, fee, disburse_amount,"
            " internal_fee, internal_fee_type, escrow_account_id, bank_id,"
            f" {status}, {version}, requested_by,"
            f" approvals_needed, {approver}, {actioned}, '', '', now(), now(), ''"
            " FROM wallets_withdrawal WHERE id = %s",
            [uuid7(), source.id],
        )
    assert not Withdrawal.objects.filter(reference="payout_x").exists()


@pytest.mark.parametrize(
    "change",
    [
        "amount = amount + 1, disburse_amount = disburse_amount + 1",
        "fee = fee + 1, disburse_amount = disburse_amount - 1",
        "reference = 'payout_other'",
        "currency_id = 'NGN'",
        "approvals_needed = 2",
        "requested_by = 'another'",
        "created_at = now() - interval '1 day'",
        "gusd_amount = 0",
        "internal_fee = 5",
        "internal_fee_type = 'FLAT'",
    ],
)
@pytest.mark.parametrize("role", ["owner", "runtime"])
def test_the_requested_columns_never_change(wallet, owner_connection, change, role):
    withdrawal = wallet.request(500)
    if role == "runtime":
        owner_connection.execute("SET ROLE exchange_runtime")
    with pytest.raises(errors.RestrictViolation):
        owner_connection.execute(
            f"UPDATE wallets_withdrawal SET {change}, version = version + 1 WHERE id = %s",
            [withdrawal.id],
        )


def test_a_transition_raises_the_version_by_one(wallet, approver, owner_connection):
    withdrawal = wallet.request(500)
    for version in (1, 3, 0):
        with pytest.raises(errors.CheckViolation) as refusal:
            owner_connection.execute(
                "UPDATE wallets_withdrawal SET status = 'Cancelled', version = %s WHERE id = %s",
                [version, withdrawal.id],
            )
        assert refusal.value.diag.constraint_name == "withdrawal_version"


def test_one_person_cannot_be_both_approvers(wallet, approver, owner_connection):
    withdrawal = wallet.request(500_000)
    assert withdrawal.approvals_needed == 2
    with pytest.raises(errors.CheckViolation) as refusal:
        owner_connection.execute(
            "UPDATE wallets_withdrawal SET first_approver_id = %s, second_approver_id = %s"
            " WHERE id = %s",
            [approver.id, approver.id, withdrawal.id],
        )
    assert refusal.value.diag.constraint_name == "withdrawal_approvers_differ"


def test_a_large_amount_needs_two_approvers(wallet, approver, owner_connection):
    withdrawal = wallet.request(500_000)
    with pytest.raises(errors.CheckViolation) as refusal:
        step(owner_connection, withdrawal.id, "Approved", approver.id)
    assert refusal.value.diag.constraint_name == "withdrawal_approved_by_enough"


def test_every_amount_needs_an_approver(wallet, owner_connection):
    withdrawal = wallet.request(500)
    with pytest.raises(errors.CheckViolation) as refusal:
        owner_connection.execute(
            "UPDATE wallets_withdrawal SET status = 'Approved', version = 2 WHERE id = %s",
            [withdrawal.id],
        )
    assert refusal.value.diag.constraint_name == "withdrawal_approved_by_enough"


def test_a_person_cannot_approve_their_own_request(wallet, approver, owner_connection):
    withdrawal = wallet.request(500)
    with owner_connection.transaction():
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        owner_connection.execute(
            "UPDATE wallets_withdrawal SET requested_by = %s WHERE id = %s",
            [f"staff:{approver.id}", withdrawal.id],
        )
    with pytest.raises(errors.CheckViolation) as refusal:
        step(owner_connection, withdrawal.id, "Approved", approver.id)
    assert refusal.value.diag.constraint_name == "withdrawal_approver_not_maker"
    step(owner_connection, withdrawal.id, "Approved", make_staff().id)


def test_the_approvers_never_change(wallet, approver, owner_connection):
    withdrawal = wallet.request(500)
    step(owner_connection, withdrawal.id, "Approved", approver.id)
    for value in (None, make_staff().id):
        with pytest.raises(errors.RestrictViolation):
            owner_connection.execute(
                "UPDATE wallets_withdrawal SET first_approver_id = %s WHERE id = %s",
                [value, withdrawal.id],
            )


@pytest.mark.parametrize("status", ["Completed", "Failed"])
def test_a_deposit_is_confirmed_by_another_person_and_then_never_changes(
    wallet, approver, owner_connection, status
):
    deposit_id = uuid7()
    owner_connection.execute(
        "INSERT INTO wallets_deposit (id, organisation_id, currency_id, amount, reference, note,"
        " status, entered_by_id, reason, created_at)"
        " VALUES (%s, %s, 'KES', 5, 'd', '', 'Pending', %s, '', now())",
        [deposit_id, wallet.organisation.id, approver.id],
    )
    with pytest.raises(errors.CheckViolation) as refusal:
        owner_connection.execute(
            "UPDATE wallets_deposit SET status = 'Completed', decided_by_id = %s WHERE id = %s",
            [approver.id, deposit_id],
        )
    assert refusal.value.diag.constraint_name == "deposit_completed_by_another"
    owner_connection.execute(
        "UPDATE wallets_deposit SET status = %s, decided_by_id = %s WHERE id = %s",
        [status, make_staff().id, deposit_id],
    )
    with pytest.raises(errors.CheckViolation, match="is Pending and not decided"):
        owner_connection.execute(
            "UPDATE wallets_deposit SET status = 'Pending' WHERE id = %s", [deposit_id]
        )


def test_tests_run_as_the_runtime_role():
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("exchange_runtime",)
