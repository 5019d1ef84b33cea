"""OpenAPI schema of distribution events."""

from typing import Any

from credit.distributions import examples
from credit.distributions.event_types import EVENT_TYPES
from credit.distributions.payloads import DISTRIBUTION
from exchange.api.operations import NamedSchema, closed_object, number_schema
from exchange.events.event_schema import add_webhooks

_STATUSES = {
    "distribution.announced": "Announced",
    "distribution.updated": "Announced",
    "distribution.recorded": "Recorded",
    "distribution.overdue": "Recorded",
    "distribution.cancelled": "Cancelled",
}


def _example(event_type: str, status: str) -> dict[str, Any]:
    sums = status == "Announced" and examples.ANNOUNCED
    found = {**examples.DISTRIBUTION, **(sums or {}), "status": status}
    return {"distribution": {**found, "overdue": event_type == "distribution.overdue"}}


def _paid(distribution: dict[str, Any]) -> dict[str, Any]:
    sums = {"holders": 3, "gross": 34972.59, "tax": 0, "net": 34972.59}
    return {"distribution": {**distribution, "status": "Paid"}, **sums}


_CHANGED = NamedSchema(
    "DistributionEventData",
    closed_object({"distribution": DISTRIBUTION}),
    {event_type: _example(event_type, status) for event_type, status in _STATUSES.items()},
)
_PAID = NamedSchema(
    "DistributionPaidEventData",
    closed_object(
        {
            "distribution": DISTRIBUTION,
            "holders": {
                "type": "integer",
                "description": "Owners of your organisation: itself and its members",
            },
            "gross": number_schema("What they received before tax"),
            "tax": number_schema("Tax withheld of it"),
            "net": number_schema("What was paid to them"),
        }
    ),
    {
        "distribution.paid": _paid(examples.ANNOUNCED),
        "token.redeemed": _paid(examples.REDEMPTION),
    },
)


def add_distribution_events(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the distribution events to the schema."""
    for data in (_CHANGED, _PAID):
        add_webhooks(result, data, EVENT_TYPES, "Distributions")
    return result
