"""Webhooks of the provider: stored once, and used only to expedite a status check."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from uuid import UUID

from django.db import connection

from exchange.core.errors import Forbidden
from exchange.core.ids import uuid7
from wallets.payouts.services.sweeps import expedite
from wallets.providers.collection import ChargeHint
from wallets.providers.registry import payment_provider

_MAX_STORED_BYTES = 8 * 1024


def receive_webhook(*, headers: Mapping[str, str], body: bytes) -> UUID | None:
    """Store an authentic webhook and expedite the status check of its transfer.

    Return the id of the withdrawal, or None if the reference is unknown or the webhook is of a
    payment (`ChargeHint`), which is only stored. Raises `Forbidden` if it is not authentic.
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
    if isinstance(hint, ChargeHint) or not hint.reference:
        return None
    return expedite(hint.reference)
