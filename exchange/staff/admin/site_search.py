"""Staff users in the search of the back office."""

from collections.abc import Iterator, Sequence

from django.db.models import Q

from exchange.admin.site_search import SearchKind, SearchTerm
from exchange.staff.models import StaffUser


def _conditions(term: SearchTerm) -> Sequence[Q]:
    if term.email:
        return (Q(email__iexact=term.email),)
    if not term.names:
        return ()
    names = ("username", "first_name", "last_name")
    return (Q.create([(f"{name}__folded", term.names) for name in names], connector=Q.OR),)


def _describe(user: StaffUser) -> Iterator[str]:
    yield user.username
    if user.email:
        yield user.email
    if not user.is_active:
        yield "inactive"


STAFF = SearchKind(
    model=StaffUser, describe=_describe, conditions=_conditions, created="date_joined"
)
