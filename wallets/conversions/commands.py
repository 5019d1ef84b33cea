"""Commands of the SQL functions of conversions."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar
from uuid import UUID

from exchange.core.commands import Command
from exchange.core.ids import uuid7


@dataclass(frozen=True, kw_only=True)
class QuoteConversion(Command):
    """Validated request for a quote; `amount` in units of `from_currency`."""

    sql_type: ClassVar[str] = "conversion_quote_order"
    id_field: ClassVar[str] = "quote"

    from_currency: str
    to_currency: str
    amount: Decimal
    max_rate_age_hours: int
    lifetime_seconds: int
    quote: UUID = field(default_factory=uuid7)


@dataclass(frozen=True, kw_only=True)
class ConvertMoney(Command):
    """Validated conversion by a quote; without a member, of the organisation's own money."""

    sql_type: ClassVar[str] = "conversion_order"
    id_field: ClassVar[str] = "conversion"
    function: ClassVar[str] = "convert_money"

    quote: UUID
    max_rate_age_hours: int
    conversion: UUID = field(default_factory=uuid7)
    transfer: UUID = field(default_factory=uuid7)
    event: UUID = field(default_factory=uuid7)
