"""Examples of the request log in the API documentation."""

from typing import Any

from exchange.core.examples import MEMBER_ID, WITHDRAWAL_REQUESTED_AT

API_KEY_ID = "0197a9a4-0f52-7c52-9c6e-2f7f7be0a001"

LOGGED_REQUEST: dict[str, Any] = {
    "_id": "0197d36b-8c11-7b21-8a5e-1f2e3d4c5b6a",
    "method": "POST",
    "path": f"/v1/api/members/{MEMBER_ID}/wallet/withdraw",
    "status": 400,
    "code": "invalid_request",
    "fields": ["bank.account_number"],
    "request_id": "0197d36b-8c10-7d3f-9c1b-2a3b4c5d6e7f",
    "key": API_KEY_ID,
    "milliseconds": 4,
    "createdAt": WITHDRAWAL_REQUESTED_AT,
}

READ_COUNT: dict[str, Any] = {
    "key": API_KEY_ID,
    "path": "/v1/orders/{order_id}",
    "count": 1742,
    "hour_at": "2025-07-04T10:00:00.000Z",
}
