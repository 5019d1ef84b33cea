"""What is asked before access is switched off, or on again: what it is, and who uses it."""

from __future__ import annotations

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
    """The access tokens of `key` that have not expired."""
    found: QuerySet[Any] = get_access_token_model().objects.filter(
        application=key, expires__gt=timezone.now()
    )
    return found


def confirm_key_revocation(key: ApiKey) -> Confirmation:
    """Whether `key` and its tokens are to end."""
    live = get_live_tokens(key).count()
    others = _get_working_keys(key.organisation).exclude(pk=key.pk).count()
    return Confirmation(
        title=f"Revoke {key.name} of {key.organisation}?",
        facts=_key_facts(key),
        live_facts=[
            ("Last used", last_used(key.last_used_at)),
            ("Live access tokens", live),
            ("Other keys that work", others or "none"),
        ],
        text="From the next request on the key gets no more access tokens, and "
        + ("those it has stop working" if live else "it has none that works now")
        + f". Whatever {key.organisation} runs with it is shut out. A key that was revoked stays"
        " so: a new one has another client id and secret.",
        submit=f"Yes, revoke {key.name}",
        blocker="" if key.revoked_at is None else "The API key was revoked before",
        final=True,
    )


def confirm_token_revocation(key: ApiKey, token: Any) -> Confirmation:
    """Whether `token` of `key` is to end; None: there is no such token."""
    if token is None:
        return Confirmation("", (), "", "", blocker="The key has no such token any more")
    return Confirmation(
        title=f"Revoke an access token of {key.name}?",
        facts=[
            ("Issued", format_html("{} UTC", format_time(token.created))),
            ("Expiry", expiry(token.expires)),
            ("May", token.scope.replace(" ", ", ")),
            *_key_facts(key)[:3],
        ],
        live_facts=[("Key last used", last_used(key.last_used_at))],
        text="The token stops working with the next request. The key and its other tokens go on,"
        " so whoever has its secret can get a new one.",
        submit="Yes, revoke the token",
        final=True,
    )


def _key_facts(key: ApiKey) -> list[tuple[str, object]]:
    return [
        ("API key", key.name),
        ("Organisation", key.organisation),
        ("Client id", key.client_id),
        ("May", ", ".join(key.scopes)),
        ("Expiry", expiry(key.expires_at)),
    ]


def confirm_organisation_status(organisation: Organisation, *, active: bool) -> Confirmation:
    """Whether `organisation` is to be shut out, or let in again."""
    keys = get_live_keys(organisation)
    used = keys.aggregate(latest=Max("last_used_at"))["latest"]
    working = keys.count()
    stop = (
        "None of its API keys works from the next request on: it can neither look, nor order, nor"
        " ask for payouts. Withdrawals that wait, orders in the book and loans stay as they are."
    )
    go_on = "Its API keys that were not revoked and have not expired work again, at once."
    if get_privileged_keys(organisation).exists():
        go_on = (
            "Some of its API keys have power over money: this is proposed, and another person"
            " confirms it. Then all that were not revoked and have not expired work again."
        )
    so_already = "active" if active else "not active"
    return Confirmation(
        title=f"Activate {organisation}?" if active else f"Deactivate {organisation}?",
        facts=[
            ("Organisation", organisation.name),
            ("Email", organisation.email or "none"),
            ("State", "Active" if organisation.active else "Inactive"),
        ],
        live_facts=[
            ("Keys that work again" if active else "Keys that stop working", working or "none"),
            ("Last used", last_used(used)),
        ],
        text=go_on if active else stop,
        submit=f"Yes, {'activate' if active else 'deactivate'} {organisation}",
        blocker=f"{organisation} is {so_already} already" if organisation.active == active else "",
        final=not active,
    )


def _get_working_keys(organisation: Organisation) -> QuerySet[ApiKey]:
    return get_live_keys(organisation).filter(organisation__active=True)
