"""Standard Webhooks signatures: secrets, and the headers that go with a body.

Uses no tables and no network. Source: standardwebhooks.com, specification 1.0.
"""

import base64
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from standardwebhooks import Webhook

_SECRET_BYTES = 32  # the specification asks for 24 to 64


def new_secret() -> str:
    """Return a new signing secret: `whsec_` and base64 of 32 random bytes."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode("ascii")


def signed_headers(
    *, event_id: UUID, body: str, signing_secrets: Sequence[str], at: datetime
) -> dict[str, str]:
    """Return the three headers for `body`, with one signature per secret, separated by spaces.

    `at` (aware) is the time of the attempt, not of the event: receivers reject old timestamps.
    """
    # The library ignores the time zone and reads the clock time as UTC.
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
