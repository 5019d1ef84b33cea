"""What can go wrong about events and webhook endpoints."""

from __future__ import annotations

from exchange.core.errors import NotFound


class EventNotFound(NotFound):
    """No such event of the calling organisation."""

    code = "event_not_found"
    message = "Event not found"


class EndpointNotFound(NotFound):
    """The organisation has set no webhook endpoint yet."""

    code = "webhook_not_found"
    message = "Webhook endpoint not found"
