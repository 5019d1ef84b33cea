"""What is asked of the SQL functions of the order book."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar
from uuid import UUID

from exchange.core.commands import Command, column
from exchange.core.ids import uuid7


@dataclass(frozen=True, kw_only=True)
class PlaceOrder(Command):
    """An order, well formed: `type` Buy or Sell, `price` for one unit, `tokens` units.

    With the lengths of texts a name that is too long is refused when the command is read.
    """

    sql_type: ClassVar[str] = "order_request"

    token: UUID
    type: str = column("varchar(4)")
    price: Decimal
    tokens: Decimal
    api_key: UUID | None = None
    # An outside customer that a key trades for.
    customer_name: str | None = column("varchar(200)", default=None)
    customer_email: str | None = column("varchar(254)", default=None)
    client_order_id: str = column("varchar(64)", default="")
    actor: str = column("varchar(80)")
    id: UUID = field(default_factory=uuid7)
