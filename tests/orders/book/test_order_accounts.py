"""Accounts of orders, amounts moved by earlier orders of a batch, and rejection details."""

import json
from uuid import UUID

import pytest
from django.db import DatabaseError, connection

from exchange.core.database import read_rejection, sqlstate
from exchange.core.ids import uuid7
from tests.environment.sql_functions import Record, call
from tests.factories.traders import make_trader
from wallets.ledger.models import Account, AccountKind
from wallets.ledger.posting import system_account

pytestmark = pytest.mark.django_db


def test_an_account_is_found_by_its_owner_asset_and_kind():
    one, other = make_trader(10), make_trader(10)
    units = str(one.issue().id)
    one.wallet.fund(5, "NGN")
    for asset, kind in (("KES", "available"), ("NGN", "available"), (units, "available")):
        account = Account.objects.get(owner_id=one.owner_id, asset_id=asset, kind=kind)
        assert call("account_of", str(one.owner_id), asset, kind) == str(account.id)
    assert call("account_of", str(other.owner_id), units, "available") is None
    assert call("account_of", str(other.owner_id), "KES", "raise") is None
    assert call("account_of", str(uuid7()), "KES", "available") is None


def test_an_account_of_the_exchange_is_found_by_no_owner_asset_and_kind():
    trader = make_trader(10)
    fees, clearing, abroad = (
        system_account("KES", AccountKind.FEES),
        system_account("KES", AccountKind.CLEARING),
        system_account("NGN", AccountKind.FEES),
    )
    assert call("account_of", None, "KES", "fees") == str(fees)
    assert call("account_of", None, "KES", "clearing") == str(clearing)
    assert call("account_of", None, "NGN", "fees") == str(abroad)
    assert trader.balance("KES") == 10
    assert call("account_of", None, "KES", "available") is None


def test_a_trade_opens_the_accounts_that_it_needs_and_no_others():
    issuer, buyer = make_trader(), make_trader(1000)
    token = issuer.issue()
    issuer.place(token, "Sell", 100, 5)

    def accounts() -> set[tuple[UUID | None, str, str]]:
        return set(Account.objects.values_list("owner_id", "asset_id", "kind"))

    before = accounts()
    buyer.place(token, "Buy", 100, 5)
    assert accounts() - before == {
        (buyer.owner_id, str(token.id), "available"),
        (issuer.owner_id, "KES", "available"),
    }


def test_what_earlier_orders_of_a_group_move_is_summed_for_one_account():
    mine, other = uuid7(), uuid7()
    legs = Record("order_legs", {"accounts": [mine, other, mine], "amounts": [-5, 9, 2]})
    assert call("moved_before", legs, mine) == -3
    assert call("moved_before", legs, other) == 9
    assert call("moved_before", legs, uuid7()) == 0


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("insufficient_balance", {"available": 12.5, "requested": 100, "currency": "KES"}),
        ("insufficient_units", {"available": 12.5, "requested": 100, "currency": "KES"}),
        ("price_decimals", {"decimals": 2}),
        ("below_offer", {"price": 99}),
        ("price_out_of_band", {"lowest": 90, "highest": 110.5}),
        ("below_min_trade", {"amount": 50, "least": 60}),
        ("above_max_trade", {"amount": 50, "most": 70}),
        ("token_not_found", {}),
    ],
)
def test_a_rejection_details_the_values_of_its_rule(rule, expected):
    order = Record("orders_order", {"reserved": "100.00", "amount": "50.00"})
    terms = {
        "available": "12.50", "currency": "KES", "decimals": 2, "offer": "99.00",
        "lowest": "90.00", "highest": "110.50", "least": "60.0", "most": "70.0",
    }  # fmt: skip
    assert json.loads(call("rule_detail", rule, order, Record("order_terms", terms))) == expected
    if "available" in expected:
        nothing = Record("order_terms", terms | {"available": None})
        found = json.loads(call("rule_detail", rule, order, nothing))
        assert found == expected | {"available": 0}


def test_a_rejection_is_raised_with_code_and_details():
    statement = """SELECT refuse_order('below_offer', '{"price":99}')"""
    with pytest.raises(DatabaseError) as raised, connection.cursor() as cursor:
        cursor.execute(statement)
    assert sqlstate(raised.value) == "XO400"
    assert read_rejection(raised.value, "XO400") == ("below_offer", {"price": 99})
