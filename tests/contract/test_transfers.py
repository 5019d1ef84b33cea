"""Transfers between wallets: exact answers, refusals that move nothing, lists and events."""

import json
import re
from decimal import Decimal
from typing import Any

import pytest

from exchange.core.ids import uuid7
from exchange.events.models import Event
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import ApiCaller, assert_error, make_caller, make_member
from tests.factories.wallets import Wallet, assert_books_hold, balance_of
from wallets.transfers.models import WalletTransfer

pytestmark = pytest.mark.django_db(transaction=True)

PATH = "/v1/api/transfers"
OWN = {"wallet": "organisation"}
ID = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
SHAPE = 'must be {"wallet": "organisation"} or {"user_id": "…"}'
CURRENCIES = "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS, USD]"


class TransferApi:
    """An organisation with a key, two members and money in its own wallet."""

    def __init__(self) -> None:
        self.caller: ApiCaller = make_caller()
        self.ada = make_member(self.caller.organisation, "Ada Obi")
        self.bola = make_member(self.caller.organisation, "Bola Ade")
        self.wallet = Wallet(self.caller.organisation).fund("1000.5", "NGN")

    def body(self, **changes: Any) -> dict[str, Any]:
        base = {"from": OWN, "to": {"user_id": str(self.ada.id)}, "amount": 250, "currency": "NGN"}
        return base | changes

    def send(self, changes: dict[str, Any] | None = None, **headers: str) -> Any:
        return self.caller.post(PATH, self.body(**(changes or {})), **headers)

    def balances(self, currency: str = "NGN") -> tuple[Decimal | int, ...]:
        owners = (self.caller.organisation, self.ada, self.bola)
        return tuple(balance_of(owner.id, currency) for owner in owners)


@pytest.fixture
def api() -> TransferApi:
    return TransferApi()


def test_a_transfer_is_answered_with_exactly_this_text(api):
    response = api.caller.post(
        PATH, json.dumps(api.body()).replace("250", "250.50").encode(), Idempotency_Key="one"
    )
    assert response.status_code == 201, response.content
    expected = (
        r'\{"status":"success","message":"Transfer completed","data":'
        rf'\{{"_id":"{ID}","from":\{{"wallet":"organisation"\}},'
        rf'"to":\{{"user_id":"{api.ada.id}"\}},"amount":250.5,"currency":"NGN",'
        rf'"status":"Completed","createdAt":"{TIME}"\}}\}}'
    )
    assert re.fullmatch(expected, response.content.decode()), response.content.decode()
    assert "Idempotent-Replayed" not in response
    assert api.balances() == (750, Decimal("250.5"), 0)
    record = response.json()["data"]
    assert api.caller.get(f"{PATH}/{record['_id']}").json()["data"] == record
    [event] = Event.objects.filter(type="transfer.completed")
    assert event.organisation == api.caller.organisation
    assert json.loads(event.body)["data"] == {"transfer": record}
    assert_books_hold()

    again = api.caller.post(PATH, api.body(amount=250.5), Idempotency_Key="one")
    assert again.status_code == 201
    assert again["Idempotent-Replayed"] == "true"
    assert again.json()["data"] == record
    other = api.caller.post(PATH, api.body(amount=1), Idempotency_Key="one")
    assert_error(other, 422, "idempotency_key_reused")
    assert WalletTransfer.objects.count() == 1


def test_money_moves_between_members_and_back_in_every_currency(api):
    ada, bola = {"user_id": str(api.ada.id)}, {"user_id": str(api.bola.id).upper()}
    for currency, amount in (("USD", 0.01), ("UGX", 1), ("KES", 99.99)):
        Wallet(api.caller.organisation, api.ada).fund(
            "99.99" if currency != "UGX" else 99, currency
        )
        sent = api.send({"from": ada, "to": bola, "amount": amount, "currency": currency})
        assert sent.status_code == 201, sent.content
        assert api.balances(currency)[2] == Decimal(str(amount))
        back = api.send({"from": bola, "to": OWN, "amount": amount, "currency": currency})
        assert back.status_code == 201, back.content
        assert api.balances(currency)[0] == Decimal(str(amount))
    assert_books_hold()


def test_own_references_come_back_and_are_unique(api):
    mine = {"client_reference": "r-1", "metadata": {"reason": "été"}}
    record = api.send(mine).json()["data"]
    assert list(record)[-2:] == ["client_reference", "metadata"]
    assert mine.items() <= record.items()
    [event] = Event.objects.filter(type="transfer.completed")
    assert json.loads(event.body)["data"]["transfer"] == record
    listed = api.caller.get(PATH, {"client_reference": "r-1"}).json()["data"]["transfers"]
    assert listed == [record]
    with assert_nothing_changes():
        assert_error(
            api.send(mine),
            409,
            "client_reference_taken",
            "There is a transfer with client_reference r-1 already",
        )
        # The balance comes first.
        assert_error(api.send(mine | {"amount": 5000}), 400, "insufficient_balance")
    assert TransferApi().send(mine).status_code == 201
    assert api.send({"client_reference": "r-2"}).status_code == 201


def test_refusals_name_their_reason_and_move_nothing(api):
    malformed: list[Any] = [
        "organisation", [], {}, {"wallet": "own"}, {"user_id": 7}, {"user_id": ""},
        {**OWN, "user_id": str(api.ada.id)}, {"wallet": None, "user_id": None},
    ]  # fmt: skip
    stranger = make_member(make_caller().organisation)
    short = "Insufficient {} balance. Available: {}, requested: {}"
    cases: list[tuple[dict[str, Any], int, str, str]] = [
        ({"amount": 1000.51}, 400, "insufficient_balance",
         short.format("NGN", "1000.5", "1000.51")),
        ({"currency": "USD"}, 400, "insufficient_balance", short.format("USD", "0", "250")),
        ({"from": {"user_id": str(api.bola.id)}}, 400, "insufficient_balance",
         short.format("NGN", "0", "250")),
        *(
            ({side: {"user_id": user_id}}, 404, "user_not_found", "User not found")
            for side in ("from", "to")
            for user_id in (str(stranger.id), str(uuid7()), "nobody", str(api.wallet.owner_id))
        ),
        # Unknown members come before the balance.
        ({"to": {"user_id": str(stranger.id)}, "amount": 5000}, 404, "user_not_found",
         "User not found"),
        ({"to": OWN}, 400, "invalid_request", "to must be another wallet than from"),
        ({"from": {"user_id": str(api.ada.id)}}, 400, "invalid_request",
         "to must be another wallet than from"),
        ({"currency": "EUR"}, 400, "invalid_currency", CURRENCIES),
        ({"currency": "ngn"}, 400, "invalid_currency", CURRENCIES),
        ({"amount": 0}, 400, "invalid_request", "amount must be above 0"),
        ({"amount": -1}, 400, "invalid_request", "amount must not be negative"),
        ({"amount": "250"}, 400, "invalid_request", "amount must be a number"),
        ({"amount": True}, 400, "invalid_request", "amount must be a number"),
        ({"amount": 10**15 + 1}, 400, "invalid_request",
         "amount must not be above 1000000000000000"),
        ({"amount": 1.001}, 400, "invalid_request", "amount must not have more than 2 decimals"),
        ({"amount": 1.5, "currency": "UGX"}, 400, "invalid_request",
         "amount must not have decimals"),
        *(
            ({side: wallet}, 400, "invalid_request", f"{side} {SHAPE}")
            for side in ("from", "to")
            for wallet in malformed
        ),
        ({"from": None}, 400, "invalid_request", "from is required"),
        ({"client_reference": "", "metadata": {"a": 1}, "amount": 0}, 400, "invalid_request",
         "amount must be above 0; client_reference must not be blank; metadata.a must be a string"),
    ]  # fmt: skip
    with assert_nothing_changes():
        for changes, status, code, message in cases:
            assert_error(api.send(changes), status, code, message)
        missing = f"from is required; to is required; amount is required; {CURRENCIES}"
        assert_error(api.caller.post(PATH, "{}"), 400, "invalid_currency", missing)


def test_scopes_and_other_organisations(api):
    record = api.send().json()["data"]
    reader = make_caller({"wallets:read"}, api.caller.organisation)
    assert reader.get(f"{PATH}/{record['_id']}").status_code == 200
    payer = make_caller({"wallets:transfer"}, api.caller.organisation)
    stranger = make_caller()
    with assert_nothing_changes():
        assert_error(reader.post(PATH, api.body()), 403, "insufficient_scope")
        assert_error(payer.get(PATH), 403, "insufficient_scope")
        for path in (record["_id"], "nonsense", uuid7()):
            assert_error(
                stranger.get(f"{PATH}/{path}"), 404, "transfer_not_found", "Transfer not found"
            )
        assert stranger.get(PATH).json()["data"]["total"] == 0
    assert payer.post(PATH, api.body(amount=1)).status_code == 201


def test_the_list_is_filtered_and_sorted(api):
    ada, bola = {"user_id": str(api.ada.id)}, {"user_id": str(api.bola.id)}
    sent = [
        api.send({"amount": 300}).json()["data"],
        api.send({"amount": 100, "to": bola}).json()["data"],
        api.send({"amount": 50, "from": ada, "to": bola}).json()["data"],
    ]

    def found(**query: Any) -> list[int]:
        page = api.caller.get(PATH, query).json()["data"]
        assert page["total"] == len(page["transfers"])
        return [sent.index(record) for record in page["transfers"]]

    for record in sent:
        assert api.caller.get(f"{PATH}/{record['_id']}").json()["data"] == record

    assert found() == [2, 1, 0]
    assert found(sort="amount") == [2, 1, 0]
    assert found(sort="-amount") == [0, 1, 2]
    assert found(user_id=api.ada.id) == [2, 0]
    assert found(from_user_id=api.ada.id) == [2]
    assert found(to_user_id=api.bola.id) == [2, 1]
    assert found(currency="ngn", status="completed", amount_from=100, amount_to=100) == [1]
    assert found(currency="USD") == []
    assert found(created_from=sent[1]["createdAt"], created_to=sent[1]["createdAt"]) >= [1]
    assert found(user_id="nobody") == []
    page = api.caller.get(PATH, {"limit": 1, "page": 2}).json()["data"]
    assert (page["pages"], page["transfers"]) == (3, [sent[1]])
    assert_error(api.caller.get(PATH, {"member": "x"}), 400, "invalid_request")
    movements = api.caller.get("/v1/api/wallet/transactions", {"type": "wallet_transfer"})
    assert [one["amount"] for one in movements.json()["data"]["transactions"]] == [-100, -300]
