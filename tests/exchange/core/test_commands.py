"""Commands as they are declared and as they are sent."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, make_dataclass, replace
from decimal import Decimal
from typing import Any, ClassVar
from uuid import UUID

import pytest

from exchange.core.commands import Command, as_json, column
from exchange.core.idempotency import IdempotencyClaim
from exchange.core.ids import uuid7


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
def test_a_field_that_has_no_sql_type_or_two_is_not_installed(kind, error):
    odd: Any = make_dataclass("Odd", [("odd", kind)], bases=(Ship,), frozen=True, kw_only=True)
    with pytest.raises(error):
        odd.type_sql()


def test_a_command_is_sent_by_the_names_of_its_fields_with_exact_numbers():
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


def test_a_command_has_the_id_of_what_is_made():
    assert SHIP.made_id == "00000000-0000-0000-0000-000000000003"
    assert Command.id_field == "id"


def test_a_command_is_under_the_key_of_its_claim_and_else_as_it_was():
    assert SHIP.under(None) is SHIP
    key = {"method": "POST", "path": "/ship", "key": "k", "body_hash": "hash"}
    assert asdict(SHIP.under(CLAIM)) == asdict(SHIP) | key
