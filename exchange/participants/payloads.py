"""The wire document of a member."""

from __future__ import annotations

from exchange.core.documents import (
    Document,
    identifier,
    text,
    timestamp,
)
from exchange.participants import examples

MEMBER = Document(
    name="Member",
    table="exchange_member",
    fields=(
        identifier("_id", "{r}.id", "Member ID: the `user_id` of other endpoints"),
        text("name", "{r}.name", "Full name"),
        text("email", "{r}.email", "Email address, unique within the organisation"),
        text("external_id", "nullif({r}.external_id, '')", "Your own ID", nullable=True),
        timestamp("createdAt", "{r}.created_at", "Time of creation"),
        timestamp("updatedAt", "{r}.updated_at", "Time of the last change"),
    ),
    example=examples.MEMBER,
)
