"""Commands: declaration, PostgreSQL type, and encoding."""

import json
from dataclasses import asdict, dataclass, field, make_dataclass, replace
from decimal import Decimal
from typing import Any, ClassVar
from uuid import UUID

import pytest
from django.db import connection

from exchange.core.commands import Command, as_json, column
from exchange.core.database import fetch_all
from exchange.core.idempotency import IdempotencyClaim
from exchange.core.ids import uuid7
from exchange.core.sqlfiles import sql_apps
from orders.book.commands import PlaceOrder
from wallets.conversions.commands import ConvertMoney, QuoteConversion
from wallets.transfers.commands import TransferMoney
from wallets.withdrawals.commands import RequestWithdrawal


@dataclass(frozen=True, kw_only=True)
class Ship(Command):
    """A command with a field of each kind."""

    sql_type: ClassVar[str] = "shipment"
    id_field: ClassVar[str] = "shipment"

    to: UUID
    price: Decimal
    weight: Decimal | None = None
    count: int = 1
    fast: bool = False
    label: str | None = column("varchar(40)", default=None)
    actor: str = column("varchar(80)")
    shipment: UUID = field(default_factory=uuid7)


SHIP = Ship(
    organisation=UUID(int=1),
    member=None,
    actor="key:1",
    to=UUID(int=2),
    price=Decimal("1.50"),
    label="é",
    shipment=UUID(int=3),
)
CLAIM = IdempotencyClaim(UUID(int=1), "POST", "/ship", "k", "hash")


def test_the_fields_are_the_columns_of_the_type_in_their_order():
    assert Ship.type_sql() == (
        "CREATE TYPE shipment AS (organisation uuid, member uuid, actor varchar(80), method text,"
        " path text, key text, body_hash text, to uuid, price numeric, weight numeric,"
        " count bigint, fast boolean, label varchar(40), shipment uuid);"
    )


@pytest.mark.parametrize(("kind", "error"), [(float, KeyError), (str | int, ValueError)])
def test_a_field_without_exactly_one_sql_type_is_an_error(kind, error):
    odd: Any = make_dataclass("Odd", [("odd", kind)], bases=(Ship,), frozen=True, kw_only=True)
    with pytest.raises(error):
        odd.type_sql()


def test_a_command_is_encoded_by_field_names_with_exact_numbers():
    number = "00000000-0000-0000-0000-00000000000{}"
    sent = {
        "organisation": number.format(1), "member": None, "actor": "key:1", "method": None,
        "path": None, "key": None, "body_hash": None, "to": number.format(2), "price": "1.50",
        "weight": None, "count": 1, "fast": False, "label": "é", "shipment": number.format(3),
    }  # fmt: skip
    assert json.loads(as_json([SHIP])) == [sent]
    heavy = replace(SHIP, weight=Decimal("1E+3"), count=2**62, fast=True)
    changes = {"weight": "1E+3", "count": 2**62, "fast": True}
    assert json.loads(as_json([SHIP, heavy])) == [sent, sent | changes]
    assert as_json([]) == "[]"


def test_a_command_has_the_id_of_the_record_to_create():
    assert SHIP.created_id == "00000000-0000-0000-0000-000000000003"
    assert Command.id_field == "id"


def test_a_command_gets_the_key_of_its_claim_if_any():
    assert SHIP.with_key(None) is SHIP
    key = {"method": "POST", "path": "/ship", "key": "k", "body_hash": "hash"}
    assert asdict(SHIP.with_key(CLAIM)) == asdict(SHIP) | key


ORDER = PlaceOrder(
    organisation=uuid7(),
    member=uuid7(),
    actor="key:1",
    token=uuid7(),
    type="Sell",
    price=Decimal("100.5"),
    tokens=Decimal("0.00000001"),
    api_key=uuid7(),
    customer_name="Jo",
    customer_email="jo@example.com",
    client_order_id="17",
).with_key(CLAIM)
WITHDRAWAL = RequestWithdrawal(
    organisation=uuid7(),
    member=None,
    actor="key:1",
    currency="KES",
    amount=Decimal("500.25"),
    bank_name="Bank",
    account_name="Ada Obi",
    account_number="0690000031",
    bank_code="01",
    provider_bank_id=2**40,
    provided_name="Ada",
    name_resolved=True,
    branch_code="branch",
    recipient_email="ada@example.com",
)
TRANSFER = TransferMoney(
    organisation=uuid7(),
    member=uuid7(),
    actor="key:1",
    payee=None,
    currency="KES",
    amount=Decimal("500.25"),
    client_reference="rent-7",
    metadata={"month": "May"},
)
QUOTE = QuoteConversion(
    organisation=uuid7(),
    member=uuid7(),
    actor="key:1",
    from_currency="KES",
    to_currency="USD",
    amount=Decimal("129.5"),
    max_rate_age_hours=24,
    lifetime_seconds=60,
)
CONVERSION = ConvertMoney(
    organisation=uuid7(),
    member=None,
    actor="key:1",
    quote=QUOTE.quote,
    max_rate_age_hours=24,
)
COMMANDS: list[Command] = [ORDER, WITHDRAWAL, TRANSFER, QUOTE, CONVERSION]
_BY_TYPE = pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.sql_type)


def test_every_command_of_an_app_is_tested_here():
    declared = {command for config in sql_apps() for command in config.command_types()}
    assert declared == {type(command) for command in COMMANDS}


@pytest.mark.django_db
@_BY_TYPE
def test_the_installed_type_has_exactly_the_declared_columns(command):
    columns = fetch_all(
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute"
        " WHERE attrelid = %s::regclass AND NOT attisdropped ORDER BY attnum",
        [command.sql_type],
    )
    text = ", ".join(f"{name} {of}" for name, of in columns).replace("character varying", "varchar")
    assert f"CREATE TYPE {command.sql_type} AS ({text});" == command.type_sql()


@pytest.mark.django_db
@_BY_TYPE
def test_postgresql_reads_the_values_that_were_sent(command):
    statement = f"SELECT * FROM jsonb_populate_recordset(NULL::{command.sql_type}, %s)"
    with connection.cursor() as cursor:
        cursor.execute(statement, [as_json([command])])
        names = [each.name for each in cursor.description or ()]
        [row] = cursor.fetchall()
    found: dict[str, Any] = dict(zip(names, row, strict=True))
    if "metadata" in found:
        # Django leaves jsonb undecoded.
        found["metadata"] = json.loads(found["metadata"] or "null")
    assert found == asdict(command)
