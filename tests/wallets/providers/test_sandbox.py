"""The sandbox's wire format to the letter, without our client in between."""

import socket
from decimal import Decimal
from typing import Any

import pytest
import requests

from tests.environment.processes import wait_until
from tests.wallets.providers.harness import SECRET_KEY, client_of, record_of, request_of

KEY = {"Authorization": f"Bearer {SECRET_KEY}"}


def call(sandbox, method, path, **options):
    headers = options.pop("headers", KEY)
    url = sandbox.server.url + path
    return requests.request(method, url, headers=headers, timeout=10, **options)


def order(**changes):
    body = {
        "account_bank": "044",
        "account_number": "0690000040",
        "amount": 5500,
        "narration": "Akhlm Pstmn Trnsfr xx007",
        "currency": "NGN",
        "reference": "akhlm-pstmnpyt-rfxx007",
        "callback_url": "http://127.0.0.1:9/callback",
        "debit_currency": "NGN",
        "beneficiary_name": "Alexis Sanchez",
    } | changes
    return {key: value for key, value in body.items() if value is not None}


def test_a_transfer_returns_exactly_the_documented_record(sandbox):
    response = call(sandbox, "POST", "/v3/transfers", json=order())
    assert response.status_code == 200
    body = response.json()
    created_at = body["data"].pop("created_at")
    assert len(created_at) == 24
    assert created_at.endswith("Z")
    assert body == {
        "status": "success",
        "message": "Transfer Queued Successfully",
        "data": {
            "id": 1,
            "account_number": "0690000040",
            "bank_code": "044",
            "full_name": "Alexis Sanchez",
            "currency": "NGN",
            "debit_currency": "NGN",
            "amount": 5500,
            "fee": 26.875,
            "status": "NEW",
            "reference": "akhlm-pstmnpyt-rfxx007",
            "meta": None,
            "narration": "Akhlm Pstmn Trnsfr xx007",
            "complete_message": "",
            "requires_approval": 0,
            "is_approved": 1,
            "bank_name": "Access Bank",
        },
    }


def test_double_slashes_of_a_path_are_collapsed(sandbox):
    call(sandbox, "POST", "//v3//transfers", json=order())
    response = call(sandbox, "GET", "//v3/transfers/1")
    assert response.json()["data"]["reference"] == "akhlm-pstmnpyt-rfxx007"


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": SECRET_KEY}, {"Authorization": "Bearer x"}]
)
def test_without_the_key_everything_is_401(sandbox, headers):
    for method, path in [("GET", "/v3/banks/NG"), ("POST", "/v3/transfers"), ("GET", "/v3/x")]:
        response = call(sandbox, method, path, headers=headers)
        assert response.status_code == 401
        assert response.json() == {
            "status": "error",
            "message": "Authorization required",
            "data": None,
        }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"account_bank": None}, "account_bank is required"),
        ({"account_number": ""}, "account_number is required"),
        ({"currency": None}, "currency is required"),
        ({"account_number": 690000031}, "account_number must be a string"),
        ({"amount": None}, "amount must be a number"),
        ({"amount": "5500"}, "amount must be a number"),
        ({"amount": True}, "amount must be a number"),
        ({"amount": 0}, "amount must be a positive number"),
        ({"amount": -1}, "amount must be a positive number"),
        ({"amount": 1.001}, "amount has too many decimals"),
        ({"reference": "x" * 101}, "reference length"),
        ({"account_number": "0690000036"}, "Payout was made to a blacklisted account number"),
    ],
)
def test_a_bad_order_is_a_400_with_null_data_and_leaves_nothing(sandbox, changes, message):
    response = call(sandbox, "POST", "/v3/transfers", json=order(**changes))
    assert response.status_code == 400
    body = response.json()
    assert (body["status"], body["data"]) == ("error", None)
    assert body["message"].startswith(message)
    assert sandbox.references() == []


@pytest.mark.parametrize(
    "raw", [b"{", b"\xff", b"[1]", b"", b"[" * 100_000, b'{"amount": 1e999999999}']
)
def test_a_body_that_is_not_an_object_is_a_400(sandbox, raw):
    assert call(sandbox, "POST", "/v3/transfers", data=raw).status_code == 400


def test_the_same_reference_again_is_a_400(sandbox):
    assert call(sandbox, "POST", "/v3/transfers", json=order()).status_code == 200
    response = call(sandbox, "POST", "/v3/transfers", json=order())
    assert response.status_code == 400
    assert response.json()["message"] == "Transfer with this reference already exists"


def test_lists_are_paged_newest_first_with_their_page_info(sandbox):
    client = client_of(sandbox)
    for number in range(45):
        client.transfer(request_of(f"payout_{number}"))
    body = call(sandbox, "GET", "/v3/transfers?page=3").json()
    assert body["meta"] == {"page_info": {"total": 45, "current_page": 3, "total_pages": 3}}
    assert [row["reference"] for row in body["data"]] == [f"payout_{n}" for n in range(4, -1, -1)]
    assert call(sandbox, "GET", "/v3/transfers?page=9").json()["data"] == []
    sandbox.control("POST", "settle", reference="payout_7")
    done = call(sandbox, "GET", "/v3/transfers?status=SUCCESSFUL").json()
    assert [row["reference"] for row in done["data"]] == ["payout_7"]
    assert done["meta"]["page_info"]["total"] == 1
    none = call(sandbox, "GET", "/v3/transfers?from=2001-01-01&to=2001-12-31").json()
    assert none["meta"]["page_info"] == {"total": 0, "current_page": 1, "total_pages": 0}
    every = call(sandbox, "GET", "/v3/transfers?from=2001-01-01&to=2100-12-31").json()
    assert every["meta"]["page_info"]["total"] == 45


def test_a_held_transfer_stays_open_until_it_is_settled(start_sandbox):
    sandbox = start_sandbox(delay=0)
    client = client_of(sandbox)
    sandbox.control("POST", "hold", reference="payout_1")
    sandbox.control("POST", "hold", reference="payout_2")
    sandbox.control("POST", "hold", reference="payout_2", held=False)
    # The account of the third says that it fails.
    accounts = {"payout_3": "0690000037"}
    for name in ("payout_1", "payout_2", "payout_3"):
        client.transfer(request_of(name, account_number=accounts.get(name, "0690000031")))

    def statuses() -> dict[str, str]:
        rows = sandbox.control("GET", "transfers")
        return {row["reference"]: row["status"] for row in rows}

    ended = {"payout_1": "NEW", "payout_2": "SUCCESSFUL", "payout_3": "FAILED"}
    wait_until(lambda: statuses() == ended, "the outcomes of what is not held")
    assert sandbox.control("POST", "settle", reference="payout_1", status="FAILED") == {
        "settled": 1
    }
    assert statuses()["payout_1"] == "FAILED"
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("settle", {"status": "PAID"}),
        ("settle", {"status": "failed"}),
        ("hold", {}),
        ("hold", {"reference": 5}),
        ("hold", {"reference": "x", "held": "no"}),
    ]
    for control, body in wrong:
        refused = requests.post(f"{sandbox.server.url}/sandbox/{control}", json=body, timeout=10)
        assert refused.status_code == 400


def test_a_settled_transfer_ends_as_ordered_whatever_its_account(sandbox):
    client = client_of(sandbox)
    client.transfer(request_of("payout_1", account_number="0690000037"))
    sandbox.control("POST", "settle", reference="payout_1", status="SUCCESSFUL")
    [row] = sandbox.control("GET", "transfers")
    assert row["status"] == "SUCCESSFUL"


def test_a_failed_transfer_is_tried_again_under_a_new_reference(sandbox):
    client = client_of(sandbox)
    sent = client.transfer(request_of(account_number="0690000037"))
    assert call(sandbox, "POST", f"/v3/transfers/{sent.provider_id}/retries").status_code == 400
    sandbox.control("POST", "settle")
    response = call(sandbox, "POST", f"/v3/transfers/{sent.provider_id}/retries").json()
    assert response["data"]["reference"] == "payout_a_RETRY_1"
    assert response["data"]["status"] == "NEW"
    assert record_of(client).provider_id == sent.provider_id


def test_fees_and_balances_have_their_documented_shape(sandbox):
    fee = call(sandbox, "GET", "/v3/transfers/fee?amount=5000&currency=NGN").json()
    assert fee == {
        "status": "success",
        "message": "Transfer fee fetched",
        "data": [{"currency": "NGN", "fee_type": "value", "fee": 10.75}],
    }
    balances = call(sandbox, "GET", "/v3/balances").json()
    assert balances["message"] == "Wallet balances fetched"
    assert set(balances["data"][0]) == {"currency", "available_balance", "ledger_balance"}


def test_banks_and_branches_have_their_documented_shape(sandbox):
    banks = call(sandbox, "GET", "/v3/banks/GH").json()
    assert banks["message"] == "Banks fetched successfully"
    assert all(set(bank) == {"id", "code", "name"} for bank in banks["data"])
    bank_id = banks["data"][0]["id"]
    branches = call(sandbox, "GET", f"/v3/banks/{bank_id}/branches").json()["data"]
    assert all(
        set(branch) == {"id", "branch_code", "branch_name", "swift_code", "bic", "bank_id"}
        for branch in branches
    )


@pytest.mark.parametrize(
    "path", ["/v3/banks/US", "/v3/banks/999/branches", "/v3/transfers/99", "/v3/no"]
)
def test_what_does_not_exist_is_an_error_envelope(sandbox, path):
    response = call(sandbox, "GET", path)
    assert response.status_code in {400, 404}
    assert response.json()["status"] == "error"


@pytest.mark.parametrize(
    "fault",
    [
        {"fault": "no_such"},
        {"fault": "reset", "unknown": 1},
        {"fault": "reset", "match": {"unknown": "x"}},
        {"fault": "reset", "times": "2"},
        {"fault": "reset", "times": True},
    ],
)
def test_a_fault_that_makes_no_sense_is_refused(sandbox, fault):
    response = requests.post(f"{sandbox.server.url}/sandbox/faults", json=fault, timeout=10)
    assert response.status_code == 400
    assert sandbox.control("GET", "faults") == []


def test_faults_can_be_listed_and_cleared(sandbox):
    sandbox.fault("reset", times=3)
    [fault] = sandbox.control("GET", "faults")
    assert (fault["fault"], fault["times"]) == ("reset", 3)
    sandbox.control("DELETE", "faults")
    assert client_of(sandbox, read_attempts=1).find_transfer("payout_a") is None


def test_a_reset_really_is_one(sandbox):
    sandbox.fault("reset")
    host, port = sandbox.server._http.server_address[:2]
    with socket.create_connection((host, port), timeout=5) as connection:
        head = f"GET /v3/banks/NG HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {SECRET_KEY}\r\n\r\n"
        connection.sendall(head.encode())
        with pytest.raises(ConnectionResetError):
            connection.recv(1)


def test_a_stopped_sandbox_goes_on_with_its_book(start_sandbox):
    first = start_sandbox()
    client_of(first).transfer(request_of(amount=Decimal("0.1")))
    first.server.stop()
    second = start_sandbox(delay=0)
    client = client_of(second)
    assert record_of(client).amount == Decimal("0.1")
    assert second.control("POST", "settle") == {"settled": 1}
