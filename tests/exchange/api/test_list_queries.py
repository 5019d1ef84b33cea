"""Invalid query strings of lists, and the message of each.

`test_query_parameters` in tests/contract checks that every list is covered.
"""

from typing import Any

import pytest

from exchange.tokens.api import TokenViewSet
from tests.assertions.inputs import assert_rejected, query_error
from wallets.owners.api import MemberViewSet

TYPES = "[the service, SAFE, Debt, Fixed Interest]"
CATEGORIES = (
    "[ETF, Bond, Commercial Paper, Debt Note, Real Estate, Private Business, Startup, "
    "Commodities, Fund, Art, Music, Movie, Charity]"
)
SORT = ", with - in front for descending"
MEMBERS, ACTIVE, SEARCH = (
    (MemberViewSet, "list"),
    (TokenViewSet, "list"),
    (TokenViewSet, "search"),
)
FLAGS: dict[Any, tuple[str, ...]] = {
    ACTIVE: ("closed", "exited", "private", "primary_raise"),
    SEARCH: ("closed", "exited", "completed_raise", "private"),
}
LISTS = [MEMBERS, ACTIVE, SEARCH]


def error_of(found_at: Any, query: str) -> Any:
    view, action = found_at
    return query_error(view, query, action)


def parse(found_at: Any) -> Any:
    return lambda query: error_of(found_at, query)


@pytest.mark.parametrize("view", LISTS)
@pytest.mark.parametrize("name", ["page", "limit"])
def test_a_page_or_limit_that_is_not_a_whole_number_from_one_is_rejected(view, name):
    wrong = ["-1", "0", "00", "abc", "1.5", "%00", "1e3", "1e1", "%D9%A3", "%2B1", "null", "%201",
             "0x1", "%C2%B2", "1,2"]  # fmt: skip
    message = f"{name} must be a whole number from 1"
    assert_rejected(parse(view), ((f"{name}={value}", message) for value in wrong))
    for value in ("1", "007", "100000000000000000000", "9" * 5000):
        assert error_of(view, f"{name}={value}") is None


@pytest.mark.parametrize("view", FLAGS)
def test_a_flag_that_is_neither_true_nor_false_is_rejected(view):
    wrong = ["yes", "2", "-1", "%20true", "t", "null", "true,false", "%00"]
    assert_rejected(
        parse(view),
        ((f"{name}={value}", f"{name} must be true or false")
         for name in FLAGS[view] for value in wrong),
    )  # fmt: skip


def test_the_error_for_an_unknown_choice_names_the_allowed_ones():
    wrong = ["equity", "SAF", "safe,debt", "%00", "debt%20", "9" * 500]
    kind = f"investment_type must be one of {TYPES}"
    for view in FLAGS:
        assert_rejected(parse(view), ((f"investment_type={value}", kind) for value in wrong))
    category = f"investment_category must be one of {CATEGORIES}"
    assert_rejected(parse(SEARCH), ((f"investment_category={value}", category) for value in wrong))


def test_the_error_for_an_unknown_currency_names_the_allowed_ones():
    message = "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS, USD]"
    wrong = ["EUR", "NG", "NGN,KES", "%00"]
    assert_rejected(
        parse(ACTIVE),
        ((f"currency={value}", message) for value in wrong),
        "invalid_currency",
    )


def test_the_error_for_an_unknown_order_names_the_allowed_ones():
    wrong = ["id", "-", "price", "--name", "Name", "name,createdAt", "%00"]
    message = f"sort must be one of [createdAt, updatedAt, name]{SORT}"
    for view in FLAGS:
        assert_rejected(parse(view), ((f"sort={value}", message) for value in wrong))
    wrong = ["id", "-", "--name", "name,email", "organisation", "Name", "%3F"]
    message = f"sort must be one of [createdAt, updatedAt, name, email]{SORT}"
    assert_rejected(parse(MEMBERS), ((f"sort={value}", message) for value in wrong))


def test_a_repeated_parameter_is_rejected_even_with_equal_values():
    values = {
        ACTIVE: {"sort": "name", "investment_type": "debt", "currency": "NGN"},
        SEARCH: {"name": "a", "symbol": "a", "investment_category": "art"},
        MEMBERS: {
            "sort": "name",
            "email": "a@b.c",
            "external_id": "a",
            "status": "active",
            "verification": "verified",
        },
    }
    for view, given in values.items():
        flags = dict.fromkeys(FLAGS.get(view, ()), "true")
        named = {**given, **flags, "page": "1", "limit": "5"}
        twice = ((f"{name}={value}&{name}={value}", name) for name, value in named.items())
        assert_rejected(
            parse(view), ((query, f"{name} must be given once") for query, name in twice)
        )
    assert_rejected(parse(MEMBERS), [("page=1&page=2", "page must be given once")])


def test_a_text_has_no_nul_and_no_more_characters_than_any_name():
    for name, most in (("name", 200), ("symbol", 20)):
        nul = f"{name} must not contain NUL characters"
        assert_rejected(parse(SEARCH), [(f"{name}=%00", nul), (f"{name}=a%00b", nul)])
        long = f"{name} must have at most {most} characters"
        for text in ("a", "%C3%A9", "%25", "%F0%9F%98%80", "%27", "%5C"):
            assert error_of(SEARCH, f"{name}={text * most}") is None
            query = f"{name}={text * (most + 1)}"
            assert_rejected(parse(SEARCH), [(query, long)])
    nul = "email must not contain NUL characters"
    assert_rejected(parse(MEMBERS), [("email=%00", nul)])


def test_one_error_names_all_problems():
    found = error_of(ACTIVE, "closed=x&currency=EUR&exited=true")
    assert found is not None
    assert found[:2] == (400, "invalid_currency")
    assert "closed must be true or false" in found[2]
    assert "Currency must be one of" in found[2]
    assert "exited" not in found[2]
    names = ("closed", "currency", "page", "sort")
    empty = "; ".join(f"{name} must not be empty" for name in names)
    assert_rejected(parse(ACTIVE), [(f"{'=&'.join(names)}=", empty)])
    assert_rejected(
        parse(SEARCH),
        [
            ("name=%20%20&symbol", "name must not be empty; symbol must not be empty"),
            (
                "name%5B%5D=q&complete_raise=true",
                "Unknown parameter: name[] (did you mean name?); "
                "Unknown parameter: complete_raise (did you mean completed_raise?)",
            ),
        ],
    )
    message = (
        "page must not be empty; email must not be empty; "
        "Unknown parameter: emial (did you mean email?); "
        "Unknown parameter: x (known are created_from, created_to, updated_from, updated_to, "
        "email, external_id, status, verification, page, limit, sort, use_cursor, cursor)"
    )
    assert_rejected(parse(MEMBERS), [("page=&email=%20&emial=a&x=1", message)])
