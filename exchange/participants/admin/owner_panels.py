"""Members and API keys on the page of their organisation."""

from collections.abc import Mapping, Sequence

from django.db.models import Q
from django.utils import timezone

from exchange.admin.display import expiry, format_time, last_used, record_link, status_badge
from exchange.participants.admin.owner_records import Owner, OwnerRecords, TimelineColumns
from exchange.participants.models import ApiKey, Member, Organisation


class OfOrganisation(OwnerRecords):
    """Records that only organisations have."""

    has_member = False

    def branches(self, owner: Owner) -> Sequence[Q]:
        """Return the condition of an organisation's records; members have none."""
        return (Q(organisation=owner.pk),) if isinstance(owner, Organisation) else ()

    def list_query(self, owner: Owner) -> Mapping[str, str]:
        return {"organisation": str(owner.pk)}


class MembersPanel(OfOrganisation):
    """The newest members of an organisation."""

    tab = "Access"
    model = Member
    title = "Members"
    headings = ("Created (UTC)", "Name", "Email", "External ID")
    timeline = TimelineColumns("Member", text="name")

    def cells(self, record: Member, owner: Owner) -> tuple[object, ...]:
        return (
            format_time(record.created_at),
            record_link(record),
            record.email,
            record.external_id or "-",
        )


class ApiKeysPanel(OfOrganisation):
    """The newest API keys of an organisation. Their secrets are stored nowhere."""

    tab = "Access"
    model = ApiKey
    title = "API keys"
    headings = ("Created (UTC)", "Name", "Client ID", "Status", "Expiry", "Last used")
    order = ("-created", "-id")
    timeline = TimelineColumns("API key", text="name", at="created")

    def cells(self, record: ApiKey, owner: Owner) -> tuple[object, ...]:
        return (
            format_time(record.created),
            record_link(record, record.name),
            record.client_id,
            key_state(record, active=isinstance(owner, Organisation) and owner.active),
            expiry(record.expires_at),
            last_used(record.last_used_at),
        )


def key_state(key: ApiKey, *, active: bool) -> str:
    """Return whether the key works, as a badge; `active` says whether its organisation is."""
    if key.revoked_at is not None:
        return status_badge("Revoked")
    if key.expires_at is not None and key.expires_at <= timezone.now():
        return status_badge("Expired")
    return status_badge("Active" if active else "Inactive")
