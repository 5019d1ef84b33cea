"""Workers that write long exports: claims, heartbeats and failures."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from exchange.core import leases
from exchange.core.errors import InvalidRequest
from exchange.core.ids import new_reference
from exchange.exports import services as exports
from exchange.exports.models import Export, ExportChunk
from exchange.exports.sources import DateRange
from exchange.staff.models import StaffUser
from tests.environment.database import session
from tests.exchange.exports.export_factories import (
    create_export,
    organisations,
    source,
    states,
    user,
    with_records,
)

__all__ = ["source", "user"]

pytestmark = pytest.mark.django_db(transaction=True)

NOT_WRITTEN = "The file could not be written. Request it again"


@pytest.fixture
def heartbeats(monkeypatch: Any) -> list[int]:
    """Record the row counts of heartbeats, in order."""
    numbers: list[int] = []
    beat = exports._Heartbeat.beat

    def note(heartbeat: Any, rows: int) -> None:
        beat(heartbeat, rows)
        numbers.append(rows)

    monkeypatch.setattr(exports._Heartbeat, "beat", note)
    return numbers


@pytest.mark.parametrize(
    ("seconds", "rows", "expected"),
    [
        (0, 1001, [0, 500, 1000, 1001, 1001]),
        (0, 0, [0, 0]),
        (0, 1, [0, 1, 1]),
        (60, 1001, [1001, 1001]),
    ],
)
@pytest.mark.one_in(3)
def test_a_worker_sends_a_heartbeat_every_five_hundred_rows_when_due(
    user, monkeypatch, heartbeats, seconds, rows, expected
):
    monkeypatch.setattr(exports, "_HEARTBEAT_SECONDS", seconds)
    organisations(rows)
    create_export(user)
    assert exports.write_next_export()
    assert heartbeats == expected
    assert Export.objects.get().rows_done == rows


def test_a_heartbeat_extends_its_own_lease_by_the_packing_time(user):
    mine, other = (
        create_export(user, status="Running", claimed_by=f"export_{name}")
        for name in ("mine", "other")
    )
    heartbeat = exports._Heartbeat(mine)
    before = timezone.now()
    heartbeat.beat(1_000_000)
    mine.refresh_from_db()
    other.refresh_from_db()
    expected = before + timedelta(minutes=2, seconds=200)
    assert mine.leased_until is not None
    assert timedelta() <= mine.leased_until - expected < timedelta(seconds=10)
    assert (mine.rows_done, other.rows_done, other.leased_until) == (1_000_000, 0, None)
    for changed in ({"claimed_by": "export_third"}, {"status": "Failed"}):
        was = {name: getattr(mine, name) for name in changed}
        Export.objects.filter(pk=mine.pk).update(**changed)
        with pytest.raises(exports._ClaimLost):
            heartbeat.beat(1_000_001)
        Export.objects.filter(pk=mine.pk).update(**was)
    heartbeat.beat(5)
    heartbeat.close()
    mine.refresh_from_db()
    assert mine.rows_done == 5


def test_a_heartbeat_is_due_after_a_second(user, monkeypatch, heartbeats):
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(exports, "time", SimpleNamespace(monotonic=lambda: clock.now))
    monkeypatch.setattr(exports, "_HEARTBEAT_ROWS", 2)
    heartbeat = exports._Heartbeat(create_export(user, status="Running"))

    def rows() -> Iterator[None]:
        # A heartbeat is due after an interval since the last one.
        for clock.now in (100.9, 101.5, 101.5, 102.0, 102.4, 102.5, 102.5):
            yield None

    assert len(list(heartbeat.track(rows()))) == 7
    assert heartbeats == [2, 6, 7]
    heartbeat.close()


def in_another_session(export: Export, **values: str) -> None:
    """Change the row in another session, like another worker."""
    with session("owner") as other:
        for name, value in values.items():
            sql = f"UPDATE exchange_export SET {name} = %s WHERE id = %s"
            other.execute(sql, [value, export.pk])
        other.commit()


def test_a_worker_reads_one_snapshot_under_its_claim(user, monkeypatch):
    seen: dict[str, Any] = {}
    organisations(1)
    over = timezone.now() - timedelta(seconds=1)
    export = create_export(user, status="Running", attempts=1, rows_done=9, leased_until=over)

    def records(rows: Any, _query: str, _span: DateRange) -> Iterator[Any]:
        with connection.cursor() as cursor:
            cursor.execute("SHOW transaction_isolation")
            seen["isolation"] = cursor.fetchone()
            cursor.execute("SHOW transaction_read_only")
            seen["read only"] = cursor.fetchone()
        seen["claim"] = Export.objects.get(pk=export.pk)
        return iter(rows)

    with_records(monkeypatch, records)
    before = timezone.now()
    assert exports.write_next_export()
    assert (seen["isolation"], seen["read only"]) == (("repeatable read",), ("on",))
    claim = seen["claim"]
    assert (claim.status, claim.attempts, claim.rows_done) == ("Running", 2, 0)
    assert timedelta() <= claim.leased_until - before - timedelta(minutes=2) < timedelta(minutes=1)


@pytest.mark.parametrize("changed", [{"claimed_by": "export_other"}, {"status": "Failed"}])
def test_an_export_claimed_by_another_worker_is_left_alone(user, monkeypatch, changed):
    export, following = create_export(user), create_export(user)

    def reference(prefix: str) -> str:
        if not taken:
            taken.append(prefix)
            in_another_session(export, **changed)
        return new_reference(prefix)

    taken: list[str] = []
    monkeypatch.setattr(leases, "new_reference", reference)
    assert exports.write_next_export()
    found = {"status": "Waiting", "claimed_by": ""} | changed
    export.refresh_from_db()
    assert (export.status, export.claimed_by) == (found["status"], found["claimed_by"])
    assert (export.attempts, export.leased_until) == (0, None)
    following.refresh_from_db()
    assert following.status == "Ready"


@pytest.mark.parametrize("changed", [{"claimed_by": "export_other"}, {"status": "Failed"}])
@pytest.mark.parametrize("heartbeat", [1, 2])
def test_a_worker_that_loses_its_claim_stores_nothing(user, monkeypatch, heartbeat, changed):
    """While it writes, or after its last heartbeat."""
    organisations(1)
    export, given = create_export(user), 0
    beat = exports._Heartbeat.beat

    def lose(self: Any, rows: int) -> None:
        nonlocal given
        beat(self, rows)
        given += 1
        if given == heartbeat:
            in_another_session(export, **changed)

    monkeypatch.setattr(exports._Heartbeat, "beat", lose)
    assert exports.write_next_export()
    assert given == heartbeat
    found = Export.objects.get()
    assert found.status == changed.get("status", "Running")
    assert found.error == ""
    assert not ExportChunk.objects.exists()


@pytest.mark.parametrize("changed", [{"claimed_by": "export_other"}, {"status": "Ready"}])
@pytest.mark.parametrize("error", [RuntimeError("broken"), InvalidRequest("broken")])
def test_a_worker_that_loses_its_claim_fails_no_export(user, monkeypatch, error, changed):
    export = create_export(user)

    def broken(_rows: Any, _query: str, _span: DateRange) -> Iterator[Any]:
        in_another_session(export, **changed)
        raise error

    with_records(monkeypatch, broken)
    assert exports.write_next_export()
    found = Export.objects.get()
    assert (found.status, found.error) == (changed.get("status", "Running"), "")
    assert found.finished_at is None


def test_a_person_who_can_no_longer_read_the_list_gets_no_file(user):
    create_export(user)
    StaffUser.objects.filter(pk=user.pk).update(is_active=False)
    assert exports.write_next_export()
    assert states() == [("Failed", 1, "You may not export this list")]
    assert not ExportChunk.objects.exists()


@pytest.mark.parametrize("fails", [True, False])
def test_a_worker_closes_its_heartbeat_connection(user, monkeypatch, fails):
    opened: list[Any] = []
    beat: Callable[[Any, int], None] = exports._Heartbeat.beat

    def note(heartbeat: Any, rows: int) -> None:
        opened.append(heartbeat._connection)
        beat(heartbeat, rows)
        if fails:
            raise RuntimeError("broken")

    monkeypatch.setattr(exports._Heartbeat, "beat", note)
    create_export(user)
    assert exports.write_next_export()
    assert {connection.connection for connection in opened} == {None}
    assert states() == [("Failed", 1, NOT_WRITTEN) if fails else ("Ready", 1, "")]
