"""`/v1/api/events` and `/v1/api/webhook`: events and the webhook endpoint."""

from typing import Any, ClassVar

from django.conf import settings
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.cursors import CursorList, InvalidCursor
from exchange.api.fields import TextField
from exchange.api.operations import RecordPage, operation
from exchange.api.pagination import read_page_request
from exchange.api.responses import RawJSON, SuccessResponse, encode_json, join_documents
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.core.errors import InvalidRequest
from exchange.core.ids import parse_id
from exchange.core.text import match_choice
from exchange.events.errors import CursorAhead, EventNotFound
from exchange.events.filters import EventFilters
from exchange.events.models import Event, WebhookEndpoint
from exchange.events.payloads import EVENT, EVENT_DETAIL, WEBHOOK, WEBHOOK_SET, WEBHOOK_WITH_SECRET
from exchange.events.selectors import (
    FeedPosition,
    endpoint_document,
    event_detail_document,
    event_document,
    event_texts,
    events_of,
    read_feed,
)
from exchange.events.services.endpoints import rotate_secret, send_test, set_endpoint
from exchange.events.services.numbering import number_events
from exchange.events.services.outbox import redeliver

# The `after` that precedes all events.
_START = "start"
_WITH_AFTER = ("after", "limit", "type")
_AFTER = OpenApiParameter(
    "after",
    {"type": "string", "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 200},
    description="Read the feed: events in the order of their changes, from the first with `start`, "
    "then after the `next_cursor` of the page before. Only with `type` and `limit`",
)


class EventViewSet(ApiViewSet):
    """The organisation's events."""

    tag = "Events"
    lookup_url_kwarg = "event_id"
    filterset_class = EventFilters
    sort_fields: ClassVar = {
        "created_at": "created_at",
        "delivered_at": "delivered_at",
        "type": "type",
        "status": "status",
    }
    changing_sorts = frozenset({"delivered_at", "status"})
    default_sort = "-created_at"

    def get_queryset(self) -> QuerySet[Event]:
        """Return the caller's events."""
        return events_of(self.caller.organisation_id)

    @operation(
        "Events retrieved",
        scope="webhooks:manage",
        response=RecordPage(EVENT, "events"),
        query=[_AFTER],
        failures={"409": {CursorAhead.code: CursorAhead.message}},
    )
    def list(self, request: Request) -> Response:
        """List events. Filter by type, status, record and time; follow them with `after`."""
        if "after" in request.query_params:
            return self._feed(request)
        events = self.filter_queryset(self.get_queryset())
        return self.paginated_response(event_texts(events), column="text")

    def _feed(self, request: Request) -> SuccessResponse:
        query, organisation_id = request.query_params, self.caller.organisation_id
        for name in query:
            if name not in _WITH_AFTER:
                raise InvalidRequest.for_field(name, f"{name} cannot be combined with after")
        self.filter_queryset(self.get_queryset())  # rejects an unknown type
        cursors, after = CursorList.of(request, organisation_id, sort="seq"), query["after"]
        start = None if after == _START else _parse_position(cursors, after)
        limit = read_page_request(request).limit
        event_type = match_choice(query.get("type"), settings.EVENT_TYPES)
        number_events()
        page = read_feed(organisation_id, start, limit=limit, event_type=event_type)
        end = page.end
        return self.respond(
            {
                "count": len(page.documents),
                "next_cursor": cursors.encode([str(end.event_id), end.numbered_at])
                if end
                else _START,
                "events": join_documents(page.documents),
            }
        )

    @operation("Event retrieved", scope="webhooks:manage", response=EVENT_DETAIL)
    def retrieve(self, _request: Request, event_id: str) -> SuccessResponse:
        """Fetch an event. With its body and every delivery attempt."""
        record_id = parse_path_id(event_id, EventNotFound)
        return self.respond(RawJSON(event_detail_document(self.caller.organisation_id, record_id)))

    @operation(
        "Event queued for delivery",
        scope="webhooks:manage",
        response=EVENT,
        failures={
            "409": {"no_endpoint": "No webhook endpoint is enabled. Enable one and try again"}
        },
    )
    @action(detail=True, methods=["post"])
    def redeliver(self, _request: Request, event_id: str) -> SuccessResponse:
        """Resend an event. Immediately and in any status; earlier attempts are kept."""
        caller = self.caller
        event = redeliver(
            event_id=parse_path_id(event_id, EventNotFound),
            organisation_id=caller.organisation_id,
            actor=caller.actor,
        )
        return self.respond(RawJSON(event_document(caller.organisation_id, event.id)))


def _parse_position(cursors: CursorList, text: str) -> FeedPosition:
    parts = cursors.decode("after", text)
    event_id = parse_id(parts[0])
    if event_id is None or len(parts) != 2:
        raise InvalidCursor("after")
    return FeedPosition(event_id, parts[1])


_EXAMPLE = OpenApiExample(
    "An endpoint", value={"url": "https://example.com/webhooks", "enabled": True}, request_only=True
)


_NOT_FOUND = {"webhook_not_found": "Webhook endpoint not found"}


class StrictBooleanField(serializers.BooleanField):
    """A strict boolean: strings and numbers are rejected."""

    def to_internal_value(self, data: Any) -> bool:
        """Return the boolean."""
        if not isinstance(data, bool):
            raise serializers.ValidationError("must be true or false")
        return data


class WebhookInput(serializers.Serializer[WebhookEndpoint]):
    """The webhook endpoint to set."""

    url = TextField(max_length=2000, help_text="https, public address, no redirects")
    enabled = StrictBooleanField(default=True, help_text="false: events are stored, not posted")


class WebhookViewSet(ApiViewSet):
    """The organisation's webhook endpoint."""

    tag = "Webhook"
    singleton = True

    @operation(
        "Webhook endpoint retrieved",
        scope="webhooks:manage",
        response=WEBHOOK,
        failures={"404": _NOT_FOUND},
    )
    def retrieve(self, _request: Request) -> SuccessResponse:
        """Fetch the webhook endpoint. The secret is never included."""
        return self.respond(RawJSON(endpoint_document(self.caller.organisation_id)))

    @operation(
        "Webhook endpoint changed",
        id="webhooks_set",
        scope="webhooks:manage",
        body=WebhookInput,
        response=WEBHOOK_SET,
        other_statuses=[201],
        failures={"400": {"invalid_url": "url must begin with https://"}},
        examples=[_EXAMPLE],
    )
    def update(self, _request: Request) -> SuccessResponse:
        """Set the webhook endpoint. The response to its creation shows the signing secret once.

        Changing the address, enabling or disabling it keeps the secret.
        """
        values, caller = self.body(), self.caller
        change = set_endpoint(organisation_id=caller.organisation_id, actor=caller.actor, **values)
        text = endpoint_document(caller.organisation_id)
        if change.secret is None:
            return self.respond(RawJSON(text))
        return SuccessResponse(
            with_secret(text, change.secret), "Webhook endpoint created", status=201
        )

    @operation(
        "Webhook secret rotated",
        scope="webhooks:manage",
        response=WEBHOOK_WITH_SECRET,
        failures={"404": _NOT_FOUND},
    )
    @action(detail=True, methods=["post"], url_path="rotate-secret")
    def rotate_secret(self, _request: Request) -> SuccessResponse:
        """Rotate the signing secret. The old one also signs for another 24 hours."""
        caller = self.caller
        _, secret = rotate_secret(organisation_id=caller.organisation_id, actor=caller.actor)
        return self.respond(with_secret(endpoint_document(caller.organisation_id), secret))

    @operation(
        "Test event queued for delivery",
        scope="webhooks:manage",
        response=EVENT,
        status=201,
        failures={
            "404": _NOT_FOUND,
            "409": {
                "webhook_disabled": "The webhook endpoint is disabled. Enable it and try again"
            },
        },
    )
    @action(detail=True, methods=["post"])
    def test(self, _request: Request) -> SuccessResponse:
        """Send a test event. An event of type `webhook.test` is posted like any other."""
        caller = self.caller
        event = send_test(organisation_id=caller.organisation_id, actor=caller.actor)
        return self.respond(RawJSON(event_document(caller.organisation_id, event.id)))


def with_secret(document: str, secret: str) -> RawJSON:
    """Return the endpoint's document with the secret as its last field."""

    return RawJSON(document[:-1].encode() + b',"secret":' + encode_json(secret) + b"}")
