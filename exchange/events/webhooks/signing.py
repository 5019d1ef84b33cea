"""Standard Webhooks signatures: secrets, and the headers that go with a body.

Mechanism only: no tables, no network. Source: standardwebhooks.com, specification 1.0.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from standardwebhooks import Webhook

_SECRET_BYTES = 32  # the specification asks for 24 to 64


def new_secret() -> str:
    """A signing secret: `whsec_` and base64 of 32 random bytes."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode("ascii")


def signed_headers(
    *, event_id: UUID, body: str, signing_secrets: Sequence[str], at: datetime
) -> dict[str, str]:
    """The three headers for `body`, with one signature for each secret, separated by spaces.

    `at` (aware) is the time of the attempt, not of the event: receivers refuse old timestamps.
    """
    # The library reads the time's own clock as UTC whatever its zone is.
    moment = at.astimezone(UTC)
    signatures = [
        Webhook(secret).sign(msg_id=str(event_id), timestamp=moment, data=body)
        for secret in signing_secrets
    ]
    return {
        "webhook-id": str(event_id),
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
