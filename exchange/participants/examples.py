"""Example records of participants."""

from typing import Any

from exchange.core.examples import JOINED_AT, MEMBER_ID

MEMBER: dict[str, Any] = {
    "_id": MEMBER_ID,
    "name": "Forrest Green",
    "email": "forrest.green@example.com",
    "external_id": "crm-20417",
    "status": "active",
    "verification": "verified",
    "createdAt": JOINED_AT,
    "updatedAt": JOINED_AT,
}


USER: dict[str, Any] = {name: MEMBER[name] for name in ("_id", "name", "email")}
