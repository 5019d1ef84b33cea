"""The wire document of a member."""

from exchange.core.documents import (
    Document,
    identifier,
    text,
    timestamp,
)
from exchange.participants import examples
from exchange.participants.models import HolderKind, MemberStatus, Verification

MEMBER = Document(
    name="Member",
    table="exchange_member",
    fields=(
        identifier("_id", "Member ID: the `user_id` of other endpoints", "{r}.id"),
        text("name", "Full name"),
        text("email", "Email address, unique within the organisation"),
        text("external_id", "Your own ID", "nullif({r}.external_id, '')", nullable=True),
        text(
            "status",
            "Whether money and units can be moved to and by the member",
            "CASE WHEN {r}.closed_at IS NULL THEN 'active' ELSE 'closed' END",
            enum=MemberStatus.values,
        ),
        text("verification", "What you say of the member's identity", enum=Verification.values),
        text("holder_kind", "What the member is for tax", enum=HolderKind.values),
        text(
            "tax_residence",
            "ISO code of the country where the member pays tax",
            "nullif({r}.tax_residence, '')",
            nullable=True,
        ),
        text(
            "tax_id",
            "Number at the tax authority",
            "nullif({r}.tax_id, '')",
            nullable=True,
        ),
        timestamp("createdAt", "Time of creation", "{r}.created_at"),
        timestamp("updatedAt", "Time of the last change", "{r}.updated_at"),
    ),
    example=examples.MEMBER,
)
