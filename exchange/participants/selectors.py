"""Reads of members, limited to one organisation, and reads across organisations for staff.

Functions that read across organisations say "For staff only".
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from exchange.core.errors import NotFound
from exchange.core.ids import parse_id
from exchange.core.querysets import get_or_raise
from exchange.participants.errors import UserNotFound
from exchange.participants.models import ApiKey, Member, Organisation
from exchange.staff.models import StaffUser

_MAX_EMAIL_MATCHES = 1_000


@dataclass(frozen=True, slots=True)
class Participant:
    """An owner of money or units: a member, or an organisation itself."""

    owner_id: UUID
    organisation_id: UUID


def find_participants_by_email(email: str) -> list[Participant]:
    """Return members and organisations whose email is `email`, in any case. For staff only."""
    members = Member.objects.filter(email__iexact=email).values_list("pk", "organisation_id")
    firms = Organisation.objects.filter(email__iexact=email).values_list("pk", flat=True)
    return [
        *(Participant(*member) for member in members[:_MAX_EMAIL_MATCHES]),
        *(Participant(pk, pk) for pk in firms[:_MAX_EMAIL_MATCHES]),
    ]


def get_organisation(organisation_id: UUID) -> Organisation:
    """Return an organisation. Raises `NotFound`. For staff only."""
    rows = Organisation.objects.filter(id=organisation_id)
    return get_or_raise(rows, lambda: NotFound("Organisation not found"))


def members_of(organisation_id: UUID) -> QuerySet[Member]:
    """Return the members of an organisation."""
    return Member.objects.filter(organisation_id=organisation_id)


def get_member(organisation_id: UUID, member_id: UUID) -> Member:
    """Return a member of the organisation. Raises `UserNotFound`."""
    return get_or_raise(members_of(organisation_id).filter(id=member_id), UserNotFound)


def get_actor_names(actors: Iterable[str]) -> dict[str, str]:
    """Return the names of the staff and API keys among `actors`, by actor. For staff only."""
    ids = [actor_id for actor in actors if (actor_id := parse_id(actor.partition(":")[2]))]
    if not ids:
        return {}
    names = {f"staff:{user.pk}": str(user) for user in StaffUser.objects.filter(pk__in=ids)}
    return names | {f"api_key:{key.pk}": key.name for key in ApiKey.objects.filter(pk__in=ids)}


def describe_actors(actors: Sequence[str]) -> list[str]:
    """Return display names for stored actors (`staff:<id>`, `api_key:<id>`, `system:<job>`).

    For staff only.
    """
    names = get_actor_names(actors)
    return [
        f"{'API key ' if actor.startswith('api_key:') else ''}{names[actor]}"
        if actor in names
        else actor.replace(":", ": ", 1).capitalize()
        for actor in actors
    ]


def find_ids_by_name(term: str) -> Iterator[object]:
    """Return the ids of staff, organisations and API keys that `term` names exactly.

    For staff only.
    """
    for model, condition in (
        (StaffUser, Q(username=term)),
        (Organisation, Q(name__iexact=term) | Q(email__iexact=term)),
        (ApiKey, Q(client_id=term) | Q(name__iexact=term)),
    ):
        yield from model._default_manager.filter(condition).values_list("pk", flat=True)
