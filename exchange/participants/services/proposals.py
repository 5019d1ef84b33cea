"""Proposals for privileged access: API keys, access tokens, activation of organisations.

An administrator proposes. A command files a proposal without a proposer, for the back office to
take up. `exchange.access.services.decisions` confirms them.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from exchange.core.errors import Conflict, NotFound
from exchange.core.querysets import get_or_raise
from exchange.participants.models import ApiKey, Organisation
from exchange.participants.selectors import get_organisation
from exchange.participants.services import api_keys
from exchange.staff.approvals import authorize_staff
from exchange.staff.models import AccessKind, AccessProposal, StaffUser
from exchange.staff.services.proposals import file_proposal


def propose_key(
    *,
    organisation: Organisation,
    name: str,
    scopes: Iterable[str],
    by: StaffUser | None,
    expires_at: datetime | None = None,
    note: str = "",
) -> AccessProposal:
    """Propose a new API key with privileged access; `by` is None when a command files it.

    Raises `Forbidden`, `InvalidRequest`, and `Conflict` for a name that is taken or proposed.
    """
    if by is not None:
        authorize_staff(by, "exchange.add_apikey", "You may not propose API keys")
    wanted = api_keys.validate_key(name=name, scopes=scopes, expires_at=expires_at)
    api_keys.require_unique_key_name(organisation, name)
    payload = {"name": name, "scopes": sorted(wanted), "expires_at": _format_time(expires_at)}
    about = {"organisation": organisation}
    once = {**about, "payload__name": name}
    return file_proposal(AccessKind.ISSUE_KEY, by, note, payload, once=once, **about)


def propose_rotation(
    *, key_id: UUID, overlap: timedelta, by: StaffUser, expires_at: datetime | None, note: str = ""
) -> AccessProposal:
    """Propose the rotation of a key with privileged access. Raises as `propose_key`."""
    key = _get_usable_key(key_id, by)
    api_keys.require_rotatable(key)
    api_keys.validate_key(name=key.name, scopes=key.scopes, expires_at=expires_at)
    payload = {
        "overlap_hours": overlap / timedelta(hours=1),
        "expires_at": _format_time(expires_at),
    }
    return _file_key_proposal(AccessKind.ROTATE_KEY, key, by, note, payload)


def propose_token(*, key_id: UUID, days: int, by: StaffUser, note: str = "") -> AccessProposal:
    """Propose a long-lived access token of a privileged key. Raises as `propose_key`."""
    key = _get_usable_key(key_id, by)
    return _file_key_proposal(AccessKind.ISSUE_TOKEN, key, by, note, {"days": days})


def propose_organisation_activation(
    *, organisation_id: UUID, by: StaffUser, note: str = ""
) -> AccessProposal:
    """Propose to activate an organisation that has privileged keys. Raises as `propose_key`."""
    authorize_staff(
        by,
        "exchange.add_apikey",
        "Its API keys have privileged access: only an administrator can propose its activation",
    )
    organisation = get_organisation(organisation_id)
    if organisation.active:
        raise Conflict(f"{organisation} is already active")

    keys = api_keys.get_privileged_keys(organisation).order_by("name", "pk")
    payload = {"keys": [f"{key.name} ({', '.join(key.scopes)})" for key in keys]}
    about = {"organisation": organisation}
    return file_proposal(AccessKind.ACTIVATE_ORGANISATION, by, note, payload, once=about, **about)


def _file_key_proposal(
    kind: AccessKind, key: ApiKey, by: StaffUser, note: str, payload: Mapping[str, Any]
) -> AccessProposal:
    once = {"key": key}
    return file_proposal(kind, by, note, payload, once=once, organisation=key.organisation, key=key)


def _get_usable_key(key_id: UUID, by: StaffUser) -> ApiKey:
    authorize_staff(by, "exchange.add_apikey", "You may not propose API keys")
    keys = ApiKey.objects.select_related("organisation").filter(pk=key_id)
    key: ApiKey = get_or_raise(keys, lambda: NotFound("API key not found"))
    if not key.usable:
        raise Conflict(api_keys.KEY_NOT_USABLE)
    return key


def _format_time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
