"""Audit queries: history of a record, actor and record labels, and batches for exports."""

import heapq
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import cache, lru_cache
from itertools import islice
from typing import Any
from uuid import UUID

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.models import Model, QuerySet
from django.utils.module_loading import import_string

from exchange.core.audit_context import VISITOR
from exchange.core.ids import first_id_at as first_record_id_at
from exchange.core.ids import first_id_since, parse_id
from exchange.core.models import Change
from exchange.participants.selectors import get_actor_names

_BATCH = 1000
_MAX_RECORDS = 500


def find_record_ids(term: str) -> list[str]:
    """Return the ids of records whose reference, login or name is exactly `term`."""
    found = (record_id for ids_called in _finders() for record_id in ids_called(term))
    return [str(record_id) for record_id in islice(found, _MAX_RECORDS)]


@cache
def _finders() -> tuple[Callable[[str], Iterable[object]], ...]:
    """Return the record finders of all subjects."""
    return tuple(import_string(path) for path in settings.AUDIT_FINDERS)


def history(*record_ids: object, limit: int) -> list[Change]:
    """Return the latest changes, at most `limit`, of these records and of records about them."""
    ids = [str(record_id) for record_id in record_ids]
    changes = Change.objects.filter(id__gte=min(map(first_id_since, ids), default=UUID(int=0)))
    # Two queries, each served by its own index.
    own = changes.filter(record_id__in=ids).order_by("-id")[:limit]
    about = changes.filter(about_id__in=ids).exclude(record_id__in=ids).order_by("-id")
    merged = heapq.merge(own, about[:limit], key=lambda change: change.id, reverse=True)
    return list(merged)[:limit]


def column_changes(table: str, record_id: object, columns: Iterable[str]) -> QuerySet[Change]:
    """Return the changes of `columns` of a record, newest first."""
    return Change.objects.filter(
        id__gte=first_id_since(str(record_id)),
        table=table,
        record_id=str(record_id),
        after__has_any_keys=list(columns),
    ).order_by("-id")


def last_change_id(table: str, record_id: object, columns: Iterable[str]) -> UUID | None:
    """Return the id of the last change of `columns` of a record: their version."""
    return column_changes(table, record_id, columns).values_list("id", flat=True).first()


def first_id_at(moment: datetime) -> UUID:
    """Return the smallest id a change at `moment` can have."""
    return UUID(int=first_record_id_at(moment).int >> 80 << 80)


def iterate_batches(found: QuerySet[Change]) -> Iterator[list[Change]]:
    """Yield all changes, newest first, in batches that bound memory and transactions."""
    rows = found.order_by("-id")
    piece = list(rows[:_BATCH])
    while piece:
        yield piece
        piece = list(rows.filter(id__lt=piece[-1].id)[:_BATCH])


def actor_names(changes: Iterable[Change]) -> list[str]:
    """Return the actors of `changes` as text: the name stored with the change, else the current."""
    changes = list(changes)
    names = get_actor_names({change.actor for change in changes if not change.actor_label})
    return [
        _actor_label(change.actor, change.actor_label or names.get(change.actor, ""))
        for change in changes
    ]


def _actor_label(actor: str, name: str) -> str:
    kind, _, rest = actor.partition(":")
    if actor == VISITOR:
        return "Visitor (not signed in)"
    return {
        "staff": name or rest,
        "api_key": f"API key {name or rest}",
        "system": f"System: {rest}",
        "database": f"Database user {rest}",
    }.get(kind, name or actor)


def referenced_names(changes: Iterable[Change]) -> dict[str, str]:
    """Return the names, by id, of records of `AUDIT_NAMED_MODELS` referenced in `changes`."""
    wanted: dict[type[Model], set[str]] = {}
    for change in changes:
        known = _named_columns(change.table)
        for column, was, now in changed_columns(change):
            if column in known:
                ids = (parse_id(str(value)) for value in (was, now) if value)
                wanted.setdefault(known[column], set()).update(str(found) for found in ids if found)
    return {
        str(record.pk): str(record)
        for model, ids in wanted.items()
        for record in model._default_manager.filter(pk__in=ids)
    }


@cache
def _named_columns(table: str) -> dict[str, type[Model]]:
    """Return the foreign keys of `table` to models with names."""
    model = table_model(table)
    return {
        field.attname: field.related_model
        for field in (model._meta.concrete_fields if model else ())
        if isinstance(field.related_model, type)
        and field.related_model._meta.label in settings.AUDIT_NAMED_MODELS
    }


@lru_cache(maxsize=1)
def _models() -> dict[str, type[Model]]:
    return {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}


def table_model(table: str) -> type[Model] | None:
    """Return the model of `table`; None if it no longer exists."""
    return _models().get(table)


def record_label(table: str) -> str:
    """Return the label of records of `table`."""
    model = table_model(table)
    if model is None:
        return table
    name = str(model._meta.verbose_name).replace("-", " of ").replace(" relationship", "")
    return name[:1].upper() + name[1:]


def audited_tables() -> list[tuple[str, str]]:
    """Return every audited table with its record label, ordered by label."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
            " WHERE t.tgname LIKE 'audit\\_%'"
        )
        tables = {table for (table,) in cursor.fetchall()} & _models().keys()
    return sorted(((table, record_label(table)) for table in tables), key=lambda pair: pair[1])


def changed_columns(change: Change) -> list[tuple[str, Any, Any]]:
    """Return the changed columns: name, before, after."""
    before, after = change.before or {}, change.after or {}
    return [(name, before.get(name), after.get(name)) for name in {**before, **after}]
