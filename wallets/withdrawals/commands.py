"""Commands of the SQL functions of withdrawals."""

from dataclasses import dataclass, field, fields
from decimal import Decimal
from typing import Any, ClassVar
from uuid import UUID

from exchange.core.commands import Command
from exchange.core.ids import new_reference, uuid7
from exchange.core.references import OwnReferences


def _optional_detail(use: str, *, most: int | None = None, kind: str = "name") -> Any:
    """Declare an optional detail with its API help text, maximum length and kind."""
    return field(default="", metadata={"help_text": use, "max_length": most, "kind": kind})


@dataclass(frozen=True, kw_only=True)
class PayoutDetails:
    """Payout details that some corridors require: branch or recipient.

    API serializer, admin form and service derive from this declaration.
    """

    branch_code: str = _optional_detail(
        "GHS, UGX and TZS payouts need it; without it the approver must add it", most=40
    )
    recipient_first_name: str = _optional_detail("For ZAR payouts", most=100)
    recipient_last_name: str = _optional_detail("For ZAR payouts", most=100)
    recipient_email: str = _optional_detail("For ZAR payouts", kind="email")
    recipient_phone: str = _optional_detail(
        "For ZAR payouts; with its country code, such as +27821234567", most=30, kind="phone"
    )
    recipient_address: str = _optional_detail("For ZAR payouts", most=300)


PAYOUT_DETAILS = fields(PayoutDetails)


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
