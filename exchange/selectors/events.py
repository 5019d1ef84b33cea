"""Reading events and webhook endpoints. Every read is for one organisation."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet, TextField
from django.db.models.expressions import RawSQL

from exchange.documents import Document
from exchange.errors import EndpointNotFound, EventNotFound
from exchange.models import Event, WebhookEndpoint
from exchange.payloads import EVENT, EVENT_DETAIL, WEBHOOK


def _document(document: Document) -> RawSQL:
    """The document of each row as an annotation."""
    return RawSQL(document.expression(document.table), (), output_field=TextField())  # noqa: S611 - built from a declaration


def events_of(organisation_id: UUID) -> QuerySet[Event]:
    """The events of an organisation."""
    return Event.objects.filter(organisation_id=organisation_id)


def event_texts(events: QuerySet[Event]) -> QuerySet[Event, str]:
    """The wire documents of `events`, JSON texts."""
    return events.annotate(text=_document(EVENT)).values_list("text", flat=True)


def event_document(organisation_id: UUID, event_id: UUID) -> str:
    """The wire document of an event, JSON text. Raises EventNotFound."""
    text = event_texts(events_of(organisation_id).filter(id=event_id)).first()
    if text is None:
        raise EventNotFound
    return text


def event_detail_document(organisation_id: UUID, event_id: UUID) -> str:
    """The same with its attempts and its body. Raises EventNotFound."""
    found = events_of(organisation_id).filter(id=event_id).annotate(text=_document(EVENT_DETAIL))
    text: str | None = found.values_list("text", flat=True).first()
    if text is None:
        raise EventNotFound
    return text


def endpoint_document(organisation_id: UUID) -> str:
    """The wire document of the organisation's endpoint. Raises EndpointNotFound."""
    found = WebhookEndpoint.objects.filter(organisation_id=organisation_id)
    text: str | None = (
        found.annotate(text=_document(WEBHOOK)).values_list("text", flat=True).first()
    )
    if text is None:
        raise EndpointNotFound
    return text
