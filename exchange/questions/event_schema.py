"""OpenAPI schema of the events of questions."""

from typing import Any

from exchange.api.operations import NamedSchema, closed_object
from exchange.events.event_schema import USER, add_webhooks
from exchange.participants.examples import USER as USER_EXAMPLE
from exchange.questions.event_types import EVENT_TYPES

_QUESTION = closed_object(
    {
        "_id": {"type": "string", "format": "uuid", "description": "Question ID"},
        "text": {"type": "string", "description": "What the exchange asks"},
        "record_type": {
            "type": "string",
            "description": "What it is about: `withdrawal` or `deposit`",
            "x-extensible-enum": ["withdrawal", "deposit"],
        },
        "record_id": {"type": "string", "format": "uuid", "description": "ID of that record"},
    },
    description="The question. The record waits for the answer, but can be decided without it",
)
_EXAMPLE = {
    "question": {
        "_id": "0197d36f-3c44-7b12-8f63-4c5d6e7f8b01",
        "text": "Please send us the invoice that this withdrawal pays.",
        "record_type": "withdrawal",
        "record_id": "0197d36f-3c44-7b12-8f63-4c5d6e7f8a03",
    },
    "user": USER_EXAMPLE,
}
_DATA = NamedSchema(
    "QuestionEventData",
    closed_object(
        {
            "question": _QUESTION,
            "user": {**USER, "description": "The member; null for your own wallet"},
        }
    ),
    dict.fromkeys(EVENT_TYPES, _EXAMPLE),
)


def add_question_events(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the events of questions to the schema."""
    add_webhooks(result, _DATA, EVENT_TYPES, "Events")
    return result
