"""An example bank record, in the story of `exchange.core.examples`."""

from typing import Any

BANK: dict[str, Any] = {
    "_id": "0197d36b-8c11-7a04-8e5f-1d2c3b4a5f60",
    "name": "Guaranty Trust Bank",
    "code": "058",
    "account_number": "0690000031",
    "account_name": "Forrest Green",
    "currency": "NGN",
}
