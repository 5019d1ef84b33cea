"""Example deposits, in the story of `exchange.core.examples`."""

from typing import Any

from exchange.core.examples import DEPOSIT_ID, MEMBER_ID

DEPOSIT: dict[str, Any] = {
    "_id": DEPOSIT_ID,
    "owner": MEMBER_ID,
    "owner_model": "user",
    "reference": "deposit_06bx3d7k2m9p4r8t1v5w0y6z3a",
    "amount": 250000,
    "fee": 0,
    "net_amount": 250000,
    "currency": "NGN",
    "channel": "virtual_account",
    "status": "Completed",
    "provider_reference": "000013250704101204000011223344",
    "payer": {"name": "ADA OBI", "bank": "Access Bank", "account_number": "******4821"},
    "available_on": None,
    "disputed_at": None,
    "disputed_amount": None,
    "reversed_amount": 0,
    "createdAt": "2025-07-04T10:12:09.310Z",
    "updatedAt": "2025-07-04T10:12:09.310Z",
}

VIRTUAL_ACCOUNT: dict[str, Any] = {
    "_id": "0197d35a-6c11-7f04-8d5f-2d3c4b5a6f70",
    "owner": MEMBER_ID,
    "owner_model": "user",
    "currency": "NGN",
    "bank_name": "Wema Bank",
    "account_number": "8548227193",
    "account_name": "Ada Obi",
    "status": "Active",
    "createdAt": "2025-07-04T10:08:51.702Z",
}
