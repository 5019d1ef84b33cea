"""Confirmation pages for revoking keys and tokens, and for switching an organisation on or off."""

from typing import Any

from django.db.models import Max, QuerySet
from django.utils import timezone
from django.utils.html import format_html
from oauth2_provider.models import get_access_token_model

from exchange.admin.confirmation import Confirmation
from exchange.admin.display import expiry, format_time, last_used
from exchange.participants.models import ApiKey, Organisation
from exchange.participants.services.api_keys import get_live_keys, get_privileged_keys


def get_live_tokens(key: ApiKey) -> QuerySet[Any]:
    """Return the access tokens of `key` that have not expired."""
    tokens: QuerySet[Any] = get_access_token_model().objects.filter(
        application=key, expires__gt=timezone.now()
    )
    return tokens


def confirm_key_revocation(key: ApiKey) -> Confirmation:
    """Return the confirmation for revoking `key` and its tokens."""
    live = get_live_tokens(key).count()
    live_keys = get_live_keys(key.organisation).filter(organisation__active=True)
    others = live_keys.exclude(pk=key.pk).count()
    effect = "its access tokens stop working" if live else "it has no active access token"
    return Confirmation(
        title=f"Revoke {key.name} of {key.organisation}?",
        facts=_key_facts(key),
        live_facts=[
            ("Last used", last_used(key.last_used_at)),
            ("Active access tokens", live),
            ("Other active keys", others or "none"),
        ],
        text=f"The key can no longer get access tokens, and {effect}. Anything that"
        f" {key.organisation} runs with it loses access immediately. This cannot be undone: a new"
        " key has a new client ID and secret.",
        submit=f"Revoke {key.name}",
        blocker="" if key.revoked_at is None else "The API key is already revoked",
        final=True,
    )


def confirm_token_revocation(key: ApiKey, token: Any) -> Confirmation:
    """Return the confirmation for revoking `token` of `key`; None means no such token."""
    if token is None:
        return Confirmation("", "", "", blocker="The access token no longer exists")
    return Confirmation(
        title=f"Revoke an access token of {key.name}?",
        facts=[
            ("Issued", format_html("{} UTC", format_time(token.created))),
            ("Expiry", expiry(token.expires)),
            ("Scopes", token.scope.replace(" ", ", ")),
            *_key_facts(key)[:3],
        ],
        live_facts=[("Key last used", last_used(key.last_used_at))],
        text="The access token stops working immediately. The key and its other tokens keep"
        " working, and the key can still get new tokens.",
        submit="Revoke token",
        final=True,
    )


def _key_facts(key: ApiKey) -> list[tuple[str, object]]:
    return [
        ("API key", key.name),
        ("Organisation", key.organisation),
        ("Client ID", key.client_id),
        ("Scopes", ", ".join(key.scopes)),
        ("Expiry", expiry(key.expires_at)),
    ]


def confirm_organisation_status(organisation: Organisation, *, active: bool) -> Confirmation:
    """Return the confirmation for activating or deactivating `organisation`."""
    keys = get_live_keys(organisation)
    latest_use = keys.aggregate(latest=Max("last_used_at"))["latest"]
    count = keys.count()
    deactivation = (
        "All its API keys stop working immediately: it cannot read data, place orders or request"
        " payouts. Pending withdrawals, open orders and loans are unaffected."
    )
    activation = "Its API keys that are not revoked or expired work again immediately."
    if get_privileged_keys(organisation).exists():
        activation = (
            "Some of its API keys have privileged access, so a second person must confirm the"
            " activation. Its API keys that are not revoked or expired then work again."
        )
    state = "active" if active else "inactive"
    return Confirmation(
        title=f"Activate {organisation}?" if active else f"Deactivate {organisation}?",
        facts=[
            ("Organisation", organisation.name),
            ("Email", organisation.email or "none"),
            ("Status", "Active" if organisation.active else "Inactive"),
        ],
        live_facts=[
            ("Keys that will work again" if active else "Keys that will stop", count or "none"),
            ("Last used", last_used(latest_use)),
        ],
        text=activation if active else deactivation,
        submit=f"{'Activate' if active else 'Deactivate'} {organisation}",
        blocker=f"{organisation} is already {state}" if organisation.active == active else "",
        final=not active,
    )
