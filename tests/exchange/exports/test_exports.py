"""Exports below the pages: what is recorded of each, who writes it, and when it is given up."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from config.back_office.exports import SOURCES
from config.back_office.roles import ADMINISTRATOR, AUDITOR, FINANCE_APPROVER
from exchange.core import task_notifier
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, NotFound
from exchange.exports import services as exports
from exchange.exports import services as housekeeping
from exchange.exports.models import Export, ExportChunk, ExportStatus
from exchange.exports.selectors import get_readable_exports, read_file
from exchange.exports.sheets import open_spool
from exchange.exports.sources import DateRange
from exchange.participants.models import Organisation
from exchange.staff.models import StaffUser
from tests.assertions.unchanged import assert_no_table_changes
from tests.exchange.exports.export_factories import (
    NAME,
    SOURCE,
    create_export,
    in_order,
    organisations,
    source,
    start,
    states,
    user,
    with_records,
)
from tests.factories.exports import read_csv, read_xlsx
from tests.factories.logins import create_login_user

__all__ = ["source", "user"]

pytestmark = pytest.mark.django_db
on_its_own = pytest.mark.django_db(transaction=True)

INTERRUPTED = "The export was interrupted. Request it again"
NOT_WRITTEN = "The file could not be written. Request it again"


# --- short ones ---


def test_a_short_export_is_returned_and_recorded(user):
    organisations(2)
    before = timezone.now()
    span = DateRange(date(2026, 11, 1), date(2026, 11, 30))
    export, file = start(user, query="q=1", span=span)
    data = file.read()
    rows, last = read_csv(data)
    assert [row["Name"] for row in rows] == ["Owner 000000", "Owner 000001"]
    assert last.startswith("Complete: 2 rows, as of ")
    stored = Export.objects.get()
    for one in (export, stored):
        assert (one.source, one.title, one.query) == (NAME, "All Organisations", "q=1")
        assert (one.filter_words, one.form, one.requested_by) == ("Filter: q=1", "csv", user)
        assert (one.first_day, one.last_day) == (span.first, span.last)
        assert one.file_name == "all-organisations_2026-11-01_to_2026-11-30.csv"
        assert (one.status, one.direct, one.attempts) == ("Downloaded", True, 0)
        assert (one.about_rows, one.rows_done, one.size_bytes) == (2, 2, len(data))
        assert in_order(before, one.created_at, one.as_of, one.finished_at, timezone.now())
        # A worker fails it if this process dies.
        assert one.leased_until == one.created_at + timedelta(minutes=2)


def test_the_name_of_a_file_contains_its_days(user):
    today = f"{datetime.now(UTC).date()}"
    for span, days in (
        (DateRange(), f"until_{today}"),
        (DateRange(last=date(2026, 11, 30)), "until_2026-11-30"),
        (DateRange(first=date(2026, 11, 1)), f"2026-11-01_to_{today}"),
    ):
        export, _ = start(user, span=span, form="xlsx")
        assert export.file_name == f"all-organisations_{days}.xlsx"


def test_invalid_exports_are_rejected_and_not_recorded(user):
    administrator = create_login_user(ADMINISTRATOR, "admin")
    gone = create_login_user(AUDITOR, "gone")
    StaffUser.objects.filter(pk=gone.pk).update(is_active=False)
    gone.refresh_from_db()
    with assert_no_table_changes():
        for who, values, error, reported in (
            (administrator, {}, Forbidden, "You may not export this list"),
            (gone, {}, Forbidden, "You may not export this list"),
            (user, {"form": "pdf"}, InvalidRequest, r"Choose a file format: CSV, Excel \(XLSX\)"),
            (user, {"query": "bad"}, InvalidRequest, "There is no such filter"),
            (user, {"source": "tests.nothing"}, NotFound, "This list cannot be exported"),
        ):
            with pytest.raises(error, match=reported):
                start(who, **values)


def test_an_export_requires_the_permission_of_its_list(user, monkeypatch):
    other = replace(SOURCE, permission="exchange.change_token")
    monkeypatch.setitem(SOURCES, NAME, other)
    with pytest.raises(Forbidden):
        start(user)
    assert not Export.objects.exists()


def test_a_short_export_that_fails_is_recorded_as_failed(user, monkeypatch):
    organisations(1)
    earlier, _ = start(user)

    def broken(_rows: Any, _query: str, _span: DateRange) -> Iterator[Any]:
        raise RuntimeError("broken")

    def open_tracked_spool() -> Any:
        made.append(open_spool())
        return made[-1]

    made: list[Any] = []
    monkeypatch.setattr(exports, "open_spool", open_tracked_spool)
    with_records(monkeypatch, broken)
    with pytest.raises(RuntimeError, match="broken"):
        start(user)
    failed = Export.objects.exclude(pk=earlier.pk).get()
    assert (failed.status, failed.error) == ("Failed", "The file could not be written")
    assert [file.closed for file in made] == [True]
    assert in_order(failed.created_at, failed.finished_at)
    earlier.refresh_from_db()
    assert earlier.status == "Downloaded"


@pytest.mark.slow
def test_up_to_five_thousand_rows_are_returned_immediately(user):
    organisations(5_000)
    export, file = start(user)
    assert file is not None
    assert (export.about_rows, export.rows_done) == (5_000, 5_000)
    Organisation.objects.create(name="One more")
    waiting, file = start(user)
    assert file is None
    assert (waiting.status, waiting.direct, waiting.about_rows) == ("Waiting", False, 5_001)
    assert (waiting.leased_until, waiting.finished_at) == (None, None)


def test_only_a_long_export_notifies_a_worker(
    user, monkeypatch, django_capture_on_commit_callbacks
):
    woken: list[str] = []
    monkeypatch.setattr(task_notifier, "_notifier", SimpleNamespace(notify=woken.append))
    organisations(1)
    for rows, tasks in ((1, []), (0, [task_notifier.WRITE_EXPORTS])):
        monkeypatch.setattr(exports, "DIRECT_ROWS", rows)
        with django_capture_on_commit_callbacks(execute=True):
            start(user)
        assert woken == tasks


@on_its_own
def test_a_short_export_reads_one_snapshot_outside_a_longer_transaction(user, monkeypatch):
    seen = []

    def records(rows: Any, _query: str, _span: DateRange) -> Iterator[Any]:
        with connection.cursor() as cursor:
            cursor.execute("SHOW transaction_isolation")
            seen.append(cursor.fetchone())
        return iter(rows)

    with_records(monkeypatch, records)
    start(user)
    with transaction.atomic():
        start(user)
    assert seen == [("repeatable read",), ("read committed",)]


def test_rows_are_counted_up_to_a_limit(settings):
    organisations(3)
    for most, found in ((2, 2), (3, 3), (4, 3)):
        settings.EXPORT_COUNT_LIMIT = most
        assert exports.estimate_rows(Organisation.objects.order_by("name"), StaffUser()) == found


def test_a_person_has_at_most_five_long_exports_in_progress(user, monkeypatch):
    other = create_login_user(AUDITOR, "bob")
    for status in ("Waiting", "Running", "Waiting", "Running"):
        create_export(user, status=status)
    for status in ("Ready", "Failed", "Removed", "Downloaded"):
        create_export(user, status=status)
    create_export(user, status="Running", direct=True)
    create_export(other, status="Waiting")
    organisations(1)
    monkeypatch.setattr(exports, "DIRECT_ROWS", 0)
    assert start(user)[0].status == "Waiting"
    with pytest.raises(Conflict) as refused:
        start(user)
    message = "5 of your exports are in progress. Wait until one is complete"
    assert refused.value.message == message
    assert start(other)[0].status == "Waiting"
    monkeypatch.setattr(exports, "DIRECT_ROWS", 1)
    assert start(user)[0].status == "Downloaded"


# --- long ones ---


@on_its_own
def test_a_long_export_is_written_by_the_first_free_worker(user, monkeypatch):
    monkeypatch.setattr(exports, "_CHUNK_BYTES", 10)
    organisations(2)
    first, second = create_export(user, query="q=1"), create_export(user)
    assert exports.write_next_export()
    first.refresh_from_db()
    second.refresh_from_db()
    data = b"".join(read_file(first))
    assert [row["Name"] for row in read_csv(data)[0]] == ["Owner 000000", "Owner 000001"]
    assert (first.status, first.rows_done, first.attempts) == ("Ready", 2, 1)
    assert (first.size_bytes, first.leased_until, first.error) == (len(data), None, "")
    assert first.claimed_by.startswith("export_")
    assert in_order(first.created_at, first.as_of, first.finished_at)
    pieces = list(ExportChunk.objects.order_by("position").values_list("position", "data"))
    assert [position for position, _ in pieces] == list(range(-(-len(data) // 10)))
    assert {len(piece) for _, piece in pieces[:-1]} == {10}
    assert (second.status, second.attempts) == ("Waiting", 0)
    assert exports.write_next_export()
    assert states() == [("Ready", 1, ""), ("Ready", 1, "")]
    assert not exports.write_next_export()


@on_its_own
def test_a_long_export_has_the_filter_the_days_and_the_form_of_its_request(user, monkeypatch):
    """What the response to a request selects, and what a worker selects from the record."""
    asked: list[tuple[StaffUser, str, DateRange]] = []

    def select_days(by: StaffUser, query: str, span: DateRange) -> tuple[Any, str]:
        asked.append((by, query, span))
        return span.narrow(Organisation.objects.order_by("name"), "created_at"), f"Filter: {query}"

    monkeypatch.setitem(SOURCES, NAME, replace(SOURCE, select=select_days))
    days = [datetime(2026, 10, 31, 23, 59, tzinfo=UTC), datetime(2026, 11, 1, tzinfo=UTC)]
    for number, made in enumerate(days):
        owner = Organisation.objects.create(name=f"Owner {number}")
        Organisation.objects.filter(pk=owner.pk).update(created_at=made)
    span = DateRange(date(2026, 10, 1), date(2026, 10, 31))
    _, file = start(user, query="q=1", span=span, form="xlsx")
    monkeypatch.setattr(exports, "DIRECT_ROWS", 0)
    waiting, nothing = start(user, query="q=1", span=span, form="xlsx")
    assert nothing is None
    assert exports.write_next_export()
    assert asked[-1] == asked[0] == (user, "q=1", span)
    expected = [{"Name": "Owner 0"}]
    assert read_xlsx(file.read())[0] == expected
    assert read_xlsx(b"".join(read_file(waiting)))[0] == expected


@on_its_own
def test_an_export_is_taken_over_only_after_its_lease_expires(user):
    now = timezone.now()
    create_export(user, status="Running", attempts=1, leased_until=now + timedelta(minutes=1))
    create_export(
        user, status="Running", attempts=2, leased_until=now - timedelta(seconds=1), rows_done=9
    )
    assert exports.write_next_export()
    assert states() == [("Running", 1, ""), ("Ready", 3, "")]
    assert not exports.write_next_export()


@on_its_own
def test_an_export_interrupted_too_often_or_while_returned_fails(user):
    over = {"status": "Running", "leased_until": timezone.now() - timedelta(seconds=1)}
    create_export(user, attempts=3, **over)
    create_export(user, direct=True, **over)
    create_export(user)
    # The next one is claimed.
    assert exports.write_next_export()
    assert states() == [("Failed", 3, INTERRUPTED), ("Failed", 0, INTERRUPTED), ("Ready", 1, "")]
    assert Export.objects.filter(finished_at=None).count() == 0


@on_its_own
def test_a_claim_considers_twenty_exports(user):
    over = {"status": "Running", "leased_until": timezone.now() - timedelta(seconds=1)}
    for _ in range(21):
        create_export(user, attempts=3, **over)
    assert not exports.write_next_export()
    assert Export.objects.filter(status="Failed").count() == 20
    assert not exports.write_next_export()
    assert Export.objects.filter(status="Failed").count() == 21


@on_its_own
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RuntimeError("broken"), NOT_WRITTEN),
        (InvalidRequest("The filter is gone"), "The filter is gone"),
        (InvalidRequest("x" * 400), "x" * 300),
    ],
)
def test_a_failed_long_export_records_the_reason(user, monkeypatch, error, reason):
    def broken(_rows: Any, _query: str, _span: DateRange) -> Iterator[Any]:
        raise error

    with_records(monkeypatch, broken)
    other = create_export(
        user, status="Running", leased_until=timezone.now() + timedelta(minutes=1)
    )
    create_export(user)
    assert exports.write_next_export()
    assert states() == [("Running", 0, ""), ("Failed", 1, reason)]
    failed = Export.objects.exclude(pk=other.pk).get()
    assert (failed.leased_until, failed.finished_at is None) == (None, False)
    assert not ExportChunk.objects.exists()


@on_its_own
def test_a_file_has_a_maximum_number_of_rows(user, monkeypatch):
    organisations(3)
    for most, state in (
        (3, ("Ready", 1, "")),
        (2, ("Failed", 1, "More than 2 rows. Narrow the filter or the days")),
    ):
        monkeypatch.setattr(exports, "MAX_ROWS", most)
        create_export(user)
        assert exports.write_next_export()
        assert states()[-1] == state
    assert exports.write_next_export() is False


# --- what the page tells ---


def test_a_missing_file_is_explained():
    now = timezone.now()
    deleted = "The file was deleted after 7 days"
    downloaded = "The file was downloaded when it was requested"
    for values, words in (
        ({"status": "Removed", "finished_at": now}, deleted),
        ({"status": "Removed"}, ""),
        ({"status": "Downloaded", "as_of": now}, downloaded),
        ({"status": "Downloaded"}, ""),
        ({"status": "Failed", "error": "Broken", "finished_at": now, "as_of": now}, "Broken"),
        ({"status": "Ready", "finished_at": now, "as_of": now}, ""),
    ):
        assert exports.describe_missing_file(Export(**values)) == words


def test_people_read_their_own_exports_and_auditors_all():
    auditor, ada = create_login_user(AUDITOR), create_login_user(FINANCE_APPROVER, "bob")
    own, other = create_export(ada), create_export(auditor)
    assert set(get_readable_exports(ada)) == {own}
    assert set(get_readable_exports(auditor)) == {own, other}


def test_a_file_can_be_read_while_it_is_ready(user):
    ready, other = create_export(user, status="Ready"), create_export(user, status="Ready")
    for export, data in ((ready, b"ab"), (ready, b"cd"), (other, b"xx")):
        position = ExportChunk.objects.filter(export=export).count()
        ExportChunk.objects.create(export=export, position=position, data=data)
    assert list(read_file(ready)) == [b"ab", b"cd"]
    pieces = read_file(ready)
    assert next(pieces) == b"ab"
    Export.objects.filter(pk=ready.pk).update(status=ExportStatus.REMOVED)
    assert list(pieces) == []
    assert list(read_file(other)) == [b"xx"]


# --- removing ---


def test_files_are_deleted_after_seven_days_and_records_kept(user):
    now = timezone.now()

    def finished(status: str, **ago: float) -> Export:
        export = create_export(user, status=status, finished_at=now - timedelta(**ago))
        ExportChunk.objects.create(export=export, position=0, data=b"x")
        return export

    young = finished("Ready", days=6, hours=23, minutes=59)
    old = [finished("Ready", days=7, minutes=minutes) for minutes in (1, 2)]
    failed = finished("Failed", days=30)
    assert housekeeping.purge_exports() == 2
    statuses = dict(Export.objects.values_list("pk", "status"))
    assert statuses == {young.pk: "Ready", failed.pk: "Failed"} | {
        export.pk: "Removed" for export in old
    }
    left = set(ExportChunk.objects.values_list("export_id", flat=True))
    assert left == {young.pk, failed.pk}
    assert housekeeping.purge_exports() == 0
