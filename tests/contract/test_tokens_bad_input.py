"""Bad parameters of the lists of tokens: each is a 400 that names it, and none a fault of ours.

Every value that a parameter refuses is in tests/exchange/api/test_list_queries.py.
"""

import pytest

from tests.factories.api_clients import assert_error, make_caller
from tests.factories.tokens import make_token

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.environment.api_urls")]

LIST = "/v1/api/tokens"
SEARCH = "/v1/api/token/search"
SORT = "sort must be one of [createdAt, updatedAt, name], with - in front for descending"
TYPES = "investment_type must be one of [the service, SAFE, Debt, Fixed Interest]"
# One of each rule; those of every address are in `test_query_parameters` too.
WRONG = [
    *(
        case
        for path in (LIST, SEARCH)
        for case in (
            (path, "page=0", "page must be a whole number from 1"),
            (path, "limit=%00", "limit must be a whole number from 1"),
            (path, "closed=yes", "closed must be true or false"),
            (path, "private=2", "private must be true or false"),
            (path, "investment_type=equity", TYPES),
            (path, "sort=price", SORT),
            (path, "limit=1&limit=1", "limit must be given once"),
            (path, "sort=", "sort must not be empty"),
        )
    ),
    (LIST, "primary_raise=t", "primary_raise must be true or false"),
    (SEARCH, "completed_raise=t", "completed_raise must be true or false"),
    (SEARCH, "name=a%00b", "name must not contain NUL characters"),
    (SEARCH, f"symbol={'a' * 5000}", "symbol must have at most 20 characters"),
    (
        SEARCH,
        "name%5B%5D=q&complete_raise=true",
        "Unknown parameter: name[] (did you mean name?); "
        "Unknown parameter: complete_raise (did you mean completed_raise?)",
    ),
]


def test_a_bad_parameter_is_refused_by_name_however_often_it_is_sent():
    make_token(currency="KES")
    caller = make_caller(["tokens:read"])
    for path, query, message in WRONG:
        for _ in range(2):  # what was refused is not remembered as something else
            assert_error(caller.get(f"{path}?{query}"), 400, "invalid_request", message)
    message = "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS, USD]"
    for _ in range(2):
        assert_error(caller.get(f"{LIST}?currency=EUR"), 400, "invalid_currency", message)


@pytest.mark.parametrize(("name", "most"), [("name", 200), ("symbol", 20)])
def test_a_text_as_long_as_any_name_is_searched_for(name, most):
    caller = make_caller(["tokens:read"])
    for character in ("a", "é", "%", "\U0001f600", "'", "\\"):
        found = caller.get(SEARCH, {name: character * most}).json()["data"]["total"]
        assert found == 0, character


@pytest.mark.parametrize("path", [LIST, SEARCH])
@pytest.mark.parametrize("page", ["100000000000000000000", "9" * 100, "9" * 4000])
@pytest.mark.parametrize("limit", ["1", "200", "100000000000000000000"])
def test_a_page_past_any_end_is_empty_with_true_totals(path, page, limit):
    make_token()
    caller = make_caller(["tokens:read"])
    for _ in range(2):
        data = caller.get(path, {"page": page, "limit": limit}).json()["data"]
        assert (data["pages"], data["count"], data["total"], data["tokens"]) == (1, 0, 1, [])


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("%FF%FE", 400),
        ("name=%FF", 200),
        ("name=%ED%A0%80", 200),
        ("&&&", 200),
        ("=", 400),
        ("?", 400),
        ("%", 400),
    ],
)
def test_query_strings_that_are_no_text_are_answered(query, status):
    make_token()
    response = make_caller(["tokens:read"]).get(f"{SEARCH}?{query}")
    assert response.status_code == status
    assert response.json()["status"] == {200: "success", 400: "failed"}[status]
