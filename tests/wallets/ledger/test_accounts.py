"""Balances and who and what belong together: attacked as owner and as application."""

import pytest
from psycopg import errors

from exchange.core.ids import uuid7
from tests.assertions.ledger import (
    account_id_of,
    assert_rejected,
    copy_withdrawal,
    insert_entries,
    insert_transfer,
    post,
    system_account_id,
)
from tests.environment.database import session
from tests.environment.owner import without_guards
from tests.factories.api_clients import make_organisation
from tests.factories.wallets import (
    make_member_wallet,
)

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_owners_balance_never_goes_below_zero(wallet, role):
    with assert_rejected(errors.CheckViolation), session(role) as connection:
        post(connection, (account_id_of(wallet), "-1000.01"), (system_account_id(), "1000.01"))


def test_the_whole_balance_may_go(wallet):
    wallet.request(1000)
    assert wallet.balance() == 0


def test_a_negative_balance_is_refused_whoever_writes_it(wallet):
    with assert_rejected(errors.CheckViolation), session("owner") as connection:
        connection.execute(
            "UPDATE wallets_account SET balance = -1 WHERE id = %s", [account_id_of(wallet)]
        )


def test_an_account_does_not_start_with_money(wallet):
    owner = wallet.organisation.id
    with assert_rejected(errors.RestrictViolation), session("owner") as connection:
        connection.execute(
            "INSERT INTO wallets_account (id, asset_id, kind, organisation_id, balance)"
            " VALUES (%s, 'ZAR', 'available', %s, 5)",
            [uuid7(), owner],
        )


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("asset_id", "NGN"),
        ("kind", "reserved"),
        ("organisation_id", "other"),
        ("balance", None),
        ("id", "new"),
    ],
)
def test_what_an_account_is_never_changes(wallet, other, column, value):
    value = {"other": other.organisation.id, "new": uuid7()}.get(value, value)
    # A key that others point at, or that is taken, is refused before the guard is asked.
    wrong = (
        errors.RestrictViolation,
        errors.CheckViolation,
        errors.ForeignKeyViolation,
        errors.UniqueViolation,
    )
    with assert_rejected(*wrong), session("owner") as connection:
        connection.execute(
            f"UPDATE wallets_account SET {column} = %s WHERE id = %s",
            [value, account_id_of(wallet)],
        )


def test_one_owner_has_one_account_of_a_kind_and_asset(wallet):
    with assert_rejected(errors.UniqueViolation), session("owner") as connection:
        connection.execute(
            "INSERT INTO wallets_account (id, asset_id, kind, organisation_id, balance)"
            " VALUES (%s, 'KES', 'available', %s, 0)",
            [uuid7(), wallet.organisation.id],
        )
    with assert_rejected(errors.UniqueViolation), session("owner") as connection:
        connection.execute(
            "INSERT INTO wallets_account (id, asset_id, kind) VALUES (%s, 'KES', 'clearing')",
            [uuid7()],
        )


@pytest.mark.parametrize(
    ("kind", "owned", "balance"),
    [("clearing", True, 0), ("available", False, None), ("fees", False, 0), ("lien", True, None)],
)
def test_an_account_has_the_owner_that_its_kind_calls_for(wallet, kind, owned, balance):
    owner = wallet.organisation.id if owned else None
    with assert_rejected(errors.CheckViolation), session("owner") as connection:
        connection.execute(
            "INSERT INTO wallets_account (id, asset_id, kind, organisation_id, balance)"
            " VALUES (%s, 'USD', %s, %s, %s)",
            [uuid7(), kind, owner, balance],
        )


def test_an_entry_has_the_asset_of_its_account(wallet):
    with assert_rejected(errors.ForeignKeyViolation), session("owner") as connection:
        transfer = insert_transfer(connection)
        insert_entries(
            connection,
            transfer,
            (system_account_id(asset="NGN"), "-5"),
            (system_account_id("fees"), "5"),
        )


@pytest.mark.parametrize(("asset", "amount"), [("UGX", "10.5"), ("KES", "0.001"), ("NGN", "1e-8")])
def test_an_amount_has_no_more_decimals_than_its_asset(wallet, role, asset, amount):
    wallet.fund(100, asset)
    legs = (
        (account_id_of(wallet, asset=asset), amount),
        (system_account_id(asset=asset), f"-{amount}"),
    )
    with assert_rejected(errors.CheckViolation), session(role) as connection:
        post(connection, *legs)


def test_a_repeated_or_unknown_account_in_one_transfer_is_refused(wallet, role):
    mine = account_id_of(wallet)
    with assert_rejected(errors.UniqueViolation), session(role) as connection:
        post(connection, (mine, "5"), (mine, "5"), (system_account_id(), "-10"))
    # None of its legs is left out, although the others balance without them.
    with assert_rejected(errors.NotNullViolation), session(role) as connection:
        post(connection, (mine, "5"), (system_account_id(), "-5"), (uuid7(), "5"), (uuid7(), "-5"))


def test_a_member_of_another_organisation_gets_no_account(wallet, role):
    foreign = make_member_wallet().member
    assert foreign is not None
    with assert_rejected(errors.ForeignKeyViolation), session(role) as connection:
        connection.execute(
            "SELECT open_account(%s, 'KES', 'available', %s, %s)",
            [uuid7(), wallet.organisation.id, foreign.id],
        )


def test_a_member_without_an_organisation_gets_no_account(wallet, role):
    member = make_member_wallet().member
    assert member is not None
    with assert_rejected(errors.CheckViolation), session(role) as connection:
        connection.execute(
            "SELECT open_account(%s, 'KES', 'available', NULL, %s)", [uuid7(), member.id]
        )


def test_a_withdrawals_member_bank_and_escrow_belong_to_its_organisation_and_currency(
    wallet, other
):
    own, theirs = wallet.request(500), other.request(500)
    foreign = make_member_wallet().member
    assert foreign is not None
    with assert_rejected(errors.ForeignKeyViolation), session("owner") as connection:
        copy_withdrawal(connection, own.id, member_id=foreign.id)
    with (
        assert_rejected(errors.ForeignKeyViolation, errors.UniqueViolation),
        session("owner") as attack,
    ):
        copy_withdrawal(attack, own.id, bank_id=theirs.bank_id)
    with assert_rejected(errors.ForeignKeyViolation), session("owner") as attack:
        copy_withdrawal(attack, own.id, escrow_account_id=theirs.escrow_account_id)
    with assert_rejected(errors.ForeignKeyViolation), session("owner") as attack:
        copy_withdrawal(attack, own.id, currency_id="NGN")


def test_a_deposits_member_belongs_to_its_organisation(wallet):
    foreign = make_member_wallet().member
    assert foreign is not None
    with assert_rejected(errors.ForeignKeyViolation), session("runtime") as connection:
        connection.execute(
            "INSERT INTO wallets_deposit (id, organisation_id, member_id, currency_id, amount,"
            " reference, note, status, reason, created_at)"
            " VALUES (%s, %s, %s, 'KES', 5, 'x', '', 'Pending', '', now())",
            [uuid7(), wallet.organisation.id, foreign.id],
        )


def test_an_account_is_found_without_reading_those_of_other_owners():
    """Of 5,000 accounts of the currency: a scan of them reads more than 100 pages."""
    firm = make_organisation()
    with without_guards() as cursor:
        cursor.execute(_MANY_ACCOUNTS, [str(firm.pk)])
        member = cursor.fetchone()[0]
        find = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT open_account(%s, 'NGN', %s, %s, %s)"
        for arguments in (("available", firm.pk, member), ("clearing", None, None)):
            for _ in range(7):  # its plan is made for any owner from the sixth call on
                cursor.execute(find, [uuid7(), *arguments])
            [plan] = cursor.fetchone()[0]
            assert plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"] < 30


_MANY_ACCOUNTS = """
    WITH member AS (
        INSERT INTO exchange_member
            (id, organisation_id, name, email, external_id, created_at, updated_at, document)
        SELECT new_id(), %s, 'Member ' || n, 'm' || n || '@example.com', '', now(), now(), ''
        FROM generate_series(1, 5000) n RETURNING id, organisation_id
    ), account AS (
        INSERT INTO wallets_account (id, asset_id, kind, organisation_id, member_id, balance)
        SELECT new_id(), 'NGN', 'available', organisation_id, id, 0 FROM member
        RETURNING member_id)
    SELECT member_id FROM account ORDER BY member_id DESC LIMIT 1
"""
