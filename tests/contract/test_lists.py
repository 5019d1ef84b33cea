"""Lists: pages, limits, order and filters, against the same done in plain Python."""

import math
import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exchange.participants.models import Member
from tests.environment.property_tests import examples
from tests.factories.api_clients import assert_error, make_caller, make_member

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.environment.api_views")]

MEMBERS = "/v1/api/members"


def crowd(organisation, size):
    chance = random.Random(7)
    Member.objects.bulk_create(
        Member(
            organisation=organisation,
            name=chance.choice(["Ada", "Bola", "Chi"]),
            email=f"m{n}@example.com",
            external_id=f"ext-{n}" if n % 2 else "",
        )
        for n in range(size)
    )


def ids(response):
    assert response.status_code == 200, response.content
    return [item["_id"] for item in response.json()["data"]["members"]]


ORDERS = {
    "createdAt": lambda m: m.created_at,
    "updatedAt": lambda m: m.updated_at,
    "name": lambda m: m.name,
    "email": lambda m: m.email,
}


@pytest.mark.parametrize(
    ("end", "found"),
    [
        ("2026-03-01", False),
        ("2026-03-01T23:59:59.999Z", False),
        ("2026-03-02T00:00:00.000Z", True),
        ("2026-03-02", True),
    ],
)
@pytest.mark.parametrize("kind", ["created", "updated"])
def test_a_record_of_the_first_instant_after_a_period_is_not_in_it(kind, end, found):
    caller = make_caller()
    member = make_member(caller.organisation)
    midnight = datetime(2026, 3, 2, tzinfo=UTC)
    Member.objects.filter(pk=member.pk).update(**{f"{kind}_at": midnight})
    assert ids(caller.get(MEMBERS, {f"{kind}_to": end})) == ([str(member.pk)] if found else [])


@examples("LISTS", 30)
@given(
    size=st.integers(0, 45),
    page=st.integers(1, 8),
    limit=st.integers(1, 30),
    sort=st.sampled_from(list(ORDERS)),
    descending=st.booleans(),
)
def test_pages_are_what_plain_python_says(size, page, limit, sort, descending):
    caller = make_caller()
    crowd(caller.organisation, size)
    make_member(make_caller().organisation)
    rows = sorted(
        Member.objects.filter(organisation=caller.organisation),
        key=lambda m: (ORDERS[sort](m), m.id),
        reverse=descending,
    )
    wanted = [str(m.id) for m in rows[(page - 1) * limit : page * limit]]
    sign = "-" if descending else ""
    response = caller.get(MEMBERS, {"page": page, "limit": limit, "sort": sign + sort})
    assert ids(response) == wanted
    data = response.json()["data"]
    assert list(data) == ["page", "pages", "count", "total", "members"]
    assert (data["page"], data["count"], data["total"]) == (page, len(wanted), size)
    assert data["pages"] == math.ceil(size / limit)


def test_without_parameters_the_newest_twenty_come_first():
    caller = make_caller()
    crowd(caller.organisation, 25)
    rows = list(Member.objects.order_by("-created_at", "-id")[:20])
    assert ids(caller.get(MEMBERS)) == [str(m.id) for m in rows]


@pytest.mark.parametrize("limit", ["201", "1000", "100000000000000000000"])
def test_a_limit_above_the_most_is_the_most(limit):
    caller = make_caller()
    crowd(caller.organisation, 205)
    data = caller.get(MEMBERS, {"limit": limit}).json()["data"]
    assert (data["count"], data["total"], data["pages"]) == (200, 205, 2)


@pytest.mark.parametrize("page", ["3", "100000000000000000000", "9" * 100])
def test_a_page_past_the_end_is_empty_with_true_totals(page):
    caller = make_caller()
    crowd(caller.organisation, 25)
    data = caller.get(MEMBERS, {"page": page}).json()["data"]
    assert data == {"page": int(page), "pages": 2, "count": 0, "total": 25, "members": []}


def test_a_page_number_of_5000_digits_is_past_the_end():
    data = make_caller().get(MEMBERS, {"page": "9" * 5000}).json()["data"]
    assert (data["count"], data["total"]) == (0, 0)


def test_what_the_parser_refuses_is_refused_by_name():
    """Every value that it refuses is in tests/exchange/api/test_list_queries.py."""
    caller = make_caller()
    sort = "sort must be one of [createdAt, updatedAt, name, email], with - in front for descending"
    for query, message in (
        ("page=0", "page must be a whole number from 1"),
        ("limit=1.5", "limit must be a whole number from 1"),
        ("email=a@b.c&email=a@b.c", "email must be given once"),
        ("sort=organisation", sort),
        ("email=%00", "email must not contain NUL characters"),
        (
            "page=&emial=a",
            "page must not be empty; Unknown parameter: emial (did you mean email?)",
        ),
    ):
        assert_error(caller.get(f"{MEMBERS}?{query}"), 400, "invalid_request", message)


def test_members_are_found_by_email_in_any_case_and_by_external_id_exactly():
    caller = make_caller()
    ada = make_member(caller.organisation, email="Ada@Example.com", external_id="A-1")
    make_member(caller.organisation, external_id="a-1")
    assert ids(caller.get(MEMBERS, {"email": "aDA@example.COM"})) == [str(ada.id)]
    assert ids(caller.get(MEMBERS, {"external_id": "A-1"})) == [str(ada.id)]
    assert ids(caller.get(MEMBERS, {"external_id": "A"})) == []
    assert ids(caller.get(MEMBERS, {"email": "%"})) == []


@pytest.mark.parametrize("path", [MEMBERS, "/v1/api/tokens"])
def test_more_parameters_than_are_read_are_refused(path):
    many = "&".join(f"a{n}=1" for n in range(1001))
    message = assert_error(make_caller().get(f"{path}?{many}"), 400, "invalid_request")
    assert message == "There are too many parameters"
