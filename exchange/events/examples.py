"""Example records of events and webhook endpoints."""

from typing import Any

from exchange.core.examples import EVENT_ID, WITHDRAWAL_ID

ENDPOINT_ID = "01a1d3c2-9c00-7a51-9d3e-2b8f7c6a4e10"

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


EVENT_DELIVERY: dict[str, Any] = {
    "endpoint_id": ENDPOINT_ID,
    "status": "Delivered",
    "attempt_count": 1,
    "last_attempt_at": "2025-07-04T10:15:02.761Z",
    "next_attempt_at": None,
    "delivered_at": "2025-07-04T10:15:02.907Z",
}


DELIVERY_ATTEMPT: dict[str, Any] = {
    "endpoint_id": ENDPOINT_ID,
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


WEBHOOK_ENDPOINT: dict[str, Any] = {
    "_id": ENDPOINT_ID,
    "url": "https://hooks.example.com/payouts",
    "events": ["withdrawal.completed", "withdrawal.failed"],
    "description": "Payouts",
    "enabled": True,
    "disabled_reason": None,
    "first_failed_at": None,
    "failed_attempts": 0,
    "previous_secret_expires_at": None,
    "createdAt": "2025-07-01T08:00:00.000Z",
    "updatedAt": "2025-07-01T08:00:00.000Z",
}


# Not a secret: words in Base64.
SECRET = "whsec_dGhpcyBpcyBhbiBleGFtcGxlLCBub3QgYSBzZWNyZXQh"
