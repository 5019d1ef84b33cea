"""Wire documents: the JSON of a record, declared once and written by the database.

A model that is listed has a text column `document`. A trigger writes it in the same statement as
the record, from a mapping of wire names to SQL expressions over the row's own columns. Whatever
path changes a row, the document is right. Lists read the column and pass it through; the OpenAPI
schema, events and exports use the same mapping.

The trigger is named `zz_document`: triggers of the same event fire in alphabetical order, and
this one must see what the others did to the row.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connections
from django.db.backends.utils import CursorWrapper

_ROW = "{r}"
_QUOTE = """'"'"""
# So many terms are put together from left to right.
_MAX_CHAIN = 8


@dataclass(frozen=True, slots=True)
class WireField:
    """One field: its wire name, the SQL that makes its JSON text, and what the schema says of it.

    `sql` writes the row as `{r}`: `{r}.id`; cast to text it is JSON, or what belongs between
    quotation marks when `quoted`, and where it gives NULL the field is null. `schema` is an OpenAPI
    schema object.
    """

    name: str
    sql: str
    schema: dict[str, Any]
    quoted: bool = False

    @property
    def nullable(self) -> bool:
        """Whether the field may be null: the schema says so."""
        kinds = self.schema.get("type")
        return not isinstance(kinds, str) or "oneOf" in self.schema


def text(name: str, sql: str, description: str = "", **more: Any) -> WireField:
    """A string."""
    return WireField(name, f"to_json(({sql})::text)", _schema("string", description, more))


def identifier(name: str, sql: str, description: str = "", **more: Any) -> WireField:
    """A record id, an opaque string."""
    schema = _schema("string", description, {"format": "uuid", **more})
    return WireField(name, sql, schema, quoted=True)


def number(name: str, sql: str, description: str = "", **more: Any) -> WireField:
    """A decimal written as a JSON number without trailing zeros."""
    return WireField(name, f"trim_scale({sql})", _schema("number", description, more))


def boolean(name: str, sql: str, description: str = "", **more: Any) -> WireField:
    """true or false."""
    return WireField(name, sql, _schema("boolean", description, more))


def timestamp(name: str, sql: str, description: str = "", **more: Any) -> WireField:
    """A time in UTC with milliseconds."""
    schema = _schema("string", description, {"format": "date-time", **more})
    return WireField(name, f"public.wire_time({sql})", schema, quoted=True)


def _schema(kind: str, description: str, more: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": kind, **more}
    if schema.pop("nullable", False):
        schema["type"] = [kind, "null"]
    if description:
        schema["description"] = description
    return schema


@dataclass(frozen=True, slots=True)
class Variant:
    """The fields of a record for rows where `condition` (SQL over `{r}`) holds."""

    condition: str
    fields: Sequence[WireField]


class WireSchema(ABC):
    """What the OpenAPI document describes under a name of its own.

    A schema object may hold another `WireSchema` where that one's schema belongs.
    """

    __slots__ = ()
    name: str
    example: Any

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """The OpenAPI schema object."""


@dataclass(frozen=True, slots=True)
class Document(WireSchema):
    """The mapping of one table: `name` is the OpenAPI component, `table` the database table.

    `variants` are tried in order before `fields`; most documents have none. `example` is a whole
    record for the schema.
    """

    name: str
    table: str
    fields: Sequence[WireField]
    variants: Sequence[Variant] = ()
    example: Mapping[str, Any] | None = None

    def expression(self, row: str, *, strict: bool = False) -> str:
        """SQL for the document of `row` (an alias, or NEW in a trigger).

        Where a field gives NULL it is null; or, when `strict`, the whole document is NULL, unless
        the field is declared nullable. That is less to evaluate.
        """
        sql = _object(self.fields, row, strict=strict)
        if not self.variants:
            return sql
        cases = " ".join(
            f"WHEN {v.condition.replace(_ROW, row)} THEN {_object(v.fields, row, strict=strict)}"
            for v in self.variants
        )
        return f"CASE {cases} ELSE {sql} END"

    @property
    def fingerprint(self) -> str:
        """Names this version of the mapping; kept as a comment on the trigger function."""
        return hashlib.sha256(self.expression("r", strict=True).encode()).hexdigest()[:16]

    def trigger_sql(self) -> str:
        """Creates the trigger that writes the document, and its function."""
        function = f"{self.table}_document"
        return f"""
            CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $body$
            BEGIN
                NEW.document := {self.expression("NEW", strict=True)};
                RETURN NEW;
            END $body$;
            COMMENT ON FUNCTION {function}() IS 'document {self.fingerprint}';
            CREATE TRIGGER zz_document BEFORE INSERT OR UPDATE ON {self.table}
                FOR EACH ROW EXECUTE FUNCTION {function}();
        """

    def rewrite_sql(self) -> str:
        """Writes the stored documents that differ from the mapping.

        Without the table's triggers: guards refuse any change of a row that is final.
        """
        return f"""
            ALTER TABLE {self.table} DISABLE TRIGGER USER;
            UPDATE {self.table} r SET document = {self.expression("r")}
            WHERE document IS DISTINCT FROM {self.expression("r")};
            ALTER TABLE {self.table} ENABLE TRIGGER USER;
        """

    def is_installed(self, cursor: CursorWrapper) -> bool:
        """Whether the trigger in the database writes by this version of the mapping."""
        cursor.execute("SELECT obj_description(to_regprocedure(%s))", [f"{self.table}_document()"])
        return bool(cursor.fetchone() == (f"document {self.fingerprint}",))

    def schema(self) -> dict[str, Any]:
        """The OpenAPI schema object of a record."""
        shapes = [v.fields for v in self.variants] + [self.fields]
        names = [{field.name for field in shape} for shape in shapes]
        required = set.intersection(*names)
        properties: dict[str, Any] = {}
        for shape in sorted(shapes, key=len, reverse=True):
            for field in shape:
                properties.setdefault(field.name, field.schema)
        return {
            "type": "object",
            "properties": properties,
            "required": [name for name in properties if name in required],
        }

    def find_mismatches(self, alias: str = "default", limit: int = 20) -> list[str]:
        """What is wrong with the stored documents: an old trigger, rows that differ. [] is well."""
        found: list[str] = []
        with connections[alias].cursor() as cursor:
            if not self.is_installed(cursor):
                found.append(f"{self.table}: the installed mapping is not the declared one")
            cursor.execute(
                f"SELECT id FROM {self.table} r WHERE document IS DISTINCT FROM "
                f"{self.expression('r')} LIMIT {int(limit)}"
            )
            found.extend(
                f"{self.table} {row[0]}: the document differs" for row in cursor.fetchall()
            )
        return found


def _object(fields: Sequence[WireField], row: str, *, strict: bool) -> str:
    # One expression without a query in it: PL/pgSQL evaluates such a one directly, several times
    # faster than it runs `SELECT row_to_json(…)`.
    terms: list[str] = []
    for field in fields:
        value = f"({field.sql.replace(_ROW, row)})::text"
        parts = (_QUOTE, value, _QUOTE) if field.quoted else (value,)
        _add(terms, f"""'{"," if terms else "{"}"{field.name}":'""")
        if not strict or field.nullable:
            parts = (f"coalesce({' || '.join(parts)}, 'null')",)
        for part in parts:
            _add(terms, part)
    _add(terms, "'}'")
    return _chain(terms)


def _add(terms: list[str], term: str) -> None:
    """Adds a term of a concatenation; constants beside each other become one."""
    if terms and terms[-1].startswith("'") and term.startswith("'"):
        terms[-1] = terms[-1][:-1] + term[1:]
    else:
        terms.append(term)


def _chain(terms: Sequence[str]) -> str:
    """The concatenation by halves: from left to right, each step would copy all before it."""
    if len(terms) <= _MAX_CHAIN:
        return " || ".join(terms)
    middle = len(terms) // 2
    return f"({_chain(terms[:middle])}) || ({_chain(terms[middle:])})"
