"""What clients send about webhook endpoints and deliveries."""

from datetime import datetime, timedelta
from difflib import get_close_matches
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from exchange.api.fields import FlagField, TextField
from exchange.api.filters import MOMENT, TimestampParameter
from exchange.core.text import match_choice
from exchange.events.models import ALL_EVENTS, WebhookEndpoint

_MAX_NAME_LENGTH = 60


_CHOICES = (*settings.EVENT_TYPES, ALL_EVENTS)


@extend_schema_field(
    {
        "type": "array",
        "items": {"type": "string", "enum": list(_CHOICES)},
        "minItems": 1,
        "maxItems": len(_CHOICES),
    }
)
class EventTypesField(serializers.Field[list[str], Any, Any, Any]):
    """A list of event types, in any case, each once; with `*` it is all of them."""

    def to_internal_value(self, data: Any) -> list[str]:
        """Return the types in their declared spelling."""
        if not isinstance(data, list) or not 1 <= len(data) <= len(_CHOICES):
            raise serializers.ValidationError("must be a list of event types")
        types = [self._parse(name) for name in data]
        return [ALL_EVENTS] if ALL_EVENTS in types else list(dict.fromkeys(types))

    def _parse(self, name: Any) -> str:
        choice = match_choice(name, _CHOICES)
        if choice is None:
            text = str(name)[:_MAX_NAME_LENGTH]
            near = get_close_matches(text.lower(), _CHOICES, n=1)
            hint = f": did you mean {near[0]}?" if near else ""
            raise serializers.ValidationError(f"has no event type {text}{hint}")
        return choice


class WebhookInput(serializers.Serializer[WebhookEndpoint]):
    """The webhook endpoint to set."""

    url = TextField(max_length=2000, help_text="https, public address, no redirects")
    enabled = FlagField(default=True, help_text="false: events are stored, not posted")


class EndpointInput(WebhookInput):
    """A webhook endpoint, one of several."""

    events = EventTypesField(
        default=[ALL_EVENTS], help_text="Event types that it wants; `*` for all"
    )
    description = TextField(
        max_length=200, default="", allow_blank=True, help_text="Your own description"
    )


class RedeliverInput(serializers.Serializer[Any]):
    """Where to send an event again."""

    endpoint_id = TextField(
        max_length=36,
        required=False,
        help_text="A webhook endpoint; by default those that have not received the event",
    )


@extend_schema_field(MOMENT)
class MomentField(serializers.Field[datetime, Any, Any, Any]):
    """A time with its offset, or a date, as filters take them."""

    def __init__(self, *, end: bool, **kwargs: Any) -> None:
        super().__init__(required=False, **kwargs)
        self._parameter = TimestampParameter(step=timedelta(milliseconds=1), end=end)

    def to_internal_value(self, data: Any) -> datetime:
        """Return the aware time."""
        if not isinstance(data, str):
            raise serializers.ValidationError("must be a string")
        try:
            moment: datetime = self._parameter.parse(data)
        except ValidationError as error:
            raise serializers.ValidationError(error.messages) from None
        return moment


class BulkRedeliverInput(serializers.Serializer[Any]):
    """Which events to send to an endpoint again."""

    created_from = MomentField(
        end=False,
        help_text="From this time, inclusive: also events of a time when the endpoint was disabled",
    )
    created_to = MomentField(end=True, help_text="To this time, inclusive")
    types = EventTypesField(required=False, help_text="Only these event types")
