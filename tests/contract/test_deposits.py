"""Deposits over the API and the payment provider's sandbox, from account number to wallet."""

import json
import re
from decimal import Decimal
from typing import Any

import pytest
import requests

from exchange.core.ids import uuid7
from exchange.events.models import Event
from exchange.participants.models import Member
from tests.assertions.unchanged import table_fingerprints
from tests.environment.services import Sandbox
from tests.factories.api_clients import ApiCaller, assert_error, make_caller, make_member
from tests.factories.wallets import assert_books_hold, balance_of
from wallets.deposits.models import Deposit, Payment, VirtualAccount
from wallets.deposits.tasks import find_payments, sweep_deposits

pytestmark = pytest.mark.django_db

ORIGIN = "https://example.com"
BVN = "12345678901"
RECORD = [
    "_id", "owner", "owner_model", "reference", "amount", "fee", "net_amount", "currency",
    "channel", "status", "provider_reference", "payer", "available_on", "disputed_at",
    "disputed_amount", "reversed_amount", "createdAt", "updatedAt",
]  # fmt: skip
ACCOUNT = [
    "_id", "owner", "owner_model", "currency", "bank_name", "account_number", "account_name",
    "status", "createdAt",
]  # fmt: skip


@pytest.fixture
def caller(provider_sandbox: Sandbox) -> ApiCaller:
    made = make_caller()
    made.organisation.email = "money@example.com"
    made.organisation.redirect_origins = [ORIGIN]
    made.organisation.save()
    return made


@pytest.fixture
def member(caller: ApiCaller) -> Member:
    return make_member(caller.organisation, "Ada Obi")


def pay(sandbox: Sandbox, **payment: Any) -> None:
    body = {"payer": {"name": "Chidi Okeke", "bank": "Access Bank"}, **payment}
    requests.post(f"{sandbox.url}/sandbox/pay", json=body, timeout=20).raise_for_status()


def checkout_body(**changes: Any) -> dict[str, Any]:
    return {
        "amount": 2500.5,
        "currency": "NGN",
        "redirect_url": f"{ORIGIN}/paid?order=7",
        **changes,
    }


def test_what_is_paid_into_a_virtual_account_reaches_its_owner(caller, member, provider_sandbox):
    path = f"/v1/api/members/{member.id}/virtual-accounts"
    response = caller.post(path, {"currency": "NGN", "bvn": BVN})
    assert response.status_code == 201, response.content
    account = response.json()["data"]
    assert list(account) == ACCOUNT
    assert (account["owner"], account["owner_model"], account["status"]) == (
        str(member.id), "user", "Active",
    )  # fmt: skip
    again = caller.post(path, {"currency": "NGN"}).json()["data"]
    assert again == account
    own = caller.post("/v1/api/wallet/virtual-accounts", {"currency": "GHS"}).json()["data"]
    assert (own["owner"], own["currency"]) == (str(caller.organisation.id), "GHS")
    assert caller.get(path).json()["data"] == [account]
    assert BVN not in str(VirtualAccount.objects.values())

    for amount in ("2500.50", "90"):
        pay(
            provider_sandbox,
            account_number=account["account_number"],
            amount=amount,
            webhook="no_webhook",
        )
    # Both webhooks are lost: the list finds the payments.
    assert find_payments() == 2
    assert Payment.objects.count() == 2
    sweep_deposits()
    assert find_payments() == 0
    listed = caller.get("/v1/api/deposits?sort=amount").json()["data"]["deposits"]
    assert [(one["amount"], one["status"], one["channel"]) for one in listed] == [
        (90, "Completed", "virtual_account"),
        (2500.5, "Completed", "virtual_account"),
    ]
    assert list(listed[0]) == RECORD
    assert listed[1]["payer"]["name"] == "Chidi Okeke"
    assert re.fullmatch(r"deposit_[0-9a-z]{26}", listed[0]["reference"])
    assert caller.get(f"/v1/api/deposits/{listed[0]['_id']}").json()["data"] == listed[0]
    assert balance_of(member.id, "NGN") == Decimal("2590.50")
    assert Event.objects.filter(type="deposit.completed").count() == 2
    assert_books_hold()


@pytest.mark.parametrize(
    ("payment_type", "kind"), [("bank_transfer", "available"), ("card", "uncleared")]
)
def test_a_checkout_is_completed_by_the_payment_on_its_page(
    caller, provider_sandbox, payment_type, kind
):
    response = caller.post(
        "/v1/api/wallet/deposits/checkout",
        checkout_body(client_reference="invoice-7", metadata={"cart": "12"}),
    )
    assert response.status_code == 201, response.content
    deposit, url = response.json()["data"]["deposit"], response.json()["data"]["url"]
    assert list(deposit) == [*RECORD, "client_reference", "metadata"]
    assert (deposit["status"], deposit["amount"], deposit["net_amount"]) == (
        "Pending", 2500.5, 2500.5,
    )  # fmt: skip
    assert (deposit["provider_reference"], deposit["payer"]) == (None, None)
    assert url.startswith(provider_sandbox.url)
    assert requests.get(url, timeout=20).status_code == 200
    pay(
        provider_sandbox,
        tx_ref=deposit["reference"],
        amount="2500.50",
        payment_type=payment_type,
        webhook="no_webhook",
    )
    find_payments()
    sweep_deposits()
    found = caller.get("/v1/api/deposits?client_reference=invoice-7").json()["data"]["deposits"]
    assert [(one["_id"], one["status"]) for one in found] == [(deposit["_id"], "Completed")]
    assert balance_of(caller.organisation.id, "NGN", kind) == Decimal("2500.50")
    assert_books_hold()


def test_a_checkout_repeated_under_its_key_is_the_same_one(caller):
    path = "/v1/api/wallet/deposits/checkout"
    first = caller.post(path, checkout_body(), idempotency_key="one")
    again = caller.post(path, checkout_body(), idempotency_key="one")
    assert again.content == first.content
    assert again.headers["Idempotent-Replayed"] == "true"
    assert_error(
        caller.post(path, checkout_body(amount=9), idempotency_key="one"),
        422,
        "idempotency_key_reused",
    )
    assert Deposit.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"amount": 0}, "amount must be above 0"),
        ({"amount": "9"}, "amount must be a number"),
        ({"amount": 1.005}, "amount must not have more than 2 decimals"),
        ({"currency": "EUR"}, "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS, USD]"),
        ({"redirect_url": "http://example.com/x"}, "redirect_url must be an https address"),
        ({"redirect_url": "https://user@example.com/"}, "redirect_url must be an https address"),
        ({"redirect_url": "https://[x"}, "redirect_url must be an https address"),
        ({"redirect_url": "https://ex\u2100mple.com/"}, "redirect_url must be an https address"),
        ({"redirect_url": "https://example.com.evil.io/"}, "redirect_url must be on one of"),
        ({"redirect_url": "https://example.com:8443/"}, "redirect_url must be on one of"),
        ({"redirect_url": "x" * 501}, "redirect_url must"),
        ({"metadata": {"a": {"b": "c"}}}, "metadata"),
        ({"client_reference": "x" * 65}, "client_reference"),
    ],
)
def test_a_checkout_that_cannot_be_is_refused_by_its_field(caller, changes, message):
    before = table_fingerprints()
    response = caller.post("/v1/api/wallet/deposits/checkout", checkout_body(**changes))
    assert response.status_code == 400
    assert message in response.json()["message"]
    assert table_fingerprints() == before


@pytest.mark.parametrize("amount", [10**15, "1." + "0" * 16_384])
def test_a_checkout_of_the_largest_amount_and_of_the_longest_number_is_made(caller, amount):
    body = json.dumps(checkout_body()).replace("2500.5", str(amount))
    made = caller.post("/v1/api/wallet/deposits/checkout", body)
    assert made.status_code == 201, made.content
    assert made.json()["data"]["deposit"]["amount"] == Decimal(amount)


def test_a_client_reference_names_one_deposit(caller):
    path = "/v1/api/wallet/deposits/checkout"
    assert caller.post(path, checkout_body(client_reference="a")).status_code == 201
    assert_error(
        caller.post(path, checkout_body(client_reference="a")), 409, "client_reference_taken"
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"currency": "KES"}, "Currency must be one of [NGN, GHS]"),
        ({"currency": "NGN"}, "bvn is required for a virtual account in NGN"),
        ({"currency": "NGN", "bvn": "1234567890"}, "bvn must have 11 digits"),
        ({"currency": "NGN", "bvn": "1234567890a"}, "bvn must have 11 digits"),
        ({"currency": "NGN", "bvn": "123456789012"}, "bvn must have 11 digits"),
    ],
)
def test_a_virtual_account_that_cannot_be_is_refused_by_its_field(caller, member, body, message):
    response = caller.post(f"/v1/api/members/{member.id}/virtual-accounts", body)
    assert (response.status_code, message in response.json()["message"]) == (400, True)
    assert not VirtualAccount.objects.exists()


def test_deposits_of_others_and_drafts_are_not_found(caller, member):
    stranger = make_member(make_caller().organisation)
    for owner in (stranger.id, uuid7()):
        for path, body in (
            ("virtual-accounts", {"currency": "GHS"}),
            ("deposits/checkout", checkout_body()),
        ):
            response = caller.post(f"/v1/api/members/{owner}/{path}", body)
            assert_error(response, 404, "user_not_found", "User not found")
    assert_error(caller.get(f"/v1/api/deposits/{uuid7()}"), 404, "deposit_not_found")


def test_without_the_provider_nothing_is_written(caller, provider_sandbox):
    provider_sandbox.kill()
    try:
        before = table_fingerprints()
        response = caller.post("/v1/api/wallet/deposits/checkout", checkout_body())
        assert_error(response, 502, "provider_unavailable")
        response = caller.post("/v1/api/wallet/virtual-accounts", {"currency": "GHS"})
        assert_error(response, 502, "provider_unavailable")
        assert table_fingerprints() == before
    finally:
        provider_sandbox.start()


def test_deposits_are_filtered_by_owner_and_reference(caller, member, provider_sandbox):
    paths = (f"/v1/api/members/{member.id}/deposits/checkout", "/v1/api/wallet/deposits/checkout")
    made = [caller.post(path, checkout_body()).json()["data"]["deposit"] for path in paths]
    pay(provider_sandbox, tx_ref=made[0]["reference"], webhook="no_webhook")
    find_payments()
    sweep_deposits()

    def found(**query: Any) -> list[str]:
        page = caller.get("/v1/api/deposits", query).json()["data"]
        return [record["reference"] for record in page["deposits"]]

    of_member, own = ([each["reference"]] for each in made)
    assert found(sort="createdAt") == of_member + own
    assert found(owner_model="user") == found(owner=member.id) == found(user_id=member.id)
    assert found(owner_model="user") == found(status="Completed") == of_member
    assert found(owner_model="organisation") == found(owner=caller.organisation.id) == own
    assert found(reference=own[0]) == found(status="Pending", channel="checkout") == own
    paid = Deposit.objects.get(reference=of_member[0])
    assert found(provider_reference=paid.provider_reference) == of_member
    assert found(provider_reference="x" * 100) == found(channel="manual") == []
    response = caller.get("/v1/api/deposits", {"provider_reference": "x" * 101})
    assert response.status_code == 400
