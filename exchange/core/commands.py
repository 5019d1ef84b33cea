"""Commands: the input of a SQL function, declared once for Python and PostgreSQL.

The fields of a command are the columns of a composite type, installed from the declaration
(`SqlAppConfig.commands`). Commands are sent as JSON and read by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_args, get_type_hints
from uuid import UUID

import msgspec

if TYPE_CHECKING:
    from exchange.core.idempotency import IdempotencyClaim

_SQL_TYPES = {UUID: "uuid", Decimal: "numeric", str: "text", bool: "boolean", int: "bigint"}


def column(sql_type: str, **more: Any) -> Any:
    """Declare a field with an SQL type of its own: `varchar(40)`."""
    return field(metadata={"sql": sql_type}, **more)


@dataclass(frozen=True, kw_only=True)
class Command:
    """The requester, on whose behalf it acts, and its idempotency key, if any."""

    # The composite type, and the field that holds the id of the record to create.
    sql_type: ClassVar[str]
    id_field: ClassVar[str] = "id"

    organisation: UUID
    member: UUID | None
    actor: str
    method: str | None = None
    path: str | None = None
    key: str | None = None
    body_hash: str | None = None

    @classmethod
    def type_sql(cls) -> str:
        """Return the statement that creates the composite type."""
        hints = get_type_hints(cls)
        columns = (
            f"{each.name} {each.metadata.get('sql') or _sql_type(hints[each.name])}"
            for each in fields(cls)
        )
        return f"CREATE TYPE {cls.sql_type} AS ({', '.join(columns)});"

    def with_key(self, claim: IdempotencyClaim | None) -> Self:
        """Return the command with the idempotency key of `claim`, if any."""
        return self if claim is None else replace(self, **claim.key_fields())  # type: ignore[arg-type]

    @property
    def created_id(self) -> str:
        """The id of the record to create, as text."""
        return str(getattr(self, self.id_field))


def as_json(commands: Sequence[Command]) -> str:
    """Return `commands` as the JSON array that SQL functions take."""
    return msgspec.json.encode(commands).decode()


def _sql_type(hint: Any) -> str:
    kinds = [kind for kind in get_args(hint) or (hint,) if kind is not type(None)]
    [kind] = kinds
    return _SQL_TYPES[kind]
