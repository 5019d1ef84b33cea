"""Commands of the SQL functions of withdrawals."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar
from uuid import UUID

from exchange.core.commands import Command
from exchange.core.ids import new_reference, uuid7
from exchange.core.references import OwnReferences
from wallets.banks.payout_details import PayoutDetails


@dataclass(frozen=True, kw_only=True)
class RequestWithdrawal(OwnReferences, PayoutDetails, Command):
    """Validated withdrawal request; `amount` in units of `currency`.

    `bank_name` and `account_name` are the client's until the bank is found, then the provider's;
    `provided_name` is the account name the client provided.
    """

    sql_type: ClassVar[str] = "withdrawal_order"
    id_field: ClassVar[str] = "withdrawal"
    function: ClassVar[str] = "request_withdrawals"
    skips_rejected: ClassVar[bool] = True

    currency: str
    amount: Decimal
    bank_name: str
    account_name: str
    account_number: str
    bank_code: str = ""
    provider_bank_id: int = 0
    provided_name: str = ""
    name_resolved: bool = False
    reference: str = field(default_factory=lambda: new_reference("payout_"))
    withdrawal: UUID = field(default_factory=uuid7)
    bank: UUID = field(default_factory=uuid7)
    transfer: UUID = field(default_factory=uuid7)
    event: UUID = field(default_factory=uuid7)
    new_escrow: UUID = field(default_factory=uuid7)
