"""`GET /v1/api/token/{id}/schedule`: terms and interest periods of a token."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from exchange.tokens.models import Token
from exchange.tokens.services.tokens import grant_access
from tests.environment.owner import without_guards
from tests.factories.api_clients import ApiCaller, assert_error, make_caller
from tests.factories.lifecycle import forget_terms, set_flags
from tests.factories.tokens import make_token
from tests.factories.withdrawals import exact_json

pytestmark = pytest.mark.django_db

D = Decimal


def path(token: Token | str) -> str:
    return f"/v1/api/token/{getattr(token, 'id', token)}/schedule"


def a_note(completed: str = "2025-01-31T09:30:00Z", **more: Any) -> Token:
    """A note of 100 NGN at 14.5 % a year, completed on a day in the past."""
    terms: dict[str, Any] = {"interest": D("14.5"), "tenor": 100, "payout_frequency": "Monthly"}
    token = make_token(price_buy=D(108), price_sell=D(106), issue_price=D(100), **(terms | more))
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE exchange_token SET completed_at = %s WHERE id = %s", [completed, token.id]
        )
    return token


def schedule(caller: ApiCaller, token: Token, query: dict[str, Any] | None = None) -> Any:
    response = caller.get(path(token), query or {})
    assert response.status_code == 200
    return exact_json(response)


def test_the_schedule_has_the_terms_and_every_period():
    token = a_note()
    body = schedule(make_caller(["tokens:read"]), token)
    assert (body["status"], body["message"]) == ("success", "Schedule retrieved")
    assert body["data"]["terms"] == {
        "token": str(token.id),
        "currency": "NGN",
        "issue_price": 100,
        "interest": D("14.5"),
        "tenor": 100,
        "payout_frequency": "Monthly",
        "day_count": "ACT/365",
        "completed_at": "2025-01-31T09:30:00.000Z",
        "maturity": "2025-05-11",
        "version": 1,
    }
    data = body["data"]
    assert [data[name] for name in ("page", "pages", "count", "total")] == [1, 1, 4, 4]
    assert data["schedule"][0] == {
        "period": 1,
        "starts": "2025-01-31",
        "ends": "2025-02-28",
        "days": 28,
        "type": "Interest",
        "basis": {"principal_per_unit": 100, "rate": D("14.5"), "days": 28, "year": 365},
        "amount_per_unit": D("1.112328767123"),
    }
    assert [(each["period"], each["ends"], each["days"]) for each in data["schedule"]] == [
        (1, "2025-02-28", 28),
        (2, "2025-03-31", 31),
        (3, "2025-04-30", 30),
        (4, "2025-05-11", 11),
    ]


def test_the_completion_counts_by_its_day_in_utc():
    token = a_note("2025-03-01T00:30:00+02:00")
    terms = schedule(make_caller(["tokens:read"]), token)["data"]["terms"]
    assert (terms["completed_at"], terms["maturity"]) == ("2025-02-28T22:30:00.000Z", "2025-06-08")


def test_pages_are_those_of_every_list():
    caller, token = make_caller(["tokens:read"]), a_note()
    second = schedule(caller, token, {"page": 2, "limit": 3})["data"]
    assert [second[name] for name in ("page", "pages", "count", "total")] == [2, 2, 1, 4]
    assert [each["period"] for each in second["schedule"]] == [4]
    assert schedule(caller, token, {"page": 3, "limit": 3})["data"]["schedule"] == []
    for query in ({"page": "0"}, {"limit": "x"}, {"sort": "ends"}, {"other": "1"}):
        assert caller.get(path(token), query).status_code == 400


def test_without_a_tenor_the_next_twelve_periods_are_listed():
    completed = timezone.now() - dt.timedelta(days=40)
    token = a_note(completed.isoformat(), tenor=0)
    body = schedule(make_caller(["tokens:read"]), token)
    assert body["data"]["terms"]["maturity"] is None
    today = str(timezone.now().date())
    ends = [each["ends"] for each in body["data"]["schedule"]]
    assert len([day for day in ends if day > today]) == 12
    assert len(ends) == 13


@pytest.mark.parametrize(
    "more",
    [{"interest": D(0)}, {"payout_frequency": ""}, {"payout_frequency": "At Maturity", "tenor": 0}],
)
def test_what_pays_no_interest_has_no_period(more):
    body = schedule(make_caller(["tokens:read"]), a_note(**more))
    assert body["data"]["schedule"] == []
    assert body["data"]["total"] == body["data"]["pages"] == 0
    assert body["data"]["terms"]["issue_price"] == 100


def test_a_token_in_its_raise_has_terms_and_no_period():
    token = make_token(
        raise_amount=D(1000), interest=D(12), tenor=365, payout_frequency="Quarterly"
    )
    body = schedule(make_caller(["tokens:read"]), token)
    assert body["data"]["schedule"] == []
    terms = body["data"]["terms"]
    assert (terms["issue_price"], terms["completed_at"], terms["maturity"]) == (100, None, None)


def test_tokens_that_ended_or_whose_terms_are_unknown_have_no_period():
    caller = make_caller(["tokens:read"])
    exited, cancelled, unknown = a_note(), a_note(), a_note()
    set_flags(exited, exited=True)
    set_flags(cancelled, cancelled=True)
    forget_terms(unknown)
    for token in (exited, cancelled, unknown):
        assert schedule(caller, token)["data"]["schedule"] == []
    assert schedule(caller, unknown)["data"]["terms"]["issue_price"] is None


def test_a_private_deal_shows_to_its_issuer_and_to_those_granted_access_only():
    issuer, granted, other = (make_caller(["tokens:read"]) for _ in range(3))
    token = make_token(issuer.organisation, deal_access="Private")
    grant_access(token_id=token.id, organisation_id=granted.organisation.id)
    for caller in (issuer, granted):
        assert caller.get(path(token)).status_code == 200
    for missing in (token, "01890000-0000-7000-8000-000000000001", "x"):
        assert_error(other.get(path(missing)), 404, "token_not_found", "Token not found")


def test_the_scope_of_tokens_is_required():
    token = a_note()
    response = make_caller(["orders:read"]).get(path(token))
    assert_error(response, 403, "insufficient_scope")
    assert make_caller(["tokens:read"]).post(path(token), {}).status_code == 405


def test_a_long_tenor_beyond_the_calendar_has_no_maturity():
    token = a_note(tenor=2**31 - 1)
    body = schedule(make_caller(["tokens:read"]), token)
    assert body["data"]["terms"]["maturity"] is None
    assert body["data"]["terms"]["tenor"] == 2**31 - 1
