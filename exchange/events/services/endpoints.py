"""Webhook endpoints: set the address, enable and disable, rotate the secret, send a test event.

A secret is returned once, when it is created; afterwards it only signs.
"""

import json
import logging
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.errors import Conflict, InvalidRequest
from exchange.core.querysets import get_or_raise
from exchange.events.errors import EndpointNotFound
from exchange.events.models import Event, WebhookEndpoint
from exchange.events.selectors import get_endpoint
from exchange.events.services.outbox import describe_actor, emit
from exchange.events.webhooks.addresses import UnsafeUrl, check_url
from exchange.events.webhooks.signing import new_secret

TEST_EVENT_TYPE = "webhook.test"
_OLD_SECRET_OVERLAP = timedelta(hours=24)
_DISABLED_BY_ORGANISATION = "Switched off by the organisation"
DISABLED_BY_STAFF = "Switched off by the exchange"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EndpointChange:
    """The endpoint after a change; `secret` is set only when this call created it."""

    endpoint: WebhookEndpoint
    secret: str | None

    @property
    def created(self) -> bool:
        """Whether this call created the endpoint."""
        return self.secret is not None


def set_endpoint(
    *, organisation_id: UUID, url: str, actor: Actor, enabled: bool = True
) -> EndpointChange:
    """Create the organisation's endpoint, or change its address and whether it is enabled.

    A change keeps the secret. Resolves the host name, so call it outside a transaction. Raises
    InvalidRequest for an address that is not allowed.
    """
    _check_url(url)
    address = urlsplit(url)
    # Scheme and host are the same in any case; a path is not.
    length = len(address.scheme) + len("://") + len(address.netloc)
    url = url[:length].lower() + url[length:]
    values = {
        "url": url,
        "enabled": enabled,
        "disabled_reason": "" if enabled else _DISABLED_BY_ORGANISATION,
    }
    secret = new_secret()
    endpoint, created = WebhookEndpoint.objects.update_or_create(
        organisation_id=organisation_id,
        defaults=values,
        create_defaults={**values, "secret": secret},
    )
    logger.info("webhook of organisation %s set by %s", organisation_id, actor)
    return EndpointChange(endpoint, secret if created else None)


def switch_endpoint(*, organisation_id: UUID, enabled: bool, actor: Actor) -> WebhookEndpoint:
    """Enable or disable the endpoint for staff; address and secret stay.

    Enabling resolves the host name, so call it outside a transaction. Raises EndpointNotFound,
    Conflict when it is already so, InvalidRequest for an address that is not allowed.
    """
    endpoint = get_endpoint(organisation_id)
    if enabled:
        _check_url(endpoint.url)
    rows = WebhookEndpoint.objects.filter(
        id=endpoint.id, enabled=not enabled, url=endpoint.url
    ).update(
        enabled=enabled,
        disabled_reason="" if enabled else DISABLED_BY_STAFF,
        updated_at=timezone.now(),
    )
    state = "enabled" if enabled else "disabled"
    if rows != 1:
        raise Conflict(
            f"The webhook endpoint is already {state} or has changed. Reload the page and try again"
        )
    logger.info("webhook of organisation %s %s by %s", organisation_id, state, actor)
    endpoint.refresh_from_db()
    return endpoint


@transaction.atomic
def rotate_secret(*, organisation_id: UUID, actor: Actor) -> tuple[WebhookEndpoint, str]:
    """Create a new secret and return it; the old one also signs for 24 hours.

    A still older secret stops signing. Raises EndpointNotFound.
    """

    rows = WebhookEndpoint.objects.select_for_update().filter(organisation_id=organisation_id)
    endpoint = get_or_raise(rows, EndpointNotFound)
    endpoint.previous_secret = endpoint.secret
    endpoint.previous_secret_until = timezone.now() + _OLD_SECRET_OVERLAP
    endpoint.secret = secret = new_secret()
    endpoint.save(
        update_fields=["secret", "previous_secret", "previous_secret_until", "updated_at"]
    )
    logger.info("webhook secret of organisation %s rotated by %s", organisation_id, actor)
    return endpoint, secret


def send_test(*, organisation_id: UUID, actor: Actor) -> Event:
    """Emit a `webhook.test` event to the organisation's own endpoint.

    Raises EndpointNotFound, or Conflict when the endpoint is disabled.
    """
    endpoint = get_endpoint(organisation_id)
    if not endpoint.enabled:
        raise Conflict(
            "The webhook endpoint is disabled. Enable it and try again", code="webhook_disabled"
        )
    event_id = emit(
        organisation_id=organisation_id,
        event_type=TEST_EVENT_TYPE,
        subject_id=endpoint.id,
        data=json.dumps({"message": "This is a test", "requested_by": describe_actor(actor)}),
    )
    return Event.objects.get(id=event_id)


def _check_url(url: str) -> None:
    try:
        check_url(url, allow_local=settings.WEBHOOK_ALLOW_LOCAL)
    except UnsafeUrl as error:
        raise InvalidRequest(f"url {error}", code="invalid_url") from None
