"""Lists on a real streaming replica: what they show, and what they survive."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.contrib import admin
from django.db import DatabaseError, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker, Settings

from config.metrics.readings import READINGS
from exchange.core import replica
from exchange.core.database import fetch_one, read_alias, read_cursor, sqlstate
from exchange.core.ids import uuid7
from exchange.participants.models import Member
from exchange.tokens.models import Token
from exchange.tokens.services import tokens as token_services
from tests.assertions.endpoints import Endpoint, api_endpoints
from tests.environment.processes import wait_until
from tests.environment.replicated_django import disconnect_replica, django_connected_to
from tests.environment.replication import Replication, running_replication
from tests.factories.api_clients import ApiCaller, make_caller, make_member
from tests.factories.api_records import ApiRecords, make_api_records
from tests.factories.exports import file_bytes, read_csv, request_export
from tests.factories.logins import sign_in
from tests.factories.market import Market
from tests.factories.staff import create_superuser
from tests.factories.withdrawals import store_bank_lists

pytestmark = pytest.mark.slow

PAUSE_SECONDS = 0.3


@pytest.fixture(scope="module")
def servers(
    tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Replication]:
    """Both servers, with Django connected to them."""
    with (
        running_replication(tmp_path_factory.mktemp("replication")) as made,
        django_db_blocker.unblock(),
        django_connected_to(made),
    ):
        yield made


@pytest.fixture(scope="module")
def records(servers: Replication) -> ApiRecords:
    store_bank_lists()
    return make_api_records()


@pytest.fixture(autouse=True)
def fresh_state(servers: Replication, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start each test as a process that the replica serves, with short pauses."""
    monkeypatch.setattr(replica, "_state", replica._State())
    monkeypatch.setattr(replica, "_PAUSE_SECONDS", PAUSE_SECONDS)
    replica.record_write(replica.EVERYONE)
    servers.catch_up()
    # What is written from now on is newer than the allowed lag.
    assert replica.is_serving()


def names(caller: ApiCaller) -> set[str]:
    """Return the names of the members that the API lists."""
    response = caller.get("/v1/api/members", {"limit": "200"})
    assert response.status_code == 200, response.content
    return {member["name"] for member in response.json()["data"]["members"]}


def is_serving() -> bool:
    return replica.read(lambda: read_alias() == "replica", replica.fetch_position(UUID(int=9)))


# --- what runs on the replica ---


def list_endpoints() -> list[Endpoint]:
    return [e for e in api_endpoints() if e.operation and e.operation.is_list]


def test_every_list_of_the_api_is_read_from_the_replica_only(
    servers: Replication, records: ApiRecords
) -> None:
    found = list_endpoints()
    assert len(found) >= 15
    offenders = []
    for endpoint in found:
        with (
            CaptureQueriesContext(connections["default"]) as on_primary,
            CaptureQueriesContext(connections["replica"]) as on_replica,
        ):
            response = records.caller.call(endpoint.method, records.address(endpoint.path))
        assert response.status_code == 200, (endpoint, response.content)
        # Prepared statements bypass Django's cursors: BEGIN of the transaction does not.
        if on_primary.captured_queries or not on_replica.captured_queries:
            offenders.append((endpoint.path, on_primary.captured_queries))
    assert offenders == []


def test_all_other_requests_are_served_by_the_primary(
    servers: Replication, records: ApiRecords
) -> None:
    lists = list_endpoints()
    found = [e for e in api_endpoints() if e.method == "GET" and e not in lists]
    assert len(found) >= 10
    with CaptureQueriesContext(connections["replica"]) as on_replica:
        for endpoint in found:
            records.caller.get(records.address(endpoint.path))
    assert on_replica.captured_queries == []


def test_long_lists_of_the_back_office_are_read_from_the_replica(
    servers: Replication, records: ApiRecords
) -> None:
    client = Client()
    sign_in(client, create_superuser("owner-of-lists"))
    read = []
    for model, page in admin.site._registry.items():
        if not getattr(page, "reads_replica", False):
            continue
        meta = model._meta
        with (
            CaptureQueriesContext(connections["default"]) as on_primary,
            CaptureQueriesContext(connections["replica"]) as on_replica,
        ):
            response = client.get(f"/admin/{meta.app_label}/{meta.model_name}/")
        assert response.status_code == 200
        own = f'FROM "{meta.db_table}"'
        assert not [q["sql"] for q in on_primary.captured_queries if own in q["sql"]], meta.label
        assert [q["sql"] for q in on_replica.captured_queries if own in q["sql"]], meta.label
        # Who may see it is decided by the primary.
        for table in ("django_session", "exchange_staffuser", "auth_permission"):
            start = f'FROM "{table}"'
            assert not [q for q in on_replica.captured_queries if start in q["sql"]], meta.label
        read.append(meta.label)
    assert {
        "wallets.Withdrawal", "wallets.Payout", "wallets.Deposit", "wallets.Account",
        "wallets.Entry", "wallets.Transfer", "wallets.Reconciliation", "orders.Trade",
        "credit.Loan", "exchange.Change", "exchange.Event",
    } <= set(read)  # fmt: skip


def test_the_replica_shows_its_own_contents(servers: Replication) -> None:
    caller = make_caller()
    make_member(caller.organisation, "Before")
    with servers.paused():
        make_member(caller.organisation, "After")
        assert names(caller) == {"Before"}
    assert names(caller) == {"Before", "After"}


def test_a_record_from_the_replica_is_written_to_the_primary(servers: Replication) -> None:
    member = make_member(make_caller().organisation)
    servers.catch_up()
    position = replica.fetch_position(replica.EVERYONE)
    found = replica.read(lambda: Member.objects.get(pk=member.pk), position)
    assert found._state.db == "replica"
    found.external_id = "new"
    found.save()
    assert Member.objects.get(pk=member.pk).external_id == "new"


# --- who wrote reads what it wrote ---


def test_a_writer_sees_its_record_while_the_replica_is_behind(servers: Replication) -> None:
    writer, other = make_caller(), make_caller()
    make_member(other.organisation, "Theirs")
    with servers.paused():
        make_member(other.organisation, "Unseen")
        body = {"name": "Mine", "email": "mine@example.com"}
        assert writer.post("/v1/api/members", body).status_code == 201
        assert names(writer) == {"Mine"}
        # The others are served by the replica.
        assert names(other) == {"Theirs"}
    with CaptureQueriesContext(connections["default"]) as on_primary:
        assert names(writer) == {"Mine"}
    assert on_primary.captured_queries == []


def test_a_rejected_request_and_a_read_leave_the_lists_on_the_replica(servers: Replication) -> None:
    caller = make_caller()
    make_member(caller.organisation, "Before")
    servers.catch_up()
    with servers.paused():
        make_member(caller.organisation, "After")
        assert caller.post("/v1/api/members", {"name": ""}).status_code == 400
        assert names(caller) == {"Before"}


def test_staff_see_what_they_changed_while_the_replica_is_behind(servers: Replication) -> None:
    organisation = make_caller().organisation
    client, colleague = Client(), Client()
    sign_in(client, create_superuser("writes"))
    sign_in(colleague, create_superuser("reads"))
    address = "/admin/exchange/member/"
    with servers.paused():
        form = {"organisation": organisation.pk, "name": "Zora Neale", "email": "z@example.com"}
        added = client.post(f"{address}add/", form)
        assert added.status_code == 302, added.content
        query = {"q": "Zora"}
        assert b"z@example.com" in client.get(address, query).content
        assert b"z@example.com" not in colleague.get(address, query).content
    assert b"z@example.com" in colleague.get(address, query).content


def test_withdrawn_access_to_a_private_deal_holds_at_once(
    servers: Replication, records: ApiRecords
) -> None:
    user = create_superuser("withdraws")
    caller = make_caller()
    token = Token.objects.get(pk=records.ids["token_id"])

    def sees() -> bool:
        response = caller.get("/v1/api/tokens", {"limit": "200"})
        return str(token.pk) in response.content.decode()

    token_services.change_terms(
        token_id=token.pk,
        terms={"deal_access": "Private"},
        expected_version=token_services.get_version(token),
        user=user,
    )
    assert not sees()
    token_services.grant_access(token_id=token.pk, organisation_id=caller.organisation.pk)
    servers.catch_up()
    assert sees()
    with servers.paused():
        token_services.withdraw_access(
            token_id=token.pk, organisation_id=caller.organisation.pk, user=user
        )
        assert not sees()


def test_the_catalogue_of_one_database_never_shows_in_lists_of_the_other(
    servers: Replication, records: ApiRecords
) -> None:
    writer, reader = make_caller(), make_caller()

    def listed(caller: ApiCaller) -> tuple[int, int]:
        data = caller.get("/v1/api/token/search", {"limit": "200"}).json()["data"]
        return data["total"], len(data["tokens"])

    token = Market(currency="KES").token
    servers.catch_up()
    before = listed(reader)
    with servers.paused():
        fetch_one(
            "UPDATE exchange_token SET name = name || ' Zanzibar', cancelled = cancelled"
            " WHERE id = %s RETURNING 1",
            [token.pk],
        )
        replica.record_write(writer.organisation.pk)
        for _ in range(3):
            for caller, is_new in ((writer, True), (reader, False)):
                assert listed(caller) == before
                text = caller.get("/v1/api/token/search", {"name": "Zanzibar"}).content.decode()
                assert ("Zanzibar" in text) is is_new
    text = reader.get("/v1/api/token/search", {"name": "Zanzibar"}).content.decode()
    assert "Zanzibar" in text


def test_writers_that_end_together_each_see_their_own_write(servers: Replication) -> None:
    writers = [uuid7() for _ in range(8)]
    started = threading.Barrier(len(writers))

    def write(writer: UUID) -> bool:
        seen = []
        started.wait(timeout=30)
        for _ in range(20):
            servers.on_primary("SELECT pg_logical_emit_message(true, 'tests', '')")
            [(written,)] = servers.on_primary("SELECT pg_current_wal_flush_lsn() - '0/0'")
            replica.record_write(writer)
            position = replica.fetch_position(writer)
            seen.append(position is not None and (position.required or 0) >= written)
        connections.close_all()
        return all(seen)

    with ThreadPoolExecutor(len(writers)) as threads:
        assert all(threads.map(write, writers))


def test_writes_are_recorded_in_one_statement_for_each_writer(servers: Replication) -> None:
    one, other = uuid7(), uuid7()
    assert replica._record_writes([other, one, other]) == [None] * 3
    recorded = servers.on_primary(
        "SELECT writer FROM exchange_writeposition"
        f" WHERE writer IN ('{one}', '{other}') ORDER BY writer"
    )
    assert recorded == [(one,), (other,)]


# --- exports ---


def test_an_export_is_written_from_the_replica_with_the_latest_records(
    servers: Replication, records: ApiRecords
) -> None:
    client = Client()
    sign_in(client, create_superuser("exports"))
    with CaptureQueriesContext(connections["default"]) as on_primary:
        rows, _ = read_csv(file_bytes(request_export(client, "wallets_withdrawal")))
    assert len(rows) >= 1
    assert not [q for q in on_primary.captured_queries if 'FROM "wallets_withdrawal"' in q["sql"]]
    with servers.paused(), CaptureQueriesContext(connections["default"]) as on_primary:
        rows, _ = read_csv(file_bytes(request_export(client, "wallets_withdrawal")))
    assert len(rows) >= 1
    assert [q for q in on_primary.captured_queries if 'FROM "wallets_withdrawal"' in q["sql"]]


# --- away, behind, cancelled ---


def test_a_replica_that_receives_nothing_reports_the_age_of_its_last_change(
    servers: Replication,
) -> None:
    [reading] = [reading for reading in READINGS if reading.name == "replica"]

    def read() -> tuple[int, float]:
        row = fetch_one(reading.sql, using=replica.ALIAS)
        assert row is not None
        return row[0], float(row[1])

    wait_until(lambda: read() == (1, 0), "all that was received is applied")
    with servers.disconnected():
        connected, lag = read()
        assert connected == 0
        assert lag > 0
    wait_until(lambda: read() == (1, 0), "all that was received is applied")


def test_a_replica_behind_the_allowed_lag_serves_no_reader(
    servers: Replication, settings: Settings
) -> None:
    settings.REPLICA_MAX_LAG_SECONDS = 0.5
    caller = make_caller()
    with servers.paused():
        make_member(caller.organisation, "New")
        assert replica.is_serving()
        wait_until(lambda: names(caller) == {"New"}, "the primary serves", seconds=5)
        assert not replica.is_serving()
    wait_until(is_serving, "the replica serves again", seconds=10)
    assert replica.is_serving()


def test_requests_survive_a_killed_replica_and_return_to_it(servers: Replication) -> None:
    caller = make_caller()
    make_member(caller.organisation, "Ada")
    servers.catch_up()
    results: list[tuple[set[str], float]] = []
    stop = threading.Event()

    def ask() -> None:
        own = ApiCaller(caller.organisation, caller.key, caller.secret, caller.token)
        while not stop.is_set():
            began = time.monotonic()
            results.append((names(own), time.monotonic() - began))
        connections.close_all()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        wait_until(lambda: len(results) > 20, "requests are served")
        assert is_serving()
        servers.kill()
        after = len(results)
        wait_until(lambda: len(results) > after + 100, "requests are served by the primary")
        assert not replica.is_serving()
        servers.start()
        wait_until(is_serving, "the replica serves again", seconds=15)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert {frozenset(seen) for seen, _ in results} == {frozenset({"Ada"})}
    assert len(results) > 120


def test_requests_do_not_wait_for_a_replica_that_does_not_respond(
    servers: Replication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "_CHECK_SECONDS", 0.2)
    caller = make_caller()
    make_member(caller.organisation, "Ada")
    servers.catch_up()
    assert names(caller) == {"Ada"}
    with servers.hung():
        assert names(caller) == {"Ada"}
        assert replica._state._retry_at is not None
        # From now on no request waits; probes run in the background.
        for _ in range(30):
            position = replica.fetch_position(replica.EVERYONE)
            began = time.monotonic()
            assert replica.read(read_alias, position) == "default"
            assert time.monotonic() - began < 0.1
            time.sleep(0.02)
    wait_until(is_serving, "the replica serves again", seconds=15)


def test_a_read_cancelled_by_replay_is_repeated_on_the_primary(servers: Replication) -> None:
    servers.on_primary("CREATE TABLE conflict AS SELECT generate_series(1, 1000) AS number")
    servers.on_primary("GRANT SELECT ON conflict TO exchange_runtime")
    servers.on_standby("ALTER SYSTEM SET max_standby_streaming_delay = 0")
    servers.on_standby("SELECT pg_reload_conf()")
    servers.catch_up()
    seen: list[tuple[str, Any]] = []

    def run() -> int:
        alias = read_alias()
        try:
            with read_cursor() as cursor:
                if alias == "replica":
                    threading.Thread(target=remove).start()
                    cursor.execute("SELECT count(*), pg_sleep(20) FROM conflict")
                else:
                    cursor.execute("SELECT count(*) FROM conflict")
                (count, *_) = cursor.fetchone()
                return int(count)
        except DatabaseError as error:
            seen.append((alias, sqlstate(error)))
            raise

    def remove() -> None:
        time.sleep(0.3)
        servers.on_primary("DELETE FROM conflict")
        servers.on_primary("VACUUM (FREEZE) conflict")

    try:
        assert replica.read(run, replica.fetch_position(replica.EVERYONE)) == 0
        assert seen == [("replica", "40001")]
        assert replica._state.may_read()
    finally:
        servers.on_standby("ALTER SYSTEM RESET max_standby_streaming_delay")
        servers.on_standby("SELECT pg_reload_conf()")


def test_the_address_of_a_primary_is_not_used(servers: Replication) -> None:
    options = dict(connections.settings["replica"])
    disconnect_replica()
    connections["replica"].settings_dict["HOST"] = connections["default"].settings_dict["HOST"]
    try:
        assert not replica.is_serving()
    finally:
        disconnect_replica()
        connections["replica"].settings_dict["HOST"] = options["HOST"]


def test_after_a_crash_of_the_primary_all_see_what_was_written_before(servers: Replication) -> None:
    caller = make_caller()
    make_member(caller.organisation, "Before")
    with servers.paused():
        make_member(caller.organisation, "After")
        assert names(caller) == {"Before"}
        [(pid,)] = servers.on_primary(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'background writer'"
        )
        os.kill(pid, signal.SIGKILL)
        connections["default"].close()

        def is_up() -> bool:
            try:
                return servers.on_primary("SELECT 1") == [(1,)]
            except psycopg.OperationalError:
                return False

        wait_until(lambda: not is_up() or is_up(), "the primary has noticed")
        wait_until(is_up, "the primary has recovered")
        assert servers.on_primary("SELECT count(*) FROM exchange_writeposition") == [(0,)]
        wait_until(lambda: names_or_none(caller) is not None, "the service has recovered")
        assert names(caller) == {"Before", "After"}
    wait_until(is_serving, "the replica serves again", seconds=15)


def names_or_none(caller: ApiCaller) -> set[str] | None:
    connections["default"].close()
    response = caller.get("/v1/api/members")
    return names(caller) if response.status_code == 200 else None
