"""Events and webhook endpoints on the pages of what they are about: links, and a table."""

from uuid import UUID

from django.db.models import prefetch_related_objects
from django.urls import reverse

from exchange.admin.base import Section, Tool
from exchange.admin.display import format_time, record_link, status_badge
from exchange.events.models import ALL_EVENTS, Event, WebhookEndpoint
from exchange.participants.models import Organisation


def events_link(organisation: Organisation) -> Tool:
    """Return the link to all events of `organisation`."""
    address = reverse("admin:exchange_event_changelist")
    return Tool("Events", f"{address}?organisation={organisation.pk}")


def webhook_link(organisation: Organisation) -> Tool | None:
    """Return the link to the webhook endpoints of `organisation`; None when it has none."""
    endpoints = shown_endpoints(organisation)
    if not endpoints:
        return None
    if len(endpoints) > 1:
        address = reverse("admin:exchange_webhookendpoint_changelist")
        return Tool("Webhooks", f"{address}?organisation={organisation.pk}")
    address = reverse("admin:exchange_webhookendpoint_change", args=[endpoints[0].pk])
    return Tool("Webhook", address, opens_record=True)


def events_section(subject_id: UUID, *, tab: str = "") -> Section:
    """Return the table of the events about a record of one organisation, the oldest first."""
    rows = [
        (format_time(e.created_at), record_link(e, e.type), status_badge(e.status), e.attempts)
        for e in Event.objects.filter(subject_id=subject_id).order_by("created_at", "id")
    ]
    headings = ("Time (UTC)", "Event", "Delivery", "Attempts")
    return Section("Webhook events", headings, rows, right=(3,), tab=tab)


def shown_endpoints(organisation: Organisation) -> list[WebhookEndpoint]:
    """Return the endpoints, the oldest first: read once for all parts of a page."""
    prefetch_related_objects([organisation], "webhook_endpoints")
    return sorted(organisation.webhook_endpoints.all(), key=lambda endpoint: endpoint.pk)


def describe_events(endpoint: WebhookEndpoint) -> str:
    """Return the event types that the endpoint wants."""
    return "All" if ALL_EVENTS in endpoint.events else ", ".join(endpoint.events)
