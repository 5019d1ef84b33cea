"""The sandbox's wire format of money in to the letter, hostile input, webhooks and store."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests

from tests.environment.processes import wait_until
from tests.wallets.providers.harness import SECRET_KEY, Sandbox, client_of
from tests.wallets.providers.test_settlement import Merchant
from wallets.providers.collection import ChargeHint

KEY = {"Authorization": f"Bearer {SECRET_KEY}"}
NOT_FOUND = {
    "status": "error",
    "message": "No transaction was found for this id",
    "data": None,
}
CHECKOUT: dict[str, Any] = {
    "tx_ref": "dep_1",
    "amount": 1500.5,
    "currency": "NGN",
    "redirect_url": "https://app.example/back",
    "customer": {"email": "ada@example.com", "name": "Ada Obi", "phonenumber": "080"},
    "customizations": {"title": "Top up"},
    "meta": {"deposit": "7"},
}
ACCOUNT: dict[str, Any] = {
    "email": "ada@example.com",
    "tx_ref": "va_1",
    "is_permanent": True,
    "bvn": "22212345678",
    "currency": "NGN",
    "phonenumber": "080",
    "firstname": "Ada",
    "lastname": "Obi",
    "narration": "Ada Obi",
}


def call(sandbox: Sandbox, method: str, path: str, **options: Any) -> requests.Response:
    options.setdefault("headers", KEY)
    return requests.request(method, sandbox.server.url + path, timeout=10, **options)


def pay(sandbox: Sandbox, **body: Any) -> dict[str, Any]:
    paid: dict[str, Any] = sandbox.control("POST", "pay", **body)
    return paid


@pytest.fixture
def merchant() -> Iterator[Merchant]:
    merchant = Merchant()
    yield merchant
    merchant.server.shutdown()
    merchant.server.server_close()


def test_an_account_returns_exactly_the_documented_record(sandbox):
    response = call(sandbox, "POST", "/v3/virtual-account-numbers", json=ACCOUNT)
    body = response.json()
    data = body["data"]
    given = {key: data.pop(key) for key in ("flw_ref", "order_ref", "created_at")}
    assert (response.status_code, all(given.values())) == (200, True)
    assert body == {
        "status": "success",
        "message": "Virtual account created",
        "data": {
            "response_code": "02",
            "response_message": "Transaction in progress",
            "account_number": "9900000001",
            "account_status": "active",
            "frequency": "N/A",
            "bank_name": "Wema Bank",
            "expiry_date": "N/A",
            "note": "Please make a bank transfer to Ada Obi",
            "amount": None,
        },
    }
    again = call(sandbox, "GET", f"//v3/virtual-account-numbers/{given['order_ref']}").json()
    assert again["data"] == data | given
    once = ACCOUNT | {"is_permanent": False, "amount": 700, "bvn": None, "tx_ref": None}
    dynamic = call(sandbox, "POST", "/v3/virtual-account-numbers", json=once).json()["data"]
    assert (dynamic["frequency"], dynamic["amount"]) == (1, 700)
    assert dynamic["expiry_date"] > dynamic["created_at"]
    number = dynamic["account_number"]
    assert pay(sandbox, account_number=number, amount=650)["amount"] == 650
    with pytest.raises(AssertionError, match="takes one payment"):
        pay(sandbox, account_number=number)


def test_a_payment_has_exactly_the_documented_record_and_webhook(start_sandbox, merchant):
    sandbox = start_sandbox(webhook_url=merchant.url)
    link = call(sandbox, "POST", "/v3/payments", json=CHECKOUT).json()
    assert (link["message"], set(link["data"])) == ("Hosted Link", {"link"})
    pay(sandbox, tx_ref="dep_1")
    found = call(sandbox, "GET", "/v3/transactions/1/verify").json()
    assert found["message"] == "Transaction fetched successfully"
    data = found["data"]
    by_reference = call(sandbox, "GET", "/v3/transactions/verify_by_reference?tx_ref=dep_1")
    assert by_reference.json() == found
    assert data["meta"] == {
        "deposit": "7",
        "originatorname": "Ada Obi",
        "bankname": "",
        "originatoraccountnumber": "",
    }
    assert {key: data[key] for key in ("amount", "app_fee", "amount_settled")} == {
        "amount": 1500.5,
        "app_fee": 21.01,
        "amount_settled": 1479.49,
    }
    assert set(data["customer"]) == {"id", "name", "phone_number", "email", "created_at"}
    [(headers, body)] = merchant.wait_for(1)
    event = json.loads(body)
    del data["meta"], data["amount_settled"]
    assert event == {"event": "charge.completed", "data": data}
    assert set(data) == {
        *("id", "tx_ref", "flw_ref", "amount", "currency", "charged_amount", "app_fee"),
        *("merchant_fee", "processor_response", "auth_model", "narration", "status"),
        *("payment_type", "created_at", "account_id", "customer"),
    }
    assert client_of(sandbox).verify_webhook(headers, body) == ChargeHint("1", "dep_1")


def test_webhooks_come_twice_late_forged_wrong_or_not_at_all(start_sandbox, merchant):
    sandbox = start_sandbox(webhook_url=merchant.url)
    client = client_of(sandbox)
    account = call(sandbox, "POST", "/v3/virtual-account-numbers", json=ACCOUNT).json()["data"]
    number = account["account_number"]
    sandbox.fault("duplicate_webhook", {"account": number, "reference": "va_1"})
    for kind in ("", "forged_webhook", "tampered_webhook", "misdirected_webhook", "no_webhook"):
        pay(sandbox, account_number=number, amount=10, webhook=kind)
    pay(sandbox, account_number=number, amount=10, webhook_delay=3600)
    seen: dict[int, list[tuple[bool, str, str, int]]] = {}
    for headers, body in merchant.wait_for(6):
        data = json.loads(body)["data"]
        authentic = client.verify_webhook(headers, body) is not None
        row = (authentic, data["status"], data["tx_ref"], data["amount"])
        seen.setdefault(data["id"], []).append(row)
    genuine = (True, "successful", "va_1", 10)
    assert {key: sorted(rows) for key, rows in seen.items()} == {
        1: [genuine, genuine],
        2: [(False, "failed", "va_1", 10), genuine],
        3: [(True, "successful", "va_1", 100)],
        4: [(True, "successful", "va_1-other", 10)],
    }
    assert {row["amount"] for row in sandbox.control("GET", "transactions")} == {10}
    [late] = [row for row in sandbox.control("GET", "webhooks") if row["state"] == "waiting"]
    assert json.loads(late["body"])["data"]["id"] == 6


def test_a_charge_back_sends_a_second_webhook(start_sandbox, merchant):
    sandbox = start_sandbox(webhook_url=merchant.url)
    call(sandbox, "POST", "/v3/payments", json=CHECKOUT)
    pay(sandbox, tx_ref="dep_1", payment_type="card")
    sandbox.control("POST", "charge-back", id=1)
    merchant.wait_for(2)
    assert sorted(merchant.statuses()) == ["failed", "successful"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"email": None}, "email is required"),
        ({"email": "ada"}, "email must be a valid email"),
        ({"email": ["ada@example.com"]}, "email must be a string"),
        ({"bvn": None}, "bvn is required for a permanent account"),
        ({"bvn": "2221234567"}, "bvn must have 11 digits"),
        ({"bvn": 22212345678}, "bvn must be a string"),
        ({"currency": "USD"}, "Virtual accounts in USD are not supported"),
        ({"is_permanent": "true"}, "is_permanent must be a boolean"),
        ({"is_permanent": False}, "amount must be a number"),
        ({"is_permanent": False, "amount": "700"}, "amount must be a number"),
        ({"tx_ref": "x" * 101}, "tx_ref length must be less than or equal to 100"),
        ({"narration": "x" * 2_001}, "narration must have 2000 characters at most"),
    ],
)
def test_a_bad_account_is_a_400_and_leaves_nothing(sandbox, changes, message):
    response = call(sandbox, "POST", "/v3/virtual-account-numbers", json=ACCOUNT | changes)
    assert (response.status_code, response.json()["data"]) == (400, None)
    assert response.json()["message"].startswith(message)
    assert sandbox.control("GET", "accounts") == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tx_ref": ""}, "tx_ref is required"),
        ({"amount": 0}, "amount must be a positive number"),
        ({"amount": 1.1e15}, "amount must be a positive number"),
        ({"amount": 0.001}, "amount has too many decimals"),
        ({"currency": "EUR"}, "Payments in EUR are not supported"),
        ({"redirect_url": "javascript:alert(1)"}, "redirect_url must be a valid URL"),
        ({"redirect_url": "https://x.example/\r\nSet-Cookie: a=b"}, "redirect_url must be"),
        ({"redirect_url": "https://[x"}, "redirect_url must be a valid URL"),
        ({"redirect_url": "/back"}, "redirect_url must be a valid URL"),
        ({"customer": None}, "customer is required"),
        ({"customer": {"email": 5}}, "email must be a string"),
        ({"customizations": "x"}, "customizations must be an object"),
        ({"meta": [1]}, "meta must be an object"),
        ({"meta": {"a": {"b": 1}}}, "meta must have at most 100 keys with plain values"),
    ],
)
def test_a_bad_checkout_is_a_400_and_leaves_nothing(sandbox, changes, message):
    response = call(sandbox, "POST", "/v3/payments", json=CHECKOUT | changes)
    assert (response.status_code, response.json()["data"]) == (400, None)
    assert response.json()["message"].startswith(message)
    assert sandbox.control("GET", "checkouts") == []


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v3/transactions/999/verify", 400),
        ("GET", "/v3/transactions/999999999999999999/verify", 400),
        ("GET", "/v3/transactions/verify_by_reference?tx_ref=x%00", 400),
        ("GET", "/v3/transactions/verify_by_reference", 400),
        ("POST", "/v3/transactions/999/refund", 400),
        ("GET", "/v3/transactions/1%20OR%201/verify", 404),
        ("GET", "/v3/virtual-account-numbers/none", 400),
        ("GET", "/v3/transactions?page=0", 400),
        ("GET", "/v3/transactions?from=yesterday", 400),
        ("GET", "/v3/transactions?to=9999-12-31", 200),
        ("GET", "/v3/transactions?from=0001-01-01", 200),
        ("GET", "/v3/transactions?tx_ref=%27%20OR%201=1--", 200),
    ],
)
def test_what_does_not_exist_is_an_envelope_and_no_traceback(sandbox, capfd, method, path, status):
    response = call(sandbox, method, path)
    assert response.status_code == status
    if status == 400 and "transactions/" in path:
        assert response.json() == NOT_FOUND
    if status == 200:
        info = {"total": 0, "current_page": 1, "total_pages": 0}
        assert (response.json()["data"], response.json()["meta"]) == ([], {"page_info": info})
    assert "Traceback" not in capfd.readouterr().err


def test_lists_are_filtered_and_paged_newest_first(sandbox):
    number = call(sandbox, "POST", "/v3/virtual-account-numbers", json=ACCOUNT).json()["data"][
        "account_number"
    ]
    for _ in range(21):
        pay(sandbox, account_number=number, amount=1)
    call(sandbox, "POST", "/v3/payments", json=CHECKOUT | {"currency": "USD"})
    pay(sandbox, tx_ref="dep_1", status="failed")

    def listed(query: str) -> list[int]:
        rows = call(sandbox, "GET", f"/v3/transactions?{query}").json()["data"]
        return [row["id"] for row in rows]

    assert listed("") == list(range(22, 2, -1))
    assert listed("page=2") == [2, 1]
    assert listed("currency=USD") == listed("status=failed") == listed("tx_ref=dep_1") == [22]
    assert listed("status=pending") == listed("to=2020-01-01") == []
    assert len(listed("from=2020-01-01&to=2100-01-01&status=successful")) == 20


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {},
        {"account_number": "9900000001", "tx_ref": "dep_1"},
        {"account_number": "1"},
        {"tx_ref": "unknown"},
        {"account_number": 9900000001, "amount": 5},
        {"account_number": "9900000001"},
        {"account_number": "9900000001", "amount": -5},
        {"account_number": "9900000001", "amount": "NaN"},
        {"account_number": "9900000001", "amount": "abc"},
        {"account_number": "9900000001", "amount": 5, "payment_type": "card"},
        {"tx_ref": "dep_1", "payment_type": "mobilemoneykenya"},
        {"tx_ref": "dep_1", "payment_type": []},
        {"tx_ref": "dep_1", "status": "done"},
        {"tx_ref": "dep_1", "status": []},
        {"tx_ref": "dep_1", "webhook": "reset"},
        {"tx_ref": "dep_1", "webhook": {}},
        {"tx_ref": "dep_1", "webhook_delay": "5"},
        {"tx_ref": "dep_1", "settle_after": -1},
        {"tx_ref": "dep_1", "settle_after": None},
        {"tx_ref": "dep_1", "payer": "Ada"},
        {"tx_ref": "dep_1", "payer": {"iban": "x"}},
        {"tx_ref": "dep_1", "unknown": 1},
    ],
)
def test_a_payment_that_makes_no_sense_is_refused(sandbox, capfd, body):
    call(sandbox, "POST", "/v3/virtual-account-numbers", json=ACCOUNT)
    call(sandbox, "POST", "/v3/payments", json=CHECKOUT)
    response = call(sandbox, "POST", "/sandbox/pay", json=body)
    assert (response.status_code, list(response.json())) == (400, ["error"])
    assert sandbox.control("GET", "transactions") == []
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("path", ["settle-payment", "charge-back", "end-chargeback"])
@pytest.mark.parametrize("body", [None, {}, {"id": "1"}, {"id": True}, {"id": 0}, {"id": 10**30}])
def test_an_id_that_is_none_is_refused(sandbox, path, body):
    assert call(sandbox, "POST", f"/sandbox/{path}", json=body).status_code == 400


@pytest.mark.parametrize("changes", [{"amount": 0}, {"amount": "x"}, {"listed": 1}])
def test_a_bad_charge_back_is_refused(sandbox, changes):
    call(sandbox, "POST", "/v3/payments", json=CHECKOUT)
    pay(sandbox, tx_ref="dep_1", payment_type="card")
    path, before = "/sandbox/charge-back", sandbox.control("GET", "float")
    assert call(sandbox, "POST", path, json={"id": 1, **changes}).status_code == 400
    assert sandbox.control("GET", "float") == before
    bad = {"id": 1, "status": "lost or won"}
    assert call(sandbox, "POST", "/sandbox/end-chargeback", json=bad).status_code == 400


def test_transactions_can_be_removed(sandbox):
    account = call(sandbox, "POST", "/v3/virtual-account-numbers", json=ACCOUNT).json()["data"]
    paid = pay(sandbox, account_number=account["account_number"], amount=100)
    path = f"/v3/transactions/{paid['id']}"
    assert call(sandbox, "POST", f"{path}/refund", json={"amount": 40}).status_code == 200
    before = sandbox.control("GET", "float")
    sandbox.control("DELETE", "transactions")
    assert sandbox.control("GET", "transactions") == []
    assert call(sandbox, "GET", f"{path}/verify").json() == NOT_FOUND
    assert sandbox.control("GET", "float") == before
    assert pay(sandbox, account_number=account["account_number"], amount=1)["id"] > paid["id"]


def test_a_stopped_sandbox_goes_on_with_accounts_checkouts_and_pending_payments(
    start_sandbox: Callable[..., Sandbox], merchant
):
    first = start_sandbox()
    account = call(first, "POST", "/v3/virtual-account-numbers", json=ACCOUNT).json()["data"]
    call(first, "POST", "/v3/payments", json=CHECKOUT)
    pay(first, account_number=account["account_number"], amount=5, settle_after=0.1)
    pay(first, tx_ref="dep_1", status="pending")
    first.server.stop()
    second = start_sandbox(webhook_url=merchant.url)

    def statuses() -> list[str]:
        return [row["status"] for row in second.control("GET", "transactions")]

    wait_until(lambda: statuses() == ["pending", "successful"], "the payment is settled")
    path = f"/v3/virtual-account-numbers/{account['order_ref']}"
    assert call(second, "GET", path).json()["data"] == account
    assert pay(second, tx_ref="dep_1")["id"] == 2
    assert second.control("POST", "settle-payment", id=2)["status"] == "successful"


def test_a_store_of_an_earlier_version_keeps_its_webhooks(start_sandbox, tmp_path):
    folder = tmp_path / "sandbox"
    folder.mkdir()
    with sqlite3.connect(folder / "sandbox.sqlite3") as earlier:
        earlier.executescript(
            """CREATE TABLE transfers (id INTEGER PRIMARY KEY AUTOINCREMENT, next_at REAL,
                reference TEXT, status TEXT, created_at REAL);
            CREATE TABLE webhooks (id INTEGER PRIMARY KEY AUTOINCREMENT,
                transfer_id INTEGER NOT NULL REFERENCES transfers (id), url TEXT NOT NULL,
                body TEXT NOT NULL, forged INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
                state TEXT NOT NULL DEFAULT 'waiting', next_at REAL NOT NULL);
            INSERT INTO transfers (id) VALUES (1);
            INSERT INTO webhooks (transfer_id, url, body, forged, next_at)
                VALUES (1, 'http://127.0.0.1:9/', '{}', 0, 4102444800);"""
        )
    earlier.close()
    sandbox = start_sandbox()
    call(sandbox, "POST", "/v3/payments", json=CHECKOUT)
    pay(sandbox, tx_ref="dep_1")
    [webhook] = sandbox.control("GET", "webhooks")
    assert (webhook["url"], webhook["state"]) == ("http://127.0.0.1:9/", "waiting")
