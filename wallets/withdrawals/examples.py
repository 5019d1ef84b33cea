"""Example withdrawals, in the story of `exchange.core.examples`."""

from typing import Any

from exchange.core.examples import (
    MEMBER_ID,
    ORGANISATION_ID,
    WITHDRAWAL_ID,
    WITHDRAWAL_REFERENCE,
    WITHDRAWAL_REQUESTED_AT,
)
from wallets.banks.payloads import BANK_EXAMPLE

WITHDRAWAL: dict[str, Any] = {
    "_id": WITHDRAWAL_ID,
    "owner": ORGANISATION_ID,
    "owner_model": "organisation",
    "reference": WITHDRAWAL_REFERENCE,
    "amount": 15000.5,
    "disburse_amount": 14950.5,
    "fee": 50,
    "gusd_amount": 9.8,
    "internal_fee": 0,
    "internal_fee_type": "NONE",
    "currency": "NGN",
    "bank": BANK_EXAMPLE["_id"],
    "status": "Pending",
    "actioned_on": None,
    "createdAt": WITHDRAWAL_REQUESTED_AT,
    "updatedAt": WITHDRAWAL_REQUESTED_AT,
}


_ORGANISATION_ONLY = frozenset({"gusd_amount", "internal_fee", "internal_fee_type"})


MEMBER_WITHDRAWAL: dict[str, Any] = {
    **{name: value for name, value in WITHDRAWAL.items() if name not in _ORGANISATION_ONLY},
    "owner": MEMBER_ID,
    "owner_model": "user",
}
