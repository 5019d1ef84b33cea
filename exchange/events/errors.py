"""Errors of events and webhook endpoints."""

from exchange.core.errors import Conflict, NotFound


class EventNotFound(NotFound):
    """The calling organisation has no such event."""

    code = "event_not_found"
    message = "Event not found"


class EndpointNotFound(NotFound):
    """The organisation has no webhook endpoint."""

    code = "webhook_not_found"
    message = "Webhook endpoint not found"


class TooManyEndpoints(Conflict):
    """The organisation has as many endpoints as it may (409)."""

    code = "too_many_endpoints"
    message = "An organisation has up to 10 webhook endpoints. Delete one and try again"


class CursorAhead(Conflict):
    """The cursor is of events that a restore has undone (409)."""

    code = "cursor_ahead"
    message = (
        "after is ahead of the feed: the exchange was restored to an earlier time. "
        "Compare your records, and read from after=start again"
    )
