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

from exchange.core import leases, wake
from exchange.core.errors import Conflict, DomainError, Forbidden, InvalidRequest
from exchange.core.ids import uuid7
from exchange.exports.models import Export, ExportChunk, ExportStatus
from exchange.exports.sheets import FORMS, Cell, spool, write_table
from exchange.exports.sources import Source, Span, source_of
from exchange.staff.models import StaffUser

log = structlog.get_logger(__name__)


PERMISSION = "exchange.add_export"


# Up to so many rows are handed over at once.
DIRECT_ROWS = 5_000


MOST_ROWS = 3_000_000


LEASE = timedelta(minutes=2)


# Packing a file gives no sign of life and takes the longer, the more rows there are.
_PACKING_A_ROW = timedelta(microseconds=200)


_UNDER_WAY_EACH = 5


_ATTEMPTS = 3


_CHUNK_BYTES = 512 * 1024


_ROWS_BETWEEN_SIGNS = 500


_SECONDS_BETWEEN_SIGNS = 1.0


class _ClaimLost(Exception):
    """Somebody else may have taken the export up."""


class _TooLong(DomainError):
    """More rows than one file takes."""


@dataclass(frozen=True, slots=True)
class _Order:
    """What is exported, as whom, into which form of file."""

    origin: Source
    query: str
    span: Span
    form: str
    user: StaffUser


def estimate(rows: Any) -> int:
    """How many rows there are, counted no further than it matters."""
    found: int = rows.order_by()[: settings.EXPORT_COUNTED_AT_MOST].count()
    return found


def begin(
    *, source: str, query: str, span: Span, form: str, user: StaffUser
) -> tuple[Export, IO[bytes] | None]:
    """Exports `source` under `query` as `user` sees it.

    A short one comes with its file, to be handed over; a long one waits for a worker. Raises
    `Forbidden`, `NotFound`, `InvalidRequest` for a filter that is none, and `Conflict` when too
    many of the person's exports are under way.
    """
    order = _Order(source_of(source), query, span, form, user)
    _check_may(order)
    if form not in FORMS:
        raise InvalidRequest(f"A file is one of {', '.join(FORMS.values())}")
    rows, words = order.origin.select(user, query, span)
    about = estimate(rows)
    direct = about <= DIRECT_ROWS
    export = _make(order, words, about, direct=direct)
    if direct:
        return export, _write_now(export, order)
    wake.after_commit(wake.WRITE_EXPORTS)
    return export, None


def _check_may(order: _Order) -> None:
    user = order.user
    if not (user.is_active and user.has_perms([PERMISSION, order.origin.permission])):
        raise Forbidden("You may not export this list")


def _make(order: _Order, words: str, about: int, *, direct: bool) -> Export:
    user, span = order.user, order.span
    now = timezone.now()
    with transaction.atomic():
        StaffUser.objects.select_for_update().get(pk=user.pk)
        under_way = Export.objects.filter(
            requested_by=user, direct=False, status__in=[ExportStatus.WAITING, ExportStatus.RUNNING]
        ).count()
        if not direct and under_way >= _UNDER_WAY_EACH:
            raise Conflict(f"{under_way} of your exports are under way; wait until one is done")
        return Export.objects.create(
            id=uuid7(),
            source=order.origin.name,
            title=order.origin.title,
            query=order.query,
            filter_words=words,
            first_day=span.first,
            last_day=span.last,
            form=order.form,
            file_name=_file_name(order, now),
            requested_by=user,
            status=ExportStatus.RUNNING if direct else ExportStatus.WAITING,
            direct=direct,
            about_rows=about,
            leased_until=now + LEASE if direct else None,
            created_at=now,
        )


def _file_name(order: _Order, now: datetime) -> str:
    span = order.span
    last = span.last or now.date()
    days = f"{span.first}_to_{last}" if span.first else f"until_{last}"
    return f"{order.origin.title.lower().replace(' ', '-')}_{days}.{order.form}"


def _write_now(export: Export, order: _Order) -> IO[bytes]:
    file = spool()
    try:
        with transaction.atomic():
            rows, as_of = _write(file, order, iter)
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


def _write(
    file: IO[bytes], order: _Order, watched: Callable[[Iterator[Any]], Iterator[Any]]
) -> tuple[int, datetime]:
    """The table, from one snapshot of the database; call it in a transaction of its own."""
    if not connection.savepoint_ids:
        # Inside a caller's transaction the caller's isolation stays.
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        as_of: datetime = cursor.fetchone()[0]
    origin = order.origin
    rows, _ = origin.select(order.user, order.query, order.span)
    records = origin.records(rows, order.query, order.span)
    cells: Iterator[Sequence[Cell]] = (
        [column.value(record) for column in origin.columns] for record in records
    )
    headings = [column.heading for column in origin.columns]
    count = write_table(
        file,
        form=order.form,
        title=origin.title,
        headings=headings,
        rows=watched(cells),
        as_of=as_of,
    )
    return count, as_of


# --- long ones ---


def write_next() -> bool:
    """Claims one export that waits, or whose worker died, and writes it; False when none does."""
    export = _claim()
    if export is None:
        return False
    signs = _Signs(export)
    try:
        _write_long(export, signs)
    except _ClaimLost:
        log.warning("export_claim_lost", export=str(export.pk))
    except DomainError as error:
        _give_up(export, error.message)
    except Exception:
        log.exception("export_failed", export=str(export.pk))
        _give_up(export, "The file could not be written. Ask for it again")
    finally:
        signs.close()
    return True


def _claim() -> Export | None:
    now = timezone.now()
    due = Export.objects.filter(
        leases.free(now), status__in=[ExportStatus.WAITING, ExportStatus.RUNNING]
    ).order_by("created_at")
    for export in due[:20]:
        mine = Export.objects.filter(
            leases.free(now), pk=export.pk, status=export.status, claimed_by=export.claimed_by
        )
        if export.direct or export.attempts >= _ATTEMPTS:
            mine.update(
                status=ExportStatus.FAILED,
                error="It was cut off while it was written. Ask for it again",
                finished_at=now,
            )
            continue
        if leases.take(
            mine, prefix="export_", until=now + LEASE, status=ExportStatus.RUNNING, rows_done=0
        ):
            return Export.objects.select_related("requested_by").get(pk=export.pk)
    return None


def _write_long(export: Export, signs: _Signs) -> None:
    order = _Order(
        source_of(export.source),
        export.query,
        Span(export.first_day, export.last_day),
        export.form,
        export.requested_by,
    )
    _check_may(order)
    with spool() as file:
        with transaction.atomic():
            rows, as_of = _write(file, order, signs.watch)
        size = file.tell()
        file.seek(0)
        signs.give(rows)
        _keep(export, file, rows, size, as_of)


def _keep(export: Export, file: IO[bytes], rows: int, size: int, as_of: datetime) -> None:
    with transaction.atomic():
        position = 0
        while data := file.read(_CHUNK_BYTES):
            ExportChunk.objects.create(export=export, position=position, data=data)
            position += 1
        if not _end(
            export, status=ExportStatus.READY, rows_done=rows, size_bytes=size, as_of=as_of
        ):
            raise _ClaimLost


def _give_up(export: Export, reason: str) -> None:
    _end(export, status=ExportStatus.FAILED, error=reason[:300])


def _end(export: Export, **changes: Any) -> bool:
    running = Export.objects.filter(pk=export.pk, status=ExportStatus.RUNNING)
    return leases.release(running, export.claimed_by, finished_at=timezone.now(), **changes)


class _Signs:
    """Signs of life of a worker, seen at once: the lease made longer, and the rows done."""

    def __init__(self, export: Export) -> None:
        self._export = export
        self._connection = connections.create_connection(DEFAULT_DB_ALIAS)
        self._given = time.monotonic()

    def watch(self, rows: Iterator[Any]) -> Iterator[Any]:
        """`rows`, with a sign now and then. Raises `_ClaimLost`."""
        number = -1
        for number, row in enumerate(rows):
            if number >= MOST_ROWS:
                raise _TooLong(f"More than {MOST_ROWS:,} rows: narrow the filter or the days")
            late = time.monotonic() - self._given >= _SECONDS_BETWEEN_SIGNS
            if number % _ROWS_BETWEEN_SIGNS == 0 and late:
                self.give(number)
            yield row
        self.give(number + 1)

    def give(self, rows: int) -> None:
        """Tells of `rows`. Raises `_ClaimLost` when the claim is not ours any more."""
        with self._connection.cursor() as cursor:
            cursor.execute(
                "UPDATE exchange_export SET rows_done = %s, leased_until = %s"
                " WHERE id = %s AND claimed_by = %s AND status = 'Running'",
                [
                    rows,
                    timezone.now() + LEASE + rows * _PACKING_A_ROW,
                    self._export.pk,
                    self._export.claimed_by,
                ],
            )
            if cursor.rowcount != 1:
                raise _ClaimLost
        self._given = time.monotonic()

    def close(self) -> None:
        """Gives the connection back."""
        self._connection.close()


def fail_reason(export: Export) -> str:
    """Why there is no file, in words for the page; empty while there may be one."""
    if export.status == ExportStatus.REMOVED and export.finished_at:
        return f"The file was kept for {settings.EXPORT_KEPT_DAYS} days and is gone"
    if export.status == ExportStatus.HANDED_OVER and export.as_of:
        return "The file was handed over when it was asked for"
    return export.error


def purge_exports() -> int:
    """Remove the files of exports older than they are kept, not the records; gives how many."""
    before = timezone.now() - timedelta(days=settings.EXPORT_KEPT_DAYS)
    removed = 0
    for export in Export.objects.filter(status=ExportStatus.READY, finished_at__lt=before):
        with transaction.atomic():
            Export.objects.filter(pk=export.pk).update(status=ExportStatus.REMOVED)
            ExportChunk.objects.filter(export=export).delete()
        removed += 1
    return removed
