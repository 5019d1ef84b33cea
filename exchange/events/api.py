"""`/v1/api/events` and `/v1/api/webhook`: what happened, and where the organisation is told."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiExample
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.fields import TextField
from exchange.api.operations import RecordPage, operation
from exchange.api.responses import RawJSON, SuccessResponse, encode_json
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.events.errors import EventNotFound
from exchange.events.filters import EventFilters
from exchange.events.models import Event, WebhookEndpoint
from exchange.events.payloads import EVENT, EVENT_DETAIL, WEBHOOK, WEBHOOK_SET, WEBHOOK_WITH_SECRET
from exchange.events.selectors import (
    endpoint_document,
    event_detail_document,
    event_document,
    event_texts,
    events_of,
)
from exchange.events.services.endpoints import rotate_secret, send_test, set_endpoint
from exchange.events.services.outbox import redeliver


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
    default_sort = "-created_at"

    def get_queryset(self) -> QuerySet[Event]:
        """The caller's events."""
        return events_of(self.caller.organisation_id)

    @operation("Events retrieved", scope="webhooks:manage", response=RecordPage(EVENT, "events"))
    def list(self, _request: Request) -> Response:
        """List events. Filter by type, status, record and time."""
        found = self.filter_queryset(self.get_queryset())
        return self.paginated_response(event_texts(found))

    @operation("Event retrieved", scope="webhooks:manage", response=EVENT_DETAIL)
    def retrieve(self, _request: Request, event_id: str) -> SuccessResponse:
        """Fetch an event. With its body and every attempt to deliver it."""
        found = parse_path_id(event_id, EventNotFound())
        return self.respond(RawJSON(event_detail_document(self.caller.organisation_id, found)))

    @operation(
        "Event queued for delivery",
        scope="webhooks:manage",
        response=EVENT,
        failures={"409": {"no_endpoint": "There is no enabled webhook endpoint to send to"}},
    )
    @action(detail=True, methods=["post"])
    def redeliver(self, _request: Request, event_id: str) -> SuccessResponse:
        """Send an event again. Now, whatever became of it; its attempts so far are kept."""
        caller = self.caller
        event = redeliver(
            event_id=parse_path_id(event_id, EventNotFound()),
            organisation_id=caller.organisation_id,
            actor=caller.actor,
        )
        return self.respond(RawJSON(event_document(caller.organisation_id, event.id)))


_EXAMPLE = OpenApiExample(
    "An endpoint", value={"url": "https://example.com/webhooks", "enabled": True}, request_only=True
)


_NOT_FOUND = {"webhook_not_found": "Webhook endpoint not found"}


class FlagField(serializers.BooleanField):
    """true or false; strings and numbers are refused rather than understood."""

    def to_internal_value(self, data: Any) -> bool:
        """The flag."""
        if not isinstance(data, bool):
            raise serializers.ValidationError("must be true or false")
        return data


class WebhookInput(serializers.Serializer[WebhookEndpoint]):
    """Where events go."""

    url = TextField(max_length=2000, help_text="https, on a public address, no redirects")
    enabled = FlagField(default=True, help_text="false: events are kept, not posted")


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
        """Fetch the webhook endpoint. Never shows the secret."""
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
        """Set the webhook endpoint. The answer to its creation shows the signing secret once.

        Changing the address or switching it on or off keeps the secret.
        """
        values, caller = self.body(), self.caller
        done = set_endpoint(organisation_id=caller.organisation_id, actor=caller.actor, **values)
        text = endpoint_document(caller.organisation_id)
        if done.secret is None:
            return self.respond(RawJSON(text))
        return SuccessResponse(
            with_secret(text, done.secret), "Webhook endpoint created", status=201
        )

    @operation(
        "Webhook secret rotated",
        scope="webhooks:manage",
        response=WEBHOOK_WITH_SECRET,
        failures={"404": _NOT_FOUND},
    )
    @action(detail=True, methods=["post"], url_path="rotate-secret")
    def rotate_secret(self, _request: Request) -> SuccessResponse:
        """Rotate the signing secret. The old one signs as well for another 24 hours."""
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
            "409": {"webhook_disabled": "The webhook endpoint is disabled"},
        },
    )
    @action(detail=True, methods=["post"])
    def test(self, _request: Request) -> SuccessResponse:
        """Send a test event. An event of type `webhook.test` is posted like any other."""
        caller = self.caller
        event = send_test(organisation_id=caller.organisation_id, actor=caller.actor)
        return self.respond(RawJSON(event_document(caller.organisation_id, event.id)))


def with_secret(document: str, secret: str) -> RawJSON:
    """The endpoint's document with the secret as its last field."""
    return RawJSON(document[:-1].encode() + b',"secret":' + encode_json(secret) + b"}")
