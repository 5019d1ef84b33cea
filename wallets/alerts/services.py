"""Raise and resolve alerts."""

from collections.abc import Mapping

from django.db import connection
from django.utils import timezone

from exchange.core.ids import uuid7
from wallets.alerts.models import Alert

# Records that a message names.
_NAMED = 5


def raise_alert(kind: str, *, subject: str = "", message: str) -> None:
    """Open the alert, or update message and count of the one already open."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO wallets_alert (id, kind, subject, message, raised_at, occurrences)
            VALUES (%s, %s, %s, %s, now(), 1)
            ON CONFLICT (kind, subject) WHERE resolved_at IS NULL
            DO UPDATE SET message = excluded.message, occurrences = wallets_alert.occurrences + 1
            """,
            [uuid7(), kind, subject[:80], message[:500]],
        )


def report_unreadable(records: str, unreadable: Mapping[str, str]) -> None:
    """Open the alert about records of the provider that cannot be read, by id with the reason.

    Resolve it when all can be read. `records` says which ones were read: its subject.
    """
    if not unreadable:
        resolve_alert("provider_records", subject=records)
        return
    named = ", ".join(f"{key} ({why})" for key, why in list(unreadable.items())[:_NAMED])
    raise_alert(
        "provider_records",
        subject=records,
        message=f"{len(unreadable)} could not be read and were skipped: {named}",
    )


def resolve_alert(kind: str, *, subject: str = "") -> bool:
    """Resolve the open alert of `kind` about `subject`; return False if there is none."""
    rows = Alert.objects.filter(kind=kind, subject=subject[:80], resolved_at=None).update(
        resolved_at=timezone.now()
    )
    return rows > 0
