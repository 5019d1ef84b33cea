"""The rules of one order at their limits: rejections, rounding and reservations."""

from decimal import Decimal
from typing import Any

import pytest

from exchange.core.ids import uuid7
from tests.environment.sql_functions import Record, call

pytestmark = pytest.mark.django_db

D = Decimal
OWNER, OTHER = uuid7(), uuid7()
# An order that breaks no rule: of the request, of the order, of its token's terms.
_REQUEST: dict[str, Any] = {"price": "100", "tokens": "10"}
_ORDER: dict[str, Any] = {
    "type": "Buy", "price": "100", "amount": "1000", "reserved": "1010", "owner_id": OWNER,
}  # fmt: skip
_TERMS: dict[str, Any] = {
    "member_refusal": None, "cancelled": False, "exited": False, "closed": False,
    "completed": True, "secondaries": True, "issuer": OTHER, "decimals": 2, "offer": "100",
    "lowest": 0, "highest": 0, "least": 0, "most": 0, "available": "1010",
}  # fmt: skip
_RAISE = {"completed": False, "secondaries": False}
_NOON = "2026-10-01T12:00:00Z"
_RECORD = {"next_record": _NOON, "units_held": False, "o_updated_at": _NOON}
_LARGEST = 10**15


def rule(**changes: Any) -> Any:
    """Return the first rule that an order breaks; `q_…` changes the request, `o_…` the order."""
    request, order, terms = dict(_REQUEST), dict(_ORDER), dict(_TERMS)
    for name, value in changes.items():
        if name.startswith("q_"):
            request[name[2:]] = value
        elif name.startswith("o_"):
            order[name[2:]] = value
        else:
            terms[name] = value
    broken = call(
        "broken_rules",
        Record("order_request", request),
        Record("orders_order", order),
        Record("order_terms", terms),
    )
    return broken[0] if broken else None


def test_each_rule_refuses_from_its_edge_on_and_nothing_before():
    cases: list[tuple[dict[str, Any], str | None]] = [
        ({}, None),
        ({"q_price": "100.12345678", "q_tokens": "0.00000001"}, None),
        ({"q_price": "100.000000001"}, "price_decimals"),
        ({"q_tokens": "10.000000001"}, "tokens_decimals"),
        ({"member_refusal": "user_not_found"}, "user_not_found"),
        ({"cancelled": True}, "token_cancelled"),
        ({"exited": True}, "token_exited"),
        ({"closed": True}, "token_closed"),
        ({"o_price": "100.01"}, None),
        ({"o_price": "100.001"}, "price_decimals"),
        ({"o_price": "101", "decimals": 0}, None),
        ({"o_price": "100.1", "decimals": 0}, "price_decimals"),
        # A raise, and the secondary market.
        (_RAISE, None),
        (_RAISE | {"o_type": "Sell"}, "in_primary_raise"),
        (_RAISE | {"issuer": OWNER}, "own_raise"),
        (_RAISE | {"o_price": "99.99"}, "below_offer"),
        (_RAISE | {"o_price": "100.01"}, None),
        ({"issuer": OWNER, "offer": "1000"}, None),
        ({"o_type": "Sell"}, None),
        ({"secondaries": False}, "not_in_secondaries"),
        # The band of prices, where there is one.
        ({"lowest": "100", "highest": "100"}, None),
        ({"lowest": "100.01"}, "price_out_of_band"),
        ({"highest": "99.99"}, "price_out_of_band"),
        ({"lowest": "0.5", "o_price": "0.4"}, "price_out_of_band"),
        ({"lowest": "1", "o_price": "0.99"}, "price_out_of_band"),
        ({"highest": "0.5", "o_price": "0.6"}, "price_out_of_band"),
        ({"highest": "1", "o_price": "1.01"}, "price_out_of_band"),
        # The value of the order.
        ({"o_amount": 0}, "worth_nothing"),
        ({"o_amount": 1}, None),
        ({"o_amount": _LARGEST}, None),
        ({"o_amount": f"{_LARGEST}.01"}, "amount_too_large"),
        ({"least": "1000", "most": "1000"}, None),
        ({"least": "1000.01"}, "below_min_trade"),
        ({"most": "999.99"}, "above_max_trade"),
        ({"least": "1", "o_amount": "0.99"}, "below_min_trade"),
        ({"most": "1", "o_amount": "1.01"}, "above_max_trade"),
        ({"most": "0.5", "o_amount": "0.6"}, "above_max_trade"),
        # What its owner has.
        ({"available": "1009.99"}, "insufficient_balance"),
        ({"available": None}, "insufficient_balance"),
        ({"available": "1009.99", "o_type": "Sell"}, "insufficient_units"),
        ({"available": "1009.99", "block": "account_frozen"}, "insufficient_balance"),
        ({"block": "account_frozen"}, "account_frozen"),
        ({"block": "account_frozen", "o_type": "Sell"}, "account_frozen"),
        ({"block": "receivable_due"}, "receivable_due"),
        ({"block": "receivable_due", "o_type": "Sell"}, None),
        ({"available": "1010.01"}, None),
        # A distribution that records the holders.
        (_RECORD | {"o_updated_at": "2026-10-01T11:59:59Z"}, None),
        (_RECORD, "record_pending"),
        (_RECORD | {"units_held": True}, "units_held"),
        (_RECORD | {"block": "account_frozen"}, "account_frozen"),
    ]
    assert [(changes, rule(**changes)) for changes, _ in cases] == cases


def test_the_detail_of_a_rejection_holds_the_compared_values():
    order = Record("orders_order", {"amount": "5.50", "reserved": "7.10"})
    values = {
        "decimals": 2, "offer": "3.10", "lowest": "1.50", "highest": "2.50", "least": "6.0",
        "most": "5.0", "available": "4.20", "currency": "KES",
    }  # fmt: skip
    cases = {
        "price_decimals": '{"decimals":2}',
        "below_offer": '{"price":3.1}',
        "price_out_of_band": '{"lowest":1.5,"highest":2.5}',
        "below_min_trade": '{"amount":5.5,"least":6}',
        "above_max_trade": '{"amount":5.5,"most":5}',
        "insufficient_balance": '{"available":4.2,"requested":7.1,"currency":"KES"}',
        "insufficient_units": '{"available":4.2,"requested":7.1,"currency":"KES"}',
        "token_closed": "{}",
    }
    terms = Record("order_terms", values)
    assert {name: call("rule_detail", name, order, terms) for name in cases} == cases
    nothing = Record("order_terms", values | {"available": None})
    assert call("rule_detail", "insufficient_balance", order, nothing) == (
        '{"available":0,"requested":7.1,"currency":"KES"}'
    )


def test_rounding_is_up_for_who_pays_and_down_for_who_receives():
    cent = D("0.01")
    for value, up, down in (
        ("1.50", "1.50", "1.50"), ("1.501", "1.51", "1.50"), ("1.509", "1.51", "1.50"),
        ("0", "0", "0"), ("0.00000001", "0.01", "0"),
    ):  # fmt: skip
        amount = D(value)
        assert (call("round_up", amount, cent), call("round_down", amount, cent)) == (
            D(up),
            D(down),
        )
        assert call("order_value", "Buy", amount, cent) == D(up)
        assert call("order_value", "Sell", amount, cent) == D(down)
    assert (call("round_up", D("150.5"), D(1)), call("round_down", D("150.5"), D(1))) == (151, 150)
    # Of 10.01 a fee of 1.5 % is 0.15015, of 200 it is 3.
    for kind, value, fee, total in (
        ("Buy", "10.01", "1.5", "10.17"), ("Sell", "10.01", "1.5", "9.85"),
        ("Buy", "200", "1.5", "203"), ("Sell", "200", "1.5", "197"),
        ("Buy", "10.01", "0", "10.01"), ("Sell", "10.01", "0", "10.01"),
    ):  # fmt: skip
        assert call("order_total", kind, D(value), D(fee), cent) == D(total), (kind, value)


def test_an_open_rest_is_reserved_and_a_closed_order_reserves_nothing():
    order = {
        "type": "Buy", "status": "Active", "price": "100", "tokens": "10", "filled": "4",
        "filled_value": "360", "charged": "360", "charged_fee": "3.60", "fee_percent": "1",
        "reserved": "1010", "reason": "", "updated_at": "2026-01-02T00:00:00+00:00",
    }  # fmt: skip

    def end(stopped: str | None, **changes: Any) -> tuple[Any, ...]:
        found = call(
            "end_or_reserve",
            Record("orders_order", order | changes),
            Record("order_terms", {"minor": "0.01"}),
            stopped,
        )
        return (
            found["status"],
            found["reserved"],
            found["reason"],
            found["closed_at"] and found["closed_at"] == found["updated_at"],
        )

    # All of it can cost 969.60.
    assert end(None) == ("Active", 606, "", None)
    assert end(None, price="100.003") == ("Active", D("606.02"), "", None)
    assert end(None, type="Sell") == ("Active", 6, "", None)
    assert end("why") == ("Cancelled", 0, "why", True)
    assert end(None, filled="10") == ("Fulfilled", 0, "", True)
    assert end("why", filled="10") == ("Fulfilled", 0, "", True)


def test_a_new_order_reserves_all_that_it_can_cost_or_deliver():
    request = {
        "id": uuid7(), "organisation": OTHER, "member": OWNER, "api_key": uuid7(),
        "token": uuid7(), "type": "Buy", "price": "1.005", "tokens": "3",
        "actor": "system:test", "customer_name": "Jo",
    }  # fmt: skip
    terms = {"fee": "1", "decimals": 2, "minor": "0.01"}

    def new(**changes: Any) -> Any:
        return call(
            "new_order", Record("order_request", request | changes), Record("order_terms", terms)
        )

    order = new()
    # 3.015, to the even cent; with its fee 3.04515.
    assert (order["amount"], order["reserved"]) == (D("3.02"), D("3.05"))
    assert new(price="1.015")["amount"] == D("3.04")  # 3.045
    assert new(type="Sell")["reserved"] == 3
    assert {name: order[name] for name in ("owner_id", "member_id", "organisation_id")} == {
        "owner_id": str(OWNER),
        "member_id": str(OWNER),
        "organisation_id": str(OTHER),
    }
    assert new(member=None)["owner_id"] == str(OTHER)
    for changes, owner_model in (
        ({}, "user"),
        ({"customer_name": None}, "user"),
        ({"member": None}, "api_key"),
        ({"member": None, "customer_name": ""}, "api_key"),
        ({"member": None, "customer_name": None}, "organisation"),
    ):
        assert new(**changes)["owner_model"] == owner_model
    assert [order[name] for name in ("filled", "filled_value", "charged", "charged_fee")] == [0] * 4
    assert (order["status"], order["reason"], order["customer_email"]) == ("Active", "", "")
    assert (order["customer_name"], order["client_order_id"]) == ("Jo", "")
    # As processes of the previous release send it.
    kind = [order[name] for name in ("order_type", "time_in_force", "post_only")]
    assert kind == ["limit", "GTC", False]
    # Values beyond the column are reported as too large.
    for side in ("Buy", "Sell"):
        huge = new(type=side, price="1e15", tokens="1e15")
        assert huge["amount"] == D(10) ** 29
    assert new(price="1e15", tokens="1e15")["reserved"] == D(10) ** 29
