"""Reads of the request log: what is older than its days is about to be removed, and not shown."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from exchange.core.database import read_cursor
from exchange.core.documents import Document
from exchange.core.ids import first_id_at
from exchange.partitions.services import REQUEST_LOG_DAYS
from exchange.requests.models import LoggedRequest, ReadCount
from exchange.requests.payloads import LOGGED_REQUEST, READ_COUNT


def logged_requests(organisation_id: UUID) -> QuerySet[LoggedRequest]:
    """Return the logged requests of an organisation."""
    since = first_id_at(_oldest())
    return LoggedRequest.objects.filter(organisation_id=organisation_id, id__gte=since)


def counted_reads(organisation_id: UUID) -> QuerySet[ReadCount]:
    """Return the counts of an organisation's reads."""
    return ReadCount.objects.filter(organisation_id=organisation_id, hour_at__gte=_oldest())


def read_requests(ids: Sequence[UUID]) -> list[str]:
    """Return the documents of logged requests, in the order of `ids`."""
    return _read(LOGGED_REQUEST, ids)


def read_counts(ids: Sequence[UUID]) -> list[str]:
    """Return the documents of counts, in the order of `ids`."""
    return _read(READ_COUNT, ids)


def _oldest() -> datetime:
    return timezone.now() - timedelta(days=REQUEST_LOG_DAYS)


def _read(document: Document, ids: Sequence[UUID]) -> list[str]:
    statement = f"""
        SELECT {document.expression("r")}
        FROM unnest(%s::uuid[]) WITH ORDINALITY AS wanted (id, place)
        JOIN {document.table} r ON r.id = wanted.id
        ORDER BY wanted.place
    """  # noqa: S608 - built from the declaration in payloads
    with read_cursor() as cursor:
        cursor.execute(statement, [list(ids)])
        return [text for (text,) in cursor.fetchall()]
