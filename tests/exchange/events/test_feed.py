"""The feed through the API: every event once, in order, and cursors that belong to it."""

from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.db import transaction

from exchange.api.cursors import CursorList
from exchange.core.ids import uuid7
from exchange.events.models import EventNumber, UnnumberedEvent
from exchange.events.services.numbering import number_events
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import ApiCaller, assert_error, make_caller
from tests.factories.feed import FEED, Follower, emit_to

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.environment.api_urls"),
]
INVALID = (
    "after must be a next_cursor of this list, unchanged, with the filters and the sort that it "
    "was given for"
)
AHEAD = (
    "after is ahead of the feed: the exchange was restored to an earlier time. Compare your "
    "records, and read from after=start again"
)


TYPES = f"type must be one of [{', '.join(settings.EVENT_TYPES)}]"


@pytest.fixture
def caller() -> ApiCaller:
    return make_caller(["webhooks:manage"])


def make_events(caller: ApiCaller, count: int, **more: Any) -> list[str]:
    return [emit_to(caller.organisation, **more) for _ in range(count)]


def test_a_follower_reads_every_event_once_in_order(caller: ApiCaller) -> None:
    other = make_caller(["webhooks:manage"])
    follower = Follower(caller, limit=3)
    assert follower.read_all() == []
    assert follower.cursor == "start"
    first = make_events(caller, 7)
    make_events(other, 2)
    assert follower.read_all() == first
    assert follower.read_all() == []
    make_events(other, 2)
    second = make_events(caller, 6)
    assert follower.read_all() == second
    assert Follower(caller).read_all() == first + second


def test_an_event_of_the_feed_is_that_of_the_list(caller: ApiCaller) -> None:
    (event,) = make_events(caller, 1)
    follower = Follower(caller)
    follower.read()
    listed = caller.get(FEED).json()["data"]
    assert list(listed) == ["page", "pages", "count", "total", "events"]
    assert follower.events == listed["events"]
    assert listed["events"][0]["id"] == event


def test_an_empty_page_keeps_the_place(caller: ApiCaller) -> None:
    make_events(caller, 2)
    follower = Follower(caller)
    follower.read()
    cursor = follower.cursor
    assert follower.read() == []
    assert follower.cursor == cursor


@pytest.mark.parametrize("limit", ["1", "2", "3", "200", "1000"])
def test_limit_is_that_of_lists(caller: ApiCaller, limit: str) -> None:
    events = make_events(caller, 2)
    page = caller.get(FEED, {"after": "start", "limit": limit}).json()["data"]
    assert [event["id"] for event in page["events"]] == events[: int(limit)]


def test_filters_choose_events_and_what_does_not_match_is_read_once(caller: ApiCaller) -> None:
    make_events(caller, 3)
    wanted = make_events(caller, 2, event_type="loan.created")
    make_events(caller, 1, event_type="loan.repaid")
    last = make_events(caller, 1)[0]
    follower = Follower(caller, filters={"type": "Loan.Created"})
    assert follower.read() == wanted
    # At the end of the feed, not at the last match.
    assert position_of(caller, follower)[0] == last
    make_events(caller, 1)
    assert follower.read() == []
    more = make_events(caller, 1, event_type="loan.created")
    assert follower.read() == more
    follower = Follower(caller, limit=1, filters=follower.filters)
    assert follower.read_all() == wanted + more


def position_of(caller: ApiCaller, follower: Follower) -> list[str]:
    return feed_of(caller, **follower.filters).decode("after", follower.cursor)


def feed_of(caller: ApiCaller, **filters: str) -> CursorList:
    return CursorList(caller.organisation.id, FEED, "seq", filters)


def test_a_reader_numbers_what_no_dispatcher_has(caller: ApiCaller) -> None:
    events = make_events(caller, 2)
    assert UnnumberedEvent.objects.count() == 2
    assert Follower(caller).read() == events
    assert UnnumberedEvent.objects.count() == 0


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cursor",
    ["0", "Start", "start ", "7", "null", "A" * 40, "\x00", "é", "../..", "-1", "A" * 2000],
)
def test_a_forged_cursor_is_rejected(caller: ApiCaller, cursor: str) -> None:
    with assert_nothing_changes():
        assert_error(caller.get(FEED, {"after": cursor}), 400, "invalid_cursor", INVALID)


def test_an_altered_cursor_is_rejected(caller: ApiCaller) -> None:
    make_events(caller, 1)
    follower = Follower(caller)
    follower.read()
    for altered in (follower.cursor[:-1], follower.cursor[1:], follower.cursor.swapcase()):
        assert_error(caller.get(FEED, {"after": altered}), 400, "invalid_cursor", INVALID)


@pytest.mark.parametrize(
    "parts", [[""], ["x", "y"], [str(UUID(int=7))], [str(UUID(int=7)), "", ""]]
)
def test_a_cursor_of_this_list_with_other_content_is_rejected(
    caller: ApiCaller, parts: list[str]
) -> None:
    cursor = feed_of(caller).encode(parts)
    assert_error(caller.get(FEED, {"after": cursor}), 400, "invalid_cursor", INVALID)


def test_a_cursor_of_another_organisation_is_rejected(caller: ApiCaller) -> None:
    other = make_caller(["webhooks:manage"])
    make_events(other, 1)
    follower = Follower(other)
    follower.read()
    assert_error(caller.get(FEED, {"after": follower.cursor}), 400, "invalid_cursor", INVALID)
    # Another key of its organisation may go on with it.
    colleague = make_caller(["webhooks:manage"], other.organisation)
    assert Follower(colleague, cursor=follower.cursor).read() == []


def test_a_cursor_with_other_filters_is_rejected(caller: ApiCaller) -> None:
    make_events(caller, 1)
    follower = Follower(caller, filters={"type": "order.created"})
    follower.read()
    for filters in ({}, {"type": "order.fulfilled"}):
        query = {"after": follower.cursor, **filters}
        assert_error(caller.get(FEED, query), 400, "invalid_cursor", INVALID)
    unfiltered = Follower(caller)
    unfiltered.read()
    query = {"after": unfiltered.cursor, **follower.filters}
    assert_error(caller.get(FEED, query), 400, "invalid_cursor", INVALID)
    assert Follower(caller, cursor=follower.cursor, filters=follower.filters).read() == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("page", "1"),
        ("use_cursor", "true"),
        ("cursor", "x"),
        ("sort", "type"),
        ("status", "Pending"),
        ("subject_id", str(UUID(int=7))),
        ("created_from", "2026-01-01"),
        ("created_to", "2026-01-01"),
    ],
)
def test_other_parameters_of_the_list_are_rejected(
    caller: ApiCaller, name: str, value: str
) -> None:
    response = caller.get(FEED, {"after": "start", name: value})
    assert_error(response, 400, "invalid_request", f"{name} cannot be combined with after")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("after=", "after must not be empty"),
        ("after=start&after=start", "after must be given once"),
        ("after=start&limit=0", "limit must be a whole number from 1"),
        ("after=start&type=order.made", TYPES),
        ("afer=start", "Unknown parameter: afer (did you mean after?)"),
    ],
)
def test_parameters_are_checked_as_in_lists(caller: ApiCaller, query: str, message: str) -> None:
    assert_error(caller.get(f"{FEED}?{query}"), 400, "invalid_request", message)


def test_the_scope_is_required() -> None:
    caller = make_caller(["orders:read"])
    assert_error(caller.get(FEED, {"after": "start"}), 403, "insufficient_scope")


# --- after a restore ----------------------------------------------------------------------------


def test_a_cursor_of_an_undone_event_is_ahead(caller: ApiCaller) -> None:
    make_events(caller, 1)
    follower = Follower(caller)
    follower.read()
    _, numbered_at = position_of(caller, follower)
    lost = feed_of(caller).encode([str(uuid7()), numbered_at])
    with assert_nothing_changes():
        assert_error(caller.get(FEED, {"after": lost}), 409, "cursor_ahead", AHEAD)
    assert follower.read() == []


def test_a_cursor_of_an_undone_numbering_is_ahead(caller: ApiCaller, owner_connection: Any) -> None:
    """The event is there, but after the restore it was numbered again, among others."""
    (event,) = make_events(caller, 1)
    number_events()
    before = EventNumber.objects.get(event_id=event)
    follower = Follower(caller)
    follower.read()
    with owner_connection.transaction():
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        owner_connection.execute("DELETE FROM exchange_eventnumber")
        owner_connection.execute(
            "INSERT INTO exchange_unnumberedevent (event_id, organisation_id) VALUES (%s, %s)",
            [event, caller.organisation.id],
        )
    assert_error(caller.get(FEED, {"after": follower.cursor}), 409, "cursor_ahead", AHEAD)
    assert EventNumber.objects.get(event_id=event).numbered_at > before.numbered_at


def test_nothing_is_numbered_inside_a_transaction_that_is_rolled_back(caller: ApiCaller) -> None:
    events = make_events(caller, 1)
    with transaction.atomic():
        assert number_events() == 1
        transaction.set_rollback(True)
    assert not EventNumber.objects.exists()
    assert Follower(caller).read() == events
