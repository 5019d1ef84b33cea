"""Lists on a real streaming replica: what they show."""

import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from django.contrib import admin
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from exchange.core import replica
from exchange.core.database import fetch_one
from exchange.core.ids import uuid7
from exchange.participants.models import Member
from exchange.tokens.models import Token
from exchange.tokens.services import tokens as token_services
from tests.assertions.endpoints import Endpoint, api_endpoints
from tests.environment.replication import Replication
from tests.factories.api_clients import ApiCaller, make_caller, make_member
from tests.factories.api_records import ApiRecords, make_api_records
from tests.factories.exports import file_bytes, read_csv, request_export
from tests.factories.logins import sign_in
from tests.factories.market import Market
from tests.factories.staff import create_superuser
from tests.factories.withdrawals import store_bank_lists
from tests.faults.replica_reads import names

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("fresh_state")]


@pytest.fixture(scope="module")
def records(servers: Replication) -> ApiRecords:
    store_bank_lists()
    return make_api_records()


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


def test_lists_by_cursor_are_read_from_the_primary(
    servers: Replication, records: ApiRecords
) -> None:
    """The replica may lag behind what an earlier response was read from."""
    by_cursor = [e for e in list_endpoints() if "use_cursor" in e.known_parameters]
    assert len(by_cursor) >= 15
    with CaptureQueriesContext(connections["replica"]) as on_replica:
        for endpoint in by_cursor:
            address = records.address(endpoint.path)
            assert records.caller.get(address, {"use_cursor": "true"}).status_code == 200
        assert records.caller.get("/v1/api/events", {"after": "start"}).status_code == 200
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
