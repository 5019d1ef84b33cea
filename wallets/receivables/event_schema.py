"""OpenAPI schema of the events of debts; the bodies are those of `sql/debt_events.sql`."""

from exchange.api.operations import NamedSchema, closed_object, number_schema
from exchange.events.event_schema import USER, webhooks_hook
from exchange.participants.examples import USER as USER_EXAMPLE
from wallets.receivables.event_types import EVENT_TYPES

_DEBT = closed_object(
    {
        "currency": {"type": "string", "description": "Currency of the amounts"},
        "amount": number_schema("By how much the debt changed, above zero"),
        "owed": number_schema("What is owed now: the `receivable` of the wallet, above zero"),
    },
    description="What the owner of the wallet owes",
)
_DATA = NamedSchema(
    "DebtEventData",
    closed_object(
        {
            "debt": _DEBT,
            "user": {**USER, "description": "The member; null for your own wallet"},
        }
    ),
    {
        event_type: {
            "debt": {"currency": "NGN", "amount": 3000, "owed": owed},
            "user": USER_EXAMPLE,
        }
        for event_type, owed in (("debt.opened", 3000), ("debt.repaid", 0))
    },
)

add_debt_events = webhooks_hook(EVENT_TYPES, "Wallets", _DATA)
