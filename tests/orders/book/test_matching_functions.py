"""Results of the matching functions in detail: fills, closing, legs and accounts."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from exchange.core.ids import uuid7
from exchange.tokens.models import Token
from orders.book.models import Order
from tests.environment.sql_functions import Record, Records, call
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import assert_books_hold
from wallets.ledger.models import Account

pytestmark = pytest.mark.django_db

D = Decimal
CENT = D("0.01")
OWN = "self_trade"
WORTHLESS = "worth_nothing"
NO_MORE = "raise_sold_out"


def order(token: Token, side: str, price: Any, tokens: Any, **more: Any) -> Record:
    """Return an incoming order without fills."""
    fields: dict[str, Any] = {
        "id": uuid7(), "token_id": token.id, "type": side, "price": price, "tokens": tokens,
        "owner_id": uuid7(), "fee_percent": 0, "filled": 0, "filled_value": 0, "charged": 0,
        "charged_fee": 0, "status": "Active", "placed_by": "system:test",
    }  # fmt: skip
    return Record("orders_order", fields | more)


def match(coming: Record, **terms: Any) -> Any:
    given = Record("order_terms", {"completed": True, "minor": CENT, "decimals": 2} | terms)
    return call("match_order", coming, given, "0" * 24)


def rows(found: Any, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(fill[name] for name in names) for fill in found["fills"]]


# --- The book ------------------------------------------------------------------------------------


def test_a_buy_takes_asks_up_to_its_price_and_each_side_is_charged_new_less_old():
    first, other, buyer = make_trader(), make_trader(1000), make_trader(10_000)
    token = first.issue(sell_fee=D(2))
    a = first.place(token, "Sell", 90, 10)
    buyer.place(token, "Buy", 90, 8)
    first.cancel(first.place(token, "Sell", 85, 5))
    first.place(first.issue(), "Sell", 80, 5)
    other.place(token, "Buy", 70, 1)
    b = buyer.place(token, "Sell", 95, 5)
    c = first.place(token, "Sell", 100, 3)
    e = first.place(token, "Sell", 100, 2)
    first.place(token, "Sell", 100, 1)
    first.place(token, "Sell", "100.01", 9)
    coming = order(token, "Buy", 100, 11, fee_percent=1)
    found = match(coming)
    assert rows(found, "maker", "units", "price", "filled", "filled_value", "fulfilled") == [
        (str(a), 2, 90, 10, 900, True),
        (str(b), 5, 95, 5, 475, True),
        (str(c), 3, 100, 3, 300, True),
        (str(e), 1, 100, 1, 100, False),
    ]
    assert rows(found, "charged", "charged_fee", "maker_value", "maker_fee") == [
        (900, 18, 180, D("3.60")),
        (475, D("9.50"), 475, D("9.50")),
        (300, 6, 300, 6),
        (100, 2, 100, 2),
    ]
    assert rows(found, "taker_value", "taker_fee") == [
        (180, D("1.80")),
        (475, D("4.75")),
        (300, 3),
        (100, 1),
    ]
    assert (found["closing"], found["stopped"], found["completes"]) == ([], None, False)
    owners = (first, buyer, first, first)
    assert rows(found, "owner", "organisation", "member", "taker") == [
        (str(t.owner_id), str(t.owner_id), None, str(coming.fields["id"])) for t in owners
    ]


def test_a_sell_takes_bids_down_to_its_price_and_each_side_is_charged_new_less_old():
    issuer, one, other = make_trader(), make_trader(10_000), make_trader(10_000, member=True)
    token, second = issuer.issue(buy_fee=D(1)), issuer.issue(buy_fee=D(1))
    issuer.place(token, "Sell", 200, 5)
    a = one.place(token, "Buy", 101, 10)
    issuer.place(token, "Sell", 101, 4)
    b = other.place(token, "Buy", 100, 5)
    one.cancel(one.place(token, "Buy", 105, 5))
    one.place(second, "Buy", 110, 5)
    c = one.place(token, "Buy", 99, 3)
    e = one.place(token, "Buy", 99, 2)
    one.place(token, "Buy", 99, 1)
    one.place(token, "Buy", "98.99", 5)
    found = match(order(token, "Sell", 99, 15, fee_percent=2))
    assert rows(found, "maker", "units", "price", "filled", "filled_value", "fulfilled") == [
        (str(a), 6, 101, 10, 1010, True),
        (str(b), 5, 100, 5, 500, True),
        (str(c), 3, 99, 3, 297, True),
        (str(e), 1, 99, 1, 99, False),
    ]
    assert rows(found, "charged", "charged_fee", "maker_value", "maker_fee") == [
        (1010, D("10.10"), 606, D("6.06")),
        (500, 5, 500, 5),
        (297, D("2.97"), 297, D("2.97")),
        (99, D("0.99"), 99, D("0.99")),
    ]
    assert rows(found, "taker_value", "taker_fee") == [
        (606, D("12.12")),
        (500, 10),
        (297, D("5.94")),
        (99, D("1.98")),
    ]
    assert (found["closing"], found["stopped"]) == ([], None)
    assert found["fills"][1]["member"] == str(other.wallet.member_id)


def test_an_order_rests_or_ends_by_the_value_of_its_rest_and_its_counterparty():
    seller, taker = make_trader(), make_trader(10)
    empty, resting, rest = (seller.issue() for _ in range(3))
    seller.place(resting, "Sell", CENT, 10)
    seller.place(rest, "Sell", CENT, "1.4")
    taker.place(rest, "Buy", CENT, 1)
    seller_id = seller.owner_id
    for token, side, price, tokens, more, expected in (
        (empty, "Buy", CENT, "1", {}, (0, 0, None)),
        (empty, "Buy", CENT, "0.99", {}, (0, 0, WORTHLESS)),
        (empty, "Buy", CENT, "2", {}, (0, 0, None)),
        (empty, "Buy", 2 * CENT, "0.5", {}, (0, 0, None)),
        (empty, "Sell", CENT, "0.99", {}, (0, 0, WORTHLESS)),
        (resting, "Buy", CENT, "1", {}, (1, 0, None)),
        (resting, "Buy", CENT, "0.99", {}, (0, 0, WORTHLESS)),
        (resting, "Buy", 2 * CENT, "0.99", {}, (0, 0, WORTHLESS)),
        (resting, "Buy", CENT, "10", {}, (1, 0, None)),
        (resting, "Buy", CENT, "10.5", {}, (1, 0, WORTHLESS)),
        (resting, "Buy", CENT, "11.5", {}, (1, 0, None)),
        (resting, "Buy", CENT, "0.5", {"owner_id": seller_id}, (0, 0, OWN)),
        (resting, "Buy", CENT, "5", {"owner_id": seller_id}, (0, 0, OWN)),
        (rest, "Buy", CENT, "5", {}, (0, 1, None)),
        (rest, "Buy", CENT, "0.4", {}, (0, 1, WORTHLESS)),
        (rest, "Buy", CENT, "0.3", {}, (0, 0, WORTHLESS)),
    ):
        found = match(order(token, side, price, tokens, **more))
        fills, closing = len(found["fills"]), len(found["closing"])
        assert (fills, closing, found["stopped"]) == expected, (token.symbol, price, tokens)


def test_a_buyers_fee_may_grow_by_more_than_the_value_of_its_fills():
    """Only the seller's fee is limited by the amount received before."""
    seller, buyer = make_trader(), make_trader(10)
    token = seller.issue(buy_fee=D(50))
    bid = buyer.place(token, "Buy", CENT, 10)
    amounts = []
    for units in ("1.1", "1.6"):
        seller.place(token, "Sell", CENT, units)
        found = Order.objects.get(id=bid)
        amounts.append((found.charged, found.charged_fee))
    # 1.1 cents, with the fee 1.65; then 2.7 cents, with the fee 4.05.
    assert amounts == [(2 * CENT, 0), (3 * CENT, 2 * CENT)]
    assert_books_hold()


# --- A raise -------------------------------------------------------------------------------------


def test_a_raise_sells_what_it_has_and_needs_and_is_complete_when_no_purchase_is_left():
    issuer = make_trader()
    # Units of another raise, of another issuer, and the issuer's own are none of it.
    issuer.issue(raise_amount=D(10_000), offered=D(7))
    make_trader().issue(raise_amount=D(10_000), offered=D(8))
    token = issuer.issue(raise_amount=D(10_000), offered=D(50))
    odd = {"offer": 1, "smallest": "10.01"}
    for tokens, terms, units, value, fee, stopped, completes in (
        (10, {}, 10, 1000, 15, NO_MORE, False),
        (50, {}, 50, 5000, 75, NO_MORE, True),
        # Of 50 units 45 are taken by orders before it.
        (10, {"unsold": -45}, 5, 500, D("7.50"), NO_MORE, True),
        (10, {"unsold": -39}, 10, 1000, 15, NO_MORE, False),
        (10, {"needed": "450"}, D("4.5"), 450, D("6.75"), NO_MORE, True),
        (10, {"needed": "1000.01"}, 10, 1000, 15, NO_MORE, False),
        # What is left, held against a minor unit and the smallest purchase.
        (10, {"offer": 1, "needed": "10.01"}, 10, 10, D("0.15"), NO_MORE, False),
        (10, {"offer": 1, "needed": "10.009"}, 10, 10, D("0.15"), NO_MORE, True),
        (10, {"offer": 1, "needed": 20, "smallest": 10}, 10, 10, D("0.15"), NO_MORE, False),
        (10, odd | {"needed": 20}, 10, 10, D("0.15"), NO_MORE, True),
        (10, odd | {"needed": "20.005"}, 10, 10, D("0.15"), NO_MORE, True),
        (10, odd | {"needed": "20.006"}, 10, 10, D("0.15"), NO_MORE, False),
        # Rounded against the buyer: 1.515 and 1.537725 with the fee.
        ("1.5", {"offer": "1.01"}, D("1.5"), D("1.52"), D("0.02"), NO_MORE, False),
        (1, {"offer": CENT}, 1, CENT, CENT, NO_MORE, False),
    ):  # fmt: skip
        found = buy(issuer, token, tokens, **terms)
        [fill] = found["fills"]
        charged = (fill["units"], fill["taker_value"], fill["taker_fee"])
        assert charged == (units, value, fee), (tokens, terms)
        assert (found["stopped"], found["completes"]) == (stopped, completes), (tokens, terms)
        assert (fill["maker_value"], fill["maker_fee"], fill["fulfilled"]) == (value, 0, False)
        assert (fill["maker"], fill["owner"]) == (None, str(issuer.owner_id))
        assert (fill["organisation"], fill["member"]) == (str(issuer.owner_id), None)
        assert fill["price"] == D(str(terms.get("offer", 100)))
    for tokens, terms, stopped in (
        ("0.5", {"offer": CENT}, WORTHLESS),
        (10, {"offer": CENT, "unsold": "-49.5"}, NO_MORE),
        (10, {"unsold": -50}, NO_MORE),
    ):
        found = buy(issuer, token, tokens, **terms)
        assert (found["fills"], found["stopped"]) == ([], stopped), (tokens, terms)
        assert (found["closing"], found["completes"]) == ([], False)


def buy(issuer: Trader, token: Token, tokens: Any, **terms: Any) -> Any:
    """Return the result of a Buy in the raise of `token`, at a fee of 1.5 %."""
    return match(
        order(token, "Buy", 100, tokens, fee_percent="1.5"),
        **{
            "completed": False, "issuer": issuer.owner_id, "gets": token.id, "offer": 100,
            "needed": 10_000, "smallest": 0, **terms,
        },
    )  # fmt: skip


def test_units_for_sale_are_cut_off_at_the_eighth_decimal():
    for unsold, needed, offer, expected in (
        (50, 1000, 100, D(10)),
        (5, 1000, 100, D(5)),
        (50, 100, 3, D("33.33333333")),
        (50, 200, 6, D("33.33333333")),
        (50, 0, 3, D(0)),
        (10**9, "999999999", 1, D(999_999_999)),
    ):
        terms = Record("order_terms", {"unsold": unsold, "needed": needed, "offer": offer})
        assert call("for_sale", terms) == expected


# --- What moves ----------------------------------------------------------------------------------


def fill(trade: UUID, **amounts: Any) -> dict[str, Any]:
    return {
        "trade": trade, "units": "3", "taker_value": "30", "taker_fee": "0.30",
        "maker_value": "29", "maker_fee": "0.20", **amounts,
    }  # fmt: skip


def test_legs_of_an_order_move_units_money_and_fees_of_every_fill_and_reserve_its_rest():
    gives, gets, reserve, trades = uuid7(), uuid7(), uuid7(), [uuid7(), uuid7()]
    sellers = [(uuid7(), uuid7()), (uuid7(), uuid7())]
    places: dict[str, Any] = {
        "gives": gives, "gets": gets, "reserve": reserve,
        "makers_give": [pays for pays, _ in sellers], "makers_get": [paid for _, paid in sellers],
    }  # fmt: skip
    fees = Account.objects.get(owner_id=None, kind="fees", asset_id="KES").id
    token = Token(id=uuid7())
    fills = [
        fill(trades[0]),
        fill(trades[1], units="2", taker_value="22", taker_fee="1", maker_value="21"),
    ]
    bought = [
        *(D("-30.30"), D(3), D(-3), D("28.80"), D("1.50")),
        *(D(-23), D(2), D(-2), D("20.80"), D("2.20")),
    ]
    sold = [
        *(D(-3), D("29.70"), D("-29.20"), D(3), D("-0.50")),
        *(D(-2), D(21), D("-21.20"), D(2), D("0.20")),
    ]
    for side, amounts in (("Buy", bought), ("Sell", sold)):
        for completed, kind in ((True, "trade"), (False, "raise_sale")):
            for status in ("Active", "Fulfilled", "Cancelled"):
                rests = status == "Active"
                coming = order(token, side, 10, 9, status=status, reserved="44")
                found = legs(coming, fills, places, completed=completed)
                own = [str(coming.fields["id"])] if rests else []
                ids = [str(trade) for trade in trades]
                count = 3 if rests else 2
                assert found["transfers"] == ids + own
                assert found["kinds"] == [kind, kind] + ["order_reserve"] * rests
                assert found["refs"] == [f"trade:{trade}" for trade in trades] + [
                    f"order:{each}:reserve" for each in own
                ]
                assert found["actors"] == ["system:test"] * count
                assert found["memos"] == ["TKN"] * count
                assert found["leg_transfers"] == ids[:1] * 5 + ids[1:] * 5 + own * 2
                assert found["accounts"] == names(
                    [gives, gets, *sellers[0], fees],
                    [gives, gets, *sellers[1], fees],
                    [gives, reserve] if rests else [],
                )
                assert found["amounts"] == [*amounts, *([-44, 44] if rests else [])]
    # All of it is reserved, where there is no fill.
    resting = order(token, "Buy", 10, 9, reserved="44")
    found = legs(resting, [], places)
    assert (found["accounts"], found["amounts"]) == (names([gives, reserve]), [-44, 44])
    assert found["kinds"] == ["order_reserve"]


def legs(
    coming: Record, fills: list[dict[str, Any]], places: dict[str, Any], *, completed: bool = True
) -> Any:
    terms = Record("order_terms", {"currency": "KES", "symbol": "TKN", "completed": completed})
    filled = Records("order_fill", fills)
    return call("legs_of_order", coming, terms, filled, Record("order_accounts", places))


def names(*accounts: Sequence[UUID]) -> list[str]:
    return [str(account) for some in accounts for account in some]


def test_the_accounts_of_an_order_are_found_by_role_and_opened_where_missing():
    issuer, taker = make_trader(), make_trader(member=True)
    maker, dust = make_trader(member=True), make_trader()
    token = issuer.issue()
    units = str(token.id)

    def made(status: str, fills: list[Trader], rests: list[Trader], **terms: Any) -> Any:
        """Return owner, asset and kind of a buy order's accounts by role, and of those without."""
        coming = order(
            token, "Buy", 10, 9, status=status, owner_id=taker.owner_id,
            organisation_id=taker.wallet.organisation.id, member_id=taker.wallet.member_id,
        )  # fmt: skip
        matched = {
            "fills": [party(each) for each in fills],
            "closing": [party(each) for each in rests],
            "completes": terms.pop("completes", False),
        }
        given = {"completed": True, "gives": "KES", "gets": units, "issuer": issuer.owner_id}
        found = call(
            "accounts_to_move", coming, Record("order_terms", given | terms),
            Record("order_match", matched),
        )  # fmt: skip
        accounts = {str(row.id): row for row in Account.objects.filter(id__in=found["every"])}
        people = {
            issuer.owner_id: "i",
            taker.owner_id: "t",
            maker.owner_id: "m",
            dust.owner_id: "d",
        }
        for row in accounts.values():
            owner = next(t for t in (issuer, taker, maker, dust) if t.owner_id == row.owner_id)
            assert (row.organisation_id, row.member_id) == (
                owner.wallet.organisation.id,
                owner.wallet.member_id,
            )
        assert {row.asset_id for row in accounts.values()} <= {"KES", units}

        def shown(account: Any) -> Any:
            if isinstance(account, list):
                return [shown(each) for each in account]
            row = accounts[account]
            asset = "KES" if row.asset_id == "KES" else "units"
            return f"{people[row.owner_id]} {asset} {row.kind}"

        every = Counter(shown(found.pop("every")))
        roles = {role: shown(account) for role, account in found.items() if account is not None}
        for account in roles.values():
            every.subtract(account if isinstance(account, list) else [account])
        return roles, {account: count for account, count in every.items() if count}

    gives = {"gives": "t KES available"}
    buys, kept = gives | {"gets": "t units available"}, {"reserve": "t KES reserved"}
    sells, paid = "m units reserved", "m KES available"
    assert made("Active", [], []) == (gives | kept, {})
    assert made("Cancelled", [], []) == (gives, {})
    one = buys | {"makers_give": [sells], "makers_get": [paid]}
    assert made("Active", [maker], []) == (one | kept, {})
    two = buys | {"makers_give": [sells] * 2, "makers_get": [paid] * 2}
    assert made("Fulfilled", [maker, maker], []) == (two, {})
    away = {"d units reserved": 1, "d units available": 1}
    assert made("Active", [], [dust]) == (gives | kept, away)
    assert made("Fulfilled", [maker], [dust]) == (one, away)
    sold = buys | {"makers_give": ["i units unsold"], "makers_get": ["i KES raise"]}
    assert made("Fulfilled", [issuer], [], completed=False) == (sold, {})
    issued = {"i units available": 1, "i KES available": 1}
    assert made("Fulfilled", [issuer], [], completed=False, completes=True) == (sold, issued)


def party(trader: Trader) -> dict[str, Any]:
    return {
        "owner": trader.owner_id,
        "organisation": trader.wallet.organisation.id,
        "member": trader.wallet.member_id,
    }
