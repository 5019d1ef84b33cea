"""Unknown fields of a body: named in `X-Ignored-Fields`, or a 400 where they may be misspelt."""

import json
from typing import Any

import pytest

from exchange.participants.models import Member
from orders.book.models import Order
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import assert_error
from tests.factories.market import ORDERS, Market, body_of
from wallets.transfers.models import WalletTransfer

HEADER = "X-Ignored-Fields"


@pytest.fixture(scope="module")
def market(module_database: None) -> Market:
    return Market()


def test_a_misspelt_field_of_a_request_that_moves_money_is_refused_and_moves_nothing(
    market: Market,
):
    body = body_of(market.token, client_refernce="INV-1", custmer={}, fee=1, price="x")
    with assert_nothing_changes():
        response = market.buyer.caller.post(ORDERS, body)
    message = (
        "price must be a number; client_refernce is unknown: did you mean client_reference?; "
        "custmer is unknown: did you mean customer?"
    )
    assert_error(response, 400, "invalid_request", message)
    assert response[HEADER] == "client_refernce, custmer, fee"


def test_other_unknown_fields_are_ignored_and_named(market: Market):
    names = {f"unknown {number}": None for number in range(12)}
    response = market.buyer.caller.post(ORDERS, body_of(market.token, status="Fulfilled", **names))
    assert response.status_code == 201, response.content
    assert response[HEADER] == "status, " + ", ".join(f"unknown%20{n}" for n in range(9))
    assert response.json()["data"]["status"] == "Active"
    plain = market.buyer.caller.post(ORDERS, body_of(market.token))
    assert HEADER not in plain


def test_a_body_of_unknown_fields_costs_little(market: Market):
    """A hundred are compared: the reference is the first that is not."""
    names = {f"client_{number:06}": 1 for number in range(100)}
    body = body_of(market.token, **names, client_refernce="INV-1")
    assert market.buyer.caller.post(ORDERS, body).status_code == 201
    names.popitem()
    with assert_nothing_changes():
        body = body_of(market.token, **names, client_refernce="INV-1")
        assert_error(market.buyer.caller.post(ORDERS, body), 400, "invalid_request")


def test_a_repeated_request_names_them_again(market: Market):
    body = body_of(market.token, client_reference="one", colour="red")
    first = market.buyer.caller.post(ORDERS, body, Idempotency_Key="unknown")
    again = market.buyer.caller.post(ORDERS, body, Idempotency_Key="unknown")
    assert (first.status_code, again["Idempotent-Replayed"]) == (201, "true")
    assert (first[HEADER], again[HEADER]) == ("colour", "colour")
    assert Order.objects.filter(client_reference="one").count() == 1


def test_a_misspelt_field_is_ignored_where_no_money_moves(market: Market):
    caller = market.buyer.caller
    body = {"name": "Ada Obi", "email": "ada.obi@example.com", "external_di": "17"}
    response = caller.post("/v1/api/members", body)
    assert (response.status_code, response[HEADER]) == (201, "external_di")
    path = f"/v1/api/members/{response.json()['data']['_id']}"
    changed = caller.patch(path, {"name": "Ada Ade", "emial": "x"})
    assert (changed.status_code, changed[HEADER]) == (200, "emial")
    assert Member.objects.get(email="ada.obi@example.com").external_id in {"", None}


@pytest.mark.parametrize("extra", [{"client_refernce": "INV-1"}, {"metdata": {}}])
def test_a_transfer_does_not_lose_its_reference(market: Market, extra: dict[str, Any]):
    body = {
        "from": {"wallet": "organisation"},
        "to": {"user_id": str(market.buyer.member.id)},
        "amount": 1,
        "currency": market.token.currency_id,
    }
    with assert_nothing_changes():
        response = market.buyer.caller.post("/v1/api/transfers", body | extra)
    [name] = extra
    assert_error(response, 400, "invalid_request")
    assert response.json()["message"].startswith(f"{name} is unknown: did you mean ")
    assert not WalletTransfer.objects.exists()


def test_unknown_keys_of_wallets_and_collateral_are_named_with_their_path(market: Market):
    caller, member = market.buyer.caller, str(market.buyer.member.id)
    body = {
        "from": {"wallet": "organisation", "name": "Acme"},
        "to": {"user_id": member, "é": 1},
        "amount": 1,
        "currency": market.token.currency_id,
    }
    response = caller.post("/v1/api/transfers", body)
    assert response.status_code == 201, response.content
    assert response[HEADER] == "from.name, to.%C3%A9"
    misspelt = {**body, "to": {"user_id": member, "walet": "organisation"}}
    with assert_nothing_changes():
        refused = caller.post("/v1/api/transfers", misspelt)
    message = "to.walet is unknown: did you mean wallet?"
    assert_error(refused, 400, "invalid_request", message)
    assert refused[HEADER] == "from.name, to.walet"
    pledges = [{"token_id": str(market.token.id), "quantity": 1}, {"units": 2}, 3]
    quote = caller.post("/v1/api/credit/loan/quote", {"collaterals": pledges})
    assert (quote.status_code, quote[HEADER]) == (400, "collaterals[1].units")


def test_null_counts_as_absent_in_a_post_and_not_in_a_patch(market: Market):
    body = body_of(market.token, client_order_id=None, customer=None, metadata=None)
    response = market.buyer.caller.post(ORDERS, json.dumps(body))
    assert response.status_code == 201, response.content
    assert not response.json()["data"].keys() & {"client_order_id", "metadata"}
    with assert_nothing_changes():
        required = market.buyer.caller.post(ORDERS, body_of(market.token, price=None))
    assert_error(required, 400, "invalid_request", "price is required")
    created = market.buyer.caller.post(
        "/v1/api/members", {"name": "Bola Ade", "email": "b@example.com", "external_id": None}
    )
    assert created.status_code == 201
    path = f"/v1/api/members/{created.json()['data']['_id']}"
    with assert_nothing_changes():
        changed = market.buyer.caller.patch(path, {"external_id": None})
    assert_error(changed, 400, "invalid_request", "external_id must not be null")
    to_organisation = {"wallet": "organisation", "user_id": None}
    same = {"from": to_organisation, "to": {"wallet": None, "user_id": None}}
    with assert_nothing_changes():
        refused = market.buyer.caller.post("/v1/api/transfers", same)
    assert_error(refused, 400, "invalid_currency")
    assert "from" not in refused.json()["message"]
    assert 'to must be {"wallet": "organisation"}' in refused.json()["message"]
