"""Links from an organisation to its events and its webhook endpoint."""

from django.urls import reverse

from exchange.admin.base import Tool
from exchange.events.models import WebhookEndpoint
from exchange.participants.models import Organisation


def events_link(organisation: Organisation) -> Tool:
    """Return the link to all events of `organisation`."""
    address = reverse("admin:exchange_event_changelist")
    return Tool("Events", f"{address}?organisation={organisation.pk}")


def webhook_link(organisation: Organisation) -> Tool | None:
    """Return the link to the webhook endpoint of `organisation`; None when it has none."""
    endpoint: WebhookEndpoint | None = getattr(organisation, "webhook_endpoint", None)
    if endpoint is None:
        return None
    address = reverse("admin:exchange_webhookendpoint_change", args=[endpoint.pk])
    return Tool("Webhook", address, opens_record=True)
