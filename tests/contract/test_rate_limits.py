"""Limits per key: headers on every answer, 429 beyond them, nothing when they are off."""

import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.core.cache import cache

from exchange.api.throttling import count_request
from exchange.core.ids import uuid7
from exchange.participants.models import Member
from tests.assertions.endpoints import api_endpoints
from tests.factories.api_clients import assert_error, make_caller

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.environment.api_views")]

MEMBERS = "/v1/api/members"
HEADERS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")


@pytest.fixture
def limits(settings, still_minute):
    settings.RATE_LIMITS_ENABLED = True
    settings.RATE_LIMITS = {"requests": 5, "money": 2, "token": 3}
    cache.clear()
    yield settings
    cache.clear()


def test_answers_say_what_is_left_and_the_request_beyond_is_a_429(limits):
    caller, other = make_caller(), make_caller()
    left = []
    for _ in range(5):
        response = caller.get(MEMBERS)
        assert response.status_code == 200
        assert response["X-RateLimit-Limit"] == "5"
        assert 1 <= int(response["X-RateLimit-Reset"]) <= 60
        left.append(response["X-RateLimit-Remaining"])
    assert left == ["4", "3", "2", "1", "0"]
    refused = caller.get(MEMBERS)
    message = assert_error(refused, 429, "rate_limited")
    assert message == f"Too many requests. Try again in {refused['Retry-After']} s"
    assert refused["X-RateLimit-Remaining"] == "0"
    assert other.get(MEMBERS).status_code == 200


def test_failures_carry_the_headers_too_and_count(limits):
    caller = make_caller()
    assert caller.get(f"{MEMBERS}/abc")["X-RateLimit-Remaining"] == "4"
    assert caller.get(MEMBERS, {"page": "x"})["X-RateLimit-Remaining"] == "3"


def test_money_moving_posts_have_their_own_budget(limits):
    caller = make_caller()
    answers = [caller.post("/v1/test/money", {"amount": 1, "note": f"n{n}"}) for n in range(3)]
    assert [a.status_code for a in answers] == [201, 201, 429]
    assert [a["X-RateLimit-Limit"] for a in answers] == ["2", "2", "2"]
    assert Member.objects.count() == 2
    assert caller.get(MEMBERS).status_code == 200


# Requests that change no money, units or collateral. Every other one spends the money budget.
MOVES_NOTHING = {
    "POST /v1/api/token/<str:token_id>/distributions",
    "DELETE /v1/orders",
    "DELETE /v1/orders/<str:order_id>",
    "PATCH /v1/api/members/<str:member_id>",
    "POST /v1/api/banks/resolve",
    "POST /v1/api/conversions/quote",
    "POST /v1/api/credit/loan-configuration",
    "POST /v1/api/credit/loan/quote",
    "POST /v1/api/credit/user/portfolio/<str:member_id>",
    "POST /v1/api/events/<str:event_id>/redeliver",
    "POST /v1/api/members",
    "POST /v1/api/members/<str:member_id>/close",
    "POST /v1/api/members/<str:member_id>/reopen",
    "POST /v1/api/members/<str:member_id>/virtual-accounts",
    "POST /v1/api/wallet/virtual-accounts",
    "POST /v1/orders/preview",
    "DELETE /v1/api/webhook-endpoints/<str:endpoint_id>",
    "POST /v1/api/webhook-endpoints",
    "POST /v1/api/webhook-endpoints/<str:endpoint_id>/redeliver",
    "POST /v1/api/webhook-endpoints/<str:endpoint_id>/rotate-secret",
    "POST /v1/api/webhook-endpoints/<str:endpoint_id>/test",
    "PUT /v1/api/webhook-endpoints/<str:endpoint_id>",
    "POST /v1/api/webhook/rotate-secret",
    "POST /v1/api/webhook/test",
    "PUT /v1/api/credit/loan-configuration/<str:configuration_id>",
    "PUT /v1/api/webhook",
}


@pytest.mark.urls("config.urls")
def test_every_request_that_moves_money_spends_the_money_budget(limits):
    """Refused ones as well: here none names anything that is there."""
    limits.RATE_LIMITS = {"requests": 1000, "money": 2}
    writing = [endpoint for endpoint in api_endpoints() if endpoint.method != "GET"]
    for endpoint in writing:
        name = f"{endpoint.method} {endpoint.path}"
        if name in MOVES_NOTHING:
            continue
        caller = make_caller()
        send = partial(caller.patch, body={}) if endpoint.method == "PATCH" else caller.post
        path = re.sub("<str:[a-z_]+>", str(uuid7()), endpoint.path)
        answers = [send(path) for _ in range(3)]
        assert [answer["X-RateLimit-Limit"] for answer in answers] == ["2", "2", "2"], name
        assert [answer.status_code in {400, 404} for answer in answers] == [True, True, False], name
        assert_error(answers[2], 429, "rate_limited")
        assert caller.get(MEMBERS)["X-RateLimit-Limit"] == "1000"
    assert {f"{each.method} {each.path}" for each in writing} >= MOVES_NOTHING


def test_keys_of_an_organisation_have_a_budget_each(limits):
    busy = make_caller()
    payouts = make_caller(organisation=busy.organisation)
    for _ in range(3):
        last = busy.post("/v1/test/money", {"amount": 1, "note": "n"})
    assert_error(last, 429, "rate_limited")
    first = payouts.post("/v1/test/money", {"amount": 1, "note": "m"})
    assert (first.status_code, first["X-RateLimit-Remaining"]) == (201, "1")


def test_nothing_is_counted_or_said_when_limits_are_off(settings):
    settings.RATE_LIMITS_ENABLED = False
    response = make_caller().get(MEMBERS)
    assert not any(name in response for name in HEADERS)
    assert count_request("requests", "anybody") is None


def test_concurrent_requests_are_each_counted_once(limits):
    limits.RATE_LIMITS = {"requests": 10_000}
    with ThreadPoolExecutor(16) as pool:
        budgets = list(pool.map(lambda _: count_request("requests", "one"), range(800)))
    assert sorted(budget.used for budget in budgets if budget) == list(range(1, 801))
