"""`/v1/api/events`, `/v1/api/webhook-endpoints` and `/v1/api/webhook`, the oldest endpoint."""

from typing import ClassVar
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.cursors import CursorList, InvalidCursor
from exchange.api.operations import NamedSchema, RecordList, RecordPage, operation
from exchange.api.pagination import read_page_request
from exchange.api.responses import RawJSON, SuccessResponse, encode_json, join_documents
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.core.errors import InvalidRequest
from exchange.core.ids import parse_id
from exchange.core.querysets import document_texts
from exchange.core.text import match_choice
from exchange.events.errors import CursorAhead, EndpointNotFound, EventNotFound, TooManyEndpoints
from exchange.events.examples import ENDPOINT_ID
from exchange.events.filters import TYPES, EventFilters
from exchange.events.models import Event
from exchange.events.payloads import (
    EVENT,
    EVENT_DETAIL,
    WEBHOOK,
    WEBHOOK_ENDPOINT,
    WEBHOOK_ENDPOINT_WITH_SECRET,
    WEBHOOK_SET,
    WEBHOOK_WITH_SECRET,
)
from exchange.events.selectors import (
    MAX_COUNTED,
    FeedPosition,
    endpoint_document,
    endpoint_record,
    endpoints_of,
    event_document,
    event_texts,
    events_of,
    read_feed,
)
from exchange.events.serializers import (
    BulkRedeliverInput,
    EndpointInput,
    RedeliverInput,
    WebhookInput,
)
from exchange.events.services.endpoints import (
    create_endpoint,
    delete_endpoint,
    rotate_secret,
    send_test,
    set_endpoint,
    update_endpoint,
)
from exchange.events.services.numbering import number_events
from exchange.events.services.outbox import MAX_REDELIVERIES, redeliver, redeliver_undelivered

# The `after` that precedes all events.
_START = "start"
_WITH_AFTER = ("after", "limit", "type", "include")
_AFTER = OpenApiParameter(
    "after",
    {"type": "string", "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 200},
    description="Read the feed: events in the order of their changes, from the first with `start`, "
    "then after the `next_cursor` of the page before. Only with `type`, `include` and `limit`",
)
_INCLUDE = OpenApiParameter(
    "include", {"type": "string", "enum": ["body"]}, description="`body`: with the bodies of events"
)


_NOT_FOUND = {"webhook_not_found": "Webhook endpoint not found"}
_NO_ENDPOINT = {"no_endpoint": "No webhook endpoint is enabled. Enable one and try again"}
_DISABLED = {"webhook_disabled": "The webhook endpoint is disabled. Enable it and try again"}
_REDELIVER_EXAMPLE = OpenApiExample(
    "To one endpoint", value={"endpoint_id": ENDPOINT_ID}, request_only=True
)
_BULK_EXAMPLE = OpenApiExample(
    "After a day without the endpoint",
    value={"created_from": "2025-07-04T00:00:00Z", "created_to": "2025-07-05T08:30:00Z"},
    request_only=True,
)
_INVALID_URL = {"invalid_url": "url must begin with https://"}


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
        query=[_AFTER, _INCLUDE],
        failures={"409": {CursorAhead.code: CursorAhead.message}},
    )
    def list(self, request: Request) -> Response:
        """List events. Filter by type, status, record and time; follow them with `after`."""
        bodies = _wants_bodies(request)
        if "after" in request.query_params:
            return self._feed(request, bodies=bodies)
        events = self.filter_queryset(self.get_queryset())
        return self.paginated_response(event_texts(events, bodies=bodies), column="text")

    def _feed(self, request: Request, *, bodies: bool) -> SuccessResponse:
        query, organisation_id = request.query_params, self.caller.organisation_id
        for name in query:
            if name not in _WITH_AFTER:
                raise InvalidRequest.for_field(name, f"{name} cannot be combined with after")
        self.filter_queryset(self.get_queryset())  # rejects an unknown type
        cursors, after = CursorList.of(request, organisation_id, sort="seq"), query["after"]
        start = None if after == _START else _parse_position(cursors, after)
        limit = read_page_request(request).limit
        types = TYPES.parse(query["type"]) if "type" in query else None
        number_events()
        page = read_feed(organisation_id, start, limit=limit, types=types, bodies=bodies)
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
        text = event_document(self.caller.organisation_id, record_id, EVENT_DETAIL)
        return self.respond(RawJSON(text))

    @operation(
        "Event queued for delivery",
        scope="webhooks:manage",
        body=RedeliverInput,
        response=EVENT,
        failures={"404": _NOT_FOUND, "409": _NO_ENDPOINT},
        examples=[_REDELIVER_EXAMPLE],
    )
    @action(detail=True, methods=["post"])
    def redeliver(self, _request: Request, event_id: str) -> SuccessResponse:
        """Resend an event. Immediately and in any status; earlier attempts are kept. It goes to
        the endpoint in the body, or to those that have not received it, or to all if each has.
        """
        caller, endpoint_id = self.caller, self.body().get("endpoint_id")
        event = redeliver(
            event_id=parse_path_id(event_id, EventNotFound),
            organisation_id=caller.organisation_id,
            endpoint_id=endpoint_id and parse_path_id(endpoint_id, EndpointNotFound),
            actor=caller.actor,
        )
        return self.respond(RawJSON(event_document(caller.organisation_id, event.id)))


def _wants_bodies(request: Request) -> bool:
    include = request.query_params.get("include")
    if include is not None and match_choice(include, ["body"]) is None:
        raise InvalidRequest.for_field("include", "include must be one of [body]")
    return include is not None


def _parse_position(cursors: CursorList, text: str) -> FeedPosition:
    parts = cursors.decode("after", text)
    event_id = parse_id(parts[0])
    if event_id is None or len(parts) != 2:
        raise InvalidCursor("after")
    return FeedPosition(event_id, parts[1])


_EXAMPLE = OpenApiExample(
    "An endpoint", value={"url": "https://example.com/webhooks", "enabled": True}, request_only=True
)


class WebhookViewSet(ApiViewSet):
    """The organisation's oldest webhook endpoint, for clients that have one."""

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
        failures={"400": _INVALID_URL},
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
        failures={"404": _NOT_FOUND, "409": _DISABLED},
    )
    @action(detail=True, methods=["post"])
    def test(self, _request: Request) -> SuccessResponse:
        """Send a test event. An event of type `webhook.test` is posted like any other."""
        caller = self.caller
        event = send_test(organisation_id=caller.organisation_id, actor=caller.actor)
        return self.respond(RawJSON(event_document(caller.organisation_id, event.id)))


REDELIVERY = NamedSchema.of(
    "Redelivery",
    queued=(
        {
            "type": "integer",
            "minimum": 0,
            "maximum": MAX_REDELIVERIES,
            "description": "Events queued for delivery",
        },
        1_000,
    ),
    remaining=(
        {
            "type": "integer",
            "minimum": 0,
            "maximum": MAX_COUNTED,
            "description": f"Matching events that are left, counted to {MAX_COUNTED:,}",
        },
        240,
    ),
)
_ENDPOINT_EXAMPLE = OpenApiExample(
    "An endpoint for payouts",
    value={
        "url": "https://example.com/payouts",
        "events": ["withdrawal.completed", "withdrawal.failed"],
        "description": "Payouts",
    },
    request_only=True,
)


class EndpointViewSet(ApiViewSet):
    """The organisation's webhook endpoints, 10 at most."""

    tag = "Webhook"
    lookup_url_kwarg = "endpoint_id"

    @operation(
        "Webhook endpoints retrieved",
        scope="webhooks:manage",
        response=RecordList(WEBHOOK_ENDPOINT),
    )
    def list(self, _request: Request) -> SuccessResponse:
        """List the webhook endpoints, the oldest first. Secrets are never included."""
        texts = document_texts(endpoints_of(self.caller.organisation_id), WEBHOOK_ENDPOINT)
        return self.respond(join_documents([*texts]))

    @operation(
        "Webhook endpoint retrieved",
        scope="webhooks:manage",
        response=WEBHOOK_ENDPOINT,
    )
    def retrieve(self, _request: Request, endpoint_id: str) -> SuccessResponse:
        """Fetch a webhook endpoint. The secret is never included."""
        return self._respond(_endpoint_id(endpoint_id))

    @operation(
        "Webhook endpoint created",
        scope="webhooks:manage",
        body=EndpointInput,
        response=WEBHOOK_ENDPOINT_WITH_SECRET,
        status=201,
        failures={"400": _INVALID_URL, "409": {TooManyEndpoints.code: TooManyEndpoints.message}},
        examples=[_ENDPOINT_EXAMPLE],
    )
    def create(self, _request: Request) -> SuccessResponse:
        """Create a webhook endpoint, up to 10. The response shows its signing secret once."""
        caller = self.caller
        made = create_endpoint(
            organisation_id=caller.organisation_id, actor=caller.actor, **self.body()
        )
        text = endpoint_record(caller.organisation_id, made.endpoint.id)
        return self.respond(with_secret(text, str(made.secret)))

    @operation(
        "Webhook endpoint changed",
        scope="webhooks:manage",
        body=EndpointInput,
        response=WEBHOOK_ENDPOINT,
        failures={"400": _INVALID_URL},
        examples=[_ENDPOINT_EXAMPLE],
    )
    def update(self, _request: Request, endpoint_id: str) -> SuccessResponse:
        """Change a webhook endpoint. Omitted fields take their default; the secret stays. Enabling
        it or changing its address ends its failures.
        """
        found, caller = _endpoint_id(endpoint_id), self.caller
        update_endpoint(
            organisation_id=caller.organisation_id,
            endpoint_id=found,
            actor=caller.actor,
            **self.body(),
        )
        return self._respond(found)

    @operation(
        "Webhook endpoint deleted",
        id="webhook_endpoints_delete",
        scope="webhooks:manage",
        response=WEBHOOK_ENDPOINT,
    )
    def destroy(self, _request: Request, endpoint_id: str) -> SuccessResponse:
        """Delete a webhook endpoint. What it has not received is no longer sent."""
        found, caller = _endpoint_id(endpoint_id), self.caller
        text = endpoint_record(caller.organisation_id, found)
        delete_endpoint(
            organisation_id=caller.organisation_id, endpoint_id=found, actor=caller.actor
        )
        return self.respond(RawJSON(text))

    @operation(
        "Webhook secret rotated",
        scope="webhooks:manage",
        response=WEBHOOK_ENDPOINT_WITH_SECRET,
    )
    @action(detail=True, methods=["post"], url_path="rotate-secret")
    def rotate_secret(self, _request: Request, endpoint_id: str) -> SuccessResponse:
        """Rotate the signing secret of an endpoint. The old one also signs for another 24 hours."""
        found, caller = _endpoint_id(endpoint_id), self.caller
        _, secret = rotate_secret(
            organisation_id=caller.organisation_id, endpoint_id=found, actor=caller.actor
        )
        return self.respond(with_secret(endpoint_record(caller.organisation_id, found), secret))

    @operation(
        "Test event queued for delivery",
        scope="webhooks:manage",
        response=EVENT,
        status=201,
        failures={"409": _DISABLED},
    )
    @action(detail=True, methods=["post"])
    def test(self, _request: Request, endpoint_id: str) -> SuccessResponse:
        """Send a test event to an endpoint. It goes to this one only, whatever types it wants."""
        caller = self.caller
        event = send_test(
            organisation_id=caller.organisation_id,
            endpoint_id=_endpoint_id(endpoint_id),
            actor=caller.actor,
        )
        return self.respond(RawJSON(event_document(caller.organisation_id, event.id)))

    @operation(
        "Events queued for delivery",
        scope="webhooks:manage",
        body=BulkRedeliverInput,
        response=REDELIVERY,
        failures={"409": _NO_ENDPOINT},
        examples=[_BULK_EXAMPLE],
    )
    @action(detail=True, methods=["post"])
    def redeliver(self, _request: Request, endpoint_id: str) -> SuccessResponse:
        """Resend what an endpoint has not received, the oldest first, up to 1,000 events a call.
        Repeat while `remaining` is above 0.
        """
        values, caller = self.body(), self.caller
        result = redeliver_undelivered(
            organisation_id=caller.organisation_id,
            endpoint_id=_endpoint_id(endpoint_id),
            actor=caller.actor,
            since=values.get("created_from"),
            until=values.get("created_to"),
            types=values.get("types", ()),
        )
        return self.respond({"queued": result.queued, "remaining": result.remaining})

    def _respond(self, endpoint_id: UUID) -> SuccessResponse:
        return self.respond(RawJSON(endpoint_record(self.caller.organisation_id, endpoint_id)))


def _endpoint_id(text: str) -> UUID:
    return parse_path_id(text, EndpointNotFound)


def with_secret(document: str, secret: str) -> RawJSON:
    """Return the endpoint's document with the secret as its last field."""

    return RawJSON(document[:-1].encode() + b',"secret":' + encode_json(secret) + b"}")
