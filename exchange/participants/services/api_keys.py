"""API keys and access tokens: issue, rotate and revoke them.

Secrets and tokens are stored hashed; the values returned here are shown once. A key with a scope in
`settings.PRIVILEGED_SCOPES`, and an access token of one, require two people: staff callers must
pass `confirmed_by`, which `exchange.access` does.
"""

import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from oauth2_provider.generators import generate_client_secret
from oauth2_provider.models import get_access_token_model, set_token_value

from exchange.core.actors import Actor, ActorKind
from exchange.core.errors import Conflict, InvalidRequest, NotFound
from exchange.core.querysets import get_or_raise, purge
from exchange.participants.models import ApiKey, Organisation
from exchange.staff.models import StaffUser
from exchange.staff.services.privileged_access import require_confirmation, require_cooled_off

logger = structlog.get_logger(__name__)

KEY_NOT_USABLE = "The API key was revoked, has expired, or its organisation is not active"


def validate_key(*, name: str, scopes: Iterable[str], expires_at: datetime | None) -> set[str]:
    """Return the scopes of a valid new key. Raises `InvalidRequest`."""
    wanted = set(scopes)
    unknown = sorted(wanted - set(settings.SCOPES))
    if unknown:
        raise InvalidRequest.for_field("scopes", f"Unknown scopes: {', '.join(unknown)}")
    if not wanted:
        raise InvalidRequest.for_field("scopes", "An API key needs at least one scope")
    if not name.strip():
        raise InvalidRequest.for_field("name", "An API key needs a name")
    if expires_at is not None and expires_at <= timezone.now():
        raise InvalidRequest.for_field(
            "expires_at", "The expiry of an API key must be in the future"
        )
    return wanted


def require_unique_key_name(organisation: Organisation, name: str) -> None:
    """Raise `Conflict` when the organisation has a live key called `name`."""
    if get_live_keys(organisation).filter(name=name).exists():
        text = f"{organisation} already has an API key with this name"
        raise Conflict(text, fields={"name": text})


def require_rotatable(key: ApiKey) -> None:
    """Raise `Conflict` for a key that is not usable, or already has a usable replacement."""
    if not key.usable:
        raise Conflict(KEY_NOT_USABLE)
    replacement = key.rotated_to
    if replacement is not None and replacement.usable:
        raise Conflict(
            f"The API key was already rotated to {replacement.client_id}. Rotate that key instead"
        )


def has_privileged_scope(scopes: Iterable[str]) -> bool:
    """Return whether a key with `scopes` has privileged access."""
    return not settings.PRIVILEGED_SCOPES.isdisjoint(scopes)


def get_live_keys(organisation: Organisation) -> QuerySet[ApiKey]:
    """Return the keys that are neither revoked nor expired. They work while it is active."""
    unexpired = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    keys: QuerySet[ApiKey] = ApiKey.objects.filter(
        unexpired, organisation=organisation, revoked_at=None
    )
    return keys


def get_privileged_keys(organisation: Organisation) -> QuerySet[ApiKey]:
    """Return the live keys with privileged access."""
    return get_live_keys(organisation).filter(scopes__overlap=sorted(settings.PRIVILEGED_SCOPES))


def issue_api_key(
    *,
    organisation: Organisation,
    name: str,
    scopes: Iterable[str],
    expires_at: datetime | None = None,
    actor: Actor,
    confirmed_by: StaffUser | None = None,
) -> tuple[ApiKey, str]:
    """Issue a key of `organisation`; return it and its client secret.

    Raises `Forbidden` where a second person is required, `InvalidRequest` for an empty name, no
    scopes, an unknown scope or a past expiry, and `Conflict` for a name that is taken.
    """
    require_unique_key_name(organisation, name)
    return _create_key(
        organisation=organisation,
        name=name,
        scopes=scopes,
        expires_at=expires_at,
        actor=actor,
        confirmed_by=confirmed_by,
    )


def _create_key(
    *,
    organisation: Organisation,
    name: str,
    scopes: Iterable[str],
    expires_at: datetime | None,
    actor: Actor,
    confirmed_by: StaffUser | None,
) -> tuple[ApiKey, str]:
    wanted = validate_key(name=name, scopes=scopes, expires_at=expires_at)
    _require_second_person(wanted, actor, confirmed_by)
    secret = generate_client_secret()
    key = ApiKey.objects.create(
        organisation=organisation,
        name=name,
        scopes=[scope for scope in settings.SCOPES if scope in wanted],
        expires_at=expires_at,
        client_type=ApiKey.CLIENT_CONFIDENTIAL,
        authorization_grant_type=ApiKey.GRANT_CLIENT_CREDENTIALS,
        client_secret=secret,
    )
    logger.info("api_key.issued", key=str(key.id), actor=str(actor))
    return key, secret


def rotate_api_key(
    *,
    key_id: UUID,
    overlap: timedelta,
    expires_at: datetime | None = None,
    actor: Actor,
    confirmed_by: StaffUser | None = None,
) -> tuple[ApiKey, str]:
    """Issue a second key with the name and scopes of `key_id`; return it and its client secret.

    The old key and its tokens expire after `overlap` (zero: immediately), or at their own expiry if
    that is earlier. Raises `NotFound`, `InvalidRequest`, `Conflict` as `require_rotatable`, and
    `Forbidden` where a second person is required.
    """
    if overlap < timedelta(0):
        raise InvalidRequest("The overlap must not be negative")
    with transaction.atomic():
        keys = ApiKey.objects.select_for_update(of=("self",)).select_related("organisation")
        old = get_or_raise(keys.filter(id=key_id), lambda: NotFound("API key not found"))
        require_rotatable(old)
        new_key, secret = _create_key(
            organisation=old.organisation,
            name=old.name,
            scopes=old.scopes,
            expires_at=expires_at,
            actor=actor,
            confirmed_by=confirmed_by,
        )
        old.rotated_to = new_key
        if overlap:
            ends = timezone.now() + overlap
            old.expires_at = min(old.expires_at or ends, ends)
        old.save(update_fields=["rotated_to", "expires_at"])
        if not overlap:
            revoke_api_key(key_id=old.id, actor=actor)
    logger.info("api_key.rotated", key=str(old.id), to=str(new_key.id), actor=str(actor))
    return new_key, secret


def revoke_api_key(*, key_id: UUID, actor: Actor) -> None:
    """Revoke a key and its tokens. Raises `NotFound`, and `Conflict` when already revoked."""
    with transaction.atomic():
        changed = ApiKey.objects.filter(id=key_id, revoked_at=None).update(
            revoked_at=timezone.now()
        )
        if changed != 1:
            if ApiKey.objects.filter(id=key_id).exists():
                raise Conflict("The API key is already revoked")
            raise NotFound("API key not found")
        get_access_token_model().objects.filter(application_id=key_id).delete()
    logger.info("api_key.revoked", key=str(key_id), actor=str(actor))


def issue_access_token(
    *, key: ApiKey, lifetime: timedelta, actor: Actor, confirmed_by: StaffUser | None = None
) -> str:
    """Issue a token of `key` with all its scopes, for clients that cannot request one themselves.

    The token stops working with its key, whatever its lifetime. Raises `Conflict` for a key that is
    not usable, `InvalidRequest` for a lifetime that is not positive.
    """
    if lifetime <= timedelta(0):
        raise InvalidRequest("The lifetime of a token must be positive")
    _require_second_person(key.scopes, actor, confirmed_by)
    if not key.usable:
        raise Conflict(KEY_NOT_USABLE)
    raw = secrets.token_urlsafe(32)
    token = get_access_token_model()(
        application=key, expires=timezone.now() + lifetime, scope=" ".join(key.scopes)
    )
    set_token_value(token, raw)
    token.save()
    logger.info("access_token.issued", key=str(key.id), actor=str(actor))
    return raw


def revoke_access_token(*, key_id: UUID, token_id: int, actor: Actor) -> None:
    """Revoke one token of a key. Raises `NotFound` when the key has no such token."""
    tokens = get_access_token_model().objects.filter(id=token_id, application_id=key_id)
    deleted, _ = tokens.delete()
    if not deleted:
        raise NotFound("The access token no longer exists")
    logger.info("access_token.revoked", key=str(key_id), actor=str(actor))


def _require_second_person(
    scopes: Iterable[str], actor: Actor, confirmed_by: StaffUser | None
) -> None:
    if actor.kind == ActorKind.STAFF and confirmed_by is None:
        require_cooled_off(UUID(actor.id))
        require_confirmation(needed=has_privileged_scope(scopes))


# Expired tokens are retained for a day so that support can still see them.
_TOKEN_RETENTION = timedelta(days=1)


def purge_access_tokens() -> int:
    """Delete access tokens that expired more than a day ago; return their number."""

    tokens = get_access_token_model().objects
    return purge(tokens.filter(expires__lt=timezone.now() - _TOKEN_RETENTION))
