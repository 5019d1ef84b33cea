"""`/v1/api/webhook`: where the organisation receives its events, and the secret that signs them."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from exchange.api.answers import Answer, RawJSON, encode
from exchange.api.fields import TextField
from exchange.api.schema import Created, Operation, Record
from exchange.api.views import ApiView
from exchange.models import WebhookEndpoint
from exchange.payloads import EVENT, WEBHOOK, WEBHOOK_SET, WEBHOOK_WITH_SECRET
from exchange.selectors.events import endpoint_document, event_document
from exchange.services.webhook_endpoints import rotate_secret, send_test, set_endpoint

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


class WebhookView(ApiView):
    """The organisation's webhook endpoint."""

    operations: ClassVar = {
        "GET": Operation("webhooks", "retrieve", "Webhook endpoint retrieved"),
        "PUT": Operation("webhooks", "set", "Webhook endpoint changed"),
    }
    required_scopes: ClassVar = {"GET": "webhooks:manage", "PUT": "webhooks:manage"}
    serializer_class = WebhookInput
    answers: ClassVar = {
        "GET": Record(WEBHOOK),
        "PUT": Created(Record(WEBHOOK_SET), or_changed=True),
    }
    failures: ClassVar = {
        "400": {"invalid_url": "url must begin with https://"},
        "404": _NOT_FOUND,
    }

    def get(self, _request: Request) -> Answer:
        """Fetch the webhook endpoint. Never shows the secret."""
        text = endpoint_document(self.caller.organisation_id)
        return Answer(RawJSON(text), "Webhook endpoint retrieved")

    @extend_schema(examples=[_EXAMPLE])
    def put(self, _request: Request) -> Answer:
        """Set the webhook endpoint. The answer to its creation shows the signing secret once.

        Changing the address or switching it on or off keeps the secret.
        """
        values, caller = self.body(), self.caller
        done = set_endpoint(organisation_id=caller.organisation_id, actor=caller.actor, **values)
        text = endpoint_document(caller.organisation_id)
        if done.secret is None:
            return Answer(RawJSON(text), "Webhook endpoint changed")
        return Answer(with_secret(text, done.secret), "Webhook endpoint created", status=201)


class WebhookSecretView(ApiView):
    """Rotating the secret."""

    operations: ClassVar = {
        "POST": Operation("webhooks", "rotate_secret", "Webhook secret rotated")
    }
    required_scopes: ClassVar = {"POST": "webhooks:manage"}
    answers: ClassVar = {"POST": Record(WEBHOOK_WITH_SECRET)}
    failures: ClassVar = {"404": _NOT_FOUND}

    def post(self, _request: Request) -> Answer:
        """Rotate the signing secret. The old one signs as well for another 24 hours."""
        caller = self.caller
        _, secret = rotate_secret(organisation_id=caller.organisation_id, actor=caller.actor)
        text = endpoint_document(caller.organisation_id)
        return Answer(with_secret(text, secret), "Webhook secret rotated")


class WebhookTestView(ApiView):
    """Trying the endpoint out."""

    operations: ClassVar = {"POST": Operation("webhooks", "test", "Test event queued for delivery")}
    required_scopes: ClassVar = {"POST": "webhooks:manage"}
    answers: ClassVar = {"POST": Created(Record(EVENT))}
    failures: ClassVar = {
        "404": _NOT_FOUND,
        "409": {"webhook_disabled": "The webhook endpoint is disabled"},
    }

    def post(self, _request: Request) -> Answer:
        """Send a test event. An event of type `webhook.test` is posted like any other."""
        caller = self.caller
        event = send_test(organisation_id=caller.organisation_id, actor=caller.actor)
        text = event_document(caller.organisation_id, event.id)
        return Answer(RawJSON(text), "Test event queued for delivery", status=201)


def with_secret(document: str, secret: str) -> RawJSON:
    """The endpoint's document with the secret as its last field."""
    return RawJSON(document[:-1].encode() + b',"secret":' + encode(secret) + b"}")
