"""What the processes of the previous release notice of a migration while they keep serving.

A migration runs on the release's database and is observed there, statement by statement: tables
that it rewrites, and rows that it reads or changes while it blocks others. Before and after it the
catalogue is compared: columns, rules and rights that the previous release relies on.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import psycopg
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import Migration
from django.db.migrations.state import ProjectState

from exchange.core.sqlfiles import Uninstalled

# Tables whose number of rows does not grow with use.
BOUNDED_TABLES = {
    *("auth_group", "auth_group_permissions", "auth_permission", "django_content_type"),
    *("django_migrations", "exchange_catalogue", "exchange_currency", "exchange_scheduledrun"),
    *("wallets_asset", "wallets_configuration", "wallets_payoutcircuit", "wallets_transferrule"),
}
# What no process of release 1.0.0 names, only its SQL: that is replaced in the same transaction.
INTERNAL_ROUTINES = {
    *("broken_rule", "order_legs", "order_match", "order_plan", "order_terms", "orders_order"),
    *("token_action_approved", "write_order"),
}
_BLOCK_WRITES = {"ShareLock", "ShareRowExclusiveLock", "ExclusiveLock", "AccessExclusiveLock"}

# Partitions under the name of their table.
_ACTIVITY = """
SELECT c.oid, coalesce(p.relname, c.relname), c.relfilenode, pg_stat_get_xact_numscans(c.oid),
       pg_stat_get_xact_tuples_updated(c.oid) + pg_stat_get_xact_tuples_deleted(c.oid),
       ARRAY(SELECT mode FROM pg_locks l
             WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.relation = c.oid)
FROM pg_class c
LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
WHERE c.relnamespace IN ('public'::regnamespace, to_regnamespace('partitions'))
    AND c.relkind = 'r'
"""
_COLUMNS = """
SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
       a.atthasdef OR a.attidentity <> '' OR a.attgenerated <> ''
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
    AND a.attnum > 0 AND NOT a.attisdropped
"""
# Foreign keys, checks and exclusions by definition, unique indexes by columns and condition: their
# names do not matter. The columns tell whether a rule concerns what the previous release writes.
_RULES = """
SELECT c.conrelid::regclass::text, regexp_replace(pg_get_constraintdef(c.oid), ' NOT VALID$', ''),
       ARRAY(SELECT attname::text FROM pg_attribute
             WHERE attrelid = c.conrelid AND attnum = ANY (c.conkey))
FROM pg_constraint c
WHERE c.connamespace = 'public'::regnamespace AND c.contype IN ('c', 'f', 'x') AND c.conrelid <> 0
UNION ALL
SELECT i.indrelid::regclass::text,
       'UNIQUE' || regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING', ''),
       ARRAY(SELECT attname::text FROM pg_attribute
             WHERE attrelid = i.indrelid AND attnum = ANY (i.indkey))
FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace
"""
_RIGHTS = """
SELECT c.relname || ': ' || r.privilege_type
FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) r
WHERE c.relnamespace = 'public'::regnamespace AND r.grantee = to_regrole('exchange_runtime')
"""
_ROUTINES = """
SELECT p.proname, 'function ' || p.oid::regprocedure, pg_get_function_result(p.oid)
FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND p.prorettype <> 'trigger'::regtype
    AND has_function_privilege('exchange_runtime', p.oid, 'EXECUTE')
UNION ALL
SELECT c.relname, 'type ' || c.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'c' AND NOT a.attisdropped
"""
_SOURCES = "SELECT prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace"


@dataclass(frozen=True)
class Column:
    """A column in the catalogue; `filled` if PostgreSQL has a value for rows that leave it out."""

    type: str
    required: bool
    filled: bool


@dataclass(frozen=True)
class Catalogue:
    """What programs rely on: columns, rules with their columns, rights, functions and types."""

    columns: Mapping[tuple[str, str], Column]
    rules: Mapping[tuple[str, str], frozenset[str]]
    rights: frozenset[str]
    routines: Mapping[str, str]

    @property
    def tables(self) -> set[str]:
        """The names of the tables and views."""
        return {table for table, _ in self.columns}


@dataclass(frozen=True)
class Finding:
    """One thing that a running previous release does not survive."""

    where: str
    statement: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        cause = f"\n    statement: {self.statement}" if self.statement else ""
        return f"{self.where}: {self.problem}{cause}\n    instead: {self.remedy}"


@dataclass(frozen=True)
class Release:
    """The previous release: its database, and the columns of its models and SQL functions."""

    catalogue: Catalogue
    model_columns: Mapping[str, set[str]]
    sources: str

    def reads(self, table: str, column: str) -> bool:
        """Return whether its models have the column, or its SQL functions may name it."""
        return column in self.model_columns.get(table, set()) or column in self.sources


@dataclass
class Observer:
    """Observes migrations on one connection and collects findings."""

    connection: BaseDatabaseWrapper
    release: Release
    findings: list[Finding] = field(default_factory=list)
    _where: str = ""

    @contextlib.contextmanager
    def migration(self, migration: Migration) -> Iterator[None]:
        """Observe the migration that runs inside the block."""
        self._where = str(migration)
        if any(isinstance(operation, Uninstalled) for operation in migration.operations):
            self._find(
                "removes the installed SQL, and with it all rights of the service",
                "leave what a trigger or function blocks, and add a column or table next to it",
            )
        before = read_catalogue(self._raw)
        with self.connection.execute_wrapper(self._statement):
            yield
        self._compare(before, read_catalogue(self._raw))

    def compare_routines(self) -> None:
        """Compare the installed SQL with the release's, once this version's is installed."""
        now = read_catalogue(self._raw)
        for name, result in self.release.catalogue.routines.items():
            if now.routines.get(name) != result:
                self._where = name
                self._find(
                    "this part of the previous release's SQL is gone or has another type",
                    "keep it next to the new one for one release",
                )
        self._where = "the installed SQL"
        self._compare_rights(self.release.catalogue, now)

    @property
    def _raw(self) -> psycopg.Connection[Any]:
        self.connection.ensure_connection()
        raw: psycopg.Connection[Any] = self.connection.connection
        return raw

    def _find(self, problem: str, remedy: str, statement: str = "") -> None:
        finding = Finding(self._where, " ".join(statement.split())[:300], problem, remedy)
        if finding not in self.findings:
            self.findings.append(finding)

    # --- statements -------------------------------------------------------------------------------

    def _statement(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        """Execute a statement; an execute wrapper of Django."""
        text = str(sql)
        # These run in no transaction, or end a part of one.
        if "CONCURRENTLY" in text.upper() or text.startswith(("SAVEPOINT", "RELEASE", "ROLLBACK")):
            return execute(sql, params, many, context)
        with self._in_transaction():
            before = self._activity()
            result = execute(sql, params, many, context)
            self._judge(text, before, self._activity())
        return result

    @contextlib.contextmanager
    def _in_transaction(self) -> Iterator[None]:
        """Keep the locks of a statement in autocommit mode until they were observed."""
        if not self._raw.autocommit or self.connection.in_atomic_block:
            yield
            return
        with self._raw.transaction():
            yield

    def _activity(self) -> dict[int, tuple[str, int, int, int, list[str]]]:
        with psycopg.Cursor(self._raw) as cursor:
            return {row[0]: row[1:] for row in cursor.execute(_ACTIVITY).fetchall()}

    def _judge(self, statement: str, before: Any, after: Any) -> None:
        growing = self.release.catalogue.tables - BOUNDED_TABLES
        for oid, (table, file, scans, changes, _) in before.items():
            if table not in growing or oid not in after:  # new, or removed: the catalogue tells
                continue
            _, file_now, scans_now, changes_now, locks = after[oid]
            if file != file_now:
                self._find(
                    f"rewrites {table}: nothing can read it meanwhile",
                    "add a column without a volatile default, fill it in batches, and use it in"
                    " the next release",
                    statement,
                )
            elif scans_now > scans and _BLOCK_WRITES & set(locks):
                self._find(
                    f"reads all of {table} while it blocks writes ({', '.join(sorted(locks))})",
                    "create indexes concurrently; add constraints NOT VALID and validate them in"
                    " a migration of their own",
                    statement,
                )
            if changes_now > changes and self.connection.in_atomic_block:
                self._find(
                    f"changes rows of {table} in one transaction, which locks them until its end",
                    "change them in batches, in a migration with atomic = False",
                    statement,
                )

    # --- the catalogue ----------------------------------------------------------------------------

    def _compare(self, before: Catalogue, after: Catalogue) -> None:
        known = self.release.catalogue
        for place, column in before.columns.items():
            if place in known.columns:
                self._compare_column(place, column, after)
        for (table, name), column in after.columns.items():
            new = (table, name) not in before.columns and table in known.tables & before.tables
            if new and column.required and not column.filled:
                self._find(
                    f"{table}.{name} is required, and the previous release does not write it",
                    "allow null, or give it a default in the database (db_default)",
                )
        for (table, rule), columns in after.rules.items():
            new = (table, rule) not in before.rules and (table, rule) not in known.rules
            own = columns <= {name for owner, name in known.columns if owner == table}
            if new and own and columns and table in before.tables:
                self._find(
                    f"{table} has a new rule, {rule}, which rows of the previous release may break",
                    "add the rule one release after the code that keeps it",
                )
        self._compare_rights(before, after)

    def _compare_column(self, place: tuple[str, str], before: Column, after: Catalogue) -> None:
        table, name = place
        now = after.columns.get(place)
        if now is None:
            if self.release.reads(table, name):
                self._find(
                    f"{table}.{name} is gone, and the previous release reads it",
                    "add the new column or table, write both, and remove the former one a release"
                    " after the last that reads it",
                )
        elif now.type != before.type:
            self._find(
                f"{table}.{name} has another type, {now.type} instead of {before.type}, which"
                " breaks prepared statements of running processes",
                "add a column of the new type and write both for one release",
            )
        elif now.required and not before.required:
            checked = f"CHECK (({name} IS NOT NULL))"
            if (table, checked) not in self.release.catalogue.rules:
                self._find(
                    f"{table}.{name} does not take null any more, and the previous release may"
                    " write it",
                    f"add CHECK ({name} IS NOT NULL) NOT VALID and validate it one release earlier",
                )

    def _compare_rights(self, before: Catalogue, after: Catalogue) -> None:
        lost = {
            right
            for right in before.rights & self.release.catalogue.rights - after.rights
            if right.partition(":")[0] in after.tables
        }
        if lost:
            self._find(
                f"takes rights of the previous release: {', '.join(sorted(lost)[:5])}"
                f"{' and others' if len(lost) > 5 else ''}",
                "keep the rights for one release",
            )


def read_release(connection: psycopg.Connection[Any], state: ProjectState) -> Release:
    """Return the release whose database is connected; `state` has its models."""
    columns: dict[str, set[str]] = {}
    for model in state.apps.get_models(include_auto_created=True):
        names = {each.column for each in model._meta.local_concrete_fields if each.column}
        columns.setdefault(model._meta.db_table, set()).update(names)
    sources = "\n".join(text for (text,) in connection.execute(_SOURCES).fetchall())
    return Release(read_catalogue(connection), columns, sources)


def read_catalogue(connection: psycopg.Connection[Any]) -> Catalogue:
    """Return the catalogue of the connected database."""

    def rows(query: str) -> list[Any]:
        with psycopg.Cursor(connection) as cursor:
            return cursor.execute(query.encode()).fetchall()

    return Catalogue(
        columns={(table, name): Column(*more) for table, name, *more in rows(_COLUMNS)},
        rules={(table, rule): frozenset(columns) for table, rule, columns in rows(_RULES)},
        rights=frozenset(right for (right,) in rows(_RIGHTS)),
        routines={
            place: result
            for name, place, result in rows(_ROUTINES)
            if name not in INTERNAL_ROUTINES
        },
    )
