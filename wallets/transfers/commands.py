"""The command of the SQL function that moves money between wallets."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar
from uuid import UUID

from exchange.core.commands import Command
from exchange.core.ids import uuid7
from exchange.core.references import OwnReferences


@dataclass(frozen=True, kw_only=True)
class TransferMoney(OwnReferences, Command):
    """Validated transfer from the wallet of `member` to that of `payee`.

    None for either is the organisation's own wallet; `amount` is in units of `currency`.
    """

    sql_type: ClassVar[str] = "wallet_transfer_order"
    id_field: ClassVar[str] = "record"
    function: ClassVar[str] = "transfer_money"
    skips_rejected: ClassVar[bool] = True

    payee: UUID | None
    currency: str
    amount: Decimal
    record: UUID = field(default_factory=uuid7)
    transfer: UUID = field(default_factory=uuid7)
    event: UUID = field(default_factory=uuid7)
    new_account: UUID = field(default_factory=uuid7)
