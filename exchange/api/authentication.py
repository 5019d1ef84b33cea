"""The caller of an authenticated request."""

from dataclasses import dataclass
from uuid import UUID

from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from exchange.core.actors import Actor, ActorKind
from exchange.core.replica import Position


@dataclass(frozen=True, slots=True)
class Caller:
    """The API key behind a request: `request.auth` of every authenticated view."""

    key_id: UUID
    organisation_id: UUID
    scopes: frozenset[str]
    label: str
    # What the organisation must see in lists; None without a replica.
    position: Position | None = None

    @property
    def actor(self) -> Actor:
        """The caller as an actor."""
        return Actor(
            kind=ActorKind.API_KEY,
            id=str(self.key_id),
            label=self.label,
            organisation_id=self.organisation_id,
        )


def get_caller(request: Request) -> Caller:
    """Return the caller of an authenticated request; raise `NotAuthenticated` for another."""
    caller = request.auth
    if not isinstance(caller, Caller):
        raise NotAuthenticated
    return caller
