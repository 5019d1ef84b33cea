"""Webhooks of the provider: stored once, and used only to expedite a status check.

The subject of what a webhook names does that (`Receivers`).
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.db import connection

from exchange.core.errors import Forbidden
from exchange.core.ids import uuid7
from wallets.providers.base import WebhookNotification
from wallets.providers.collection import ChargeHint
from wallets.providers.registry import payment_provider

_MAX_STORED_BYTES = 8 * 1024


@dataclass(frozen=True, slots=True)
class Receivers:
    """What expedites the status check of a payment or transfer that a webhook names.

    Each returns the task to notify, or None if there is nothing to look up.
    `config.provider_webhooks` lists them.
    """

    payment: Callable[[ChargeHint], str | None]
    transfer: Callable[[WebhookNotification], str | None]


def receive_webhook(receivers: Receivers, *, headers: Mapping[str, str], body: bytes) -> str | None:
    """Store an authentic webhook and expedite the status check of its transfer or payment.

    Return the task to notify, or None if there is nothing to look up. Raises `Forbidden` if the
    webhook is not authentic.
    """
    hint = payment_provider().verify_webhook(headers, body)
    if hint is None:
        raise Forbidden("The webhook is not authentic", code="webhook_not_authentic")
    if isinstance(hint, ChargeHint):
        reference, provider_id = hint.tx_ref, hint.transaction_id
    else:
        reference, provider_id = hint.reference, hint.provider_id
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO wallets_providerevent
                (id, digest, reference, provider_id, body, received_at, deliveries)
            VALUES (%s, %s, %s, %s, %s, now(), 1)
            ON CONFLICT (digest) DO UPDATE SET deliveries = wallets_providerevent.deliveries + 1
            """,
            [
                uuid7(),
                hashlib.sha256(body).hexdigest(),
                reference or "",
                provider_id or "",
                body[:_MAX_STORED_BYTES].decode("utf-8", "replace").replace("\x00", ""),
            ],
        )
    if isinstance(hint, ChargeHint):
        return receivers.payment(hint)
    return receivers.transfer(hint)
