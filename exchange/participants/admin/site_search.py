"""Members, organisations and API keys in the search of the back office."""

from collections.abc import Iterator, Sequence

from django.contrib.postgres.search import SearchVectorExact
from django.db.models import Q

from exchange.admin.site_search import SearchKind, SearchTerm, bounded
from exchange.core.words import name_query
from exchange.participants.models import MEMBER_WORDS, ApiKey, Member, Organisation


def _member_conditions(term: SearchTerm) -> Sequence[Q]:
    if term.email:
        return (Q(email__iexact=term.email),)
    query = name_query(term.names)
    if query is None:
        return ()
    named = Member.objects.filter(SearchVectorExact(MEMBER_WORDS, query))
    return (Q(pk__in=bounded(named)),)


def _organisation_conditions(term: SearchTerm) -> Sequence[Q]:
    if term.email:
        return (Q(email__iexact=term.email),)
    return (Q(name__folded=term.names),) if term.names else ()


def _key_conditions(term: SearchTerm) -> Sequence[Q]:
    return (Q(name__folded=term.names),) if term.names else ()


def _describe_member(member: Member) -> Iterator[object]:
    yield member.email
    if member.external_id:
        yield f"external ID {member.external_id}"
    yield member.organisation


def _describe_organisation(organisation: Organisation) -> Iterator[str]:
    if organisation.email:
        yield organisation.email
    yield "active" if organisation.active else "inactive"


MEMBERS = SearchKind(
    model=Member,
    describe=_describe_member,
    texts=("external_id",),
    conditions=_member_conditions,
    related=("organisation",),
)
ORGANISATIONS = SearchKind(
    model=Organisation, describe=_describe_organisation, conditions=_organisation_conditions
)
API_KEYS = SearchKind(
    model=ApiKey,
    describe=lambda key: (f"client ID {key.client_id}",),
    texts=("client_id",),
    conditions=_key_conditions,
    related=("organisation",),
    created="created",
)
