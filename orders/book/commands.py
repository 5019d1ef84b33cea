"""Commands for the SQL functions of the order book."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import ClassVar
from uuid import UUID

from django.conf import settings

from exchange.core.commands import Command, column
from exchange.core.ids import uuid7
from exchange.core.references import OwnReferences
from orders.book.models import OrderKind, TimeInForce


@dataclass(frozen=True, kw_only=True)
class PlaceOrder(OwnReferences, Command):
    """A well-formed order: `type` Buy or Sell, `price` per unit, `tokens` units, its kind.

    With `amends` it changes that order: None for what stays, `tokens` is the new total.

    Text lengths are declared so that PostgreSQL rejects longer values when it reads the command.
    """

    sql_type: ClassVar[str] = "order_request"

    token: UUID
    type: str = column("varchar(4)")
    # None for a market order (PostgreSQL works it out).
    price: Decimal | None
    # None for a market order of a `requested_amount`, the sum to spend with the fee.
    tokens: Decimal | None
    requested_amount: Decimal | None = None
    order_type: str = column("varchar(6)", default=OrderKind.LIMIT)
    time_in_force: str = column("varchar(3)", default=TimeInForce.GTC)
    post_only: bool = False
    expires_at: datetime | None = None
    preview: bool = False
    # Percent by which the price of a market order may be less favourable than the best one.
    collar: int = field(default_factory=lambda: settings.MARKET_COLLAR)
    api_key: UUID | None = None
    # The external customer an API key trades for.
    customer_name: str | None = column("varchar(200)", default=None)
    customer_email: str | None = column("varchar(254)", default=None)
    client_order_id: str = column("varchar(64)", default="")
    amends: UUID | None = None
    expected_filled: Decimal | None = None
    actor: str = column("varchar(80)")
    id: UUID = field(default_factory=uuid7)
