"""Webhooks of the provider: stored once, and used only to expedite a status check."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from uuid import UUID

from django.db import connection

from exchange.core.errors import Forbidden
from exchange.core.ids import uuid7
from wallets.payouts.services.sweeps import expedite
from wallets.providers.registry import payment_provider

_MAX_STORED_BYTES = 8 * 1024


def receive_webhook(*, headers: Mapping[str, str], body: bytes) -> UUID | None:
    """Store an authentic webhook and expedite the status check of its transfer.

    Return the id of the withdrawal, or None if the reference is unknown. Raises `Forbidden` if the
    webhook is not authentic.
    """
    hint = payment_provider().verify_webhook(headers, body)
    if hint is None:
        raise Forbidden("The webhook is not authentic", code="webhook_not_authentic")
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
                hint.reference or "",
                hint.provider_id or "",
                body[:_MAX_STORED_BYTES].decode("utf-8", "replace").replace("\x00", ""),
            ],
        )
    return expedite(hint.reference) if hint.reference else None
