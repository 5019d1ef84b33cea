"""Orders in the search of the back office."""

from collections.abc import Iterator, Sequence

from django.db.models import Q

from exchange.admin.site_search import SearchKind, SearchTerm
from exchange.core.currencies import format_money
from exchange.participants.models import Organisation
from orders.book.models import Order


def _conditions(term: SearchTerm) -> Sequence[Q]:
    if not term.is_text:
        return ()
    # The index begins with the organisation.
    everyone = Q(organisation__in=Organisation.objects.order_by().values("pk"))
    return (everyone & Q(client_order_id=term.text) & ~Q(client_order_id=""),)


def _describe(order: Order) -> Iterator[object]:
    yield format_money(order.amount, order.token.currency_id)
    yield order.status
    yield order.member or order.organisation
    if order.client_order_id:
        yield f"client order ID {order.client_order_id}"


ORDERS = SearchKind(
    model=Order,
    describe=_describe,
    texts=("client_reference",),
    recent_amounts=(("amount", "token__currency"),),
    conditions=_conditions,
    related=("token", "member", "organisation"),
)
