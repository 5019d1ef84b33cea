"""Example records of events and webhook endpoints."""

from typing import Any

from exchange.core.examples import EVENT_ID, WITHDRAWAL_ID

EVENT: dict[str, Any] = {
    "id": EVENT_ID,
    "type": "withdrawal.created",
    "status": "Delivered",
    "subject_id": WITHDRAWAL_ID,
    "attempt_count": 1,
    "next_attempt_at": None,
    "created_at": "2025-07-04T10:15:02.338Z",
    "delivered_at": "2025-07-04T10:15:02.907Z",
}


DELIVERY_ATTEMPT: dict[str, Any] = {
    "number": 1,
    "url": "https://hooks.example.com/exchange",
    "attempted_at": "2025-07-04T10:15:02.761Z",
    "milliseconds": 146,
    "status_code": 204,
    "error": None,
    "answer": "",
}


WEBHOOK: dict[str, Any] = {
    "url": "https://hooks.example.com/exchange",
    "enabled": True,
    "disabled_reason": None,
    "previous_secret_until": None,
    "created_at": "2025-07-01T08:00:00.000Z",
    "updated_at": "2025-07-01T08:00:00.000Z",
}


# Not a secret: words in Base64.
SECRET = "whsec_dGhpcyBpcyBhbiBleGFtcGxlLCBub3QgYSBzZWNyZXQh"
