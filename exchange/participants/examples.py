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
    "holder_kind": "person",
    "tax_residence": "NG",
    "tax_id": "20417388-0001",
    "createdAt": JOINED_AT,
    "updatedAt": JOINED_AT,
}


USER: dict[str, Any] = {name: MEMBER[name] for name in ("_id", "name", "email")}
