"""`client_reference` and `metadata` on withdrawals, orders and loans, as clients see them."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest

from credit.loans.models import Loan
from exchange.events.models import Event
from orders.book.models import Order
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import assert_error, make_caller
from tests.factories.borrower_api import LOAN, BorrowerApi
from tests.factories.market import ORDER_FIELDS, ORDERS, Market
from tests.factories.wallets import assert_books_hold
from tests.factories.withdrawals import (
    OPERATIONS,
    WithdrawalApi,
    body_of,
    cache_bank_lists,
    exact_json,
)
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db(transaction=True)

METADATA = {"invoice": 'No. "17" / Zoë', "note": "", "é": "{}"}
SENT: dict[str, Any] = {"client_reference": "INV 17/Zoë", "metadata": METADATA}
WITHDRAWALS = "/v1/api/withdrawals"
LOANS = "/v1/api/credit/loans"


def references_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return the references that a record shows."""
    return {name: record[name] for name in SENT if name in record}


def event_data(subject: object, of: Any = None) -> list[dict[str, Any]]:
    """Return the data of the events about a record, oldest first; `of` one organisation."""
    found = Event.objects.filter(subject_id=UUID(str(subject))).order_by("id")
    found = found if of is None else found.filter(organisation=of)
    return [json.loads(event.body)["data"] for event in found]


def found_by(
    get: Callable[..., Any], path: str, plural: str, name: str = "_id", **query: str
) -> list[str]:
    response = get(path, query)
    assert response.status_code == 200, response.content
    return [record[name] for record in response.json()["data"][plural]]


# --- withdrawals ---


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("currency", ["KES", "NGN"])
def test_a_withdrawal_shows_its_references_wherever_it_comes_back(
    withdrawal_api: WithdrawalApi, bank_lists: None, operation: str, currency: str
):
    withdrawal_api.fund(operation, currency, "5000")
    plain = withdrawal_api.create_readable(operation, currency=currency, amount=1000)
    made = withdrawal_api.create_readable(operation, currency=currency, amount=1000, **SENT)
    assert references_of(made) == SENT
    assert made.keys() - plain.keys() == SENT.keys()
    get = withdrawal_api.caller.get
    assert get(WITHDRAWALS).json()["data"]["withdrawals"] == [made, plain]
    assert get(f"{WITHDRAWALS}/{made['_id']}").json()["data"] == {**made, "reason": None}
    assert get(f"{WITHDRAWALS}/{plain['_id']}").json()["data"] == {**plain, "reason": None}
    cancelled = withdrawal_api.caller.post(f"{WITHDRAWALS}/{made['_id']}/cancel").json()["data"]
    assert references_of(cancelled) == SENT
    told = event_data(made["_id"])
    assert [references_of(data["withdrawal"]) for data in told] == [SENT, SENT]
    assert [data["bank"] for data in told] == [made["bank_details"]] * 2
    [data] = event_data(plain["_id"])
    assert references_of(data["withdrawal"]) == {}


def test_each_reference_may_come_alone(withdrawal_api: WithdrawalApi, bank_lists: None):
    withdrawal_api.fund("member", "KES", "5000")
    each: list[dict[str, Any]] = [
        {"client_reference": "a"},
        {"metadata": {}},
        {"metadata": {"a": "b"}},
    ]
    for sent in each:
        assert references_of(withdrawal_api.create_withdrawal("member", **sent)) == sent


@pytest.mark.parametrize("memory", ["cold", "warm"])
@pytest.mark.parametrize("currency", ["KES", "NGN"])
@pytest.mark.one_in(3)
def test_a_reference_names_one_withdrawal_of_the_organisation_for_good(
    withdrawal_api: WithdrawalApi, bank_lists: None, currency: str, memory: str
):
    if memory == "warm":
        cache_bank_lists(currency)
    for operation in OPERATIONS:
        withdrawal_api.fund(operation, currency, "5000")
    body = body_of(currency=currency, amount=1000, **SENT)
    first = withdrawal_api.withdraw("member", body, Idempotency_Key="1")
    assert first.status_code == 201, first.content
    made = first.json()["data"]["withdrawalRequest"]
    withdrawal_api.caller.post(f"{WITHDRAWALS}/{made['_id']}/cancel")
    message = "There is a withdrawal with client_reference INV 17/Zoë already"
    with assert_nothing_changes():
        for operation in OPERATIONS:
            for changes in ({}, {"amount": 1}, {"bank_name": "No Bank"}, {"amount": 2000}):
                refused = withdrawal_api.withdraw(operation, body | changes, Idempotency_Key="2")
                assert_error(refused, 409, "client_reference_taken", message)
        # The balance is checked before, the body before that, and a repetition before both.
        poor = withdrawal_api.withdraw("member", body | {"amount": 5001})
        assert_error(poor, 400, "insufficient_balance")
        bad = withdrawal_api.withdraw("member", body | {"metadata": {"a": 1}})
        assert_error(bad, 400, "invalid_request", "metadata.a must be a string")
        again = withdrawal_api.withdraw("member", body, Idempotency_Key="1")
        assert (again.content, again["Idempotent-Replayed"]) == (first.content, "true")
    assert withdrawal_api.create_withdrawal(
        currency=currency, amount=1000, client_reference="inv 17/Zoë"
    )
    assert Withdrawal.objects.count() == 2
    assert_books_hold()


def test_organisations_do_not_share_their_references(bank_lists: None, db: None):
    for _ in range(2):
        api = WithdrawalApi()
        api.fund("organisation", "KES", "1000")
        made = api.create_withdrawal(**SENT)
        query = {"client_reference": SENT["client_reference"]}
        assert found_by(api.caller.get, WITHDRAWALS, "withdrawals", **query) == [made["_id"]]


def test_withdrawals_are_found_by_their_reference_as_it_was_sent(
    withdrawal_api: WithdrawalApi, bank_lists: None
):
    withdrawal_api.fund("organisation", "KES", "9000")
    made = {
        reference: withdrawal_api.create_withdrawal(client_reference=reference)["_id"]
        for reference in ("a", "A", "é" * 64)
    }
    withdrawal_api.create_withdrawal()
    again = withdrawal_api.withdraw("organisation", body_of(client_reference=" a"))
    assert_error(
        again,
        409,
        "client_reference_taken",
        "There is a withdrawal with client_reference a already",
    )
    for reference, withdrawal_id in made.items():
        found = found_by(
            withdrawal_api.caller.get, WITHDRAWALS, "withdrawals", client_reference=reference
        )
        assert found == [withdrawal_id], reference
    none = found_by(withdrawal_api.caller.get, WITHDRAWALS, "withdrawals", client_reference="b")
    assert none == []
    long = withdrawal_api.caller.get(WITHDRAWALS, {"client_reference": "x" * 65})
    assert_error(long, 400, "invalid_request", "client_reference must have at most 64 characters")


# --- orders ---

NAMED: dict[str, Any] = {**SENT, "client_order_id": "2025-07-04/17 é"}


def test_an_order_shows_its_references_to_its_owner_alone():
    market = Market()
    plain = market.buy(price=90)
    made = market.buy(price=91, **NAMED)
    assert list(plain) == ORDER_FIELDS
    assert list(made) == [*ORDER_FIELDS, "client_order_id", *SENT]
    assert {name: made[name] for name in NAMED} == NAMED
    get = market.buyer.caller.get
    assert exact_json(get(ORDERS))["data"]["orders"] == [made, plain]
    assert market.buyer.fetch(made["_id"]) == made
    for name in ("client_order_id", "client_reference"):
        assert found_by(get, ORDERS, "orders", **{name: NAMED[name]}) == [made["_id"]]
        assert found_by(market.seller.caller.get, ORDERS, "orders", **{name: NAMED[name]}) == []
    assert market.seller.fetch(made["_id"]).keys() == plain.keys()
    for caller in (market.buyer.caller, market.seller.caller):
        [shown, other] = exact_json(caller.get(market.path()))["data"]["orders"]
        own = caller is market.buyer.caller
        assert {**shown, "token": made["token"]} == (
            made if own else market.seller.fetch(made["_id"])
        )
        assert list(other) == ORDER_FIELDS
    market.sell(price=91, tokens=4)
    assert exact_json(market.buyer.cancel(made["_id"]))["data"].keys() == made.keys()
    told = event_data(made["_id"])
    assert [{name: data["order"][name] for name in NAMED} for data in told] == [NAMED] * 2
    trades = [event.body for event in Event.objects.filter(type="trade.created")]
    assert sorted("client_reference" in body for body in trades) == [False, True]


def test_an_order_is_found_by_its_owners_id():
    market = Market()
    for client_order_id in ("17", "2025-07-04/17 é", "a?b#c%2F", "x" * 64):
        order = market.buy(price=90, client_order_id=client_order_id)
        path = f"{ORDERS}/by-client-id/{quote(client_order_id, safe='')}"
        response = market.buyer.caller.get(path)
        assert response.status_code == 200, response.content
        assert exact_json(response)["data"] == order
        assert response.json()["message"] == "Order retrieved"
        assert_error(market.seller.caller.get(path), 404, "order_not_found", "Order not found")
    market.buy(price=90)
    for unknown in ("18", "X" * 64, "x" * 200, "%20", "%00"):
        path = f"{ORDERS}/by-client-id/{unknown}"
        assert_error(market.buyer.caller.get(path), 404, "order_not_found", "Order not found")


def test_a_reference_names_one_order_of_the_organisation_for_good():
    market = Market()
    market.sell(price=100)
    order = market.buy(price=90, **SENT)
    market.buyer.cancel(order["_id"])
    message = "There is an order with client_reference INV 17/Zoë already"
    with assert_nothing_changes():
        for changes in ({}, {"price": 1}, {"user_id": str(market.buyer.member.id)}):
            refused = market.buyer.send(market.token, **SENT, **changes)
            assert_error(refused, 409, "client_reference_taken", message)
        poor = market.buyer.send(market.token, tokens=2000, **SENT)
        assert_error(poor, 400, "insufficient_balance")
        bad = market.buyer.send(market.token, metadata={"a": {}})
        assert_error(bad, 400, "invalid_request", "metadata.a must be a string")
    # A reference of another type of record, or of another organisation, is free.
    assert market.buy(client_order_id=SENT["client_reference"])
    assert market.sell(**SENT)
    assert Order.objects.filter(client_reference=SENT["client_reference"]).count() == 2
    assert_books_hold()


# --- loans ---


def test_a_loan_shows_its_references_to_the_organisation_that_sent_them(firm: BorrowerApi):
    creditor = make_caller(organisation=firm.lending.creditor.organisation)
    made = firm.create(**SENT).json()["data"]
    assert references_of(made) == SENT
    path = f"{LOAN}/{made['id']}"
    for caller, expected in ((firm.caller, SENT), (creditor, {})):
        assert references_of(caller.get(path).json()["data"]) == expected
        [listed] = caller.get(LOANS).json()["data"]["loans"]
        assert references_of(listed) == expected
        query = {"client_reference": SENT["client_reference"]}
        found = found_by(caller.get, LOANS, "loans", "id", **query)
        assert found == ([made["id"]] if expected else [])
    repaid = firm.caller.post(f"{path}/repay", {"amount": 10}).json()["data"]
    assert references_of(repaid) == SENT
    firm.lending.borrower.fund(1_000_000, "NGN")
    assert firm.caller.post(f"{path}/repay", {"amount": 1_595_990}).status_code == 200
    for caller, expected in ((firm.caller, SENT), (creditor, {})):
        told = event_data(made["id"], caller.organisation)
        assert [references_of(data["loan"]) for data in told] == [expected] * 3
    assert Loan.objects.get().document.count("client_reference") == 0


def test_a_reference_names_one_loan_of_the_organisation_for_good(firm: BorrowerApi):
    plain = firm.create(amount="1000", repayment_amount="1900").json()["data"]
    assert references_of(plain) == {}
    made = firm.create(amount="1000", repayment_amount="1900", **SENT).json()["data"]
    assert made.keys() - plain.keys() == SENT.keys()
    message = "There is a loan with client_reference INV 17/Zoë already"
    with assert_nothing_changes():
        # Even one that the creditor could not fund: nothing tells of its wallet.
        for amount in ("1000", "1500000"):
            body = firm.body(amount=amount, repayment_amount=str(int(amount) * 19 // 10), **SENT)
            body["collaterals"][0]["quantity"] = 200
            refused = firm.caller.post(LOAN, body)
            assert_error(refused, 409, "client_reference_taken", message)
            quoted = firm.caller.post(f"{LOAN}/quote", body).json()["data"]
            assert quoted["acceptable"] is False
            assert quoted["refusals"] == [{"code": "client_reference_taken", "message": message}]
        bad = firm.create(metadata=[])
        assert_error(bad, 400, "invalid_request", "metadata must be an object")
    assert Loan.objects.count() == 2
    assert_books_hold()
