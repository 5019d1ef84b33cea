"""Both withdrawal operations when all is well: the interface's records, numbers and effects."""

import json
import re
from decimal import Decimal

import pytest

from exchange.core.timestamps import wire_time
from exchange.events.models import Event
from tests.factories.configuration import set_setting
from tests.factories.wallets import assert_books_hold
from tests.factories.withdrawals import (
    BANK,
    OPERATIONS,
    PAYOUT_CURRENCIES,
    WithdrawalApi,
    body_of,
    cache_bank_lists,
    exact_json,
    round_trips,
)
from wallets.banks.models import BankAccount
from wallets.ledger.selectors.wallets import wallet_balances
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.usefixtures("bank_lists")

# Amount asked for, what is paid out of it, its value in USD (both computed by hand).
AMOUNTS = {
    "NGN": ("90000.02", "89950.02", "60"),
    "KES": ("500.25", "470.25", "3.88"),
    "GHS": ("90.02", "85.02", "7.5"),
    "ZAR": ("90.10", "80.1", "5.01"),
    "UGX": ("10000", "8500", "2.7"),
    "TZS": ("10000.00", "9000", "4"),
}
FEES = {"NGN": 50, "KES": 30, "GHS": 5, "ZAR": 10, "UGX": 1500, "TZS": 1000}
ID = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


def plain(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


@pytest.mark.parametrize("currency", PAYOUT_CURRENCIES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_withdrawal_is_answered_with_exactly_this_text(
    withdrawal_api: WithdrawalApi, operation, currency
):
    amount, disbursed, dollars = AMOUNTS[currency]
    withdrawal_api.fund(operation, currency, "100000")
    body = json.dumps(body_of(currency=currency)).replace("500", amount, 1)
    response = withdrawal_api.withdraw(operation, body)
    assert response.status_code == 201, response.content
    assert response["Content-Type"] == "application/json"
    model = "organisation" if operation == "organisation" else "user"
    internal = (
        rf'"gusd_amount":{re.escape(dollars)},"internal_fee":0,"internal_fee_type":"NONE",'
        if operation == "organisation"
        else ""
    )
    expected = (
        r'\{"status":"success","message":"Withdrawal request created","data":'
        rf'\{{"withdrawalRequest":\{{"_id":"(?P<id>{ID})","owner":"{withdrawal_api.owner_id(operation)}",'
        rf'"owner_model":"{model}","reference":"payout_[0-9a-z]{{26}}",'
        rf'"amount":{re.escape(plain(amount))},"disburse_amount":{re.escape(disbursed)},'
        rf'"fee":{FEES[currency]},{internal}"currency":"{currency}","bank":"(?P<bank>{ID})",'
        rf'"status":"Pending","actioned_on":null,"createdAt":"{TIME}","updatedAt":"{TIME}"\}},'
        rf'"bank":\{{"_id":"(?P=bank)","name":"{BANK}","code":"058",'
        rf'"account_number":"0690000031","account_name":"Forrest Green","currency":"{currency}"'
        r"\}\}\}"
    )
    assert re.fullmatch(expected, response.content.decode()), response.content.decode()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_amount_moves_from_available_into_the_same_owners_escrow(
    withdrawal_api: WithdrawalApi, operation
):
    withdrawal_api.fund("organisation", "KES", "1000.5")
    withdrawal_api.fund("member", "KES", "1000.5")
    response = withdrawal_api.withdraw(operation, body_of(amount=1000))
    assert response.status_code == 201, response.content
    other = "member" if operation == "organisation" else "organisation"
    assert balances(withdrawal_api, operation) == (Decimal("0.5"), Decimal(1000))
    assert balances(withdrawal_api, other) == (Decimal("1000.5"), Decimal(0))
    assert_books_hold()


def balances(withdrawal_api: WithdrawalApi, operation: str) -> tuple[Decimal, Decimal]:
    rows = wallet_balances(withdrawal_api.owner_id(operation))
    row = next(row for row in rows if row["currency"] == "KES")
    return row["available"], row["escrow"]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_whole_balance_can_be_withdrawn(withdrawal_api: WithdrawalApi, operation):
    withdrawal_api.fund(operation, "KES", "500.25")
    response = withdrawal_api.withdraw(operation, body_of(amount=500.25))
    assert response.status_code == 201, response.content
    assert balances(withdrawal_api, operation) == (Decimal(0), Decimal("500.25"))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_fields_the_server_owns_have_no_effect(withdrawal_api: WithdrawalApi, operation):
    withdrawal_api.fund(operation, "KES", "1000")
    owned = {
        "_id": "0190a1b2-0000-7000-8000-000000000000",
        "owner": "somebody",
        "owner_model": "user",
        "reference": "payout_mine",
        "fee": 0,
        "disburse_amount": 500,
        "gusd_amount": 1,
        "internal_fee": 5,
        "internal_fee_type": "FLAT",
        "bank": "mine",
        "status": "Completed",
        "actioned_on": "2020-01-01T00:00:00.000Z",
        "createdAt": "2020-01-01T00:00:00.000Z",
        "organisation_id": None,
        "member_id": [],
        "approvals_needed": 0,
        "nonsense": {"a": [1]},
    }
    response = withdrawal_api.withdraw(operation, body_of(**owned))
    assert response.status_code == 201, response.content
    record = exact_json(response)["data"]["withdrawalRequest"]
    assert record["owner"] == str(withdrawal_api.owner_id(operation))
    assert record["owner_model"] == ("organisation" if operation == "organisation" else "user")
    assert (record["fee"], record["disburse_amount"]) == (30, 470)
    assert record["status"] == "Pending"
    assert record["actioned_on"] is None
    assert record["reference"] != "payout_mine"
    assert record["_id"] != owned["_id"]
    assert record["bank"] != "mine"
    assert not record["createdAt"].startswith("2020")
    assert record.get("internal_fee", 0) == 0
    assert Withdrawal.objects.get().approvals_needed == 1


@pytest.mark.parametrize("operation", OPERATIONS)
def test_withdrawal_created_goes_to_the_organisation_with_exactly_this_body(
    withdrawal_api: WithdrawalApi, operation
):
    withdrawal_api.fund(operation, "KES", "1000")
    response = withdrawal_api.withdraw(operation, body_of())
    data = json.loads(response.content)["data"]
    event = Event.objects.get()
    assert event.organisation_id == withdrawal_api.caller.organisation.id
    assert event.type == "withdrawal.created"
    body = json.loads(event.body)
    assert list(body) == ["id", "type", "timestamp", "data"]
    # Read under the locks, that of the request at its start.
    assert body["timestamp"] >= data["withdrawalRequest"]["createdAt"]
    assert body == {
        "id": str(event.id),
        "type": "withdrawal.created",
        "timestamp": wire_time(event.created_at),
        "data": {
            "withdrawal": {**data["withdrawalRequest"], "actioned_by": None},
            "bank": data["bank"],
            "user": None
            if operation == "organisation"
            else {
                "_id": str(withdrawal_api.member.id),
                "name": "Ada Obi",
                "email": "ada@example.com",
            },
        },
    }


def test_corridor_fields_are_kept_with_the_bank_record_and_are_not_in_the_answer(
    withdrawal_api: WithdrawalApi,
):
    withdrawal_api.fund("member", "ZAR", "1000")
    corridor = {
        "branch_code": "198765",
        "recipient_first_name": "Thandi",
        "recipient_last_name": "Mokoena",
        "recipient_email": "thandi@example.com",
        "recipient_phone": "+27821234567",
        "recipient_address": "1 Long Street, Cape Town",
    }
    response = withdrawal_api.withdraw("member", body_of(currency="ZAR", **corridor))
    assert response.status_code == 201, response.content
    assert list(exact_json(response)["data"]["bank"]) == [
        "_id",
        "name",
        "code",
        "account_number",
        "account_name",
        "currency",
    ]
    bank = BankAccount.objects.get()
    assert {name: getattr(bank, name) for name in corridor} == corridor


def test_each_withdrawal_has_a_bank_record_of_its_own(withdrawal_api: WithdrawalApi):
    withdrawal_api.fund("organisation", "KES", "1000")
    first, second = (
        exact_json(withdrawal_api.withdraw("organisation", body_of()))["data"] for _ in range(2)
    )
    assert first["bank"]["_id"] != second["bank"]["_id"]
    assert first["withdrawalRequest"]["reference"] != second["withdrawalRequest"]["reference"]
    assert BankAccount.objects.count() == 2


def test_without_a_rate_the_value_in_usd_is_null(withdrawal_api: WithdrawalApi):
    set_setting("KES_USD_RATE", 0)
    withdrawal_api.fund("organisation", "KES", "1000")
    record = exact_json(withdrawal_api.withdraw("organisation", body_of()))["data"][
        "withdrawalRequest"
    ]
    assert record["gusd_amount"] is None


def test_a_configured_internal_fee_shows_and_changes_nothing_else(withdrawal_api: WithdrawalApi):
    set_setting("KES_INTERNAL_FEE", "2.50")
    withdrawal_api.fund("organisation", "KES", "1000")
    response = withdrawal_api.withdraw("organisation", body_of())
    assert b'"internal_fee":2.5,"internal_fee_type":"FLAT"' in response.content
    assert b'"disburse_amount":470,"fee":30' in response.content


def test_the_fee_in_force_at_creation_is_frozen(withdrawal_api: WithdrawalApi):
    withdrawal_api.fund("organisation", "KES", "2000")
    first = exact_json(withdrawal_api.withdraw("organisation", body_of()))["data"][
        "withdrawalRequest"
    ]
    set_setting("KES_WITHDRAWAL_FEE", "45.5")
    second = exact_json(withdrawal_api.withdraw("organisation", body_of()))["data"][
        "withdrawalRequest"
    ]
    again = exact_json(withdrawal_api.caller.get(f"/v1/api/withdrawals/{first['_id']}"))["data"]
    assert (again["fee"], again["disburse_amount"]) == (30, 470)
    assert (second["fee"], second["disburse_amount"]) == (Decimal("45.5"), Decimal("454.5"))


@pytest.mark.parametrize(
    ("written", "answered"),
    [("500.00", "500"), ("5e2", "500"), ("500.10", "500.1"), ("0.5005e3", "500.5")],
)
def test_an_amount_may_be_written_in_any_way_json_allows(
    withdrawal_api: WithdrawalApi, written, answered
):
    withdrawal_api.fund("organisation", "KES", "1000")
    body = json.dumps(body_of()).replace("500", written, 1)
    response = withdrawal_api.withdraw("organisation", body)
    assert f'"amount":{answered},'.encode() in response.content


def test_an_amount_near_ten_to_the_fifteen_keeps_every_digit(withdrawal_api: WithdrawalApi):
    withdrawal_api.fund("organisation", "KES", "999999999999999.99")
    body = json.dumps(body_of()).replace("500", "999999999999999.99", 1)
    response = withdrawal_api.withdraw("organisation", body)
    assert b'"amount":999999999999999.99,"disburse_amount":999999999999969.99,' in response.content


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_warm_request_takes_two_round_trips_to_the_database(
    withdrawal_api: WithdrawalApi, operation, tmp_path
):
    withdrawal_api.fund(operation, "KES", "10000")
    cache_bank_lists("KES")
    for _ in range(2):
        withdrawal_api.withdraw(operation, body_of())
    for headers in ({}, {"Idempotency_Key": "once"}):
        with round_trips(tmp_path) as answers:
            response = withdrawal_api.withdraw(operation, body_of(), **headers)
        assert response.status_code == 201, response.content
        assert len(answers) == 2, answers
