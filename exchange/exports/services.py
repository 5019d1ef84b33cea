"""Writing exports: a short one into the answer, a long one by a worker, both from one snapshot.

A long one is claimed under a lease, which every few hundred rows is made longer and the progress
told, over a connection of its own, for the snapshot's stays open all the while. File and end are
one transaction: there is a whole file, or none. When a worker dies, the next one begins anew after
the lease; what killed three workers is given up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import IO, Any

import structlog
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.utils import timezone

from exchange.core import leases, task_notifier
from exchange.core.errors import Conflict, DomainError, Forbidden, InvalidRequest
from exchange.core.ids import uuid7
from exchange.exports.models import Export, ExportChunk, ExportStatus
from exchange.exports.sheets import FILE_FORMATS, Cell, open_spool, write_table
from exchange.exports.sources import DateRange, Source, get_source
from exchange.staff.models import StaffUser

log = structlog.get_logger(__name__)


EXPORT_PERMISSION = "exchange.add_export"


# Up to so many rows are handed over at once.
DIRECT_ROWS = 5_000


MAX_ROWS = 3_000_000


LEASE = timedelta(minutes=2)


# Packing a file gives no sign of life and takes the longer, the more rows there are.
_PACKING_TIME_PER_ROW = timedelta(microseconds=200)


_MAX_PENDING_PER_USER = 5


_MAX_ATTEMPTS = 3


_CHUNK_BYTES = 512 * 1024


_HEARTBEAT_ROWS = 500


_HEARTBEAT_SECONDS = 1.0


class _ClaimLost(Exception):
    """Somebody else may have taken the export up."""


class _TooManyRows(DomainError):
    """More rows than one file takes."""


@dataclass(frozen=True, slots=True)
class _ExportRequest:
    """What is exported, as whom, into which form of file."""

    origin: Source
    query: str
    span: DateRange
    form: str
    user: StaffUser


def estimate_rows(rows: Any) -> int:
    """How many rows there are, counted no further than it matters."""
    found: int = rows.order_by()[: settings.EXPORT_COUNT_LIMIT].count()
    return found


def start_export(
    *, source: str, query: str, span: DateRange, form: str, user: StaffUser
) -> tuple[Export, IO[bytes] | None]:
    """Exports `source` under `query` as `user` sees it.

    A short one comes with its file, to be handed over; a long one waits for a worker. Raises
    `Forbidden`, `NotFound`, `InvalidRequest` for a filter that is none, and `Conflict` when too
    many of the person's exports are under way.
    """
    request = _ExportRequest(get_source(source), query, span, form, user)
    _require_permission(request)
    if form not in FILE_FORMATS:
        raise InvalidRequest(f"A file is one of {', '.join(FILE_FORMATS.values())}")
    rows, words = request.origin.select(user, query, span)
    about = estimate_rows(rows)
    direct = about <= DIRECT_ROWS
    export = _create_export(request, words, about, direct=direct)
    if direct:
        return export, _write_direct(export, request)
    task_notifier.notify_after_commit(task_notifier.WRITE_EXPORTS)
    return export, None


def _require_permission(request: _ExportRequest) -> None:
    user = request.user
    if not (user.is_active and user.has_perms([EXPORT_PERMISSION, request.origin.permission])):
        raise Forbidden("You may not export this list")


def _create_export(request: _ExportRequest, words: str, about: int, *, direct: bool) -> Export:
    user, span = request.user, request.span
    now = timezone.now()
    with transaction.atomic():
        StaffUser.objects.select_for_update().get(pk=user.pk)
        under_way = Export.objects.filter(
            requested_by=user, direct=False, status__in=[ExportStatus.WAITING, ExportStatus.RUNNING]
        ).count()
        if not direct and under_way >= _MAX_PENDING_PER_USER:
            raise Conflict(f"{under_way} of your exports are under way; wait until one is done")
        return Export.objects.create(
            id=uuid7(),
            source=request.origin.name,
            title=request.origin.title,
            query=request.query,
            filter_words=words,
            first_day=span.first,
            last_day=span.last,
            form=request.form,
            file_name=_build_file_name(request, now),
            requested_by=user,
            status=ExportStatus.RUNNING if direct else ExportStatus.WAITING,
            direct=direct,
            about_rows=about,
            leased_until=now + LEASE if direct else None,
            created_at=now,
        )


def _build_file_name(request: _ExportRequest, now: datetime) -> str:
    span = request.span
    last = span.last or now.date()
    days = f"{span.first}_to_{last}" if span.first else f"until_{last}"
    return f"{request.origin.title.lower().replace(' ', '-')}_{days}.{request.form}"


def _write_direct(export: Export, request: _ExportRequest) -> IO[bytes]:
    file = open_spool()
    try:
        with transaction.atomic():
            rows, as_of = _write_file(file, request, iter)
    except Exception:
        file.close()
        Export.objects.filter(pk=export.pk).update(
            status=ExportStatus.FAILED,
            error="The file could not be written",
            finished_at=timezone.now(),
        )
        raise
    size = file.tell()
    file.seek(0)
    Export.objects.filter(pk=export.pk).update(
        status=ExportStatus.HANDED_OVER,
        rows_done=rows,
        size_bytes=size,
        as_of=as_of,
        finished_at=timezone.now(),
    )
    export.refresh_from_db()
    return file


def _write_file(
    file: IO[bytes], request: _ExportRequest, track: Callable[[Iterator[Any]], Iterator[Any]]
) -> tuple[int, datetime]:
    """The table, from one snapshot of the database; call it in a transaction of its own."""
    if not connection.savepoint_ids:
        # Inside a caller's transaction the caller's isolation stays.
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        as_of: datetime = cursor.fetchone()[0]
    origin = request.origin
    rows, _ = origin.select(request.user, request.query, request.span)
    records = origin.records(rows, request.query, request.span)
    cells: Iterator[Sequence[Cell]] = (
        [column.value(record) for column in origin.columns] for record in records
    )
    headings = [column.heading for column in origin.columns]
    count = write_table(
        file,
        form=request.form,
        title=origin.title,
        headings=headings,
        rows=track(cells),
        as_of=as_of,
    )
    return count, as_of


# --- long ones ---


def write_next_export() -> bool:
    """Claims one export that waits, or whose worker died, and writes it; False when none does."""
    export = _claim_next()
    if export is None:
        return False
    heartbeat = _Heartbeat(export)
    try:
        _write_claimed(export, heartbeat)
    except _ClaimLost:
        log.warning("export_claim_lost", export=str(export.pk))
    except DomainError as error:
        _fail(export, error.message)
    except Exception:
        log.exception("export_failed", export=str(export.pk))
        _fail(export, "The file could not be written. Ask for it again")
    finally:
        heartbeat.close()
    return True


def _claim_next() -> Export | None:
    now = timezone.now()
    due = Export.objects.filter(
        leases.available(now), status__in=[ExportStatus.WAITING, ExportStatus.RUNNING]
    ).order_by("created_at")
    for export in due[:20]:
        mine = Export.objects.filter(
            leases.available(now), pk=export.pk, status=export.status, claimed_by=export.claimed_by
        )
        if export.direct or export.attempts >= _MAX_ATTEMPTS:
            mine.update(
                status=ExportStatus.FAILED,
                error="It was cut off while it was written. Ask for it again",
                finished_at=now,
            )
            continue
        if leases.acquire(
            mine, prefix="export_", until=now + LEASE, status=ExportStatus.RUNNING, rows_done=0
        ):
            return Export.objects.select_related("requested_by").get(pk=export.pk)
    return None


def _write_claimed(export: Export, heartbeat: _Heartbeat) -> None:
    request = _ExportRequest(
        get_source(export.source),
        export.query,
        DateRange(export.first_day, export.last_day),
        export.form,
        export.requested_by,
    )
    _require_permission(request)
    with open_spool() as file:
        with transaction.atomic():
            rows, as_of = _write_file(file, request, heartbeat.track)
        size = file.tell()
        file.seek(0)
        heartbeat.beat(rows)
        _store_file(export, file, rows, size, as_of)


def _store_file(export: Export, file: IO[bytes], rows: int, size: int, as_of: datetime) -> None:
    with transaction.atomic():
        position = 0
        while data := file.read(_CHUNK_BYTES):
            ExportChunk.objects.create(export=export, position=position, data=data)
            position += 1
        if not _finish(
            export, status=ExportStatus.READY, rows_done=rows, size_bytes=size, as_of=as_of
        ):
            raise _ClaimLost


def _fail(export: Export, reason: str) -> None:
    _finish(export, status=ExportStatus.FAILED, error=reason[:300])


def _finish(export: Export, **changes: Any) -> bool:
    running = Export.objects.filter(pk=export.pk, status=ExportStatus.RUNNING)
    return leases.release(running, export.claimed_by, finished_at=timezone.now(), **changes)


class _Heartbeat:
    """Signs of life of a worker, seen at once: the lease made longer, and the rows done."""

    def __init__(self, export: Export) -> None:
        self._export = export
        self._connection = connections.create_connection(DEFAULT_DB_ALIAS)
        self._last_beat = time.monotonic()

    def track(self, rows: Iterator[Any]) -> Iterator[Any]:
        """`rows`, with a sign now and then. Raises `_ClaimLost`."""
        number = -1
        for number, row in enumerate(rows):
            if number >= MAX_ROWS:
                raise _TooManyRows(f"More than {MAX_ROWS:,} rows: narrow the filter or the days")
            late = time.monotonic() - self._last_beat >= _HEARTBEAT_SECONDS
            if number % _HEARTBEAT_ROWS == 0 and late:
                self.beat(number)
            yield row
        self.beat(number + 1)

    def beat(self, rows: int) -> None:
        """Tells of `rows`. Raises `_ClaimLost` when the claim is not ours any more."""
        with self._connection.cursor() as cursor:
            cursor.execute(
                "UPDATE exchange_export SET rows_done = %s, leased_until = %s"
                " WHERE id = %s AND claimed_by = %s AND status = 'Running'",
                [
                    rows,
                    timezone.now() + LEASE + rows * _PACKING_TIME_PER_ROW,
                    self._export.pk,
                    self._export.claimed_by,
                ],
            )
            if cursor.rowcount != 1:
                raise _ClaimLost
        self._last_beat = time.monotonic()

    def close(self) -> None:
        """Gives the connection back."""
        self._connection.close()


def describe_missing_file(export: Export) -> str:
    """Why there is no file, in words for the page; empty while there may be one."""
    if export.status == ExportStatus.REMOVED and export.finished_at:
        return f"The file was kept for {settings.EXPORT_RETENTION_DAYS} days and is gone"
    if export.status == ExportStatus.HANDED_OVER and export.as_of:
        return "The file was handed over when it was asked for"
    return export.error


def purge_exports() -> int:
    """Remove the files of exports older than they are kept, not the records; gives how many."""
    before = timezone.now() - timedelta(days=settings.EXPORT_RETENTION_DAYS)
    removed = 0
    for export in Export.objects.filter(status=ExportStatus.READY, finished_at__lt=before):
        with transaction.atomic():
            Export.objects.filter(pk=export.pk).update(status=ExportStatus.REMOVED)
            ExportChunk.objects.filter(export=export).delete()
        removed += 1
    return removed
