"""Example members and balances of the API documentation."""

from typing import Any

from exchange.core.currencies import WALLET_CURRENCIES
from exchange.core.examples import MEMBER_ID
from exchange.participants import examples

MEMBER: dict[str, Any] = {
    **examples.MEMBER,
    "freezes": [{"_id": "0197d36f-3c44-7b12-8f63-4c5d6e7f8a03", "currency": "KES"}],
    "debts": [{"currency": "NGN", "owed": 3000}],
}

# One that can be closed.
UNBLOCKED_MEMBER: dict[str, Any] = {**MEMBER, "freezes": [], "debts": []}

_NOTHING: dict[str, Any] = dict.fromkeys(
    ("available", "escrow", "reserved", "lien", "uncleared", "receivable", "total"), 0
)

BALANCES: list[dict[str, Any]] = [
    {
        "currency": "NGN",
        **_NOTHING,
        "available": 984999.5,
        "escrow": 15000.5,
        "total": 1000000,
        "frozen": False,
    },
    *(
        {"currency": code, **_NOTHING, "frozen": code == "KES"}
        for code in WALLET_CURRENCIES
        if code != "NGN"
    ),
]


BALANCE: dict[str, Any] = {"owner": MEMBER_ID, "owner_model": "user", **BALANCES[0]}
