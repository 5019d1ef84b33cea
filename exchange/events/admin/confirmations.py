"""Confirmation pages for switching a webhook endpoint and resending undelivered webhooks."""

from exchange.admin.confirmation import Confirmation
from exchange.admin.display import last_used
from exchange.events.models import WebhookEndpoint
from exchange.events.selectors import MAX_COUNTED, EndpointHealth
from exchange.events.services.outbox import MAX_REDELIVERIES


def confirm_endpoint_status(
    endpoint: WebhookEndpoint, health: EndpointHealth, *, enabled: bool
) -> Confirmation:
    """Return the confirmation for enabling or disabling `endpoint`."""
    state = "enabled" if enabled else "disabled"
    return Confirmation(
        title=f"{'Enable' if enabled else 'Disable'} the webhook of {endpoint.organisation}?",
        facts=_endpoint_facts(endpoint),
        live_facts=_health_facts(health),
        text="New events are delivered from now on. Resend undelivered queues those created while"
        " the endpoint was disabled."
        if enabled
        else "Events are stored but not delivered to this address: it receives no webhooks about"
        " payouts, orders and loans until the endpoint is enabled again.",
        submit=f"{'Enable' if enabled else 'Disable'} webhook",
        blocker=f"The endpoint is already {state}" if endpoint.enabled == enabled else "",
        final=not enabled,
    )


def confirm_redelivery(endpoint: WebhookEndpoint, health: EndpointHealth) -> Confirmation:
    """Return the confirmation for resending the undelivered events."""
    return Confirmation(
        title=f"Resend undelivered webhooks of {endpoint.organisation}?",
        facts=_endpoint_facts(endpoint),
        live_facts=_health_facts(health),
        text=f"Resends to this address up to {MAX_REDELIVERIES:,} events it missed, oldest first,"
        " each with its original webhook-id."
        " Make sure that the organisation's server is ready to receive them.",
        submit="Resend events",
        # None undelivered is no reason: of a time when it was disabled, others may have received
        # the events, and a day asks for those as well.
        blocker=""
        if endpoint.enabled
        else "The webhook endpoint is disabled. Enable it and try again",
    )


def _endpoint_facts(endpoint: WebhookEndpoint) -> list[tuple[str, object]]:
    return [
        ("Organisation", endpoint.organisation),
        ("Address", endpoint.url),
        ("Status", "Enabled" if endpoint.enabled else "Disabled"),
        ("Reason", endpoint.disabled_reason or "-"),
    ]


def _health_facts(health: EndpointHealth) -> list[tuple[str, object]]:
    return [
        ("Last delivered", last_used(health.last_success, "not recently")),
        ("Undelivered webhooks", count_undelivered(health)),
    ]


def count_undelivered(health: EndpointHealth) -> str:
    """Return the number of undelivered events, or its bound: `1,000 or more`."""
    return f"{health.undelivered:,}{' or more' if health.undelivered >= MAX_COUNTED else ''}"
