"""Lists that are read by cursor: `use_cursor=true`, then `cursor=<next_cursor>`."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exchange.api.cursors import CursorList
from exchange.participants.models import Member
from tests.assertions.endpoints import Endpoint, api_endpoints
from tests.environment.property_tests import examples
from tests.factories.api_clients import ApiCaller, assert_error, make_caller, make_member
from tests.factories.api_records import make_api_records
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import Wallet

pytestmark = pytest.mark.django_db

MEMBERS = "/v1/api/members"
REFUSED = (
    "cursor must be a next_cursor of this list, unchanged, "
    "with the filters and the sort that it was given for"
)


def lists() -> list[Endpoint]:
    return [one for one in api_endpoints() if one.method == "GET" and one.plural]


def read(caller: ApiCaller, path: str, **query: object) -> dict[str, Any]:
    response = caller.get(path, {"use_cursor": "true", **query})
    assert response.status_code == 200, (path, query, response.content)
    data: dict[str, Any] = response.json()["data"]
    return data


def follow(caller: ApiCaller, path: str, plural: str, **query: object) -> list[dict[str, Any]]:
    """Return the records of every response, until there is no next cursor."""
    data = read(caller, path, **query)
    found: list[dict[str, Any]] = data[plural]
    while data["next_cursor"] is not None:
        assert data["count"] == len(data[plural]) == query["limit"]
        data = read(caller, path, **query, cursor=data["next_cursor"])
        found += data[plural]
    return found


def test_every_list_by_cursor_is_the_list_by_page_in_each_order(bank_lists):
    records = make_api_records()
    followed = 0
    for one in lists():
        path, plural, view = records.address(one.path), str(one.plural), one.viewset
        for name in view.sort_fields:
            for sort in (name, f"-{name}"):
                if name in view.changing_sorts:
                    if view.takes_cursors():
                        refused = records.caller.get(path, {"use_cursor": "1", "sort": sort})
                        lasting = [n for n in view.sort_fields if n not in view.changing_sorts]
                        message = f"With a cursor, sort must be one of [{', '.join(lasting)}]"
                        assert_error(refused, 400, "invalid_request", message)
                    continue
                wanted = records.records(one, sort=sort, limit="200")
                assert follow(records.caller, path, plural, sort=sort, limit=1) == wanted, path
                followed += len(wanted) > 1
    assert followed > 30
    assert {one.path for one in lists() if not one.viewset.takes_cursors()} == {
        "/v1/api/wallet/tokens",
        "/v1/api/members/<str:member_id>/tokens",
    }


def test_a_response_by_cursor_has_no_totals():
    caller = make_caller()
    members = [make_member(caller.organisation) for _ in range(3)]
    first = read(caller, MEMBERS, sort="createdAt", limit=2)
    assert list(first) == ["count", "next_cursor", "members"]
    response = caller.get(
        MEMBERS, {"sort": "createdAt", "limit": 2, "cursor": first["next_cursor"]}
    )
    assert list(response.json()) == ["status", "message", "data"]
    last = response.json()["data"]
    assert (last["count"], last["next_cursor"]) == (1, None)
    assert last["members"][0]["_id"] == str(members[2].id)


START = datetime(2026, 3, 1, tzinfo=UTC)


@examples("CURSORS", 20)
@given(
    instants=st.lists(st.integers(0, 3), max_size=12),
    limit=st.integers(1, 5),
    descending=st.booleans(),
    changes=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 4)), max_size=8),
)
def test_what_existed_and_still_matches_is_found_once_while_others_come_and_go(
    instants, limit, descending, changes
):
    """Instants are few, so that many records have the same."""
    caller = make_caller()
    organisation = caller.organisation

    def add(instant: int, number: int) -> Member:
        member = Member.objects.create(
            organisation=organisation, name="Ada", email=f"{number}@example.com"
        )
        created = START + timedelta(microseconds=instant)
        Member.objects.filter(pk=member.pk).update(created_at=created)
        return member

    existed = [str(add(at, number).id) for number, at in enumerate(instants)]
    left: set[str] = set()
    query = {"verification": "unverified", "sort": "-createdAt" if descending else "createdAt"}
    found: list[str] = []
    cursor: dict[str, str] = {}
    number = len(existed)
    while True:
        data = read(caller, MEMBERS, limit=limit, **query, **cursor)
        found += [member["_id"] for member in data["members"]]
        if data["next_cursor"] is None:
            break
        cursor = {"cursor": data["next_cursor"]}
        if changes:
            chosen, instant = changes.pop()
            if chosen < len(existed):
                Member.objects.filter(pk=existed[chosen]).update(verification="verified")
                left.add(existed[chosen])
            add(instant, number)
            number += 1
    assert len(found) == len(set(found))
    assert set(existed) - left <= set(found)


def test_times_are_compared_as_they_are_stored_and_not_as_they_are_printed():
    caller = make_caller()
    members = [make_member(caller.organisation) for _ in range(4)]
    for microseconds, member in enumerate(members):
        created = START + timedelta(microseconds=microseconds)
        Member.objects.filter(pk=member.pk).update(created_at=created)
    found = follow(caller, MEMBERS, "members", sort="createdAt", limit=1)
    assert [one["_id"] for one in found] == [str(member.id) for member in members]
    assert len({one["createdAt"] for one in found}) == 1


def test_a_cursor_belongs_to_organisation_list_sort_and_filters():
    caller, other = make_caller(), make_caller()
    for organisation in (caller.organisation, other.organisation):
        for _ in range(3):
            make_member(organisation)
            make_token(organisation)
    query = {"limit": 1, "sort": "createdAt", "status": "active"}
    cursor = read(caller, MEMBERS, **query)["next_cursor"]
    assert read(caller, MEMBERS, **{**query, "limit": 2}, cursor=cursor)["count"] == 2
    changed = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
    for client, path, more in (
        (other, MEMBERS, query),
        (caller, "/v1/api/tokens", {"limit": 1, "sort": "createdAt"}),
        (caller, MEMBERS, {**query, "sort": "-createdAt"}),
        (caller, MEMBERS, {"limit": 1, "sort": "createdAt"}),
        (caller, MEMBERS, {**query, "status": "closed"}),
        (caller, MEMBERS, {**query, "cursor": changed}),
        (caller, MEMBERS, {**query, "cursor": "x"}),
        (caller, MEMBERS, {**query, "cursor": "é" * 5000}),
    ):
        refused = client.get(path, {"cursor": cursor, **more})
        assert_error(refused, 400, "invalid_cursor", REFUSED)


@pytest.mark.parametrize(
    "position",
    [
        ["yesterday", "00000000-0000-0000-0000-000000000000"],
        ["2026-13-01T00:00:00Z", "00000000-0000-0000-0000-000000000000"],
        ["2026-01-01T00:00:00Z", "x"],
        ["2026-01-01T00:00:00Z"],
        [],
    ],
)
def test_a_cursor_with_values_of_no_record_is_refused(position):
    """The digest is no secret: a client can compute the one of any position."""
    caller = make_caller()
    forged = CursorList(caller.organisation.id, MEMBERS, "-createdAt", {}).encode(position)
    assert_error(caller.get(MEMBERS, {"cursor": forged}), 400, "invalid_cursor", REFUSED)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("use_cursor=yes", "use_cursor must be true or false"),
        ("use_cursor=false&cursor=x", "cursor and use_cursor=false exclude each other"),
        ("use_cursor=true&page=1", "page and a cursor exclude each other"),
        ("cursor=x&page=1", "page and a cursor exclude each other"),
        ("use_cursor=true&limit=0", "limit must be a whole number from 1"),
        ("use_cursor=true&use_cursor=true", "use_cursor must be given once"),
    ],
)
@pytest.mark.parametrize("path", [MEMBERS, "/v1/api/tokens", "/v1/api/token/search", "/v1/orders"])
def test_unclear_requests_are_refused(path, query, message):
    assert_error(make_caller().get(f"{path}?{query}"), 400, "invalid_request", message)


def test_private_tokens_of_others_are_in_no_list_by_cursor():
    caller, other = make_caller(), make_caller()
    public = make_token(other.organisation)
    make_token(other.organisation, deal_access="Private")
    own = make_token(caller.organisation, deal_access="Private")
    found = follow(caller, "/v1/api/token/search", "tokens", sort="createdAt", limit=1)
    assert [one["_id"] for one in found] == [str(public.id), str(own.id)]


def test_holdings_have_no_lasting_order():
    caller = make_caller()
    give_units(make_token(caller.organisation), Wallet(caller.organisation), 1)
    response = caller.get("/v1/api/wallet/tokens", {"use_cursor": "true"})
    message = "Unknown parameter: use_cursor (known are page, limit, sort)"
    assert_error(response, 400, "invalid_request", message)
