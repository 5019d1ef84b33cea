"""Events in the search of the back office."""

from exchange.admin.site_search import SearchKind
from exchange.events.models import Event

EVENTS = SearchKind(
    model=Event,
    describe=lambda event: (event.status,),
    ids=("pk", "subject_id"),
    related=("organisation",),
)
