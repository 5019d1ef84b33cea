"""Links from an organisation to its events and its webhook endpoints."""

from django.urls import reverse

from exchange.admin.base import Tool
from exchange.events.models import ALL_EVENTS, WebhookEndpoint
from exchange.participants.models import Organisation


def events_link(organisation: Organisation) -> Tool:
    """Return the link to all events of `organisation`."""
    address = reverse("admin:exchange_event_changelist")
    return Tool("Events", f"{address}?organisation={organisation.pk}")


def webhook_link(organisation: Organisation) -> Tool | None:
    """Return the link to the webhook endpoints of `organisation`; None when it has none."""
    endpoints = organisation.webhook_endpoints.order_by("id")[:2]
    if not endpoints:
        return None
    if len(endpoints) > 1:
        address = reverse("admin:exchange_webhookendpoint_changelist")
        return Tool("Webhooks", f"{address}?organisation={organisation.pk}")
    address = reverse("admin:exchange_webhookendpoint_change", args=[endpoints[0].pk])
    return Tool("Webhook", address, opens_record=True)


def describe_events(endpoint: WebhookEndpoint) -> str:
    """Return the event types that the endpoint wants."""
    return "All" if ALL_EVENTS in endpoint.events else ", ".join(endpoint.events)
