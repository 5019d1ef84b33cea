"""Limits per key: headers on every answer, 429 beyond them, nothing when they are off."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.cache import cache

from exchange.api.throttling import count_request
from exchange.core.ids import uuid7
from exchange.participants.models import Member
from tests.factories.api_clients import assert_error, make_caller

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.environment.api_views")]

MEMBERS = "/v1/api/members"
HEADERS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")


@pytest.fixture
def limits(settings):
    settings.RATE_LIMITS_ENABLED = True
    settings.RATE_LIMITS = {"requests": 5, "money": 2, "token": 3}
    cache.clear()
    while 60 - time.time() % 60 < 5:  # no test starts where the minute is about to turn
        time.sleep(0.2)
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


@pytest.mark.urls("config.urls")
@pytest.mark.parametrize(
    "path",
    [
        "wallet/withdraw",
        "members/{id}/wallet/withdraw",
        "withdrawals/{id}/cancel",
        "credit/loan",
        "credit/loan/{id}/repay",
        "credit/loan/{id}/collateral",
        "credit/loan/{id}/release",
        "../orders",
    ],
)
def test_every_post_that_moves_money_spends_the_money_budget(limits, path):
    """Refused ones as well: here none names anything that is there."""
    caller = make_caller()
    where = f"/v1/api/{path.format(id=uuid7())}".replace("api/../", "")
    refused = [caller.post(where, {}) for _ in range(3)]
    assert [answer.status_code in {400, 404} for answer in refused] == [True, True, False]
    assert_error(refused[2], 429, "rate_limited")
    assert [answer["X-RateLimit-Limit"] for answer in refused] == ["2", "2", "2"]
    # Reading is not money.
    assert caller.get(MEMBERS).status_code == 200


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
