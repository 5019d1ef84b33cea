"""Filters of events."""

from __future__ import annotations

from django.conf import settings

from exchange.api.filters import ChoiceFilter, DatedFilters, IdFilter
from exchange.events.models import Event, EventStatus


class EventFilters(DatedFilters):
    """Events by type, status, the record they are about, and when they happened."""

    type = ChoiceFilter(allowed=settings.EVENT_TYPES, help_text="What happened")
    status = ChoiceFilter(allowed=EventStatus.values, help_text="How far telling has come")
    subject_id = IdFilter(help_text="Id of the record it is about")

    class Meta:
        model = Event
        fields: tuple[str, ...] = ()
