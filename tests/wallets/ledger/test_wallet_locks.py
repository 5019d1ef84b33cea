"""Which accounts a set of withdrawal orders locks, and for how long it waits for them."""

from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.environment.database import session
from tests.environment.sql_functions import Records, expression
from tests.factories.plain_sql import Books, make_organisation
from tests.wallets.ledger.withdrawal_orders import Owner, open_wallet, order, request

pytestmark = pytest.mark.django_db(transaction=True)

KINDS = ("available", "escrow", "reserved")
ACCOUNTS = "SELECT id FROM wallets_account"


@pytest.fixture
def wallets() -> list[Owner]:
    """A member's wallet and an organisation's, with accounts in two currencies and no money."""
    empty = {f"{asset} {kind}": "0" for asset in ("KES", "NGN") for kind in KINDS}
    with session("owner") as owner:
        books = Books(owner, make_organisation(owner))
        made = [open_wallet(books, empty, member=True), open_wallet(books, empty)]
        owner.commit()
    return made


def locked(orders: list[dict[str, Any]], strength: str) -> set[UUID]:
    """Return the accounts that no other order locks in that way."""
    text, values = expression("request_withdrawals_execute", Records("withdrawal_order", orders))
    with session("owner") as connection, session("owner") as other:
        assert connection.execute(f"SELECT {text}", values).fetchall() == []
        every = {row[0] for row in other.execute(ACCOUNTS)}
        free = {row[0] for row in other.execute(f"{ACCOUNTS} FOR {strength} SKIP LOCKED")}
        other.rollback()
        connection.rollback()
    return every - free


def test_the_accounts_of_the_wallets_in_the_currency_are_locked_and_no_others(wallets):
    member, organisation = wallets
    for orders, expected in (
        ([], set()),
        ([order(member, "10")], {member.accounts[f"KES {kind}"] for kind in KINDS[:2]}),
        (
            [order(member, "10"), order(organisation, "10", "NGN")],
            {member.accounts[f"KES {kind}"] for kind in KINDS[:2]}
            | {organisation.accounts[f"NGN {kind}"] for kind in KINDS[:2]},
        ),
    ):
        assert locked(orders, "SHARE") == expected
        assert locked(orders, "NO KEY UPDATE") == expected
        # Rows that name the accounts may be written meanwhile.
        assert locked(orders, "KEY SHARE") == set()


@pytest.mark.parametrize(
    ("count", "error"),
    [(2, psycopg.errors.LockNotAvailable), (1, psycopg.errors.QueryCanceled)],
    ids=["together", "alone"],
)
@pytest.mark.one_in(2)
def test_requests_together_wait_for_a_wallet_for_a_second_and_one_alone_longer(
    wallets, count, error
):
    asked = [order(wallets[0], "10") for _ in range(count)]
    with session("owner") as holder, session("owner") as connection:
        holder.execute(f"{ACCOUNTS} WHERE owner_id = %s FOR UPDATE", [wallets[0].member])
        # For threads that only a fault holds up, and for those that wait as long as needed.
        connection.execute("SET LOCAL statement_timeout = '3s'")
        with pytest.raises(error):
            request(connection, *asked)
        holder.rollback()
        connection.rollback()
