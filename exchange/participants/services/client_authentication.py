"""Authenticate API keys by client id and secret (RFC 6749 §2.3.1).

An unknown client id, or one whose key is not usable, is checked against a hash that no secret
matches: one statement and one hash, as for a wrong secret.

Keys issued before fast hashing keep their slow hash until their secret is next verified. To bound
the CPU time that wrong secrets can cost, a process checks one slow hash at a time, and callers
count such a check before it runs.
"""

from dataclasses import dataclass
from threading import BoundedSemaphore

import structlog
from django.contrib.auth.hashers import check_password, make_password

from exchange.core.actors import Actor, ActorKind
from exchange.core.audit_context import set_actor
from exchange.core.errors import NotReady
from exchange.participants.client_secrets import ALGORITHM, UNMATCHABLE_HASH
from exchange.participants.models import ApiKey

logger = structlog.get_logger(__name__)

_slow_checks = BoundedSemaphore(1)


@dataclass(frozen=True, slots=True)
class Client:
    """A client as a request names it: the usable key, if any, and the hash to check."""

    key: ApiKey | None
    stored_hash: str

    @property
    def has_slow_hash(self) -> bool:
        """Whether checking its secret is expensive, as the hashes of earlier keys are."""
        return not self.stored_hash.startswith(f"{ALGORITHM}$")


def find_client(client_id: str) -> Client:
    """Find the usable key of a client id, always with one statement."""
    # PostgreSQL rejects NUL in text; no client id has one.
    wanted = client_id.replace("\x00", "�")
    key = ApiKey.objects.select_related("organisation").filter(client_id=wanted).first()
    if key is None or not key.usable:
        return Client(None, UNMATCHABLE_HASH)
    return Client(key, key.client_secret)


def authenticate_client(client: Client, secret: str) -> ApiKey | None:
    """Return the client's key when `secret` matches, and make it the actor of the request.

    Raises `NotReady` while this process checks another slow hash.
    """
    if client.has_slow_hash:
        if not _slow_checks.acquire(blocking=False):
            raise NotReady
        try:
            is_right = check_password(secret, client.stored_hash)
        finally:
            _slow_checks.release()
    else:
        is_right = check_password(secret, client.stored_hash, preferred=ALGORITHM)
    key = client.key
    if key is None or not is_right:
        return None
    set_actor(Actor(ActorKind.API_KEY, str(key.pk), key.name, key.organisation_id))
    if client.has_slow_hash:
        _replace_slow_hash(key, secret)
    return key


def _replace_slow_hash(key: ApiKey, secret: str) -> None:
    """Replace the slow hash of a secret that matched."""

    fast = make_password(secret, hasher=ALGORITHM)
    ApiKey.objects.filter(pk=key.pk, client_secret=key.client_secret).update(client_secret=fast)
    logger.info("api_key.secret_rehashed", key=str(key.pk))
