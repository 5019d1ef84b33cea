"""Commands for the SQL functions of the order book."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar
from uuid import UUID

from exchange.core.commands import Command, column
from exchange.core.ids import uuid7
from exchange.core.references import OwnReferences


@dataclass(frozen=True, kw_only=True)
class PlaceOrder(OwnReferences, Command):
    """A well-formed order: `type` Buy or Sell, `price` per unit, `tokens` units.

    Text lengths are declared so that PostgreSQL rejects longer values when it reads the command.
    """

    sql_type: ClassVar[str] = "order_request"

    token: UUID
    type: str = column("varchar(4)")
    price: Decimal
    tokens: Decimal
    api_key: UUID | None = None
    # The external customer an API key trades for.
    customer_name: str | None = column("varchar(200)", default=None)
    customer_email: str | None = column("varchar(254)", default=None)
    client_order_id: str = column("varchar(64)", default="")
    actor: str = column("varchar(80)")
    id: UUID = field(default_factory=uuid7)
