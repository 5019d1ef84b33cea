import os
import sys
from collections.abc import Mapping

from standardwebhooks import Webhook


def verify(headers: Mapping[str, str], body: bytes, secret: str) -> dict:
    """Return the event; raise for a wrong signature and for one older than five minutes."""
    return Webhook(secret).verify(body, dict(headers))


event = verify(
    headers={
        "webhook-id": os.environ["WEBHOOK_ID"],
        "webhook-timestamp": os.environ["WEBHOOK_TIMESTAMP"],
        "webhook-signature": os.environ["WEBHOOK_SIGNATURE"],
    },
    body=sys.stdin.buffer.read(),
    secret=os.environ["WEBHOOK_SECRET"],
)
print(event["type"])
