"""What is asked of the SQL functions of withdrawals."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar
from uuid import UUID

from exchange.core.commands import Command
from exchange.core.ids import new_reference, uuid7


@dataclass(frozen=True, kw_only=True)
class Corridor:
    """What some countries need besides the account: a branch, or who the recipient is."""

    branch_code: str = ""
    recipient_first_name: str = ""
    recipient_last_name: str = ""
    recipient_email: str = ""
    recipient_phone: str = ""
    recipient_address: str = ""


@dataclass(frozen=True, kw_only=True)
class RequestWithdrawal(Corridor, Command):
    """A withdrawal that a client asks for, well formed: `amount` in units of `currency`.

    `bank_name` and `account_name` are the client's until the bank is found: then they are the
    provider's, and `given_name` is what the client wrote.
    """

    sql_type: ClassVar[str] = "withdrawal_order"
    id_field: ClassVar[str] = "withdrawal"

    currency: str
    amount: Decimal
    bank_name: str
    account_name: str
    account_number: str
    bank_code: str = ""
    provider_bank_id: int = 0
    given_name: str = ""
    name_resolved: bool = False
    reference: str = field(default_factory=lambda: new_reference("payout_"))
    withdrawal: UUID = field(default_factory=uuid7)
    bank: UUID = field(default_factory=uuid7)
    transfer: UUID = field(default_factory=uuid7)
    event: UUID = field(default_factory=uuid7)
    new_escrow: UUID = field(default_factory=uuid7)
