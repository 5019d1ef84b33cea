"""Filters of events."""

from django.conf import settings

from exchange.api.filters import (
    ChoicesParameter,
    DatedFilters,
    EnumeratedFilter,
    EnumeratedListFilter,
    IdFilter,
)
from exchange.events.models import EventStatus

TYPES = ChoicesParameter(allowed=settings.EVENT_TYPES)


class EventFilters(DatedFilters):
    """Filter events by type, delivery status, subject and time."""

    type = EnumeratedListFilter(
        allowed=settings.EVENT_TYPES, help_text="Event type, or several separated by commas"
    )
    status = EnumeratedFilter(allowed=EventStatus.values, help_text="Delivery status")
    subject_id = IdFilter(help_text="ID of the record the event is about")
