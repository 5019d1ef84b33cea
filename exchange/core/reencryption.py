"""Re-encryption of stored secrets with the first of `FIELD_ENCRYPTION_KEYS`.

Each value is replaced by one compare-and-set statement, so the program may be killed, repeated and
run twice at once, and a secret that changes meanwhile keeps its new value.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from uuid import UUID

from django.apps import apps
from django.db import connection
from psycopg import sql

from exchange.core import crypto
from exchange.core.fields import EncryptedTextField

_BATCH = 500


@dataclass(frozen=True, slots=True)
class EncryptedColumn:
    """A column of encrypted values, and the key of its table."""

    table: str
    key: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}"

    def batches(self) -> Iterator[list[tuple[UUID, str]]]:
        """Return keys and encrypted values, in batches by key."""
        query = sql.SQL(
            "SELECT {key}, {column} FROM {table} WHERE {column} <> ''"
            " AND (%s::text IS NULL OR {key} > %s) ORDER BY {key} LIMIT %s"
        ).format(**self._names())
        last: UUID | None = None
        while True:
            with connection.cursor() as cursor:
                cursor.execute(query, [None if last is None else "", last, _BATCH])
                rows = cursor.fetchall()
            if not rows:
                return
            yield rows
            last = rows[-1][0]

    def replace(self, key: UUID, old: str, new: str) -> bool:
        """Replace the value `old` of a row; return False when it changed meanwhile."""
        statement = sql.SQL(
            "UPDATE {table} SET {column} = %s WHERE {key} = %s AND {column} = %s"
        ).format(**self._names())
        with connection.cursor() as cursor:
            cursor.execute(statement, [new, key, old])
            return bool(cursor.rowcount)

    def _names(self) -> dict[str, sql.Identifier]:
        return {name: sql.Identifier(value) for name, value in asdict(self).items()}


def encrypted_columns() -> list[EncryptedColumn]:
    """Return every column whose model field encrypts it."""
    return [
        EncryptedColumn(model._meta.db_table, str(model._meta.pk.column), str(field.column))
        for model in apps.get_models()
        for field in model._meta.local_fields
        if isinstance(field, EncryptedTextField)
    ]


def count_by_key(column: EncryptedColumn) -> Counter[int | None]:
    """Return the number of values by the position of their key; None counts unreadable ones."""
    return Counter(crypto.key_position(value) for batch in column.batches() for _, value in batch)


def reencrypt_column(column: EncryptedColumn) -> int:
    """Encrypt every readable value with the first key; return how many were replaced."""
    replaced = 0
    for batch in column.batches():
        for key, value in batch:
            if crypto.key_position(value):  # neither the first key nor an unknown one
                replaced += column.replace(key, value, crypto.reencrypt(value))
    return replaced
