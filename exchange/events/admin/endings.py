"""What is asked before a webhook endpoint is switched off, or an event sent again."""

from __future__ import annotations

from exchange.admin.confirming import Question
from exchange.admin.show import lately
from exchange.events.models import WebhookEndpoint
from exchange.events.selectors import COUNTED_EXHAUSTED, Standing
from exchange.events.services.outbox import SENT_AGAIN_AT_MOST


def switching_of_endpoint(endpoint: WebhookEndpoint, found: Standing, *, enabled: bool) -> Question:
    """Whether events are to be delivered to `endpoint`."""
    so_already = "enabled" if enabled else "disabled"
    return Question(
        title=f"{'Enable' if enabled else 'Disable'} the webhook of {endpoint.organisation}?",
        facts=_facts_of_endpoint(endpoint),
        passing=_passing(found),
        words="New events are delivered from now on. Those that came up while it was disabled are"
        " Unsent: each can be sent again on its own page."
        if enabled
        else "Events are kept and not delivered: its server hears nothing of payouts, orders and"
        " loans until the endpoint is enabled again.",
        submit=f"Yes, {'enable' if enabled else 'disable'} it",
        hindrance=f"The endpoint is {so_already} already" if endpoint.enabled == enabled else "",
        final=not enabled,
    )


def sending_again(endpoint: WebhookEndpoint, found: Standing) -> Question:
    """Whether everything that nobody took is to be sent once more."""
    hindrance = "" if found.exhausted else "There is nothing that nobody took"
    return Question(
        title=f"Send {endpoint.organisation} what nobody took?",
        facts=_facts_of_endpoint(endpoint),
        passing=_passing(found),
        words="Each event goes out once more, with its own webhook-id, at most"
        f" {SENT_AGAIN_AT_MOST:,} of them. Make sure that the server is ready for them.",
        submit="Yes, send them again",
        hindrance=hindrance if endpoint.enabled else "The webhook endpoint is disabled",
    )


def _facts_of_endpoint(endpoint: WebhookEndpoint) -> list[tuple[str, object]]:
    return [
        ("Organisation", endpoint.organisation),
        ("Address", endpoint.url),
        ("State", "Enabled" if endpoint.enabled else "Disabled"),
        ("Why", endpoint.disabled_reason or "-"),
    ]


def _passing(found: Standing) -> list[tuple[str, object]]:
    many = f"{found.exhausted:,}{' or more' if found.exhausted >= COUNTED_EXHAUSTED else ''}"
    return [
        ("Last delivered", lately(found.last_success, "not lately")),
        ("Events nobody took", many if found.exhausted else "none"),
    ]
