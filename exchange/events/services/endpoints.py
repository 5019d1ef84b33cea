"""Webhook endpoints: create, change and delete them, rotate their secrets, send test events.

A secret is returned once, when it is created; afterwards it only signs.
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.errors import Conflict, InvalidRequest
from exchange.events.errors import TooManyEndpoints
from exchange.events.event_types import DISABLED_EVENT_TYPE, TEST_EVENT_TYPE
from exchange.events.models import ALL_EVENTS, Event, WebhookEndpoint
from exchange.events.selectors import endpoint_record, endpoints_of, get_endpoint
from exchange.events.services.claims import mark_unsent
from exchange.events.services.outbox import describe_actor, emit
from exchange.events.webhooks.addresses import UnsafeUrl, check_url
from exchange.events.webhooks.signing import new_secret
from exchange.participants.models import Organisation

MAX_ENDPOINTS = 10
_OLD_SECRET_OVERLAP = timedelta(hours=24)
_DISABLED_BY_ORGANISATION = "Switched off by the organisation"
DISABLED_BY_STAFF = "Switched off by the exchange"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EndpointChange:
    """The endpoint after a change; `secret` is set only when this call created it."""

    endpoint: WebhookEndpoint
    secret: str | None


def set_endpoint(
    *, organisation_id: UUID, url: str, actor: Actor, enabled: bool = True
) -> EndpointChange:
    """Create the organisation's endpoint, or change the address and state of its oldest one.

    A change keeps the secret. Resolves the host name, so call it outside a transaction. Raises
    InvalidRequest for an address that is not allowed.
    """
    url = _clean_url(url)
    with transaction.atomic():
        _lock_endpoints(organisation_id)
        oldest = endpoints_of(organisation_id).first()
        if oldest is None:
            return _create(organisation_id, actor, url=url, enabled=enabled)
        return EndpointChange(_change(oldest, actor, url=url, enabled=enabled), None)


def create_endpoint(
    *,
    organisation_id: UUID,
    actor: Actor,
    url: str,
    events: Sequence[str] = (ALL_EVENTS,),
    description: str = "",
    enabled: bool = True,
) -> EndpointChange:
    """Create an endpoint, one of `MAX_ENDPOINTS` at most.

    Resolves the host name, so call it outside a transaction. Raises InvalidRequest for an address
    that is not allowed, TooManyEndpoints.
    """
    url = _clean_url(url)
    with transaction.atomic():
        _lock_endpoints(organisation_id)
        if endpoints_of(organisation_id).count() >= MAX_ENDPOINTS:
            raise TooManyEndpoints()
        values = {"url": url, "events": [*events], "description": description, "enabled": enabled}
        return _create(organisation_id, actor, **values)


def update_endpoint(
    *,
    organisation_id: UUID,
    endpoint_id: UUID,
    actor: Actor,
    url: str,
    events: Sequence[str] = (ALL_EVENTS,),
    description: str = "",
    enabled: bool = True,
) -> WebhookEndpoint:
    """Change everything of an endpoint but its secret.

    Resolves the host name, so call it outside a transaction. Raises InvalidRequest for an address
    that is not allowed, EndpointNotFound.
    """
    get_endpoint(organisation_id, endpoint_id)
    url = _clean_url(url)
    with transaction.atomic():
        endpoint = get_endpoint(organisation_id, endpoint_id, lock=True)
        values = {"url": url, "events": [*events], "description": description, "enabled": enabled}
        return _change(endpoint, actor, **values)


@transaction.atomic
def delete_endpoint(*, organisation_id: UUID, endpoint_id: UUID, actor: Actor) -> None:
    """Delete an endpoint. What it has not received becomes Unsent. Raises EndpointNotFound."""
    endpoint = get_endpoint(organisation_id, endpoint_id, lock=True)
    WebhookEndpoint.objects.filter(id=endpoint.id).delete()
    mark_unsent([endpoint.id])
    logger.info("endpoint %s of organisation %s deleted by %s", endpoint_id, organisation_id, actor)


def _lock_endpoints(organisation_id: UUID) -> None:
    """Let endpoints of an organisation be created one after another."""
    Organisation.objects.select_for_update(no_key=True).only("id").get(id=organisation_id)


def _create(organisation_id: UUID, actor: Actor, **values: Any) -> EndpointChange:
    endpoint = WebhookEndpoint.objects.create(
        organisation_id=organisation_id,
        secret=(secret := new_secret()),
        disabled_reason="" if values["enabled"] else _DISABLED_BY_ORGANISATION,
        **values,
    )
    logger.info("webhook of organisation %s created by %s", organisation_id, actor)
    return EndpointChange(endpoint, secret)


def _change(endpoint: WebhookEndpoint, actor: Actor, **values: Any) -> WebhookEndpoint:
    """Change a locked endpoint; the failures of another address, or of a time before, are over."""
    if values["enabled"] and (values["url"] != endpoint.url or not endpoint.enabled):
        values |= _NO_FAILURES
    values["disabled_reason"] = "" if values["enabled"] else _DISABLED_BY_ORGANISATION
    for name, value in values.items():
        setattr(endpoint, name, value)
    endpoint.save(update_fields=[*values, "updated_at"])
    logger.info("webhook of organisation %s set by %s", endpoint.organisation_id, actor)
    return endpoint


_NO_FAILURES: dict[str, Any] = {"failing_since": None, "failed_attempts": 0}


def switch_endpoint(
    *, organisation_id: UUID, enabled: bool, actor: Actor, endpoint_id: UUID | None = None
) -> WebhookEndpoint:
    """Enable or disable an endpoint for staff, by default the oldest; address and secret stay.

    Enabling resolves the host name, so call it outside a transaction. Raises EndpointNotFound,
    Conflict when it is already so, InvalidRequest for an address that is not allowed.
    """
    endpoint = get_endpoint(organisation_id, endpoint_id)
    if enabled:
        _check_url(endpoint.url)
    rows = WebhookEndpoint.objects.filter(
        id=endpoint.id, enabled=not enabled, url=endpoint.url
    ).update(
        enabled=enabled,
        disabled_reason="" if enabled else DISABLED_BY_STAFF,
        updated_at=timezone.now(),
        **(_NO_FAILURES if enabled else {}),
    )
    state = "enabled" if enabled else "disabled"
    if rows != 1:
        raise Conflict(
            f"The webhook endpoint is already {state} or has changed. Reload the page and try again"
        )
    logger.info("webhook of organisation %s %s by %s", organisation_id, state, actor)
    endpoint.refresh_from_db()
    return endpoint


def announce_disabled(endpoint_id: UUID) -> None:
    """Emit `endpoint.disabled` for an endpoint that was disabled automatically."""
    endpoint = WebhookEndpoint.objects.get(id=endpoint_id)
    emit(
        organisation_id=endpoint.organisation_id,
        event_type=DISABLED_EVENT_TYPE,
        subject_id=endpoint.id,
        data=f'{{"endpoint":{endpoint_record(endpoint.organisation_id, endpoint.id)}}}',
    )
    logger.warning("endpoint %s disabled: %s", endpoint.id, endpoint.disabled_reason)


@transaction.atomic
def rotate_secret(
    *, organisation_id: UUID, actor: Actor, endpoint_id: UUID | None = None
) -> tuple[WebhookEndpoint, str]:
    """Create a new secret of an endpoint, by default the oldest, and return it.

    The old one also signs for 24 hours; a still older secret stops signing. Raises
    EndpointNotFound.
    """
    endpoint = get_endpoint(organisation_id, endpoint_id, lock=True)
    endpoint.previous_secret = endpoint.secret
    endpoint.previous_secret_until = timezone.now() + _OLD_SECRET_OVERLAP
    endpoint.secret = secret = new_secret()
    endpoint.save(
        update_fields=["secret", "previous_secret", "previous_secret_until", "updated_at"]
    )
    logger.info("webhook secret of organisation %s rotated by %s", organisation_id, actor)
    return endpoint, secret


def send_test(*, organisation_id: UUID, actor: Actor, endpoint_id: UUID | None = None) -> Event:
    """Emit a `webhook.test` event to one endpoint, by default the oldest.

    Raises EndpointNotFound, or Conflict when the endpoint is disabled.
    """
    endpoint = get_endpoint(organisation_id, endpoint_id)
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


def _clean_url(url: str) -> str:
    """Return `url` as it is stored. Raises InvalidRequest for an address that is not allowed."""
    _check_url(url)
    address = urlsplit(url)
    # Scheme and host are the same in any case; a path is not.
    length = len(address.scheme) + len("://") + len(address.netloc)
    return url[:length].lower() + url[length:]


def _check_url(url: str) -> None:
    try:
        check_url(url, allow_local=settings.WEBHOOK_ALLOW_LOCAL)
    except UnsafeUrl as error:
        raise InvalidRequest(f"url {error}", code="invalid_url") from None
