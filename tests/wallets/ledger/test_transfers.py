"""Transfers balance, and what was posted or decided stays: attacked as owner and as application.

After each refused attack nothing has changed.
"""

import pytest
from psycopg import errors

from exchange.core.ids import uuid7
from tests.assertions.ledger import (
    account_id_of,
    assert_rejected,
    enter_deposit,
    insert_entries,
    insert_transfer,
    post,
    post_deposit,
    system_account_id,
)
from tests.environment.database import session
from tests.factories.wallets import SYSTEM
from wallets.ledger.models import Entry, Transfer
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_transfer_without_legs_is_refused_at_commit(wallet):
    with assert_rejected(errors.CheckViolation), session("owner") as connection:
        insert_transfer(connection)


def test_the_posting_function_refuses_a_transfer_without_legs(wallet, role):
    with assert_rejected(errors.CheckViolation), session(role) as connection:
        post(connection)


def test_a_transfer_with_one_leg_is_refused(wallet, role):
    with assert_rejected(errors.CheckViolation), session(role) as connection:
        post(connection, (account_id_of(wallet), "1"))


def test_no_transfer_of_a_set_spends_the_proceeds_of_a_later_one(wallet):
    mine, theirs, ids = account_id_of(wallet), system_account_id(), [uuid7(), uuid7()]
    with assert_rejected(errors.CheckViolation) as error, session("owner") as connection:
        connection.execute(
            "SELECT post_transfers(%(ids)s, %(kinds)s, %(words)s, %(ids)s, %(words)s, %(words)s,"
            " %(of)s, %(accounts)s, '{-2000,2000,2000,-2000}')",
            {
                "ids": ids,
                "kinds": ["deposit", "deposit"],
                "words": ["first", "second"],
                "of": [ids[0], ids[0], ids[1], ids[1]],
                "accounts": [mine, theirs] * 2,
            },
        )
    assert error.value.diag.constraint_name == "account_balance_not_negative"


@pytest.mark.parametrize("rest", ["-1", "-0.99", "-1.01", "1"])
def test_a_transfer_that_does_not_sum_to_zero_is_refused(wallet, role, rest):
    with assert_rejected(errors.CheckViolation), session(role) as connection:
        post(connection, (account_id_of(wallet), "2"), (system_account_id(), rest))


def test_legs_of_two_assets_do_not_make_up_for_each_other(wallet, role):
    with assert_rejected(errors.CheckViolation), session(role) as connection:
        post(connection, (account_id_of(wallet), "5"), (system_account_id(asset="NGN"), "-5"))


def test_checking_early_does_not_let_a_third_leg_through(wallet):
    with assert_rejected(errors.CheckViolation), session("owner") as connection:
        transfer = insert_transfer(connection, enter_deposit(connection, wallet, "5"))
        insert_entries(
            connection, transfer, (system_account_id(), "-5"), (account_id_of(wallet), "5")
        )
        connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
        connection.execute("SET CONSTRAINTS ALL DEFERRED")
        insert_entries(connection, transfer, (system_account_id("fees"), "5"))


def test_legs_of_an_asset_come_in_one_statement(wallet):
    """So nothing is ever half written, not even between two statements of one transaction."""
    with assert_rejected(errors.CheckViolation), session("owner") as connection:
        transfer = insert_transfer(connection)
        insert_entries(connection, transfer, (system_account_id(), "-5"))
        insert_entries(connection, transfer, (system_account_id("fees"), "5"))


def test_checking_early_is_no_way_round_for_the_runtime_role(wallet):
    with assert_rejected(errors.CheckViolation), session("runtime") as connection:
        post_deposit(connection, wallet, "5")
        connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
        post(connection, (account_id_of(wallet), "5"))


def test_legs_of_zero_are_left_out_and_a_transfer_without_others_too(wallet, other, role):
    with session(role) as connection:
        nothing = post(connection, (account_id_of(wallet), "0"), (account_id_of(other), "0"))
        deposit = enter_deposit(connection, wallet, "5")
        made = post(
            connection,
            (account_id_of(wallet), "5"),
            (account_id_of(other), "0"),
            (system_account_id(), "-5"),
            reference=f"deposit:{deposit}",
            subject=deposit,
        )
    assert not Transfer.objects.filter(id=nothing).exists()
    assert Entry.objects.filter(transfer_id=made).count() == 2


@pytest.mark.parametrize("amount", ["NaN", "Infinity", "-Infinity"])
def test_an_amount_that_is_no_amount_is_refused(wallet, role, amount):
    wrong = (errors.CheckViolation, errors.NumericValueOutOfRange)
    with assert_rejected(*wrong), session(role) as connection:
        post(connection, (account_id_of(wallet), amount), (system_account_id(), amount))


@pytest.mark.usefixtures("temporary_tables_allowed")
def test_temporary_tables_do_not_stand_in_for_the_ledger(wallet, role):
    """Deferred checks run at commit with the session's own search path, temporary tables first."""
    with assert_rejected(errors.CheckViolation), session(role) as connection:
        transfer = uuid7()
        connection.execute(
            "CREATE TEMPORARY TABLE wallets_entry (transfer_id uuid, asset_id text, amount numeric)"
        )
        connection.execute(
            "INSERT INTO pg_temp.wallets_entry VALUES (%s, 'KES', 1), (%s, 'KES', -1)",
            [transfer, transfer],
        )
        post(
            connection,
            (account_id_of(wallet), "1000000"),
            (system_account_id(), "-1"),
            transfer=transfer,
        )


@pytest.mark.usefixtures("temporary_tables_allowed")
def test_a_temporary_table_does_not_stand_in_for_the_legs_of_a_statement(wallet, role):
    with assert_rejected(errors.CheckViolation), session(role) as connection:
        connection.execute("CREATE TEMPORARY TABLE added (LIKE public.wallets_entry)")
        post(connection, (account_id_of(wallet), "1000000"), (system_account_id(), "-1"))


@pytest.mark.usefixtures("temporary_tables_allowed")
def test_a_temporary_table_does_not_open_a_decided_bank_record(wallet, role):
    withdrawal = wallet.request(500)
    decisions.cancel(
        withdrawal_id=withdrawal.id, organisation_id=wallet.organisation.id, actor=SYSTEM
    )
    with assert_rejected(errors.RestrictViolation), session(role) as connection:
        connection.execute("CREATE TEMPORARY TABLE wallets_withdrawal (bank_id uuid, status text)")
        connection.execute(
            "UPDATE public.wallets_bankaccount SET branch_code = 'X' WHERE id = %s",
            [withdrawal.bank_id],
        )


def test_a_leg_does_not_join_a_closed_transfer(wallet):
    closed = Transfer.objects.get().id
    with assert_rejected(errors.RestrictViolation), session("owner") as connection:
        insert_entries(
            connection, closed, (system_account_id(), "-5"), (system_account_id("fees"), "5")
        )


def test_a_forged_transaction_number_does_not_open_a_transfer(wallet):
    with session("owner") as connection:
        row = connection.execute("SELECT txid_current()").fetchone()
        assert row is not None
    ahead = row[0] + 1
    made = uuid7()
    with session("owner") as connection:
        deposit = enter_deposit(connection, wallet, "5")
        connection.execute(
            "INSERT INTO wallets_transfer"
            " (id, kind, reference, subject_id, actor, memo, created_at, created_txid)"
            " VALUES (%s, 'deposit', %s, %s, 'x', '', '2001-01-01', %s)",
            [made, f"deposit:{deposit}", deposit, ahead],
        )
        insert_entries(connection, made, (system_account_id(), "-5"), (account_id_of(wallet), "5"))
        connection.execute(
            "UPDATE wallets_account SET balance = balance + 5 WHERE id = %s",
            [account_id_of(wallet)],
        )
    stored = Transfer.objects.get(id=made)
    assert stored.created_at.year != 2001
    for _ in range(3):
        with assert_rejected(errors.RestrictViolation), session("owner") as connection:
            insert_entries(
                connection,
                made,
                (system_account_id("expenses"), "-5"),
                (system_account_id("fees"), "5"),
            )


@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE wallets_entry SET amount = amount * 2",
        "UPDATE wallets_entry SET balance_after = 0",
        "UPDATE wallets_transfer SET memo = 'x'",
        "UPDATE wallets_transfer SET created_txid = txid_current()",
        "DELETE FROM wallets_entry",
        "DELETE FROM wallets_transfer",
        "DELETE FROM wallets_account",
        "TRUNCATE wallets_entry",
        "TRUNCATE wallets_transfer CASCADE",
        "TRUNCATE wallets_account CASCADE",
        "DELETE FROM wallets_withdrawal",
        "DELETE FROM wallets_bankaccount",
        "DELETE FROM wallets_deposit",
        "DELETE FROM wallets_decision",
        "UPDATE wallets_decision SET reason = 'x'",
        "TRUNCATE wallets_decision",
    ],
)
def test_transfers_and_decisions_are_never_changed_or_removed(wallet, role, attack):
    withdrawal = wallet.request(500)
    with session("owner") as connection:
        connection.execute(
            "INSERT INTO wallets_decision (id, withdrawal_id, verdict, actor, actor_label, reason,"
            " details, version, created_at)"
            " VALUES (%s, %s, 'Approve', 'x', 'x', '', '{}', 1, now())",
            [uuid7(), withdrawal.id],
        )
    expected = {
        "owner": (errors.RestrictViolation,),
        "runtime": (errors.InsufficientPrivilege,),
    }[role]
    with assert_rejected(*expected), session(role) as connection:
        connection.execute(attack)


def test_a_rollback_to_a_savepoint_undoes_later_transfers(wallet, role):
    with session(role) as connection:
        first = post_deposit(connection, wallet, "10")
        with pytest.raises(errors.CheckViolation), connection.transaction():
            post(connection, (account_id_of(wallet), "-5000"), (system_account_id(), "5000"))
        connection.execute("SAVEPOINT again")
        taken_back = post_deposit(connection, wallet, "20")
        connection.execute("ROLLBACK TO again")
        second = post_deposit(connection, wallet, "7")
    assert wallet.balance() == 1017
    found = Transfer.objects.filter(id__in=[first, taken_back, second])
    assert set(found.values_list("id", flat=True)) == {first, second}


def test_a_leg_posted_in_a_savepoint_of_the_same_transaction_counts(wallet):
    with session("owner") as connection:
        transfer = insert_transfer(connection, enter_deposit(connection, wallet, "5"))
        with connection.transaction():
            insert_entries(
                connection, transfer, (system_account_id(), "-5"), (account_id_of(wallet), "5")
            )
    assert Entry.objects.filter(transfer_id=transfer).count() == 2
