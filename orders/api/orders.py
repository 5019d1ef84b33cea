"""Orders: placing, listing, reading and cancelling them."""

from __future__ import annotations

from functools import partial
from typing import ClassVar
from uuid import UUID

from django.db.models import QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.answers import Answer, RawJSON
from exchange.api.idempotency import answer_of, answer_once, read_key
from exchange.api.operations import PageOf, operation
from exchange.api.viewsets import ApiViewSet, path_id
from exchange.core.errors import TokenNotFound, UserNotFound
from orders.api import shapes
from orders.api.pages import META_SCHEMA, OrderPagination
from orders.api.serializers import OrderInput
from orders.errors import OrderNotFound
from orders.filtersets import OrderFilters
from orders.models import Order
from orders.payloads import ORDER
from orders.selectors.orders import order_text, order_texts, orders_of
from orders.services.placing import Customer, OrderRequest, cancel, place

# What orders can be sorted by, wherever they are listed: what an index of them may hold, since it
# never changes. (A fill that changed an entry of an index would have to write to all of them.)
SORT_FIELDS = {
    "createdAt": "created_at",
    "price": "price",
    "amount": "amount",
}


class OrderViewSet(ApiViewSet):
    """The organisation's orders, and everybody's while they are Active."""

    lookup_url_kwarg = "order_id"
    pagination_class = OrderPagination
    filterset_class = OrderFilters
    sort_fields: ClassVar = SORT_FIELDS
    default_sort = "-createdAt"

    def get_queryset(self) -> QuerySet[Order]:
        """The caller's orders."""
        return orders_of(self.caller.organisation_id)

    @operation(
        "Orders retrieved", scope="orders:read", answer=PageOf(ORDER, "orders"), meta=META_SCHEMA
    )
    def list(self, _request: Request) -> Response:
        """List the organisation's orders. Its own, its keys' and its members', in any state;
        `token` is the token's id.
        """
        found = self.filter_queryset(self.get_queryset())
        read = partial(order_texts, self.caller.organisation_id)
        return self.paginated(found.values_list("id", flat=True), read)

    @operation(
        "Order retrieved",
        scope="orders:read",
        answer=ORDER,
        refusals={"404": shapes.ORDER_NOT_FOUND},
    )
    def retrieve(self, _request: Request, order_id: str) -> Answer:
        """Fetch an order. Your own in any state; anybody's while it is Active and you see its
        token, without who owns it.
        """
        found = path_id(order_id, OrderNotFound())
        return self.answer(RawJSON(order_text(self.caller.organisation_id, found)))

    @operation(
        "Order placed",
        scope="orders:write",
        moves_money=True,
        body=OrderInput,
        answer=ORDER,
        status=201,
        refusals=shapes.PLACE_FAILURES,
        examples=[shapes.BUY_EXAMPLE, shapes.SELL_EXAMPLE],
    )
    def create(self, request: Request) -> Answer:
        """Place an order. It trades at once with the orders it meets, at their prices, and what
        is left stays in the book with its money (a Buy: value and fee) or units reserved. When it
        meets an order of the same owner, its rest is cancelled instead; in a primary raise a Buy
        is filled by the issuer, and what the raise no longer has is cancelled. Emits
        `order.created`, and `trade.created`, `order.fulfilled`, `order.cancelled` as they happen.
        """
        values = self.body()
        caller = self.caller
        member, customer = values["user_id"], values["customer"]
        given = place(
            organisation_id=caller.organisation_id,
            member_id=None if member is None else path_id(member, UserNotFound()),
            request=OrderRequest(
                token_id=path_id(values["token_id"], TokenNotFound()),
                type=values["type"],
                price=values["price"],
                tokens=values["tokens"],
                customer=None if customer is None else Customer(**customer),
                client_order_id=values["client_order_id"] or "",
            ),
            actor=caller.actor,
            api_key_id=caller.key_id,
            claim=read_key(request),
        )
        return answer_of(given)

    @operation(
        "Order cancelled",
        id="orders_cancel",
        scope="orders:write",
        idempotent=True,
        answer=ORDER,
        refusals=shapes.CANCEL_FAILURES,
    )
    def destroy(self, request: Request, order_id: str) -> Answer:
        """Cancel the open rest of an order. What is reserved for it is free again; what was filled
        stays so. Emits `order.cancelled`.
        """
        found = path_id(order_id, OrderNotFound())
        return answer_once(request, lambda: self._cancel(found))

    def _cancel(self, order_id: UUID) -> Answer:
        caller = self.caller
        order = cancel(
            order_id=order_id, organisation_id=caller.organisation_id, actor=caller.actor
        )
        return self.answer(RawJSON(order.document))
