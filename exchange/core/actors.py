"""Who does something: every service takes one, every audit row names one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


class ActorKind(StrEnum):
    """What sort of actor."""

    API_KEY = "api_key"
    STAFF = "staff"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Actor:
    """An API key, a member of staff, or the system itself.

    `organisation_id` is set for API keys only; `id` is the key's or user's id, or for the system
    the name of the job that acts.
    """

    kind: ActorKind
    id: str
    label: str
    organisation_id: UUID | None = None

    @classmethod
    def system(cls, job: str) -> Actor:
        """The system acting in `job`."""
        return cls(kind=ActorKind.SYSTEM, id=job, label=job)

    @classmethod
    def staff(cls, user_id: UUID, label: str) -> Actor:
        """A member of staff."""
        return cls(kind=ActorKind.STAFF, id=str(user_id), label=label)

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"
