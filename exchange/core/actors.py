"""Actors: every service takes one, every audit row names one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


class ActorKind(StrEnum):
    """The kinds of actor."""

    API_KEY = "api_key"
    STAFF = "staff"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Actor:
    """An API key, a member of staff, or the system.

    `id` is the id of the key or user, or the name of the system's job. `organisation_id` is set for
    API keys only.
    """

    kind: ActorKind
    id: str
    label: str
    organisation_id: UUID | None = None

    @classmethod
    def system(cls, job: str) -> Actor:
        """Return the system acting as `job`."""
        return cls(kind=ActorKind.SYSTEM, id=job, label=job)

    @classmethod
    def staff(cls, user_id: UUID, label: str) -> Actor:
        """Return the actor of a member of staff."""
        return cls(kind=ActorKind.STAFF, id=str(user_id), label=label)

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"
