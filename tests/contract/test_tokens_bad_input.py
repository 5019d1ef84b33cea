"""Bad parameters of the lists of tokens: each is a 400 that names it, and none a fault of ours."""

from __future__ import annotations

import pytest

from tests.support.access import failed, make_caller
from tests.support.tokens import make_token

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.support.api_urls")]

LIST = "/v1/api/tokens"
SEARCH = "/v1/api/token/search"
TYPES = "[the service, SAFE, Debt, Fixed Interest]"
CATEGORIES = (
    "[ETF, Bond, Commercial Paper, Debt Note, Real Estate, Private Business, Startup, "
    "Commodities, Fund, Art, Music, Movie, Charity]"
)
LIST_FLAGS = ["closed", "exited", "private", "primary_raise"]
SEARCH_FLAGS = ["closed", "exited", "completed_raise", "private"]


def refused(path: str, message: str, code: str = "invalid_request") -> None:
    caller = make_caller(["tokens:read"])
    for _ in range(2):  # what was refused is not remembered as something else
        failed(caller.get(path), 400, code, message)


@pytest.mark.parametrize("path", [LIST, SEARCH])
@pytest.mark.parametrize("name", ["page", "limit"])
@pytest.mark.parametrize("value", ["-1", "0", "abc", "1.5", "%00", "1e3", "%D9%A3", "+1", "null"])
def test_a_page_or_limit_that_is_no_whole_number_from_one_is_refused(path, name, value):
    refused(f"{path}?{name}={value}", f"{name} must be a whole number from 1")


@pytest.mark.parametrize(
    ("path", "name"),
    [*((LIST, name) for name in LIST_FLAGS), *((SEARCH, name) for name in SEARCH_FLAGS)],
)
@pytest.mark.parametrize("value", ["yes", "2", "-1", "%20true", "t", "null", "true,false", "%00"])
def test_a_flag_that_is_neither_true_nor_false_is_refused(path, name, value):
    refused(f"{path}?{name}={value}", f"{name} must be true or false")


@pytest.mark.parametrize("value", ["equity", "SAF", "safe,debt", "%00", "debt%20", "9" * 500])
def test_a_kind_that_does_not_exist_is_refused_naming_those_that_do(value):
    refused(f"{LIST}?investment_type={value}", f"investment_type must be one of {TYPES}")
    refused(f"{SEARCH}?investment_type={value}", f"investment_type must be one of {TYPES}")
    message = f"investment_category must be one of {CATEGORIES}"
    refused(f"{SEARCH}?investment_category={value}", message)


@pytest.mark.parametrize("value", ["EUR", "NG", "NGN,KES", "%00"])
def test_a_currency_that_is_not_traded_is_refused_naming_those_that_are(value):
    message = "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS, USD]"
    refused(f"{LIST}?currency={value}", message, "invalid_currency")


@pytest.mark.parametrize("path", [LIST, SEARCH])
@pytest.mark.parametrize("value", ["id", "-", "price", "--name", "Name", "name,createdAt", "%00"])
def test_an_order_that_is_not_documented_is_refused(path, value):
    message = "sort must be one of [createdAt, updatedAt, name], with - in front for descending"
    refused(f"{path}?sort={value}", message)


@pytest.mark.parametrize(
    ("path", "name", "value"),
    [
        *((LIST, name, "true") for name in LIST_FLAGS),
        *((SEARCH, name, "true") for name in SEARCH_FLAGS),
        *((LIST, name, "1") for name in ("page", "limit")),
        (LIST, "sort", "name"),
        (LIST, "investment_type", "debt"),
        (LIST, "currency", "NGN"),
        (SEARCH, "name", "a"),
        (SEARCH, "symbol", "a"),
        (SEARCH, "investment_category", "art"),
    ],
)
def test_a_parameter_given_twice_is_refused_even_when_both_agree(path, name, value):
    refused(f"{path}?{name}={value}&{name}={value}", f"{name} must be given once")


@pytest.mark.parametrize("name", ["name", "symbol"])
def test_a_text_with_a_nul_is_refused_by_name(name):
    refused(f"{SEARCH}?{name}=%00", f"{name} must not contain NUL characters")
    refused(f"{SEARCH}?{name}=a%00b", f"{name} must not contain NUL characters")


@pytest.mark.parametrize(("name", "most"), [("name", 200), ("symbol", 20)])
@pytest.mark.parametrize("character", ["a", "é", "%", "\U0001f600", "'", "\\"])
def test_a_text_longer_than_any_name_is_refused_and_the_longest_is_not(name, most, character):
    caller = make_caller(["tokens:read"])
    assert caller.get(SEARCH, {name: character * most}).json()["data"]["total"] == 0
    message = f"{name} must have at most {most} characters"
    failed(caller.get(SEARCH, {name: character * 5000}), 400, "invalid_request", message)


def test_all_bad_filters_are_named_at_once():
    caller = make_caller(["tokens:read"])
    response = caller.get(LIST, {"closed": "x", "currency": "EUR", "exited": "true"})
    message = failed(response, 400, "invalid_currency")
    assert "closed must be true or false" in message
    assert "Currency must be one of" in message
    assert "exited" not in message


@pytest.mark.parametrize("path", [LIST, SEARCH])
@pytest.mark.parametrize("page", ["100000000000000000000", "9" * 100, "9" * 4000])
@pytest.mark.parametrize("limit", ["1", "200", "100000000000000000000"])
def test_a_page_past_any_end_is_empty_with_true_totals(path, page, limit):
    make_token()
    caller = make_caller(["tokens:read"])
    for _ in range(2):
        data = caller.get(path, {"page": page, "limit": limit}).json()["data"]
        assert (data["pages"], data["count"], data["total"], data["tokens"]) == (1, 0, 1, [])


def test_empty_and_unknown_parameters_are_refused_each_by_name():
    make_token(currency="KES")
    names = ("closed", "currency", "page", "sort")
    refused(f"{LIST}?{'=&'.join(names)}=", "; ".join(f"{name} must not be empty" for name in names))
    refused(f"{SEARCH}?name=%20%20&symbol", "name must not be empty; symbol must not be empty")
    refused(
        f"{SEARCH}?name%5B%5D=q&complete_raise=true",
        "Unknown parameter: name[] (did you mean name?); "
        "Unknown parameter: complete_raise (did you mean completed_raise?)",
    )


@pytest.mark.parametrize("query", ["%FF%FE", "name=%FF", "name=%ED%A0%80", "&&&", "=", "?", "%"])
def test_query_strings_that_are_no_text_are_answered(query):
    make_token()
    response = make_caller(["tokens:read"]).get(f"{SEARCH}?{query}")
    assert response.status_code in {200, 400}
    assert response.json()["status"] in {"success", "failed"}
