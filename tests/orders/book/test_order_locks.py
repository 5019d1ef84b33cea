"""Row locks of the order functions, and that they lock no others.

While a call is open, another connection requests every row: rows it does not get are locked. Each
call is rolled back, so all tests share one market.
"""

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from psycopg import errors

from exchange.core.ids import uuid7
from exchange.tokens.models import Token
from orders.listings.models import TokenAction
from tests.environment.database import session
from tests.environment.module_database import module_rows
from tests.environment.sql_functions import Record, expression
from tests.factories import lifecycle
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import make_staff
from wallets.ledger.models import Account, AccountKind
from wallets.ledger.posting import open_account

__all__ = ["module_rows"]

TOKENS, ACCOUNTS, ORDERS = "exchange_token", "wallets_account", "orders_order"


class Market:
    """Raises that are open, complete, cancelled and without a sale, and a token with a book."""

    def __init__(self) -> None:
        self.issuer, self.other = make_trader(1), make_trader(1)
        self.buyers = [make_trader(10_000), make_trader(10_000, member=True)]
        self.elsewhere, self.earlier = make_trader(10_000), make_trader(10_000)
        self.raising = self.issuer.issue(raise_amount=Decimal(50_000))
        for buyer in self.buyers:
            buyer.place(self.raising, "Buy", 100, 5)
        # Of a buyer's, but neither of this currency nor of a kind that trading moves.
        self.buyers[0].wallet.fund(5, "NGN")
        open_account(
            "KES", AccountKind.ESCROW, organisation_id=self.buyers[0].wallet.organisation.id
        )
        self.elsewhere.place(self.other.issue(raise_amount=Decimal(50_000)), "Buy", 100, 5)
        self.complete = self.issuer.issue(raise_amount=Decimal(50_000))
        self.earlier.place(self.complete, "Buy", 100, 5)
        officer = make_staff("end_token")
        lifecycle.complete_raise(token_id=self.complete.id, user=officer)
        self.cancelled = self.issuer.issue(raise_amount=Decimal(50_000))
        lifecycle.cancel_token(token_id=self.cancelled.id, user=officer, reason="over")
        self.unsold = self.issuer.issue(raise_amount=Decimal(50_000))
        # The book: a seller who has bought from the issuer, and a bid.
        self.seller, self.bidder = make_trader(10_000), make_trader(10_000, member=True)
        self.traded = self.other.issue()
        self.fulfilled = self.other.place(self.traded, "Sell", 100, 5)
        self.seller.place(self.traded, "Buy", 100, 5)
        self.ask = self.seller.place(self.traded, "Sell", 110, 5)
        self.bid = self.bidder.place(self.traded, "Buy", 90, 5)
        # Of what the other has offered of this one, less than a cent's worth is left.
        self.tiny = self.other.issue()
        self.other.place(self.tiny, "Sell", "0.01", "1.4")
        self.elsewhere.place(self.tiny, "Buy", "0.01", 1)


@pytest.fixture(scope="module")
def market(module_rows: None) -> Market:
    return Market()


def locked(statement: str, values: list[Any]) -> dict[str, set[UUID]]:
    """Return the ids of locked rows by table after the statement, which is rolled back."""
    found = {}
    with session("owner") as connection, session("owner") as other:
        # Fails only on an unexpected lock.
        connection.execute("SET lock_timeout = '5s'")
        connection.execute(f"SELECT {statement}", values)
        for table in (TOKENS, ACCOUNTS, ORDERS):
            rows = other.execute(f"SELECT id FROM {table}").fetchall()
            free = other.execute(f"SELECT id FROM {table} FOR NO KEY UPDATE SKIP LOCKED").fetchall()
            found[table] = {row[0] for row in rows} - {row[0] for row in free}
        other.rollback()
        connection.rollback()
    return found


def accounts(trader: Trader, *assets: str, kinds: tuple[str, ...] = ()) -> set[UUID]:
    rows = Account.objects.filter(owner_id=trader.owner_id, asset_id__in=assets)
    if kinds:
        rows = rows.filter(kind__in=kinds)
    return set(rows.values_list("id", flat=True))


def moved_by_trading(traders: list[Trader], token: Token) -> set[UUID]:
    kinds = ("available", "reserved", "raise", "unsold")
    found: set[UUID] = set()
    for trader in traders:
        found |= accounts(trader, "KES", str(token.id), kinds=kinds)
    return found


def test_closing_a_token_locks_only_accounts_of_its_book_and_raise(market):
    for token, traders in (
        (market.raising, [*market.buyers, market.issuer]),
        (market.traded, [market.seller, market.bidder]),
        (market.complete, []),
        (market.unsold, [market.issuer]),
    ):
        found = locked(*expression("lock_accounts_of_token", token.id))
        assert found[ACCOUNTS] == moved_by_trading(traders, token), token.symbol
        assert found[TOKENS] == set()


def test_cancelling_locks_token_and_order_even_if_closed(market):
    actor = "system:test"
    found = locked(*expression("close_order", market.ask, "why", actor))
    assert (found[TOKENS], found[ORDERS]) == ({market.traded.id}, {market.ask})
    assert found[ACCOUNTS] == accounts(
        market.seller, str(market.traded.id), kinds=("available", "reserved")
    )
    found = locked(*expression("close_order", market.fulfilled, "why", actor))
    assert found == {
        TOKENS: {market.traded.id},
        ORDERS: {market.fulfilled},
        ACCOUNTS: set(),
    }
    found = locked(*expression("close_order", uuid7(), "why", actor))
    assert found == {TOKENS: set(), ORDERS: set(), ACCOUNTS: set()}


def test_all_that_closing_an_owners_orders_moves_is_locked_before_the_first_is_closed(market):
    units, both = str(market.traded.id), ("available", "reserved")
    for trader, order, asset in (
        (market.seller, market.ask, units),
        (market.bidder, market.bid, "KES"),
    ):
        found = locked(*expression("lock_orders_of", trader.owner_id, [order]))
        own = accounts(trader, asset, kinds=both)
        assert found == {TOKENS: {market.traded.id}, ACCOUNTS: own, ORDERS: set()}
        assert len(own) == 2


def test_completing_a_raise_locks_its_token_and_the_issuers_accounts(market):
    kinds = ("available", "raise", "unsold")
    for token in (market.unsold, market.raising):
        lifecycle.approve_only(token, TokenAction.COMPLETE)
        found = locked(*expression("complete_raise", token.id, "system:test"))
        assert found[TOKENS] == {token.id}
        own = accounts(market.issuer, "KES", str(token.id), kinds=kinds)
        assert found[ACCOUNTS] == own
        assert len(own) >= 3
    for token in (market.complete, market.cancelled):
        found = locked(*expression("complete_raise", token.id, "system:test"))
        assert found == {TOKENS: {token.id}, ACCOUNTS: set(), ORDERS: set()}


def request(market: Market, token_id: UUID, **more: Any) -> Record:
    organisation = market.seller.wallet.organisation.id
    return Record(
        "order_request",
        {
            "id": uuid7(), "organisation": organisation,
            "token": token_id, "type": "Buy", "price": 50, "tokens": 1, "actor": "system:test",
            **more,
        },
    )  # fmt: skip


def test_an_order_locks_its_token_alone_while_it_is_planned(market):
    found = locked(*expression("plan_order", request(market, market.traded.id), None))
    assert found == {TOKENS: {market.traded.id}, ACCOUNTS: set(), ORDERS: set()}


def test_an_order_that_takes_nothing_but_ends_another_locks_the_accounts_of_both(market):
    bidder = market.bidder.wallet
    coming = request(
        market, market.tiny.id, price="0.01", organisation=bidder.organisation.id,
        member=bidder.member_id,
    )  # fmt: skip
    found = locked(*expression("plan_order", coming, None))
    both = ("available", "reserved")
    assert found == {
        TOKENS: {market.tiny.id},
        ACCOUNTS: accounts(market.bidder, "KES", kinds=both)
        | accounts(market.other, str(market.tiny.id), kinds=both),
        ORDERS: set(),
    }
    assert len(found[ACCOUNTS]) == 4


def test_an_order_waits_for_its_own_token_and_for_no_other(market):
    with session("owner") as holder, session("owner") as connection:
        holder.execute(
            "SELECT FROM exchange_token WHERE id = %s FOR NO KEY UPDATE", [market.traded.id]
        )
        connection.execute("SET lock_timeout = '50ms'")
        connection.commit()
        text, values = expression("plan_order", request(market, market.traded.id), None)
        with pytest.raises(errors.LockNotAvailable):
            connection.execute(f"SELECT {text}", values)
        connection.rollback()
        text, values = expression("plan_order", request(market, uuid7()), None)
        with pytest.raises(errors.DatabaseError) as refused:
            connection.execute(f"SELECT {text}", values)
        assert refused.value.diag.message_primary == "token_not_found"
        connection.rollback()
        holder.rollback()


def test_accounts_are_locked_at_once_where_an_order_closes_others_or_completes_a_raise(market):
    units = str(market.traded.id)
    bidder, seller, other = market.bidder, market.seller, market.other

    def moved(**matched: Any) -> set[UUID]:
        coming = {
            "id": uuid7(), "type": "Buy", "status": "Active", "owner_id": bidder.owner_id,
            "organisation_id": bidder.wallet.organisation.id,
            "member_id": bidder.wallet.member_id,
        }  # fmt: skip
        terms = {"completed": True, "gives": "KES", "gets": units, "issuer": other.owner_id}
        found = locked(
            *expression(
                "accounts_to_move",
                Record("orders_order", coming),
                Record("order_terms", terms),
                Record("order_match", {"fills": [], "closing": [], "completes": False, **matched}),
            )
        )
        assert (found[TOKENS], found[ORDERS]) == (set(), set())
        return found[ACCOUNTS]

    both = ("available", "reserved")
    own = accounts(bidder, "KES", kinds=both)
    ended = {"owner": seller.owner_id, "organisation": seller.owner_id}
    assert moved() == set()
    assert moved(closing=[ended]) == own | accounts(seller, units, kinds=both)
    issuers = accounts(other, units, "KES", kinds=("available",))
    assert moved(completes=True) == own | issuers
    assert len(own) == len(issuers) == 2
