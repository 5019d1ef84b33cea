"""Races in the book: many connections trade, amend, cancel and open accounts concurrently.

Domain errors are fine; a deadlock or another database error is not. The result is compared with the
reference: all placements and cancellations, replayed in the order of the token's lock, must give
the same trades.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from itertools import chain
from random import Random
from typing import Any

import psycopg
import pytest
from django.db import connections
from django.db.models import Sum
from psycopg import errors

from exchange.core.errors import Conflict, Rejected
from exchange.tokens.models import Token
from orders.book.errors import OrderNotActive
from orders.book.models import Order, Trade
from tests.environment.concurrency import Callers, race_size
from tests.environment.database import session
from tests.environment.write_pause import WritePause
from tests.factories import lifecycle
from tests.factories.tokens import give_units
from tests.factories.traders import Trader, fee_income, make_trader
from tests.factories.wallets import assert_books_hold, make_staff
from tests.orders.book import reference, reference_orders
from wallets.ledger.models import Account

pytestmark = pytest.mark.django_db(transaction=True)

logger = logging.getLogger(__name__)

CONNECTIONS = 32
SECONDS = race_size("TRADING_SECONDS", 3)
MONEY, UNITS = Decimal(10_000), Decimal(1000)
CENT = Decimal("0.01")


def make_market(tokens: int, owners: int, **more: Any) -> tuple[list[Token], list[Trader]]:
    """Make owners of two organisations, with money and units of every token."""
    firms = [make_trader(MONEY), make_trader(MONEY)]
    traders = firms + [
        make_trader(MONEY, organisation=firms[n % 2].wallet.organisation, member=True)
        for n in range(owners - len(firms))
    ]
    made = []
    for _ in range(tokens):
        token = traders[0].issue(total_supply=UNITS * owners, **more)
        for trader in traders[1:]:
            give_units(token, trader.wallet, UNITS)
        made.append(token)
    return made, traders


def trade_until(
    end: float, tokens: list[Token], traders: list[Trader], seed: int, *, amends: bool = False
) -> Counter[str]:
    """Place, cancel and amend at random; count the results. Only domain errors are caught."""
    random = Random(seed)
    open_orders: list[tuple[Trader, Any]] = []
    outcomes: Counter[str] = Counter()
    while time.monotonic() < end:
        if open_orders and random.random() < 0.2:
            trader, order = open_orders.pop(random.randrange(len(open_orders)))
            try:
                trader.cancel(order)
                outcomes["cancelled"] += 1
            except OrderNotActive:
                outcomes["too late"] += 1
            continue
        if open_orders and amends and random.random() < 0.3:
            trader, order = random.choice(open_orders)
            price, total = CENT * random.randint(95, 105), Decimal(random.randint(1, 40))
            changes = random.choice([{"price": price}, {"tokens": total}])
            try:
                trader.amend(order, **changes)
                outcomes["amended"] += 1
            except (Rejected, Conflict) as refused:
                outcomes[refused.code] += 1
            continue
        trader = random.choice(traders)
        side = random.choice(["Buy", "Sell"])
        price = CENT * random.randint(95, 105)
        units = random.choice(
            [Decimal(random.randint(1, 30)), Decimal(random.randint(1, 10**9)) / 10**8]
        )
        try:
            order = trader.place(random.choice(tokens), side, price, units)
            open_orders.append((trader, order))
            outcomes["placed"] += 1
        except Rejected as refused:
            outcomes[refused.code] += 1
    return outcomes


def assert_nothing_was_lost(tokens: list[Token], traders: list[Trader]) -> None:
    """Assert that total money and units are unchanged, less the exchange's income."""
    owned = Account.objects.filter(owner_id__in={t.owner_id for t in traders})
    sums = dict(owned.values_list("asset_id").annotate(Sum("balance")).order_by())
    assert sums.pop("KES") == MONEY * len(traders) - fee_income("KES")
    assert sums == {str(token.id): UNITS * len(traders) for token in tokens}
    assert not owned.filter(balance__lt=0).exists()
    assert_books_hold()  # no book is crossed, and all else


def replayed(token: Token, traders: list[Trader]) -> reference.Exchange:
    """Return the reference after replaying `token` in the order of its lock."""
    rules = reference_orders.Rules(2, token.buy_fee, token.sell_fee)
    owners = [trader.owner_id for trader in traders]
    market = reference.Exchange(rules, dict.fromkeys(owners, MONEY), dict.fromkeys(owners, UNITS))
    orders = list(Order.objects.filter(token=token).order_by("seq"))
    assert [o.created_at for o in orders] == sorted(o.created_at for o in orders)
    placings = ((order.created_at, 0, order) for order in orders)
    # A rest that its owner cancelled; what matching cancelled has a reason.
    cancellations = (
        (order.closed_at, 1, order)
        for order in orders
        if order.status == "Cancelled" and not order.reason
    )
    made: dict[Any, reference_orders.Order] = {}
    steps = sorted(chain(placings, cancellations), key=lambda step: (step[0], step[1]))
    for _, cancels, order in steps:
        if cancels:
            assert market.cancel(made[order.id])
        else:
            made[order.id] = market.place(order.owner_id, order.type, order.price, order.tokens)
    return market


@pytest.mark.timeout(600)
def test_32_connections_trade_one_token_as_if_one_after_the_other():
    [token], traders = make_market(1, 8, buy_fee=Decimal("1.5"), sell_fee=Decimal("0.75"))
    with Callers(CONNECTIONS) as callers, reference_orders.exactly():
        end = time.monotonic() + SECONDS
        results = callers.at_once(
            [partial(trade_until, end, [token], traders, seed) for seed in range(CONNECTIONS)]
        )
    assert [r for r in results if not isinstance(r, Counter)] == []
    outcomes = sum(results, Counter[str]())
    logger.info("%s trades; %s", Trade.objects.count(), dict(outcomes))
    assert outcomes["placed"] > CONNECTIONS, outcomes
    assert outcomes["placed"] == Order.objects.count()
    assert_nothing_was_lost([token], traders)
    with reference_orders.exactly():
        market = replayed(token, traders)
        found = Trade.objects.filter(token=token).order_by("seq")
        columns = ("price", "tokens", "buyer_value", "buyer_fee", "seller_value", "seller_fee")
        assert list(found.values_list(*columns)) == [
            (t.price, t.units, t.buyer_value, t.buyer_fee, t.seller_value, t.seller_fee)
            for t in market.trades
        ]
        assert market.trades
        for trader in traders:
            assert trader.balance("KES") == market.available_money(trader.owner_id)
            assert trader.balance(token.id) == market.available_units(trader.owner_id)


@pytest.mark.timeout(600)
@pytest.mark.slow
def test_owners_who_trade_several_tokens_at_once_do_not_deadlock():
    tokens, traders = make_market(4, 6, buy_fee=Decimal("0.5"))
    with Callers(CONNECTIONS) as callers:
        end = time.monotonic() + SECONDS
        results = callers.at_once(
            [
                partial(trade_until, end, tokens, traders, seed, amends=True)
                for seed in range(CONNECTIONS)
            ]
        )
    assert [r for r in results if not isinstance(r, Counter)] == []
    outcomes = sum(results, Counter[str]())
    logger.info("%s trades; %s", Trade.objects.count(), dict(outcomes))
    assert outcomes["placed"] > CONNECTIONS
    assert outcomes["amended"] > 0
    assert set(Trade.objects.values_list("token_id", flat=True)) == {t.id for t in tokens}
    assert_nothing_was_lost(tokens, traders)


@pytest.mark.slow
def test_cancelling_and_taking_one_order_at_once_give_every_unit_one_fate():
    [token], traders = make_market(1, 6)
    maker, *takers = traders
    fates: Counter[str] = Counter()
    with Callers(10) as callers:
        for _ in range(race_size("CANCEL_ROUNDS", 15)):
            ask = maker.place(token, "Sell", 1, 8)
            bids = [partial(taker.place, token, "Buy", 1, 2) for taker in takers]
            results = callers.at_once([*bids, *[partial(maker.cancel, ask)] * 3, *bids[:2]])
            order = Order.objects.get(id=ask)
            cancelled = results[5:8]
            assert sum(result is None for result in cancelled) == (order.status == "Cancelled")
            assert all(r is None or isinstance(r, OrderNotActive) for r in cancelled)
            assert not any(isinstance(r, Exception) for r in results[:5] + results[8:])
            sold = Trade.objects.filter(sell_order_id=ask).aggregate(Sum("tokens"))["tokens__sum"]
            assert order.filled == (sold or 0)
            assert order.reserved == 0
            fates[order.status] += 1
            for trader, bid in zip(takers + takers[:2], results[:5] + results[8:], strict=True):
                if Order.objects.get(id=bid).status == "Active":
                    trader.cancel(bid)
    assert set(fates) <= {"Cancelled", "Fulfilled"}
    assert_nothing_was_lost([token], traders)


@pytest.mark.slow
def test_owners_without_accounts_get_each_of_them_once():
    """Several tokens open the same new accounts of the same owners, in both directions."""
    with Callers(8) as callers:
        for _ in range(race_size("NEWCOMER_ROUNDS", 10)):
            issuer = make_trader(1000)
            one, other = (
                make_trader(organisation=issuer.wallet.organisation, member=True) for _ in range(2)
            )
            tokens = [issuer.issue() for _ in range(4)]
            for token in tokens:
                for trader in (one, other):
                    give_units(token, trader.wallet, 10)
                # Neither has an account for money, nor one for reserved units yet.
                one.place(token, "Sell", 1, 5)
            results = callers.at_once(
                [partial(issuer.place, token, "Buy", 1, 5) for token in tokens]
                + [partial(other.place, token, "Sell", 2, 5) for token in tokens]
            )
            assert [r for r in results if isinstance(r, Exception)] == []
            assert (one.balance("KES"), issuer.balance("KES")) == (20, 980)
            for trader in (one, other):
                found = Account.objects.filter(owner_id=trader.owner_id)
                kinds = Counter(found.values_list("asset_id", "kind"))
                assert set(kinds.values()) == {1}
    assert_books_hold()


def test_completing_a_raise_locks_the_issuers_own_accounts_with_all_others():
    """They receive the proceeds last; if locked only then, a waiter could hold them."""
    issuer, buyer = make_trader(1), make_trader(1_000_000)
    token = issuer.issue(raise_amount=Decimal(1000), offered=Decimal(20))
    assert_locked_before_anything_is_written(
        partial(buyer.place, token, "Buy", 100, 10),
        [
            *((issuer, "KES", kind) for kind in ("available", "raise")),
            *((issuer, token.id, kind) for kind in ("available", "unsold")),
            (buyer, "KES", "available"),
        ],
    )
    token.refresh_from_db()
    assert token.completed_raise
    assert issuer.balance("KES") == 1001
    assert_books_hold()


def test_the_accounts_of_a_dust_remainder_are_locked_with_the_others():
    [token], traders = make_market(1, 4)
    maker, behind, early, late = traders
    ask = maker.place(token, "Sell", CENT, "2.4")
    early.place(token, "Buy", CENT, 2)
    behind.place(token, "Sell", 2 * CENT, 3)
    assert_locked_before_anything_is_written(
        partial(late.place, token, "Buy", 2 * CENT, 1),
        [
            *((maker, token.id, kind) for kind in ("available", "reserved")),
            *((behind, *account) for account in ((token.id, "reserved"), ("KES", "available"))),
            *((late, asset, "available") for asset in ("KES", token.id)),
        ],
    )
    assert Order.objects.get(id=ask).status == "Cancelled"
    assert_nothing_was_lost([token], traders)


def test_closing_a_token_locks_the_accounts_of_all_its_orders_first():
    """Locked order by order, they could be held by sessions that wait for earlier ones. The
    catalogue's version comes after accounts, as when an order completes a raise.
    """
    [token], traders = make_market(1, 4)
    for trader in traders:
        trader.place(token, "Buy", CENT, 10)
    officer = make_staff("end_token")
    assert_locked_before_anything_is_written(
        partial(lifecycle.close_token, token_id=token.id, user=officer),
        [(trader, "KES", kind) for trader in traders for kind in ("available", "reserved")],
        at=("UPDATE", "orders_order"),
        free="exchange_catalogue",
    )
    assert not Order.objects.filter(status="Active").exists()
    assert_nothing_was_lost([token], traders)


def test_undoing_a_raise_locks_the_accounts_of_all_its_buyers_first():
    issuer = make_trader()
    token = issuer.issue(raise_amount=Decimal(10_000))
    buyers = [make_trader(1000) for _ in range(3)]
    for buyer in buyers:
        buyer.place(token, "Buy", 100, 5)
    officer = make_staff("end_token")
    assert_locked_before_anything_is_written(
        partial(lifecycle.cancel_token, token_id=token.id, user=officer, reason="Withdrawn"),
        [
            *((buyer, asset, "available") for buyer in buyers for asset in ("KES", token.id)),
            *((issuer, *account) for account in (("KES", "raise"), (token.id, "unsold"))),
        ],
        at=("INSERT", "wallets_transfer"),
    )
    assert [buyer.balance("KES") for buyer in buyers] == [1000] * 3
    assert_books_hold()


def test_completing_a_raise_opens_accounts_before_it_locks_any():
    """A session opening the same account is waited for, and may need locked accounts."""
    issuer, buyer = make_trader(), make_trader(1000)
    token = issuer.issue(raise_amount=Decimal(10_000))
    buyer.place(token, "Buy", 100, 5)
    officer = make_staff("end_token")
    with (
        ThreadPoolExecutor(1) as pool,
        WritePause("INSERT", "wallets_account", "NEW.kind = 'available'") as pause,
        session("owner") as elsewhere,
    ):
        completing = pool.submit(lifecycle.complete_raise, token_id=token.id, user=officer)
        pause.wait()
        for account in (("KES", "raise"), (token.id, "unsold")):
            lock_account(elsewhere, issuer, *account)
        pause.release()
        completing.result()
        pool.submit(connections.close_all).result()
    assert (issuer.balance("KES"), issuer.balance(token.id)) == (500, 995)
    assert_books_hold()


def assert_locked_before_anything_is_written(
    act: Callable[[], Any],
    accounts: list[tuple[Trader, object, str]],
    *,
    at: tuple[str, str] = ("INSERT", "orders_order"),
    free: str = "",
) -> None:
    """Stop `act` at its first such write; by then all these accounts are locked, and the rows of
    table `free` are not.
    """
    with (
        ThreadPoolExecutor(1) as pool,
        WritePause(*at, "true") as pause,
        session("owner") as elsewhere,
    ):
        acting = pool.submit(act)
        pause.wait()
        for account in accounts:
            with pytest.raises(errors.LockNotAvailable):
                lock_account(elsewhere, *account)
        if free:
            with elsewhere.transaction():
                elsewhere.execute(f"SELECT FROM {free} FOR NO KEY UPDATE NOWAIT")
        pause.release()
        acting.result()
        pool.submit(connections.close_all).result()


def lock_account(
    elsewhere: psycopg.Connection[Any], trader: Trader, asset: object, kind: str
) -> None:
    """Lock an account briefly; raises `LockNotAvailable` if another session holds it."""
    with elsewhere.transaction():
        found = elsewhere.execute(
            "SELECT id FROM wallets_account WHERE owner_id = %s AND asset_id = %s"
            " AND kind = %s FOR NO KEY UPDATE NOWAIT",
            [trader.owner_id, str(asset), kind],
        ).fetchall()
        assert len(found) == 1
