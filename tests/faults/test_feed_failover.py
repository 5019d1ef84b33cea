"""The feed across a failover to a server that lacks the last commits, and whose clock is behind."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker

from config.local.embedded.layout import OWNER, database_settings
from exchange.core.ids import uuid7
from exchange.events.models import Event
from exchange.events.services.numbering import number_events
from tests.environment.database_steps import kill_database
from tests.environment.debian import require_programs
from tests.environment.processes import wait_until
from tests.environment.replicated_django import django_connected_to
from tests.environment.replication import Replication, running_replication
from tests.factories.api_clients import assert_error, make_caller
from tests.factories.feed import FEED, Follower, emit_to
from tests.faults.test_distribution_database import faketime_library

pytestmark = [pytest.mark.slow, pytest.mark.urls("tests.environment.api_urls")]


def disconnect(servers: Replication) -> None:
    """Let the replica have what is committed, and receive nothing more."""
    servers.catch_up()
    servers.on_standby("ALTER SYSTEM SET primary_conninfo = ''")
    servers.on_standby("SELECT pg_reload_conf()")
    wait_until(
        lambda: servers.on_standby("SELECT count(*) FROM pg_stat_wal_receiver") == [(0,)],
        "the replica receives nothing",
    )


def fail_over(servers: Replication) -> None:
    """Kill the primary, promote the replica, and connect Django to it."""
    kill_database(servers.primary)
    servers.on_standby("SELECT pg_promote()")
    connections["default"].close()
    connections["default"].settings_dict.update(
        {
            name: value
            for name, value in database_settings(servers.standby, OWNER).items()
            if name in {"NAME", "USER", "PASSWORD", "HOST", "PORT"}
        }
    )


def test_the_feed_goes_on_after_a_failover_and_says_what_it_undid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
) -> None:
    require_programs({"faketime": "faketime"})
    with running_replication(tmp_path) as servers:
        servers.stop()
        with monkeypatch.context() as environment:
            environment.setenv("LD_PRELOAD", faketime_library())
            environment.setenv("FAKETIME", "-60s")
            environment.setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            servers.start()
        with django_db_blocker.unblock(), django_connected_to(servers):
            caller, record = make_caller(["webhooks:manage"]), uuid7()
            first = emit_to(caller.organisation, subject=record)
            follower = Follower(caller)
            assert follower.read() == [first]

            # The replica has the second event and not its number, and nothing of the third.
            second = emit_to(caller.organisation, subject=record)
            disconnect(servers)
            numbered = Follower(caller, follower.cursor)
            assert numbered.read() == [second]
            third = emit_to(caller.organisation, subject=record)
            lost = Follower(caller, numbered.cursor)
            assert lost.read() == [third]

            fail_over(servers)
            fourth = emit_to(caller.organisation, subject=record)
            assert number_events() == 2
            for undone in (numbered, lost):
                assert_error(caller.get(FEED, {"after": undone.cursor}), 409, "cursor_ahead")
            assert follower.read() == [second, fourth]
            assert Follower(caller).read_all() == [first, second, fourth]
            times = [Event.objects.get(pk=event).created_at for event in (second, fourth)]
            assert times[0] - times[1] > timedelta(seconds=30)
