"""Movements of all wallets of an organisation: a day of an exchange, tied out from the API."""

from collections import defaultdict
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from credit.movements.payloads import RECORDS
from exchange.core.timestamps import wire_time
from tests.factories.api_clients import assert_error, make_caller
from tests.factories.conversions import convert, set_rates
from tests.factories.lending import make_lending
from tests.factories.market import ApiTrader, Market
from tests.factories.transfers import transfer
from tests.factories.wallets import Wallet
from tests.factories.withdrawals import WithdrawalApi, exact_json
from wallets.ledger.models import Entry, TransferKind

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("bank_lists")]

PATH = "/v1/api/movements"
PARTS = ("available", "escrow", "reserved", "lien", "uncleared")


def read_day(caller: Any, **query: Any) -> list[dict[str, Any]]:
    """Return all movements since yesterday, by cursor, three at a time."""
    since = wire_time(timezone.now() - timedelta(days=1))
    query = {"created_from": since, "use_cursor": "true", "limit": 3, **query}
    found: list[dict[str, Any]] = []
    while True:
        response = caller.get(PATH, query)
        assert response.status_code == 200, response.content
        data = exact_json(response)["data"]
        found += data["movements"]
        if data["next_cursor"] is None:
            return found
        query["cursor"] = data["next_cursor"]


def test_a_day_of_all_wallets_ties_out_to_every_balance_and_names_every_record():
    lending = make_lending()
    caller = make_caller(organisation=lending.borrower.organisation)
    loan = lending.lend()
    market = Market(currency="KES")
    trader = ApiTrader(caller).fund(10_000, "KES").fund(5_000, "KES", member=True)
    market.sell(tokens=3)
    bought = trader.place(market.token, tokens=5, client_reference="purchase-17")
    of_member = trader.place(market.token, tokens=1, price=99, user_id=str(trader.member.id))
    api = WithdrawalApi(caller)
    withdrawal = api.create_withdrawal()
    own = Wallet(caller.organisation)
    moved = transfer(own, Wallet(caller.organisation, trader.member), 200)
    set_rates()
    converted = convert(own, 129, "KES", "USD")

    movements = read_day(caller)

    totals: dict[tuple[str, str, str], Decimal] = defaultdict(Decimal)
    for movement in movements:
        key = (movement["owner"], movement["currency"], movement["account"])
        totals[key] += movement["amount"]
        assert totals[key] == movement["balance_after"]
    owners = {str(caller.organisation.id): "/v1/api/wallet"} | {
        str(member.id): f"/v1/api/members/{member.id}/wallet"
        for member in caller.organisation.members.all()
    }
    assert {movement["owner"] for movement in movements} <= set(owners)
    for owner, path in owners.items():
        for row in exact_json(caller.get(path))["data"]:
            for part in PARTS:
                assert totals[owner, row["currency"], part] == row[part], (owner, row, part)
    named = {(m["record"], m["subject"], m["order"]) for m in movements}
    assert {
        ("loan", str(loan.id), None),
        ("order", bought["_id"], bought["_id"]),
        ("order", of_member["_id"], of_member["_id"]),
        ("withdrawal", withdrawal["_id"], None),
        ("transfer", str(moved.id), None),
        ("conversion", str(converted.id), None),
    } <= named
    fills = exact_json(caller.get(f"/v1/orders/{bought['_id']}/fills"))["data"]["fills"]
    assert fills
    for fill in fills:
        of_fill = [m for m in movements if m["subject"] == fill["trade_id"]]
        assert {(m["order"], m["client_reference"], m["fee"]) for m in of_fill} == {
            (bought["_id"], "purchase-17", fill["fee"])
        }
        assert sum(m["amount"] for m in of_fill) == -fill["value"] - fill["fee"]


def test_the_seller_sees_its_own_order_and_fee_only():
    market = Market(currency="KES")
    sold = market.sell(tokens=3)
    bought = market.buy(tokens=3)
    [of_fill] = [m for m in read_day(market.seller.caller) if m["record"] == "trade"]
    fee = exact_json(market.seller.caller.get(f"/v1/orders/{sold['_id']}"))["data"]["meta"]["fee"]
    assert (of_fill["order"], of_fill["fee"], of_fill["amount"]) == (sold["_id"], fee, 300 - fee)
    assert bought["_id"] not in str(read_day(market.seller.caller))


def test_filters_find_owner_currency_type_account_and_period():
    market = Market(currency="KES")
    caller, member = market.buyer.caller, market.buyer.member
    market.buyer.fund(7, "NGN")
    assert {m["owner"] for m in read_day(caller, owner=str(member.id))} == {str(member.id)}
    assert {m["currency"] for m in read_day(caller, currency="NGN")} == {"NGN"}
    assert read_day(caller, type="withdrawal_hold") == []
    assert read_day(caller, account="escrow") == []
    assert read_day(make_caller()) == []
    [first, *others] = read_day(caller)
    assert others
    for bounds, found in (
        ({"created_from": first["createdAt"], "created_to": first["createdAt"]}, True),
        ({"created_from": "1969-12-31", "created_to": "9999-12-31"}, True),
        ({"created_from": "0001-01-01"}, True),
        ({"created_to": "1970-01-01"}, False),
        ({"created_from": "9999-12-31"}, False),
    ):
        listed = [m["_id"] for m in read_day(caller, **bounds)]
        assert (first["_id"] in listed) == found, bounds
    assert len(Entry.objects.filter(asset__currency__isnull=True)) > 0, "units are not money"
    assert {m["currency"] for m in read_day(caller)} == {"KES", "NGN"}


def test_every_kind_of_movement_has_its_record_or_none():
    without = {
        TransferKind.ADJUSTMENT,
        TransferKind.PAYMENT_UNMATCHED,
        TransferKind.PAYMENT_REFUND,
        TransferKind.RECEIVABLE_REPAY,
        TransferKind.RECEIVABLE_WRITE_OFF,
        TransferKind.PROVIDER_CHARGE,
        TransferKind.TREASURY,
        TransferKind.UNITS_ISSUE,
        TransferKind.UNITS_RETIRE,
    }
    assert set(RECORDS) == set(TransferKind) - without


def test_it_needs_the_scope_to_read_wallets():
    refused = make_caller(["orders:read"]).get(PATH)
    assert_error(refused, 403, "insufficient_scope", "This needs the scope wallets:read")
