"""The feed of a database that was dumped and restored elsewhere, or restored to an earlier time."""

import re
import subprocess
from collections.abc import Iterator

import psycopg
import pytest
from pytest_django import DjangoDbBlocker

from config.local.embedded.layout import binary
from exchange.events.services.numbering import number_events
from tests.environment.database import django_connected_to, extra_database, server_url
from tests.factories.api_clients import ApiCaller, assert_error, make_caller
from tests.factories.feed import FEED, Follower, emit_to

pytestmark = pytest.mark.urls("tests.environment.api_urls")

# What only psql understands, and what a server before 17 does not know.
_LEFT_OUT = re.compile(r"^(\\(un)?restrict|SET transaction_timeout) .*\n", re.MULTILINE)


@pytest.fixture
def original(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """Yield the name of a database of its own."""
    with extra_database("original", migrated=True) as name, django_db_blocker.unblock():
        yield name


def make_events(caller: ApiCaller, count: int) -> list[str]:
    return [emit_to(caller.organisation) for _ in range(count)]


@pytest.mark.slow
def test_numbers_survive_a_dump_that_is_restored_elsewhere(original: str) -> None:
    with django_connected_to(original):
        caller = make_caller(["webhooks:manage"])
        read, numbered = make_events(caller, 3), make_events(caller, 2)
        follower = Follower(caller, limit=3)
        assert follower.read() == read
        unnumbered = make_events(caller, 2)
    dump = subprocess.run(
        [
            str(binary("pg_dump")),
            *("--no-owner", "--inserts", "--exclude-schema=seed"),
            server_url(original),
        ],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout
    with extra_database("elsewhere") as elsewhere:
        with psycopg.connect(server_url(elsewhere), autocommit=True) as owner:
            owner.execute(_LEFT_OUT.sub("", dump).encode())
        with django_connected_to(elsewhere):
            later = make_events(caller, 2)
            assert follower.read_all() == [*numbered, *unnumbered, *later]
            assert Follower(caller).read_all() == read + numbered + unnumbered + later


def test_a_cursor_from_after_the_time_of_a_restore_is_ahead(original: str) -> None:
    with django_connected_to(original):
        caller = make_caller(["webhooks:manage"])
        first = make_events(caller, 2)
        follower = Follower(caller)
        assert follower.read() == first
        waiting = make_events(caller, 2)
    with extra_database("earlier", copy_of=original) as earlier:
        with django_connected_to(original):
            late = Follower(caller, follower.cursor)
            assert late.read() == waiting
            lost = Follower(caller, late.cursor)
            assert lost.read_all() == []
            assert len(make_events(caller, 3)) == len(lost.read_all())
        with django_connected_to(earlier):
            # Also once as many events were numbered as the cursors are of.
            for _ in range(2):
                for cursor in (late.cursor, lost.cursor):
                    assert_error(caller.get(FEED, {"after": cursor}), 409, "cursor_ahead")
                again = make_events(caller, 5)
                waiting += again
                number_events()
            assert follower.read_all() == waiting
            assert Follower(caller).read_all() == first + waiting
