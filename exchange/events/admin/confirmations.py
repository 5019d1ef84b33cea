"""What is asked before a webhook endpoint is switched off, or an event sent again."""

from __future__ import annotations

from exchange.admin.confirmation import Confirmation
from exchange.admin.display import last_used
from exchange.events.models import WebhookEndpoint
from exchange.events.selectors import MAX_COUNTED, EndpointHealth
from exchange.events.services.outbox import MAX_REDELIVERIES


def confirm_endpoint_status(
    endpoint: WebhookEndpoint, health: EndpointHealth, *, enabled: bool
) -> Confirmation:
    """Whether events are to be delivered to `endpoint`."""
    so_already = "enabled" if enabled else "disabled"
    return Confirmation(
        title=f"{'Enable' if enabled else 'Disable'} the webhook of {endpoint.organisation}?",
        facts=_endpoint_facts(endpoint),
        live_facts=_health_facts(health),
        text="New events are delivered from now on. Those that came up while it was disabled are"
        " Unsent: each can be sent again on its own page."
        if enabled
        else "Events are kept and not delivered: its server hears nothing of payouts, orders and"
        " loans until the endpoint is enabled again.",
        submit=f"Yes, {'enable' if enabled else 'disable'} it",
        blocker=f"The endpoint is {so_already} already" if endpoint.enabled == enabled else "",
        final=not enabled,
    )


def confirm_redelivery(endpoint: WebhookEndpoint, health: EndpointHealth) -> Confirmation:
    """Whether everything that nobody took is to be sent once more."""
    blocker = "" if health.exhausted else "There is nothing that nobody took"
    return Confirmation(
        title=f"Send {endpoint.organisation} what nobody took?",
        facts=_endpoint_facts(endpoint),
        live_facts=_health_facts(health),
        text="Each event goes out once more, with its own webhook-id, at most"
        f" {MAX_REDELIVERIES:,} of them. Make sure that the server is ready for them.",
        submit="Yes, send them again",
        blocker=blocker if endpoint.enabled else "The webhook endpoint is disabled",
    )


def _endpoint_facts(endpoint: WebhookEndpoint) -> list[tuple[str, object]]:
    return [
        ("Organisation", endpoint.organisation),
        ("Address", endpoint.url),
        ("State", "Enabled" if endpoint.enabled else "Disabled"),
        ("Why", endpoint.disabled_reason or "-"),
    ]


def _health_facts(health: EndpointHealth) -> list[tuple[str, object]]:
    many = f"{health.exhausted:,}{' or more' if health.exhausted >= MAX_COUNTED else ''}"
    return [
        ("Last delivered", last_used(health.last_success, "not lately")),
        ("Events nobody took", many if health.exhausted else "none"),
    ]
