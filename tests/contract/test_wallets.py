"""Balances and statements: exact records, filters, order, strangers; the scopes that reads need."""

from decimal import Decimal
from typing import Any

import pytest

from exchange.core.ids import uuid7
from tests.factories.api_clients import assert_error, make_caller, make_member
from tests.factories.withdrawals import OPERATIONS, WithdrawalApi, exact_json

pytestmark = pytest.mark.usefixtures("bank_lists")

CURRENCIES = ["NGN", "KES", "GHS", "ZAR", "UGX", "TZS", "USD"]
TRANSACTION = [
    "_id",
    "type",
    "currency",
    "account",
    "amount",
    "balance_after",
    "reference",
    "description",
    "subject",
    "createdAt",
]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_wallet_is_one_record_for_each_of_seven_currencies(
    withdrawal_api: WithdrawalApi, operation
):
    path = withdrawal_api.wallet_path(operation)
    zero = (
        b'"available":0,"escrow":0,"reserved":0,"lien":0,"uncleared":0,"receivable":0,"total":0,'
        b'"frozen":false}'
    )
    assert withdrawal_api.caller.get(path).content == (
        b'{"status":"success","message":"Wallet retrieved","data":['
        + b",".join(b'{"currency":"%s",%s' % (code.encode(), zero) for code in CURRENCIES)
        + b"]}"
    )
    withdrawal_api.fund(operation, "KES", "1000.50")
    withdrawal_api.create_withdrawal(operation)
    rows = {row["currency"]: row for row in exact_json(withdrawal_api.caller.get(path))["data"]}
    assert rows["KES"] == {
        "currency": "KES",
        "available": Decimal("500.5"),
        "escrow": 500,
        "reserved": 0,
        "lien": 0,
        "uncleared": 0,
        "receivable": 0,
        "total": Decimal("1000.5"),
        "frozen": False,
    }
    assert rows["NGN"]["total"] == 0
    other = "member" if operation == "organisation" else "organisation"
    assert all(
        row["total"] == 0
        for row in exact_json(withdrawal_api.caller.get(withdrawal_api.wallet_path(other)))["data"]
    )


@pytest.mark.parametrize("part", ["", "/transactions"])
@pytest.mark.parametrize("member", ["unknown", "foreign", "%00", "me"])
def test_the_wallet_of_a_stranger_does_not_exist(withdrawal_api: WithdrawalApi, part, member):
    found = {"unknown": uuid7(), "foreign": make_member(make_caller().organisation).id}
    response = withdrawal_api.caller.get(
        f"/v1/api/members/{found.get(member, member)}/wallet{part}"
    )
    assert_error(response, 404, "user_not_found", "User not found")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_statement_tells_every_movement_newest_first(withdrawal_api: WithdrawalApi, operation):
    withdrawal_api.fund(operation, "KES", "1000.5")
    made = withdrawal_api.create_withdrawal(operation)
    cancelled = withdrawal_api.caller.post(f"/v1/api/withdrawals/{made['_id']}/cancel")
    assert cancelled.status_code == 200, cancelled.content
    response = withdrawal_api.caller.get(f"{withdrawal_api.wallet_path(operation)}/transactions")
    data = exact_json(response)["data"]
    assert list(data) == ["page", "pages", "count", "total", "transactions"]
    assert (data["page"], data["pages"], data["count"], data["total"]) == (1, 1, 5, 5)
    rows = data["transactions"]
    assert all(list(row) == TRANSACTION for row in rows)
    told = {
        (row["type"], row["account"]): (row["amount"], row["balance_after"], row["reference"])
        for row in rows
    }
    reference = made["reference"]
    deposit = next(row for row in rows if row["type"] == "deposit")
    assert told == {
        ("deposit", "available"): (Decimal("1000.5"), Decimal("1000.5"), deposit["reference"]),
        ("withdrawal_hold", "available"): (-500, Decimal("500.5"), reference),
        ("withdrawal_hold", "escrow"): (500, 500, reference),
        ("withdrawal_release", "escrow"): (-500, 0, reference),
        ("withdrawal_release", "available"): (500, Decimal("1000.5"), reference),
    }
    assert deposit["reference"].startswith("arrival-")
    assert [row["type"] for row in rows] == [
        *["withdrawal_release"] * 2,
        *["withdrawal_hold"] * 2,
        "deposit",
    ]
    assert {row["subject"] for row in rows if row["type"] != "deposit"} == {made["_id"]}
    assert b'"amount":1000.5,"balance_after":1000.5,' in response.content


@pytest.mark.parametrize(
    ("query", "total"),
    [
        ({"currency": "KES"}, 3),
        ({"currency": "usd"}, 1),
        ({"currency": "NGN"}, 0),
        ({"type": "deposit"}, 2),
        ({"type": "WITHDRAWAL_HOLD"}, 2),
        ({"account": "escrow"}, 1),
        ({"account": "available", "currency": "KES"}, 2),
        ({"created_from": "2020-01-01"}, 4),
        ({"created_to": "2020-01-01"}, 0),
        ({"created_from": "2999-01-01T00:00:00Z"}, 0),
    ],
)
def test_a_statement_can_be_filtered(withdrawal_api: WithdrawalApi, query, total):
    withdrawal_api.fund("member", "KES", "1000")
    withdrawal_api.fund("member", "USD", "10")
    withdrawal_api.fund("organisation", "KES", "1")
    withdrawal_api.create_withdrawal("member")
    data = exact_json(
        withdrawal_api.caller.get(f"{withdrawal_api.wallet_path('member')}/transactions", query)
    )["data"]
    assert (data["total"], data["count"]) == (total, total)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            {"account": "clearing"},
            "account must be one of [available, escrow, reserved, lien, uncleared, rec",
        ),
        ({"created_from": "soon"}, "created_from must be an ISO 8601 date, or a time with its off"),
        ({"sort": "balance"}, "sort must be one of [createdAt, amount], with - in front for desc"),
        ({"page": "0"}, "page must be a whole number from 1"),
        ({"limit": "x"}, "limit must be a whole number from 1"),
    ],
)
def test_a_bad_filter_of_a_statement_names_what_is_allowed(
    withdrawal_api: WithdrawalApi, query, message
):
    response = withdrawal_api.caller.get("/v1/api/wallet/transactions", query)
    assert assert_error(response, 400, "invalid_request").startswith(message)


def test_a_statement_is_paged_and_sorted(withdrawal_api: WithdrawalApi):
    for amount in ("30", "10", "20"):
        withdrawal_api.fund("organisation", "KES", amount)
    path = "/v1/api/wallet/transactions"

    def amounts(**query: Any) -> list[int]:
        rows = exact_json(withdrawal_api.caller.get(path, query))["data"]["transactions"]
        return [int(row["amount"]) for row in rows]

    assert amounts() == [20, 10, 30]
    assert amounts(sort="createdAt") == [30, 10, 20]
    assert amounts(sort="amount") == [10, 20, 30]
    assert amounts(sort="-amount", limit=2) == [30, 20]
    assert amounts(sort="-amount", limit=2, page=2) == [10]
    data = exact_json(withdrawal_api.caller.get(path, {"limit": 2, "page": 9}))["data"]
    assert (data["page"], data["pages"], data["count"], data["total"]) == (9, 2, 0, 3)
    assert data["transactions"] == []


@pytest.mark.parametrize(
    "path",
    [
        "/v1/api/wallet",
        "/v1/api/wallet/transactions",
        "/v1/api/withdrawals",
        "/v1/api/withdrawals/fee",
        "/v1/api/withdrawals/x",
        "/v1/api/members/x/wallet",
        "/v1/api/members/x/wallet/transactions",
    ],
)
def test_reads_need_the_scope_to_read_wallets(withdrawal_api: WithdrawalApi, path):
    caller = make_caller(["wallets:withdraw"])
    assert_error(caller.get(path), 403, "insufficient_scope", "This needs the scope wallets:read")
