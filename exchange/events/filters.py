"""Filters of events."""

from django.conf import settings

from exchange.api.filters import DatedFilters, EnumeratedFilter, IdFilter
from exchange.events.models import EventStatus


class EventFilters(DatedFilters):
    """Filter events by type, delivery status, subject and time."""

    type = EnumeratedFilter(allowed=settings.EVENT_TYPES, help_text="Event type")
    status = EnumeratedFilter(allowed=EventStatus.values, help_text="Delivery status")
    subject_id = IdFilter(help_text="ID of the record the event is about")
