"""Boundary cases of the guards of legs and accounts, each guard on its own.

Each guard is attached to a temporary table, since other constraints of the real one would respond
first.
"""

from collections.abc import Iterator
from uuid import UUID

import pytest

from exchange.core.ids import uuid7
from tests.assertions.ledger import insert_transfer
from tests.assertions.statement_results import ACCEPTED, create_guarded_table, try_statement
from tests.environment.database import Connection
from tests.factories.plain_sql import SYSTEM_KINDS, Books, make_organisation

ONE, OTHER = UUID(int=1), UUID(int=2)
BALANCE, CLOSED, OVERDRAWN = (
    "transfer_balanced",
    "RestrictViolation",
    "account_balance_not_negative",
)
STRANGE, TWICE, LONG = "entry_asset_of_account", "transfer_account_once", "entry_decimals"

# Transfer, account, asset, amount, balance after.
Leg = tuple[UUID, UUID, str, str, str | None]


@pytest.fixture
def closed(owner_connection: Connection) -> Iterator[UUID]:
    """A transfer of an earlier transaction."""
    with owner_connection.transaction():
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        made = insert_transfer(owner_connection)
    yield made
    with owner_connection.transaction():
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        owner_connection.execute("DELETE FROM wallets_transfer WHERE id = %s", [made])


def legs_verdict(books: Books, *legs: Leg) -> str:
    rows = ", ".join(["(%s, %s, %s, %s, %s)"] * len(legs))
    return try_statement(
        books.owner,
        "INSERT INTO legs (transfer_id, account_id, asset_id, amount, balance_after)"
        f" VALUES {rows}",
        [value for leg in legs for value in leg],
    )


def test_rules_of_the_legs_of_a_statement(closed, books):
    books.owner.execute(
        "CREATE TEMPORARY TABLE legs (transfer_id uuid, account_id uuid, asset_id text,"
        " amount numeric, balance_after numeric)"
    )
    books.owner.execute(
        "CREATE TRIGGER guard AFTER INSERT ON legs REFERENCING NEW TABLE AS added"
        " FOR EACH STATEMENT EXECUTE FUNCTION legs_guard()"
    )
    other = make_organisation(books.owner)
    mine, theirs = books.account(), books.account(organisation=other)
    out, fees = books.account("clearing"), books.account("fees")
    naira, shillings = books.account(asset="NGN"), books.account("clearing", "UGX")
    ugandan, debt = books.account(asset="UGX"), books.account("receivable")
    one, two = insert_transfer(books.owner), insert_transfer(books.owner)

    def leg(
        account: UUID,
        amount: str,
        *,
        of: UUID = one,
        asset: str = "KES",
        after: str | None = None,
    ) -> Leg:
        return of, account, asset, amount, after

    pair = leg(out, "-5"), leg(mine, "5", after="5")
    taken = {
        "two": pair,
        "all of the balance": (leg(mine, "-5", after="0"), leg(out, "5")),
        "every decimal of the asset": (leg(out, "-0.01"), leg(mine, "0.01", after="0.01")),
        "decimals that are none": (leg(out, "-0.0100"), leg(mine, "0.0100")),
        "no decimals": (
            leg(shillings, "-7", asset="UGX"),
            leg(ugandan, "7.00", asset="UGX", after="7"),
        ),
        "three": (leg(out, "-5"), leg(mine, "2"), leg(theirs, "3")),
        "of two transfers": (*pair, leg(out, "-1", of=two), leg(mine, "1", of=two, after="6")),
        "a debt": (leg(debt, "-5", after="-5"), leg(out, "5")),
    }
    refused: dict[str, list[tuple[Leg, ...]]] = {
        BALANCE: [
            (leg(out, "-5"), leg(theirs, "4.99")),
            (leg(out, "-5"), leg(theirs, "5.01")),
            (leg(mine, "5"),),
            (leg(out, "-5"), leg(naira, "5", asset="NGN")),
            (leg(out, "-5"), leg(mine, "5", of=two)),
            (*pair, leg(out, "-1", of=two), leg(mine, "2", of=two)),
        ],
        OVERDRAWN: [
            (leg(mine, "-5", after="-0.01"), leg(out, "5")),
            (leg(mine, "-5", after="-1"), leg(theirs, "4", after="4"), leg(out, "1")),
        ],
        STRANGE: [
            (leg(naira, "-5"), leg(mine, "5")),
            (leg(uuid7(), "-5"), leg(mine, "5")),
        ],
        TWICE: [
            (leg(mine, "5"), leg(mine, "-5")),
            (leg(out, "-5"), leg(mine, "2"), leg(mine, "3")),
        ],
        LONG: [
            (leg(out, "-0.001"), leg(mine, "0.001")),
            (leg(out, "-0.01"), leg(mine, "0.005"), leg(theirs, "0.005")),
            (leg(shillings, "-0.5", asset="UGX"), leg(ugandan, "0.5", asset="UGX")),
        ],
        CLOSED: [
            (leg(out, "-5", of=closed), leg(mine, "5", of=closed)),
            (leg(out, "-5", of=uuid7()), leg(mine, "5", of=closed)),
            (*pair, leg(fees, "-5", of=closed), leg(mine, "5", of=closed)),
        ],
    }
    for name, legs in taken.items():
        assert (name, legs_verdict(books, *legs)) == (name, ACCEPTED)
    for rule, attempts in refused.items():
        for number, legs in enumerate(attempts):
            assert (rule, number, legs_verdict(books, *legs)) == (rule, number, rule)


def test_an_account_starts_empty_and_has_the_owner_of_its_kind(books):
    create_guarded_table(
        books.owner,
        "id int, kind text, organisation_id uuid, member_id uuid, balance numeric",
        "account_starts_right()",
    )
    fits = "account_owner_fits_kind"
    expected = {
        ("available", ONE, None, "0"): ACCEPTED,
        ("escrow", ONE, OTHER, "0.00"): ACCEPTED,
        ("available", None, None, "0"): fits,
        ("available", None, OTHER, "0"): fits,
        ("available", None, None, None): fits,
        ("available", ONE, None, None): fits,
        ("available", ONE, None, "1"): "RestrictViolation",
        ("available", ONE, None, "-1"): "RestrictViolation",
        ("lien", ONE, OTHER, "0.00000001"): "RestrictViolation",
    }
    for kind in SYSTEM_KINDS:
        expected |= {
            (kind, None, None, None): ACCEPTED,
            (kind, ONE, None, None): fits,
            (kind, None, OTHER, None): fits,
            (kind, None, None, "0"): fits,
            (kind, None, None, "5"): fits,
            (kind, ONE, OTHER, "0"): fits,
        }
    insert = "INSERT INTO given VALUES (7, %s, %s, %s, %s)"
    assert {row: try_statement(books.owner, insert, row) for row in expected} == expected


def test_only_the_balance_of_an_account_changes(books):
    account, other = books.account(), make_organisation(books.owner)
    change = f"UPDATE wallets_account SET {{}} WHERE id = '{account}'"
    expected = {
        "balance = 5": ACCEPTED,
        "asset_id = 'NGN'": "RestrictViolation",
        "kind = 'escrow'": "RestrictViolation",
        f"organisation_id = '{other}'": "RestrictViolation",
        f"id = '{uuid7()}'": "RestrictViolation",
    }
    assert {each: try_statement(books.owner, change.format(each)) for each in expected} == expected
    assert try_statement(books.owner, "DELETE FROM wallets_account WHERE id = %s", [account]) == (
        "RestrictViolation"
    )


def test_only_a_receivable_is_below_zero_and_it_is_never_above(books):
    mine, debt = books.account(), books.account("receivable")
    update = "UPDATE wallets_account SET balance = balance + %s WHERE id = %s"
    for account, change, rule in (
        (mine, "-0.01", "account_balance_not_negative"),
        (mine, "5", ACCEPTED),
        (debt, "0.01", "account_receivable_not_positive"),
        (debt, "-5", ACCEPTED),
    ):
        assert (change, try_statement(books.owner, update, [change, account])) == (change, rule)
