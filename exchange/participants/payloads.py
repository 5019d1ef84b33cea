"""The wire document of a member."""

from exchange.core.documents import (
    Document,
    identifier,
    text,
    timestamp,
)
from exchange.participants import examples
from exchange.participants.models import MemberStatus, Verification

MEMBER = Document(
    name="Member",
    table="exchange_member",
    fields=(
        identifier("_id", "{r}.id", "Member ID: the `user_id` of other endpoints"),
        text("name", "{r}.name", "Full name"),
        text("email", "{r}.email", "Email address, unique within the organisation"),
        text("external_id", "nullif({r}.external_id, '')", "Your own ID", nullable=True),
        text(
            "status",
            "CASE WHEN {r}.closed_at IS NULL THEN 'active' ELSE 'closed' END",
            "Whether money and units can be moved to and by the member",
            enum=MemberStatus.values,
        ),
        text(
            "verification",
            "{r}.verification",
            "What you say of the member's identity",
            enum=Verification.values,
        ),
        timestamp("createdAt", "{r}.created_at", "Time of creation"),
        timestamp("updatedAt", "{r}.updated_at", "Time of the last change"),
    ),
    example=examples.MEMBER,
)
