"""Distributions and income: exact answers, refusals that move nothing, lists and privacy."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from credit.distributions.services import recording
from exchange.core.ids import uuid7
from exchange.core.timestamps import wire_time
from tests.assertions.openapi import body_schema, documented_response, schema_errors
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import ApiCaller, assert_error, make_caller
from tests.factories.distributions import (
    Holding,
    approve,
    make_distribution,
    make_due,
    make_holding,
    pending,
    propose,
    redemption_terms,
)
from tests.factories.lifecycle import set_flags
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import Wallet, assert_books_hold, balance_of

pytestmark = pytest.mark.django_db(transaction=True)

ID = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
LIST, INCOME = "/v1/api/distributions", "/v1/api/income"


class IssuerApi:
    """A token with holders, a key of its issuer and one of an organisation with a holder."""

    def __init__(self) -> None:
        self.held: Holding = make_holding()
        self.issuer: ApiCaller = make_caller(organisation=self.held.token.issuer)
        self.holder: ApiCaller = make_caller(organisation=self.held.member.organisation)
        self.path = f"/v1/api/token/{self.held.token.pk}/distributions"

    def body(self, **changes: Any) -> dict[str, Any]:
        record = timezone.now() + timedelta(days=5)
        return {
            "type": "Dividend",
            "currency": "NGN",
            "amount_per_unit": 2.5,
            "record_at": wire_time(record),
            "payment_date": (record + timedelta(days=1)).date().isoformat(),
            **changes,
        }

    def interest(self, **changes: Any) -> dict[str, Any]:
        basis = {"principal_per_unit": 100, "rate": 18.5, "days": 92}
        body = self.body(type="Interest", basis={**basis, **changes})
        del body["amount_per_unit"]
        return body

    def propose(self, **changes: Any) -> Any:
        return self.issuer.post(self.path, self.body(**changes))


@pytest.fixture
def api() -> IssuerApi:
    return IssuerApi()


def test_a_proposal_is_answered_with_exactly_this_text(api):
    body = api.body()
    response = api.issuer.post(api.path, body, Idempotency_Key="one")
    assert response.status_code == 201, response.content
    expected = (
        r'\{"status":"success","message":"Distribution proposed","data":'
        rf'\{{"_id":"{ID}","token":"{api.held.token.pk}","type":"Dividend","currency":"NGN",'
        rf'"amount_per_unit":2.5,"basis":null,"record_at":"{body["record_at"]}",'
        rf'"payment_date":"{body["payment_date"]}","status":"Draft","overdue":false,"version":1,'
        r'"corrects":null,"final":false,"holders":null,"gross":null,"tax":null,"net":null,'
        rf'"createdAt":"{TIME}","updatedAt":"{TIME}"\}}\}}'
    )
    assert re.fullmatch(expected, response.content.decode()), response.content.decode()
    again = api.issuer.post(api.path, body, Idempotency_Key="one")
    assert again["Idempotent-Replayed"] == "true"
    assert again.json()["data"] == response.json()["data"]
    assert api.issuer.get(LIST).json()["data"]["total"] == 1
    # Nobody else sees a draft.
    assert api.holder.get(LIST).json()["data"]["total"] == 0
    found = response.json()["data"]["_id"]
    assert_error(api.holder.get(f"{LIST}/{found}"), 404, "distribution_not_found")


def test_interest_shows_its_basis(api):
    response = api.issuer.post(api.path, api.interest())
    assert response.status_code == 201, response.content
    data = response.json()["data"]
    assert data["basis"] == {"principal_per_unit": 100, "rate": 18.5, "days": 92, "year": 365}
    assert b'"amount_per_unit":4.66301369863,' in response.content


@pytest.mark.parametrize(
    ("changes", "status", "code", "message"),
    [
        (
            {"type": "Bonus"},
            400,
            "invalid_request",
            "type must be one of [Dividend, Interest, Principal, Redemption, Exit]",
        ),
        ({"currency": "KES"}, 400, "currency_differs", None),
        ({"currency": "XXX"}, 400, "invalid_currency", None),
        ({"amount_per_unit": 0}, 400, "invalid_request", "amount_per_unit must be above 0"),
        ({"amount_per_unit": -1}, 400, "invalid_request", "amount_per_unit must not be negative"),
        ({"amount_per_unit": "1"}, 400, "invalid_request", "amount_per_unit must be a number"),
        ({"amount_per_unit": None}, 400, "invalid_request", None),
        (
            {"basis": {"principal_per_unit": 1, "rate": 1, "days": 1}},
            400,
            "invalid_request",
            "basis must be left out for Dividend",
        ),
        ({"amount_per_unit": 0.00002}, 400, "pays_nothing", None),
        (
            {"record_at": "2020-01-01T00:00:00Z"},
            400,
            "record_in_past",
            "The record must not be in the past",
        ),
        (
            {"record_at": "2020-01-01"},
            400,
            "invalid_request",
            "record_at must be an ISO 8601 date-time with its offset",
        ),
        (
            {"payment_date": "2020-01-01"},
            400,
            "record_after_payment",
            "The record must not be after the payment",
        ),
        (
            {"payment_date": "2026-02-30"},
            400,
            "invalid_request",
            "payment_date must be an ISO 8601 date, such as 2025-07-10",
        ),
    ],
)
@pytest.mark.one_in(3)
def test_a_bad_proposal_is_refused_and_nothing_changes(api, changes, status, code, message):
    with assert_nothing_changes():
        assert_error(api.propose(**changes), status, code, message)


@pytest.mark.parametrize(
    ("basis", "message"),
    [
        ({"rate": -1}, "basis: rate must not be negative"),
        ({"rate": 100.1}, "basis: rate must not be above 100"),
        ({"days": 0}, "basis: days must be a whole number from 1 to 3660"),
        ({"days": 1.5}, "basis: days must be a whole number from 1 to 3660"),
        ({"principal_per_unit": 0}, "basis: principal_per_unit must be above 0"),
    ],
)
def test_a_bad_basis_is_refused(api, basis, message):
    with assert_nothing_changes():
        response = api.issuer.post(api.path, api.interest(**basis))
        found = assert_error(response, 400, "invalid_request")
    assert message.partition(": ")[2] in found


def test_a_record_without_notice_is_refused(api):
    soon = timezone.now() + timedelta(days=2)
    with assert_nothing_changes():
        assert_error(api.propose(record_at=wire_time(soon)), 400, "notice_too_short")


def test_a_second_one_for_the_day_is_refused(api):
    assert api.propose().status_code == 201
    with assert_nothing_changes():
        assert_error(api.propose(), 409, "period_taken")


def test_only_the_issuer_proposes(api):
    with assert_nothing_changes():
        response = api.holder.post(api.path, api.body())
        assert_error(response, 403, "not_issuer", "Only the issuer of the token can do this")
        for token in (uuid7(), "x"):
            response = api.issuer.post(f"/v1/api/token/{token}/distributions", api.body())
            assert_error(response, 404, "token_not_found")
    set_flags(api.held.token, deal_access="Private")
    assert_error(api.holder.post(api.path, api.body()), 404, "token_not_found")


def test_a_token_in_its_raise_pays_nothing(api):
    raising = make_token(api.held.token.issuer, raise_amount=Decimal(100_000))
    with assert_nothing_changes():
        response = api.issuer.post(f"/v1/api/token/{raising.pk}/distributions", api.body())
        assert_error(response, 400, "raise_open")


@pytest.mark.parametrize(
    ("scopes", "path", "method"),
    [
        (["tokens:read"], "proposal", "POST"),
        (["tokens:read"], "fund", "POST"),
        (["wallets:read"], "list", "GET"),
        (["tokens:read"], "income", "GET"),
    ],
)
def test_each_endpoint_needs_its_scope(api, scopes, path, method):
    caller = make_caller(scopes, organisation=api.held.token.issuer)
    paths = {
        "proposal": api.path,
        "fund": f"{LIST}/{uuid7()}/fund",
        "list": LIST,
        "income": INCOME,
    }
    response = caller.post(paths[path], {}) if method == "POST" else caller.get(paths[path])
    assert_error(response, 403, "insufficient_scope")


def test_the_issuer_funds_and_sees_payments_holders_see_their_income(api):
    made = make_distribution(api.held.token, "Recorded")
    fund = f"{LIST}/{made.pk}/fund"
    with assert_nothing_changes():
        assert_error(
            api.issuer.post(fund),
            400,
            "insufficient_balance",
            "Insufficient NGN balance. Available: 0, requested: 1750",
        )
        assert_error(api.holder.post(fund), 404, "distribution_not_found")
        assert_error(api.holder.get(f"{LIST}/{made.pk}/payments"), 404, "distribution_not_found")
    Wallet(api.held.token.issuer).fund(2_000, "NGN")
    response = api.issuer.post(fund, Idempotency_Key="fund")
    assert response.status_code == 200, response.content
    data = response.json()["data"]
    assert (data["status"], data["holders"], data["gross"], data["net"]) == (
        "Funded",
        3,
        1750,
        1750,
    )
    assert api.issuer.post(fund, Idempotency_Key="fund").json()["data"] == data
    assert_error(api.issuer.post(fund), 409, "state_conflict")
    assert balance_of(api.held.token.issuer_id, "NGN") == 250

    payments = api.issuer.get(f"{LIST}/{made.pk}/payments").json()["data"]
    assert payments["total"] == 3
    shown = {(row["owner"], row["owner_model"], row["units"]) for row in payments["payments"]}
    assert shown == {
        (None, "user", 400),
        (None, "organisation", 250),
        (str(api.held.own_member.owner_id), "user", 50),
    }
    response = api.holder.get(INCOME)
    expected = (
        r'\{"status":"success","message":"Income retrieved","data":\{"page":1,"pages":1,"count":1,'
        rf'"total":1,"income":\[\{{"_id":"{ID}","distribution":"{made.pk}",'
        rf'"token":"{api.held.token.pk}","owner":"{api.held.member.owner_id}",'
        r'"owner_model":"user","units":400,"gross":1000,"tax_rate":0,"tax":0,"net":1000,'
        rf'"status":"Due","paid_to":null,"createdAt":"{TIME}"\}}\]\}}\}}'
    )
    assert re.fullmatch(expected, response.content.decode()), response.content.decode()
    seen = api.holder.get(f"{LIST}/{made.pk}").json()["data"]
    assert [seen[name] for name in ("holders", "gross", "tax", "net")] == [None] * 4
    assert_books_hold()


def test_answers_fit_the_document(api):
    """Also the values that are null: of a draft, for others than the issuer, and before payment."""
    paid = make_distribution(api.held.token, "Paid")
    propose(api.held.token, redemption_terms(api.held.token))
    one, payments = f"{LIST}/{{distribution_id}}", f"{LIST}/{{distribution_id}}/payments"
    asked = [
        (api.issuer, LIST),
        (api.issuer, one),
        (api.issuer, payments),
        (api.issuer, INCOME),
        (api.holder, LIST),
        (api.holder, one),
        (api.holder, INCOME),
    ]
    other = make_holding()
    give_units(other.token, api.held.member, 10)
    make_distribution(other.token, "Recorded")
    for caller, path in asked:
        answer = caller.get(path.format(distribution_id=paid.pk))
        assert answer.status_code == 200, path
        schema = body_schema(documented_response("get", path))
        assert schema_errors(schema, answer.json()) == [], path


def test_lists_are_filtered(api):
    made = make_distribution(api.held.token, "Paid")
    other = make_holding()
    make_distribution(other.token)

    def total(caller: ApiCaller, path: str, **query: str) -> int:
        response = caller.get(path, query)
        assert response.status_code == 200, response.content
        found: int = response.json()["data"]["total"]
        return found

    assert total(api.holder, LIST) == 2
    assert total(api.holder, LIST, token=str(other.token.pk)) == 1
    assert total(api.holder, LIST, status="paid") == 1
    assert total(api.holder, LIST, type="Interest") == 0
    assert total(api.holder, LIST, currency="KES") == 0
    assert total(api.holder, LIST, overdue="true") == 0
    member = str(api.held.member.owner_id)
    for query, wanted in (
        ({}, 1),
        ({"user_id": member}, 1),
        ({"owner": str(uuid7())}, 0),
        ({"status": "Paid"}, 1),
        ({"status": "Due"}, 0),
        ({"token": str(api.held.token.pk)}, 1),
        ({"distribution": str(made.pk)}, 1),
        ({"type": "Interest"}, 0),
        ({"currency": "NGN"}, 1),
        ({"created_to": "2020-01-01"}, 0),
    ):
        assert total(api.holder, INCOME, **query) == wanted, query
    payments = f"{LIST}/{made.pk}/payments"
    assert total(api.issuer, payments, status="Paid") == 3
    assert_error(api.issuer.get(payments, {"status": "x"}), 400, "invalid_request")
    set_flags(api.held.token, deal_access="Private")
    assert total(api.holder, LIST) == 1


def test_an_order_past_the_record_is_answered_with_a_time_to_retry(api):
    # However late the record is.
    made = make_due(make_distribution(api.held.token), ago=timedelta(hours=1))
    order = {"token_id": str(api.held.token.pk), "type": "Sell", "price": 100, "tokens": 1}
    body = {**order, "user_id": str(api.held.member.member_id)}
    with assert_nothing_changes():
        response = api.holder.post("/v1/orders", body)
        assert_error(
            response,
            409,
            "record_pending",
            "The holders of this token are recorded. Try again shortly",
        )
    assert response["Retry-After"] == "1"
    recording.record(made.pk)
    response = api.holder.post("/v1/orders", body)
    assert response.status_code == 201, response.content


def test_an_order_while_units_are_taken_back_is_answered_without_a_time_to_retry(api):
    made = propose(api.held.token, redemption_terms(api.held.token))
    recording.record(make_due(approve(made)).pk)
    order = {"token_id": str(api.held.token.pk), "type": "Sell", "price": 100, "tokens": 1}
    with assert_nothing_changes():
        response = api.holder.post(
            "/v1/orders", {**order, "user_id": str(api.held.member.member_id)}
        )
        assert_error(
            response,
            409,
            "units_held",
            "The units of this token are held until they are paid for, which can take days",
        )
    assert "Retry-After" not in response


def test_a_proposal_becomes_visible_when_it_is_announced(api):
    found = api.propose().json()["data"]["_id"]
    made = api.held.token.distributions.get(pk=found)
    assert pending(made).proposed_by == f"api_key:{api.issuer.key.pk}"
    approve(made)
    data = json.loads(api.holder.get(f"{LIST}/{found}").content)["data"]
    assert (data["status"], data["amount_per_unit"]) == ("Announced", 2.5)


def test_the_issuer_proposes_a_correction(api):
    paid = make_distribution(api.held.token, "Paid")
    body = {
        **api.body(amount_per_unit=2, record_at=wire_time(paid.record_at)),
        "corrects": str(paid.pk),
    }
    made = api.issuer.post(api.path, body).json()["data"]
    assert (made["status"], made["corrects"], made["type"]) == ("Draft", str(paid.pk), "Dividend")
    unknown = {**body, "corrects": str(uuid7())}
    answer = api.issuer.post(api.path, unknown)
    assert_error(answer, 404, "distribution_not_found", "Distribution not found")
    malformed = api.issuer.post(api.path, {**body, "corrects": "abc"})
    assert_error(malformed, 404, "distribution_not_found", "Distribution not found")
    again = api.issuer.post(api.path, body)
    assert_error(
        again,
        409,
        "correction_pending",
        "Another correction of this distribution is not paid yet",
    )
    approve(paid.corrections.get())
    found = api.holder.get(INCOME, {"distribution": made["_id"]}).json()["data"]["income"]
    assert [(row["gross"], row["net"], row["status"]) for row in found] == [(-200, -200, "Due")]
