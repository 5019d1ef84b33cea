"""Exports: short ones are returned in the response, long ones written by a worker.

Every file is written from one snapshot of the database. A worker claims a long export under a
lease; a heartbeat over a second connection extends it and records progress, as the snapshot's own
transaction stays open. The file and its final status are stored in one transaction, so a file is
complete or absent. When a worker dies, another restarts the export after the lease; an export that
fails three times is given up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import IO, Any

import structlog
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.models import QuerySet
from django.utils import timezone

from exchange.core import leases, replica, task_notifier
from exchange.core.errors import Conflict, DomainError, Forbidden, InvalidRequest
from exchange.exports.models import Export, ExportChunk, ExportStatus
from exchange.exports.sheets import FILE_FORMATS, Cell, open_spool, write_table
from exchange.exports.sources import DateRange, Source, get_source
from exchange.staff.models import StaffUser

log = structlog.get_logger(__name__)

EXPORT_PERMISSION = "exchange.add_export"
# Exports up to this size are returned in the response.
DIRECT_ROWS = 5_000
MAX_ROWS = 3_000_000
LEASE = timedelta(minutes=2)
# Packing a file sends no heartbeat; its time grows with the rows.
_PACKING_TIME_PER_ROW = timedelta(microseconds=200)
_MAX_PENDING_PER_USER = 5
_MAX_ATTEMPTS = 3
_CHUNK_BYTES = 512 * 1024
_HEARTBEAT_ROWS = 500
_HEARTBEAT_SECONDS = 1.0
_UNDER_WAY = (ExportStatus.WAITING, ExportStatus.RUNNING)

_Track = Callable[[Iterator[Any]], Iterator[Any]]


class _ClaimLost(Exception):
    """Another worker may hold the export."""


class _TooManyRows(DomainError):
    """More rows than a file may have."""


def estimate_rows(rows: QuerySet[Any], user: StaffUser) -> int:
    """Count the rows that `user` sees, up to `EXPORT_COUNT_LIMIT`."""
    counted: QuerySet[Any] = rows.order_by()[: settings.EXPORT_COUNT_LIMIT]
    return replica.read(counted.count, replica.fetch_position(user.pk))


def start_export(
    *, source: str, query: str, span: DateRange, form: str, user: StaffUser
) -> tuple[Export, IO[bytes] | None]:
    """Export the rows of `source` that `user` sees under `query`.

    Returns the file of a short export; a long one is left to a worker. Raises `Forbidden`,
    `NotFound`, `InvalidRequest` for an invalid filter, and `Conflict` when too many exports of the
    person are in progress.
    """
    origin = get_source(source)
    _require_permission(user, origin)
    if form not in FILE_FORMATS:
        raise InvalidRequest(f"Choose a file format: {', '.join(FILE_FORMATS.values())}")
    rows, filter_text = origin.select(user, query, span)
    estimated = estimate_rows(rows, user)
    direct = estimated <= DIRECT_ROWS
    now = timezone.now()
    export = Export(
        source=origin.name,
        title=origin.title,
        query=query,
        filter_words=filter_text,
        first_day=span.first,
        last_day=span.last,
        form=form,
        file_name=_build_file_name(origin, span, form, now),
        requested_by=user,
        status=ExportStatus.RUNNING if direct else ExportStatus.WAITING,
        direct=direct,
        about_rows=estimated,
        leased_until=now + LEASE if direct else None,
        created_at=now,
    )
    _create(export)
    if direct:
        return export, _write_direct(export)
    task_notifier.notify_after_commit(task_notifier.WRITE_EXPORTS)
    return export, None


def _require_permission(user: StaffUser, origin: Source) -> None:
    if not (user.is_active and user.has_perms([EXPORT_PERMISSION, origin.permission])):
        raise Forbidden("You may not export this list")


def _create(export: Export) -> None:
    """Store a new export. Raises `Conflict` when too many long ones of the person are under way."""
    with transaction.atomic():
        user = StaffUser.objects.select_for_update().get(pk=export.requested_by_id)
        pending = Export.objects.filter(
            requested_by=user, direct=False, status__in=_UNDER_WAY
        ).count()
        if not export.direct and pending >= _MAX_PENDING_PER_USER:
            raise Conflict(f"{pending} of your exports are in progress. Wait until one is complete")
        export.save()


def _build_file_name(origin: Source, span: DateRange, form: str, now: datetime) -> str:
    last = span.last or now.date()
    days = f"{span.first}_to_{last}" if span.first else f"until_{last}"
    return f"{origin.title.lower().replace(' ', '-')}_{days}.{form}"


def _write_direct(export: Export) -> IO[bytes]:
    try:
        file, rows, as_of = _write_table(export, iter)
    except Exception:
        Export.objects.filter(pk=export.pk).update(
            status=ExportStatus.FAILED,
            error="The file could not be written",
            finished_at=timezone.now(),
        )
        raise
    size = file.tell()
    file.seek(0)
    Export.objects.filter(pk=export.pk).update(
        status=ExportStatus.DOWNLOADED,
        rows_done=rows,
        size_bytes=size,
        as_of=as_of,
        finished_at=timezone.now(),
    )
    export.refresh_from_db()
    return file


def _write_table(export: Export, track: _Track) -> tuple[IO[bytes], int, datetime]:
    """Write the table to a new file; return it with the number of rows and their time.

    A snapshot of the replica serves when it has this attempt of the export, and so everything that
    was committed before.
    """
    as_of = export.leased_until - LEASE if export.leased_until else export.created_at

    def has_attempt() -> bool:
        return Export.objects.filter(pk=export.pk, claimed_by=export.claimed_by).exists()

    def write() -> tuple[IO[bytes], int]:
        file = open_spool()
        try:
            return file, _write_file(file, export, track, as_of)
        except BaseException:
            file.close()
            raise

    written = replica.read_snapshot(write, has_attempt)
    if written is None:
        with transaction.atomic():
            if not connection.savepoint_ids:
                # Inside a caller's transaction the caller's isolation stays.
                with connection.cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            with connection.cursor() as cursor:
                cursor.execute("SELECT statement_timestamp()")
                as_of = cursor.fetchone()[0]
            written = write()
    return *written, as_of


def _write_file(file: IO[bytes], export: Export, track: _Track, as_of: datetime) -> int:
    """Write the table from the snapshot of the open transaction; return the number of rows."""
    origin, span = get_source(export.source), DateRange(export.first_day, export.last_day)
    rows, _ = origin.select(export.requested_by, export.query, span)
    records = origin.records(rows, export.query, span)
    cells: Iterator[Sequence[Cell]] = (
        [column.value(record) for column in origin.columns] for record in records
    )
    headings = [column.heading for column in origin.columns]
    return write_table(
        file,
        form=export.form,
        title=origin.title,
        headings=headings,
        rows=track(cells),
        as_of=as_of,
    )


# --- long exports ---


def write_next_export() -> bool:
    """Claim one export that is waiting or whose worker died, and write it; False if none is."""
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
        _fail(export, "The file could not be written. Request it again")
    finally:
        heartbeat.close()
    return True


def _claim_next() -> Export | None:
    now = timezone.now()
    due = Export.objects.filter(leases.available(now), status__in=_UNDER_WAY).order_by("created_at")
    for export in due[:20]:
        claimable = Export.objects.filter(
            leases.available(now), pk=export.pk, status=export.status, claimed_by=export.claimed_by
        )
        if export.direct or export.attempts >= _MAX_ATTEMPTS:
            claimable.update(
                status=ExportStatus.FAILED,
                error="The export was interrupted. Request it again",
                finished_at=now,
            )
            continue
        if leases.acquire(
            claimable, prefix="export_", until=now + LEASE, status=ExportStatus.RUNNING, rows_done=0
        ):
            return Export.objects.select_related("requested_by").get(pk=export.pk)
    return None


def _write_claimed(export: Export, heartbeat: _Heartbeat) -> None:
    _require_permission(export.requested_by, get_source(export.source))
    file, rows, as_of = _write_table(export, heartbeat.track)
    with file:
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
    """Heartbeat of a worker, committed immediately: extends the lease and records progress."""

    def __init__(self, export: Export) -> None:
        self._export = export
        self._connection = connections.create_connection(DEFAULT_DB_ALIAS)
        self._last_beat = time.monotonic()

    def track(self, rows: Iterator[Any]) -> Iterator[Any]:
        """Yield `rows` with a heartbeat at intervals. Raises `_ClaimLost`."""
        number = -1
        for number, row in enumerate(rows):
            if number >= MAX_ROWS:
                raise _TooManyRows(f"More than {MAX_ROWS:,} rows. Narrow the filter or the days")
            is_due = time.monotonic() - self._last_beat >= _HEARTBEAT_SECONDS
            if number % _HEARTBEAT_ROWS == 0 and is_due:
                self.beat(number)
            yield row
        self.beat(number + 1)

    def beat(self, rows: int) -> None:
        """Record `rows` and extend the lease. Raises `_ClaimLost` when the claim is lost."""
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
        """Close the connection."""
        self._connection.close()


def describe_missing_file(export: Export) -> str:
    """Return why there is no file, for the page; empty while there may be one."""
    if export.status == ExportStatus.REMOVED and export.finished_at:
        return f"The file was deleted after {settings.EXPORT_RETENTION_DAYS} days"
    if export.status == ExportStatus.DOWNLOADED and export.as_of:
        return "The file was downloaded when it was requested"
    return export.error


def purge_exports() -> int:
    """Delete expired files and keep their records; return the number of files."""
    before = timezone.now() - timedelta(days=settings.EXPORT_RETENTION_DAYS)
    removed = 0
    for export in Export.objects.filter(status=ExportStatus.READY, finished_at__lt=before):
        with transaction.atomic():
            Export.objects.filter(pk=export.pk).update(status=ExportStatus.REMOVED)
            ExportChunk.objects.filter(export=export).delete()
        removed += 1
    return removed
