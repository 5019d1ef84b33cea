"""Orders: placing, listing, reading and cancelling them."""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from exchange.api.answers import Answer, RawJSON
from exchange.api.idempotency import answer_of, answer_once, read_key
from exchange.api.schema import Created, Operation, PageOf, Record, Shape
from exchange.api.views import ApiView, path_id
from exchange.errors import TokenNotFound, UserNotFound
from orders.api import shapes
from orders.api.pages import META_SCHEMA, OrderPages
from orders.api.serializers import OrderInput
from orders.errors import OrderNotFound
from orders.filtersets import OrderFilters
from orders.models import Order
from orders.payloads import ORDER
from orders.selectors.orders import order_text, orders_of
from orders.services.placing import Customer, OrderRequest, cancel, place

# What orders can be sorted by, wherever they are listed: what an index of them may hold, since it
# never changes. (A fill that changed an entry of an index would have to write to all of them.)
SORT_FIELDS = {
    "createdAt": "created_at",
    "price": "price",
    "amount": "amount",
}


class OrdersView(ApiView):
    """The organisation's orders."""

    operations: ClassVar = {
        "GET": Operation("orders", "list", "Orders retrieved"),
        "POST": Operation("orders", "create", "Order placed"),
    }
    required_scopes: ClassVar = {"GET": "orders:read", "POST": "orders:write"}
    moves_money = True
    serializer_class = OrderInput
    filterset_class = OrderFilters
    plural = "orders"
    sort_fields: ClassVar = SORT_FIELDS
    default_sort = "-createdAt"
    answers: ClassVar = {"GET": PageOf(ORDER, "orders"), "POST": Created(Record(ORDER))}

    @property
    def meta_schema(self) -> Shape | None:
        """What the list has besides its data."""
        return META_SCHEMA if self.request.method == "GET" else None

    @property
    def failures(self) -> dict[str, dict[str, str]]:
        """Placing an order is refused by many rules; listing them by none."""
        return shapes.PLACE_FAILURES if self.request.method == "POST" else {}

    def get_queryset(self) -> QuerySet[Order]:
        """The caller's orders."""
        return orders_of(self.caller.organisation_id)

    def get(self, request: Request) -> Answer:
        """List the organisation's orders. Its own, its keys' and its members', in any state;
        `token` is the token's id.
        """
        found = self.filter_queryset(self.get_queryset())
        pages = OrderPages(self.caller.organisation_id)
        pages.paginate_queryset(found.values_list("id"), request, self)
        return pages.orders(self)

    @extend_schema(examples=[shapes.BUY_EXAMPLE, shapes.SELL_EXAMPLE])
    def post(self, request: Request) -> Answer:
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


class OrderView(ApiView):
    """One order."""

    operations: ClassVar = {
        "GET": Operation("orders", "retrieve", "Order retrieved"),
        "DELETE": Operation("orders", "cancel", "Order cancelled"),
    }
    required_scopes: ClassVar = {"GET": "orders:read", "DELETE": "orders:write"}
    takes_key_on: ClassVar = ("DELETE",)
    answers: ClassVar = {"GET": Record(ORDER), "DELETE": Record(ORDER)}

    @property
    def failures(self) -> dict[str, dict[str, str]]:
        """Cancelling can come too late; reading cannot."""
        if self.request.method == "DELETE":
            return shapes.CANCEL_FAILURES
        return {"404": shapes.ORDER_NOT_FOUND}

    def get(self, _request: Request, order_id: str) -> Answer:
        """Fetch an order. Your own in any state; anybody's while it is Active and you see its
        token, without who owns it.
        """
        found = path_id(order_id, OrderNotFound())
        return Answer(RawJSON(order_text(self.caller.organisation_id, found)), "Order retrieved")

    def delete(self, request: Request, order_id: str) -> Answer:
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
        return Answer(RawJSON(order.document), "Order cancelled")
