"""What participants look like on the wire, declared once (see `exchange.documents`)."""

from __future__ import annotations

from exchange.documents import Document, identifier, moment, text

MEMBER = Document(
    name="Member",
    table="exchange_member",
    fields=(
        identifier("_id", "{r}.id", "Member id: the `user_id` of other endpoints"),
        text("name", "{r}.name", "Full name"),
        text("email", "{r}.email", "Email address, unique within the organisation"),
        text("external_id", "nullif({r}.external_id, '')", "Your own id", nullable=True),
        moment("createdAt", "{r}.created_at"),
        moment("updatedAt", "{r}.updated_at"),
    ),
)
