"""Outcomes of deposits by API: payments and disputes, and odd ones."""

import json
from decimal import Decimal
from typing import Any

import pytest

from exchange.core.ids import uuid7
from tests.factories.api_clients import assert_error
from tests.factories.outcomes import Client, status_of

pytestmark = [pytest.mark.django_db]


def _account(client: Client) -> str:
    organisation = client.wallet.organisation
    organisation.email = f"{organisation.pk}@example.com"
    organisation.redirect_origins = ["https://example.com"]
    organisation.save()
    body = {"currency": "NGN", "bvn": "22222222222"}
    made = client.caller.post("/v1/api/wallet/virtual-accounts", body)
    assert made.status_code == 201, made.content
    return str(made.json()["data"]["account_number"])


def _checkout(client: Client) -> str:
    body = {"amount": 900, "currency": "NGN", "redirect_url": "https://example.com/paid"}
    made = client.caller.post("/v1/api/wallet/deposits/checkout", body)
    assert made.status_code == 201, made.content
    return str(made.json()["data"]["deposit"]["_id"])


def test_the_ways_of_a_deposit(sandbox):
    client = Client("NGN")
    number = _account(client)
    made = client.set("deposits", {"account_number": number, "amount": 250.5, "payer_name": "Al"})
    deposit = made.json()["data"]
    assert (made.status_code, deposit["status"], deposit["payer"]["name"]) == (
        201,
        "Completed",
        "Al",
    )
    assert client.available == Decimal("100250.5")
    for odd in (0, -1, "5", 0.001, 10**16, True, 251):
        answer = client.set(f"deposits/{deposit['_id']}/dispute", {"amount": odd})
        assert_error(answer, 400, "invalid_request")
    disputed = client.set(f"deposits/{deposit['_id']}/dispute")
    assert disputed.json()["data"]["disputed_amount"] == 250.5
    assert client.available == 100_000
    assert_error(client.set(f"deposits/{deposit['_id']}/dispute"), 409, "state_conflict")

    checkout = _checkout(client)
    assert status_of(client.set("deposits", {"deposit": checkout})) == "Completed"
    in_part = client.set(f"deposits/{checkout}/dispute", {"amount": 100})
    assert in_part.json()["data"]["disputed_amount"] == 100
    again = client.set(f"deposits/{checkout}/dispute", {"amount": 100})
    assert_error(again, 409, "state_conflict")
    assert_error(client.set("deposits", {"deposit": checkout}), 409, "state_conflict")
    failing = {"deposit": _checkout(client), "status": "failed"}
    assert status_of(client.set("deposits", failing)) == "Failed"
    card = {"deposit": _checkout(client), "payment_type": "CARD", "amount": 905}
    resting = client.set("deposits", card).json()["data"]
    assert (resting["amount"], resting["available_on"] is not None) == (905, True)
    assert client.available == 100_800
    by_hand = {"deposit": _checkout(client), "payment_type": "mobilemoneyghana"}
    assert_error(client.set("deposits", by_hand), 409, "state_conflict")


def test_odd_payments_are_refused(sandbox):
    client = Client("NGN")
    number = _account(client)
    bodies: tuple[Any, ...] = (
        {},
        [],
        "x",
        {"account_number": number},
        {"account_number": number, "amount": 0.001},
        {"account_number": number, "amount": "5"},
        {"account_number": number, "amount": 5, "status": "failed"},
        {"account_number": number, "amount": 5, "deposit": str(uuid7())},
        {"account_number": 9900000001, "amount": 5},
        {"account_number": number, "amount": 5, "payer_name": "\u202e"},
        {"deposit": str(uuid7()), "payment_type": "cash"},
        {"deposit": 5},
    )
    for body in bodies:
        answer = client.set("deposits", json.dumps(body))
        assert_error(answer, 400, "invalid_request")
    large = json.dumps({"account_number": number, "amount": 5, "x": "x" * 70_000})
    assert_error(client.set("deposits", large), 413, "body_too_large")
    assert client.available == 100_000
