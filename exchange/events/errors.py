"""Errors of events and webhook endpoints."""

from exchange.core.errors import NotFound


class EventNotFound(NotFound):
    """The calling organisation has no such event."""

    code = "event_not_found"
    message = "Event not found"


class EndpointNotFound(NotFound):
    """The organisation has no webhook endpoint."""

    code = "webhook_not_found"
    message = "Webhook endpoint not found"
