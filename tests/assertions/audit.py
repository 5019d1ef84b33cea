"""Reading the audit."""

from django.db import connection

from exchange.core.models import Change


def changes(table: str, record: object) -> list[Change]:
    """Return the changes of a record, oldest first."""
    return list(Change.objects.filter(table=table, record_id=str(record)).order_by("id"))


def whole_audit() -> str:
    """Return the text of every row."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT string_agg(c::text, ' ') FROM exchange_change c")
        return str((cursor.fetchone() or ("",))[0])
