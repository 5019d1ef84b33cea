"""Wire documents: the JSON of a record, declared once and written by the database.

Listed models have a text column `document`. A trigger writes it in the same statement as the
record, from a mapping of wire names to SQL expressions over the row's columns, so it is right
whatever changes the row. Lists pass the column through; the OpenAPI schema, events and exports use
the same mapping.

The trigger is named `zz_document`: triggers of an event fire in alphabetical order, and this one
must see the changes of the others.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connections
from django.db.backends.utils import CursorWrapper

_ROW = "{r}"
_QUOTE = """'"'"""
# Up to this many terms are concatenated from left to right.
_MAX_CHAIN = 8


@dataclass(frozen=True, slots=True)
class WireField:
    """One field: its wire name, the SQL of its JSON text, and its OpenAPI schema object.

    `sql` refers to the row as `{r}` (`{r}.id`). Cast to text it is JSON, or the content of a string
    when `quoted`; NULL becomes null, and leaves out an `optional` field.
    """

    name: str
    sql: str
    schema: dict[str, Any]
    quoted: bool = False
    optional: bool = False

    @property
    def nullable(self) -> bool:
        """Whether the schema allows null."""
        kinds = self.schema.get("type")
        return not isinstance(kinds, str) or "oneOf" in self.schema


def text(
    name: str, description: str = "", sql: str = "", *, optional: bool = False, **more: Any
) -> WireField:
    """Return a string field. Without `sql`, it and the other fields are the column `name`."""
    schema = _schema("string", description, more)
    return WireField(name, f"to_json(({_sql(name, sql)})::text)", schema, optional=optional)


def identifier(name: str, description: str = "", sql: str = "", **more: Any) -> WireField:
    """Return a field with a record id, an opaque string."""
    schema = _schema("string", description, {"format": "uuid", **more})
    return WireField(name, _sql(name, sql), schema, quoted=True)


def number(name: str, description: str = "", sql: str = "", **more: Any) -> WireField:
    """Return a decimal field, a JSON number without trailing zeros."""
    schema = _schema("number", description, more)
    return WireField(name, f"trim_scale({_sql(name, sql)})", schema)


def integer(name: str, description: str = "", sql: str = "", **more: Any) -> WireField:
    """Return a field with a whole number."""
    return WireField(name, _sql(name, sql), _schema("integer", description, more))


def boolean(name: str, description: str = "", sql: str = "", **more: Any) -> WireField:
    """Return a boolean field."""
    return WireField(name, _sql(name, sql), _schema("boolean", description, more))


def timestamp(name: str, description: str = "", sql: str = "", **more: Any) -> WireField:
    """Return a field with a time in UTC with milliseconds."""
    schema = _schema("string", description, {"format": "date-time", **more})
    return WireField(name, f"public.wire_time({_sql(name, sql)})", schema, quoted=True)


def _sql(name: str, sql: str) -> str:
    return sql or f"{_ROW}.{name}"


def _schema(kind: str, description: str, more: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": kind, **more}
    if schema.pop("nullable", False):
        schema["type"] = [kind, "null"]
    if description:
        schema["description"] = description
    return schema


@dataclass(frozen=True, slots=True)
class Variant:
    """The fields of rows that match `condition` (SQL over `{r}`)."""

    condition: str
    fields: Sequence[WireField]


class WireSchema(ABC):
    """A named schema of the OpenAPI document; its schema object may contain other `WireSchema`s."""

    __slots__ = ()
    name: str
    example: Any

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """Return the OpenAPI schema object."""


@dataclass(frozen=True, slots=True)
class Document(WireSchema):
    """The mapping of one table: `name` is the OpenAPI component, `table` the database table.

    `variants` are tried in order before `fields`; most documents have none. `example` is a complete
    record.
    """

    name: str
    table: str
    fields: Sequence[WireField]
    variants: Sequence[Variant] = ()
    example: Mapping[str, Any] | None = None

    def expression(self, row: str, *, strict: bool = False) -> str:
        """Return the SQL of the document of `row` (an alias, or NEW in a trigger).

        A field that is NULL becomes null. When `strict`, which is faster, it makes the whole
        document NULL unless the field is declared nullable.
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
        """The version of the mapping, stored as a comment on the trigger function."""
        return hashlib.sha256(self.expression("r", strict=True).encode()).hexdigest()[:16]

    def trigger_sql(self) -> str:
        """Return the SQL that creates the document's trigger and its function."""
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
        """Return the SQL that rewrites the stored documents that differ from the mapping.

        The table's triggers are disabled: guards reject any change of a final row.
        """
        return f"""
            ALTER TABLE {self.table} DISABLE TRIGGER USER;
            UPDATE {self.table} r SET document = {self.expression("r")}
            WHERE document IS DISTINCT FROM {self.expression("r")};
            ALTER TABLE {self.table} ENABLE TRIGGER USER;
        """

    def is_installed(self, cursor: CursorWrapper) -> bool:
        """Return whether the database's trigger uses this version of the mapping."""
        cursor.execute("SELECT obj_description(to_regprocedure(%s))", [f"{self.table}_document()"])
        return bool(cursor.fetchone() == (f"document {self.fingerprint}",))

    def schema(self) -> dict[str, Any]:
        """Return the OpenAPI schema object of a record."""
        shapes = [v.fields for v in self.variants] + [self.fields]
        names = [{field.name for field in shape if not field.optional} for shape in shapes]
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

    def find_mismatches(self, rows: str = "", alias: str = "default", limit: int = 20) -> list[str]:
        """Return what is wrong with the stored documents: an old trigger, rows that differ.

        `rows` is a WITH clause that may put some of the table's rows in its place.
        """
        mismatches: list[str] = []
        with connections[alias].cursor() as cursor:
            if not self.is_installed(cursor):
                mismatches.append(f"{self.table}: the installed mapping is not the declared one")
            cursor.execute(
                f"{rows} SELECT id FROM {self.table} r WHERE document IS DISTINCT FROM "
                f"{self.expression('r')} LIMIT {int(limit)}"
            )
            mismatches.extend(
                f"{self.table} {row[0]}: the document differs" for row in cursor.fetchall()
            )
        return mismatches


def _object(fields: Sequence[WireField], row: str, *, strict: bool) -> str:
    # PL/pgSQL evaluates an expression without a query directly, several times faster than
    # `SELECT row_to_json(…)`.
    terms: list[str] = []
    for field in fields:
        value = f"({field.sql.replace(_ROW, row)})::text"
        parts = (_QUOTE, value, _QUOTE) if field.quoted else (value,)
        name = f"""'{"," if terms else "{"}"{field.name}":'"""
        if field.optional:
            # After the first field, so that the comma is right without it.
            _add(terms, f"coalesce({' || '.join((name, *parts))}, '')")
            continue
        _add(terms, name)
        if not strict or field.nullable:
            parts = (f"coalesce({' || '.join(parts)}, 'null')",)
        for part in parts:
            _add(terms, part)
    _add(terms, "'}'")
    return _chain(terms)


def _add(terms: list[str], term: str) -> None:
    """Append a term to a concatenation, merging adjacent constants."""
    if terms and terms[-1].startswith("'") and term.startswith("'"):
        terms[-1] = terms[-1][:-1] + term[1:]
    else:
        terms.append(term)


def _chain(terms: Sequence[str]) -> str:
    """Concatenate by halves: from left to right, each step would copy everything before it."""
    if len(terms) <= _MAX_CHAIN:
        return " || ".join(terms)
    middle = len(terms) // 2
    return f"({_chain(terms[:middle])}) || ({_chain(terms[middle:])})"
