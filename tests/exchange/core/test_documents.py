"""Wire documents in SQL."""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection

from exchange.core.documents import (
    Document,
    Variant,
    WireField,
    boolean,
    identifier,
    number,
    text,
    timestamp,
)
from exchange.core.references import OWN_REFERENCES
from exchange.events import payloads as events_payloads
from exchange.participants import payloads as participants_payloads
from exchange.participants.models import Member
from exchange.tokens import payloads as tokens_payloads
from tests.environment.database import Connection
from tests.environment.owner import without_guards
from tests.factories.api_clients import make_organisation

pytestmark = pytest.mark.django_db

# More fields than are concatenated from left to right.
DOCUMENT = Document(
    name="Thing",
    table="thing",
    fields=[
        identifier("_id", sql="{r}.id"),
        text("name"),
        text("note", nullable=True),
        number("amount"),
        boolean("open"),
        timestamp("createdAt", sql="{r}.at"),
        identifier("owner", sql="{r}.note", nullable=True),
        *(number(f"n{n}", sql=f"{{r}}.amount + {n}") for n in range(20)),
    ],
)
ROW = {
    "id": "'0199d4e0-0000-7000-8000-000000000001'::uuid",
    "name": "'It''s \"so\" || ''x'''",
    "note": "NULL::text",
    "amount": "1.50",
    "open": "true",
    "at": "'2026-11-21 10:00:00.1+00'::timestamptz",
}


def made(*, strict: bool, **columns: str) -> str | None:
    row = ROW | columns
    names = ", ".join(row)
    values = ", ".join(row.values())
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {DOCUMENT.expression('r', strict=strict)} FROM (VALUES ({values})) r ({names})"
        )
        document: str | None = cursor.fetchone()[0]
        return document


def test_strict_and_lenient_expressions_give_the_same_document() -> None:
    lax, strict = made(strict=False), made(strict=True)
    assert strict is not None
    assert lax == strict
    read: dict[str, Any] = json.loads(strict)
    assert list(read) == [field.name for field in DOCUMENT.fields]
    assert (read["_id"], read["name"]) == (ROW["id"][1:37], "It's \"so\" || 'x'")
    assert (read["note"], read["owner"], read["open"]) == (None, None, True)
    assert (read["createdAt"], read["amount"], read["n19"]) == (
        "2026-11-21T10:00:00.100Z",
        1.5,
        20.5,
    )


@pytest.mark.parametrize("column", ["id", "name", "amount", "open", "at"])
def test_a_strict_document_has_only_declared_nulls(column: str) -> None:
    kind = {"id": "uuid", "name": "text", "amount": "numeric", "open": "boolean"}
    nothing = f"NULL::{kind.get(column, 'timestamptz')}"
    assert made(strict=True, **{column: nothing}) is None
    assert "null" in (made(strict=False, **{column: nothing}) or "")


@pytest.mark.parametrize(
    ("document", "fields"),
    [
        (participants_payloads.MEMBER, ["external_id", "tax_residence", "tax_id"]),
        (events_payloads.EVENT, ["next_attempt_at", "delivered_at"]),
        (events_payloads.DELIVERY_ATTEMPT, ["endpoint_id", "status_code", "error"]),
        (events_payloads.EVENT_DETAIL, ["next_attempt_at", "delivered_at"]),
        (events_payloads.WEBHOOK, ["disabled_reason", "previous_secret_until"]),
        (events_payloads.WEBHOOK_WITH_SECRET, ["disabled_reason", "previous_secret_until"]),
        (
            events_payloads.WEBHOOK_ENDPOINT,
            ["disabled_reason", "first_failed_at", "previous_secret_expires_at"],
        ),
        (
            events_payloads.EVENT_DELIVERY,
            ["last_attempt_at", "next_attempt_at", "delivered_at"],
        ),
        (tokens_payloads.TOKEN, ["creator"]),
    ],
)
def test_the_schema_declares_nullable_fields(document: Document, fields: list[str]) -> None:
    assert [field.name for field in document.fields if field.nullable] == fields
    properties = document.schema()["properties"]
    assert [
        name for name, schema in properties.items() if "null" in schema.get("type", ())
    ] == fields


def test_the_schema_declares_minimums_of_counts() -> None:
    lowest = {
        field.name: field.schema["minimum"]
        for field in (*events_payloads.EVENT.fields, *events_payloads.DELIVERY_ATTEMPT.fields)
        if "minimum" in field.schema
    }
    assert lowest == {"attempt_count": 0, "number": 1, "milliseconds": 0}
    [secret] = [f for f in events_payloads.WEBHOOK_WITH_SECRET.fields if f.name == "secret"]
    assert secret.schema["minLength"] == 38


def test_a_field_with_one_type_is_not_nullable() -> None:
    for schema, nullable in (
        ({"type": "string"}, False),
        ({"type": ["string", "null"]}, True),
        ({"oneOf": [{"type": "string"}, {"type": "null"}]}, True),
        ({"type": "object", "oneOf": [{"type": "object"}, {"type": "null"}]}, True),
    ):
        assert WireField("x", "{r}.x", schema).nullable is nullable


def test_the_schema_has_the_fields_of_every_shape_in_the_order_of_the_longest() -> None:
    first, second, third = text("a"), text("b"), text("c", "Told")
    document = Document(
        "Thing", "thing", fields=(first, second), variants=(Variant("x", (first, third, second)),)
    )
    schema = document.schema()
    assert list(schema["properties"]) == ["a", "c", "b"]
    assert schema["properties"]["c"] == {"type": "string", "description": "Told"}
    assert schema["properties"]["a"] == {"type": "string"}
    assert schema["required"] == ["a", "b"]


def test_a_variant_is_used_where_its_condition_holds() -> None:
    shapes = Document(
        "Thing", "thing", fields=(text("a"),),
        variants=(Variant("{r}.a = 'x'", (text("b", sql="{r}.a"),)),),
    )  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {shapes.expression('r')} FROM (VALUES ('x'), ('y')) r (a)")
        assert cursor.fetchall() == [('{"b":"x"}',), ('{"a":"y"}',)]


@pytest.mark.parametrize("strict", [True, False])
def test_an_optional_field_is_left_out_where_it_is_null(strict: bool) -> None:
    thing = Document("Thing", "thing", (text("a"), *OWN_REFERENCES, text("b", sql="{r}.a")))
    assert thing.schema()["required"] == ["a", "b"]
    rows = """('x', 'say "1"', '{"k": "é"}'::jsonb), ('y', NULL, NULL), ('z', 'r', '{}')"""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {thing.expression('r', strict=strict)}"
            f" FROM (VALUES {rows}) r (a, client_reference, metadata)"
        )
        assert [json.loads(document) for (document,) in cursor.fetchall()] == [
            {"a": "x", "client_reference": 'say "1"', "metadata": {"k": "é"}, "b": "x"},
            {"a": "y", "b": "y"},
            {"a": "z", "client_reference": "r", "metadata": {}, "b": "z"},
        ]


def test_a_mapping_that_is_not_installed_is_reported() -> None:
    other = replace(participants_payloads.MEMBER, fields=participants_payloads.MEMBER.fields[:-1])
    message = "exchange_member: the installed mapping is not the declared one"
    assert other.find_mismatches() == [message]
    owner = make_organisation()
    member = Member.objects.create(organisation=owner, name="Ada", email="ada@owner.example")
    assert other.find_mismatches() == [
        message,
        f"exchange_member {member.pk}: the document differs",
    ]
    assert participants_payloads.MEMBER.find_mismatches() == []


def test_a_trigger_writes_the_document_or_null_where_a_value_is_missing(
    owner_connection: Connection,
) -> None:
    thing = Document("Thing", "thing", fields=(text("a"), text("b", nullable=True)))
    with owner_connection.transaction(force_rollback=True):
        owner_connection.execute("CREATE TABLE thing (id int, a text, b text, document text)")
        owner_connection.execute(thing.trigger_sql().encode())
        owner_connection.execute("INSERT INTO thing VALUES (1, 'x', NULL), (2, NULL, 'y')")
        rows = owner_connection.execute("SELECT document FROM thing ORDER BY id").fetchall()
        assert rows == [('{"a":"x","b":null}',), (None,)]
        owner_connection.execute(thing.rewrite_sql().encode())
        rows = owner_connection.execute("SELECT document FROM thing ORDER BY id").fetchall()
        assert rows == [('{"a":"x","b":null}',), ('{"a":null,"b":"y"}',)]


def test_differing_documents_are_reported_up_to_the_limit() -> None:
    owner = make_organisation()
    for place in range(22):
        Member.objects.create(organisation=owner, name="Ada", email=f"{place}@owner.example")
    assert participants_payloads.MEMBER.find_mismatches() == []
    kept = Member.objects.earliest("id")
    with without_guards() as cursor:
        cursor.execute("UPDATE exchange_member SET document = '{}' WHERE id <> %s", [kept.pk])
    reported = participants_payloads.MEMBER.find_mismatches()
    assert len(reported) == 20
    assert len(participants_payloads.MEMBER.find_mismatches(limit=30)) == 21
    wrong = {str(pk) for pk in Member.objects.exclude(pk=kept.pk).values_list("pk", flat=True)}
    for fault in participants_payloads.MEMBER.find_mismatches(limit=30):
        table, _, rest = fault.partition(" ")
        assert table == "exchange_member"
        assert rest.removesuffix(": the document differs") in wrong
