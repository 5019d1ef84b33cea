"""Withdrawals that were asked for: listed, filtered, fetched and cancelled; the fee of one."""

import json
from typing import Any

import pytest

from exchange.events.models import Event
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import assert_error, make_caller
from tests.factories.configuration import set_setting
from tests.factories.wallets import assert_books_hold, make_staff
from tests.factories.withdrawals import OPERATIONS, WithdrawalApi, exact_json
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.usefixtures("bank_lists")

RECORD = [
    "_id",
    "owner",
    "owner_model",
    "reference",
    "amount",
    "disburse_amount",
    "fee",
    "gusd_amount",
    "internal_fee",
    "internal_fee_type",
    "currency",
    "bank",
    "status",
    "actioned_on",
    "createdAt",
    "updatedAt",
    "bank_details",
]
ORGANISATION_ONLY = {"gusd_amount", "internal_fee", "internal_fee_type"}


def test_withdrawals_of_both_owners_are_listed_newest_first_as_they_were_answered(
    withdrawal_api: WithdrawalApi,
):
    withdrawal_api.fund("organisation", "KES", "1000")
    withdrawal_api.fund("member", "KES", "1000")
    made = [withdrawal_api.create_readable(operation) for operation in (*OPERATIONS, *OPERATIONS)]
    data = json.loads(withdrawal_api.caller.get("/v1/api/withdrawals").content)["data"]
    assert list(data) == ["page", "pages", "count", "total", "withdrawals"]
    assert data["withdrawals"] == list(reversed(made))
    for record in data["withdrawals"]:
        owned = record["owner_model"] == "organisation"
        assert list(record) == [n for n in RECORD if owned or n not in ORGANISATION_ONLY]


def test_nobody_sees_another_organisations_withdrawals(withdrawal_api: WithdrawalApi):
    withdrawal_api.fund("organisation", "KES", "1000")
    made = withdrawal_api.create_withdrawal()
    stranger = make_caller()
    assert exact_json(stranger.get("/v1/api/withdrawals"))["data"]["total"] == 0
    path = f"/v1/api/withdrawals/{made['_id']}"
    assert_error(stranger.get(path), 404, "withdrawal_not_found", "Withdrawal not found")
    with assert_nothing_changes():
        response = stranger.post(f"{path}/cancel")
    assert_error(response, 404, "withdrawal_not_found", "Withdrawal not found")


def test_withdrawals_can_be_filtered(withdrawal_api: WithdrawalApi):
    withdrawal_api.fund("organisation", "KES", "10000")
    withdrawal_api.fund("organisation", "ZAR", "10000")
    withdrawal_api.fund("member", "KES", "10000")
    own = withdrawal_api.create_withdrawal(amount=700)
    rand = withdrawal_api.create_withdrawal(currency="ZAR", amount=100.5)
    members = withdrawal_api.create_withdrawal("member", amount=500)
    withdrawal_api.caller.post(f"/v1/api/withdrawals/{own['_id']}/cancel")
    everything = [members["_id"], rand["_id"], own["_id"]]
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"status": "pending"}, everything[:2]),
        ({"status": "Cancelled"}, everything[2:]),
        ({"currency": "KES"}, [members["_id"], own["_id"]]),
        ({"owner_model": "user"}, everything[:1]),
        ({"owner_model": "Organisation"}, everything[1:]),
        ({"owner": withdrawal_api.member.id}, everything[:1]),
        ({"owner": withdrawal_api.caller.organisation.id}, everything[1:]),
        ({"user_id": withdrawal_api.member.id}, everything[:1]),
        ({"user_id": "nobody"}, []),
        ({"reference": rand["reference"]}, [rand["_id"]]),
        ({"reference": rand["reference"][:-1]}, []),
        ({"amount_from": "100.5", "amount_to": "500"}, everything[:2]),
        ({"amount_from": "500.01"}, everything[2:]),
        ({"created_from": rand["createdAt"], "created_to": "2999-01-01"}, everything),
        ({"created_to": "2020-01-01"}, []),
        ({"sort": "amount"}, [rand["_id"], members["_id"], own["_id"]]),
        ({"sort": "createdAt"}, everything[::-1]),
        ({"limit": "1", "page": "2"}, everything[1:2]),
    ]
    for query, expected in cases:
        response = withdrawal_api.caller.get("/v1/api/withdrawals", query)
        assert response.status_code == 200, (query, response.content)
        found = [record["_id"] for record in response.json()["data"]["withdrawals"]]
        if "created_from" in query:
            assert set(found) >= {rand["_id"], members["_id"]}
        else:
            assert found == expected, query


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            {"status": "Done"},
            "status must be one of [Pending, Approved, Rejected, Cancelled, Processing, Unknown, "
            "Completed, Failed, Reversed]",
        ),
        ({"amount_from": "-1"}, "amount_from must be a number such as 1000 or 90.02"),
        ({"amount_to": "1e3"}, "amount_to must be a number such as 1000 or 90.02"),
        ({"amount_to": "NaN"}, "amount_to must be a number such as 1000 or 90.02"),
        ({"owner_model": "api_key"}, "owner_model must be one of [organisation, user]"),
    ],
)
def test_a_bad_filter_of_withdrawals_is_refused(withdrawal_api: WithdrawalApi, query, message):
    assert_error(
        withdrawal_api.caller.get("/v1/api/withdrawals", query), 400, "invalid_request", message
    )


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_withdrawal_is_fetched_as_it_was_answered_with_its_reason(
    withdrawal_api: WithdrawalApi, operation
):
    withdrawal_api.fund(operation, "KES", "1000")
    made = withdrawal_api.create_readable(operation)
    response = withdrawal_api.caller.get(f"/v1/api/withdrawals/{made['_id']}")
    assert response.status_code == 200
    data = json.loads(response.content)["data"]
    assert data == {**made, "reason": None}
    assert list(data) == [*made, "reason"]
    row = Withdrawal.objects.get()
    decisions.reject(
        withdrawal_id=row.id,
        version=row.version,
        approver=make_staff(),
        reason='Not "known" \u2014 ask again',
    )
    data = json.loads(withdrawal_api.caller.get(f"/v1/api/withdrawals/{made['_id']}").content)[
        "data"
    ]
    assert data["status"] == "Rejected"
    assert data["reason"] == 'Not "known" \u2014 ask again'
    assert data["actioned_on"] is not None


@pytest.mark.parametrize("part", ["", "/cancel"])
@pytest.mark.parametrize("text", ["x", "%00", "fees", "0" * 36, "9" * 400])
def test_a_withdrawal_with_a_malformed_id_is_not_found(withdrawal_api: WithdrawalApi, part, text):
    path = f"/v1/api/withdrawals/{text}{part}"
    response = withdrawal_api.caller.post(path) if part else withdrawal_api.caller.get(path)
    assert_error(response, 404, "withdrawal_not_found", "Withdrawal not found")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_cancelling_gives_the_money_back_and_tells(withdrawal_api: WithdrawalApi, operation):
    withdrawal_api.fund(operation, "KES", "1000")
    made = withdrawal_api.create_readable(operation)
    response = withdrawal_api.caller.post(f"/v1/api/withdrawals/{made['_id']}/cancel")
    assert response.status_code == 200, response.content
    body = json.loads(response.content)
    assert body["message"] == "Withdrawal cancelled"
    data = body["data"]
    assert list(data) == [*made, "reason"]
    assert data["status"] == "Cancelled"
    assert data["actioned_on"] is not None
    changed = ("status", "actioned_on", "updatedAt", "reason")
    assert {k: v for k, v in data.items() if k not in changed} == {
        k: v for k, v in made.items() if k not in changed
    }
    row = next(
        row
        for row in exact_json(withdrawal_api.caller.get(withdrawal_api.wallet_path(operation)))[
            "data"
        ]
        if row["currency"] == "KES"
    )
    assert (row["available"], row["escrow"]) == (1000, 0)
    types = list(Event.objects.order_by("id").values_list("type", flat=True))
    assert types == ["withdrawal.created", "withdrawal.cancelled"]
    assert_books_hold()


@pytest.mark.parametrize("status", ["Cancelled", "Approved", "Rejected"])
def test_only_a_pending_withdrawal_can_be_cancelled(withdrawal_api: WithdrawalApi, status):
    withdrawal_api.fund("organisation", "KES", "1000")
    made = withdrawal_api.create_withdrawal()
    row = Withdrawal.objects.get()
    decided: dict[str, Any] = {
        "withdrawal_id": row.id,
        "version": row.version,
        "approver": make_staff(),
    }
    if status == "Cancelled":
        withdrawal_api.caller.post(f"/v1/api/withdrawals/{made['_id']}/cancel")
    elif status == "Approved":
        decisions.approve(**decided)
    else:
        decisions.reject(**decided, reason="no")
    with assert_nothing_changes():
        response = withdrawal_api.caller.post(f"/v1/api/withdrawals/{made['_id']}/cancel")
    assert_error(
        response,
        409,
        "state_conflict",
        f"Only a Pending withdrawal can be cancelled: it is {status}",
    )


def test_the_fee_of_a_withdrawal_can_be_looked_up(withdrawal_api: WithdrawalApi):
    response = withdrawal_api.caller.get(
        "/v1/api/withdrawals/fee", {"currency": "KES", "amount": "120.50"}
    )
    assert response.content == (
        b'{"status":"success","message":"Withdrawal fee retrieved","data":{"currency":"KES",'
        b'"amount":120.5,"fee":30,"disburse_amount":90.5,"minimum":100}}'
    )
    set_setting("KES_WITHDRAWAL_FEE", "30.25")
    response = withdrawal_api.caller.get(
        "/v1/api/withdrawals/fee", {"currency": "KES", "amount": "120.50"}
    )
    assert b'"fee":30.25,"disburse_amount":90.25,' in response.content


@pytest.mark.parametrize(
    ("query", "code", "message"),
    [
        (
            {"amount": "5"},
            "invalid_currency",
            "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS]",
        ),
        (
            {"currency": "USD", "amount": "5"},
            "currency_not_supported",
            "Withdrawals with automatic bank resolution are not supported for USD. "
            "Supported currencies: NGN, GHS, KES, ZAR, UGX, TZS",
        ),
        ({"currency": "KES"}, "invalid_request", "amount must be a number such as 1000 or 90.02"),
        (
            {"currency": "KES", "amount": "-5"},
            "invalid_request",
            "amount must be a number such as 1000 or 90.02",
        ),
        (
            {"currency": "UGX", "amount": "5000.5"},
            "invalid_request",
            "amount must not have decimals",
        ),
        (
            {"currency": "KES", "amount": "5.001"},
            "invalid_request",
            "amount must not have more than 2 decimals",
        ),
        (
            {"currency": "KES", "amount": "30"},
            "fee_exceeds_amount",
            "The withdrawal fee of 30 KES leaves nothing to pay out of 30 KES",
        ),
    ],
)
def test_a_fee_that_cannot_be_told_is_refused(withdrawal_api: WithdrawalApi, query, code, message):
    assert_error(withdrawal_api.caller.get("/v1/api/withdrawals/fee", query), 400, code, message)


def test_cancelling_needs_the_scope_to_withdraw(withdrawal_api: WithdrawalApi):
    caller = make_caller(["wallets:read"])
    response = caller.post("/v1/api/withdrawals/x/cancel")
    assert_error(response, 403, "insufficient_scope", "This needs the scope wallets:withdraw")
