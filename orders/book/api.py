"""Endpoints for orders and for the public order book of a token."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django.http import QueryDict
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.idempotency import read_key, respond_once, stored_to_response
from exchange.api.operations import RecordPage, operation
from exchange.api.parameters import read_positive_integer
from exchange.api.responses import RawJSON, SuccessResponse
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.core.errors import InvalidRequest
from exchange.core.idempotency import find_response
from exchange.participants.errors import UserNotFound
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.selectors.tokens import token_document
from orders.book import shapes
from orders.book.cancelling import cancel_open_orders
from orders.book.commands import PlaceOrder
from orders.book.errors import OrderNotFound
from orders.book.filters import OrderFilters, TokenOrderFilters
from orders.book.models import Order
from orders.book.pagination import META_SCHEMA, OrderPagination
from orders.book.payloads import ORDER
from orders.book.previews import preview_order
from orders.book.selectors import (
    embed_token,
    merge_sorted,
    orders_of,
    orders_on_token,
    read_book,
    read_order,
    read_order_by_client_id,
    read_orders,
)
from orders.book.serializers import AmendmentInput, OrderInput, time_in_force
from orders.book.services import amend_order, cancel_order, place_order

# Only columns that no fill changes: they are part of the indexes, and one that did would have to
# write to every index.
SORT_FIELDS = {
    "createdAt": "created_at",
    "price": "price",
    "amount": "amount",
}
# An amendment changes them.
AMENDED = frozenset({"price", "amount"})


class OrderViewSet(ApiViewSet):
    """The caller's orders, and Active orders of other organisations."""

    tag = "Orders"
    lookup_url_kwarg = "order_id"
    pagination_class = OrderPagination
    filterset_class = OrderFilters
    sort_fields: ClassVar = SORT_FIELDS
    changing_sorts = AMENDED
    default_sort = "-createdAt"

    def get_queryset(self) -> QuerySet[Order]:
        """Return the caller's orders."""
        return orders_of(self.caller.organisation_id)

    @operation(
        "Orders retrieved",
        scope="orders:read",
        response=RecordPage(ORDER, "orders"),
        meta=META_SCHEMA,
    )
    def list(self, _request: Request) -> Response:
        """List the organisation's orders. Includes those of its API keys and members, in any
        state; `token` is the token's ID.
        """
        found = self.filter_queryset(self.get_queryset())
        read = partial(read_orders, self.caller.organisation_id)
        return self.paginated_response(found, read)

    @operation(
        "Order retrieved",
        scope="orders:read",
        response=ORDER,
        failures={"404": shapes.ORDER_NOT_FOUND},
    )
    def retrieve(self, _request: Request, order_id: str) -> SuccessResponse:
        """Fetch an order. Your own in any state; orders of other organisations while Active, if
        the token is visible to you, without their owner.
        """
        found = parse_path_id(order_id, OrderNotFound)
        return self.respond(RawJSON(read_order(self.caller.organisation_id, found)))

    @operation(
        "Order retrieved",
        id="orders_find",
        scope="orders:read",
        response=ORDER,
        failures={"404": shapes.ORDER_NOT_FOUND},
    )
    @action(detail=False, url_path="by-client-id/<own_id:client_order_id>")
    def by_client_id(self, _request: Request, client_order_id: str) -> SuccessResponse:
        """Fetch an order by your own ID for it, its `client_order_id`. Only your own orders."""
        found = read_order_by_client_id(self.caller.organisation_id, client_order_id)
        return self.respond(RawJSON(found))

    @operation(
        "Order placed",
        scope="orders:write",
        moves_money=True,
        body=OrderInput,
        response=ORDER,
        status=201,
        failures=shapes.PLACE_FAILURES,
        examples=[shapes.BUY_EXAMPLE, shapes.SELL_EXAMPLE, shapes.MARKET_EXAMPLE],
    )
    def create(self, request: Request) -> SuccessResponse:
        """Place an order. It is matched immediately against resting orders, at their prices; the
        remainder rests in the book with its money (Buy: value and fee) or units reserved. If it
        would match an order of the same owner, its remainder is cancelled. In a primary raise a
        Buy is filled by the issuer, and units the raise can no longer supply are cancelled. A
        market order is filled at the best prices, at most 5 % (`MARKET_COLLAR`) from the best
        one; its `price` is that limit, and what it cannot fill is cancelled. Emits
        `order.created`, and `trade.created`, `order.fulfilled`, `order.cancelled` as they occur.
        """
        return stored_to_response(place_order(self._command(), claim=read_key(request)))

    @operation(
        "Order amended",
        id="orders_amend",
        scope="orders:write",
        moves_money=True,
        body=AmendmentInput,
        response=ORDER,
        failures=shapes.AMEND_FAILURES,
        examples=[shapes.AMEND_EXAMPLE],
    )
    def partial_update(self, request: Request, order_id: str) -> SuccessResponse:
        """Amend an open order: another price, another total, or both. It keeps its ID; its place
        among orders of the same price only if nothing but the total shrinks. A new price may be
        matched at once. The rules of placing apply to the new total at the new price; where one
        refuses it, the order stays as it was. Emits `order.updated`, and `trade.created`,
        `order.fulfilled`, `order.cancelled` as they occur.
        """
        values, caller = self.body(), self.caller
        amended = amend_order(
            order_id=parse_path_id(order_id, OrderNotFound),
            organisation_id=caller.organisation_id,
            actor=caller.actor,
            **values,
            claim=read_key(request),
        )
        return stored_to_response(amended)

    @operation(
        "Order previewed",
        scope="orders:read",
        body=OrderInput,
        response=shapes.PREVIEW,
        failures=shapes.PREVIEW_FAILURES,
        examples=[shapes.BUY_EXAMPLE, shapes.MARKET_EXAMPLE],
    )
    @action(detail=False, methods=["post"])
    def preview(self, _request: Request) -> SuccessResponse:
        """Preview an order. Takes the same body and has no effect: returns what the wallet needs,
        what would be filled now and at what price and fee, and every rule that would refuse it.
        """
        return self.respond(preview_order(self._command()))

    def _command(self) -> PlaceOrder:
        """Return the command of the request's body."""
        values, caller = self.body(), self.caller
        member, customer = values["user_id"], values["customer"] or {}
        return PlaceOrder(
            organisation=caller.organisation_id,
            member=None if member is None else parse_path_id(member, UserNotFound),
            actor=str(caller.actor),
            api_key=caller.key_id,
            token=parse_path_id(values["token_id"], TokenNotFound),
            type=values["type"],
            price=values["price"],
            tokens=values["tokens"],
            requested_amount=values["amount"],
            order_type=values["order_type"],
            time_in_force=time_in_force(values),
            post_only=values["post_only"],
            expires_at=values["expires_at"],
            customer_name=customer.get("name"),
            customer_email=customer.get("email"),
            client_order_id=values["client_order_id"] or "",
            client_reference=values["client_reference"],
            metadata=values["metadata"],
        )

    @operation(
        "Order cancelled",
        id="orders_cancel",
        scope="orders:write",
        idempotent=True,
        response=ORDER,
        failures=shapes.CANCEL_FAILURES,
    )
    def destroy(self, request: Request, order_id: str) -> SuccessResponse:
        """Cancel the open remainder of an order. Its reservation is released; existing fills
        stand. Emits `order.cancelled`.
        """
        found = parse_path_id(order_id, OrderNotFound)
        return respond_once(request, lambda: self._cancel(found))

    @operation(
        "Orders cancelled",
        id="open_orders_cancel",
        scope="orders:write",
        idempotent=True,
        query=shapes.CHOICE_PARAMETERS,
        response=shapes.CANCELLATION,
        failures=shapes.CANCEL_SEVERAL_FAILURES,
    )
    def destroy_several(self, request: Request) -> SuccessResponse:
        """Cancel open orders of the organisation and its members: of a token, of a member, or all
        of them. Up to 1,000 a call, token by token; `remaining` says how many are left. Emits
        `order.cancelled` for each.
        """
        self.check_query()
        chosen = read_choice(request.query_params)
        claim = read_key(request)
        stored = claim and find_response(claim)
        if stored:
            return stored_to_response(stored)
        found = cancel_open_orders(
            organisation_id=self.caller.organisation_id, chosen=chosen, actor=self.caller.actor
        )
        response = self.respond(shapes.cancellation_data(found))
        # After the commits. Of two requests at once, both answer as the first one that gets here.
        return respond_once(request, lambda: response)

    def _cancel(self, order_id: UUID) -> SuccessResponse:
        caller = self.caller
        order = cancel_order(
            order_id=order_id, organisation_id=caller.organisation_id, actor=caller.actor
        )
        return self.respond(RawJSON(order.document))


def read_choice(query: QueryDict) -> dict[str, UUID]:
    """Return which orders a request cancels, by column; none for all of them.

    Raises `InvalidRequest` without any filter, or with `all` and another one.
    """
    names = ("token_id", "user_id", "all")
    given = {name: str(query[name]) for name in names if name in query}
    if "all" in given:
        if given != {"all": "true"}:
            raise InvalidRequest("all must be true, without another filter")
        return {}
    if not given:
        raise InvalidRequest("Give token_id, user_id, or all=true")
    chosen = {}
    if "token_id" in given:
        chosen["token_id"] = parse_path_id(given["token_id"], TokenNotFound)
    if "user_id" in given:
        chosen["member_id"] = parse_path_id(given["user_id"], UserNotFound)
    return chosen


class MarketViewSet(ApiViewSet):
    """Base for the market data of the token in the path."""

    tag = "Markets"

    def find_token(self, text: str) -> tuple[UUID, str]:
        """Return the id and document of the token with id `text`. Raises `TokenNotFound`."""
        token_id = parse_path_id(text, TokenNotFound)
        return token_id, token_document(self.caller.organisation_id, token_id)


class TokenOrderViewSet(MarketViewSet):
    """Orders of a token."""

    pagination_class = OrderPagination
    filterset_class = TokenOrderFilters
    sort_fields: ClassVar = SORT_FIELDS
    changing_sorts = AMENDED
    default_sort = "-createdAt"
    queryset = Order.objects.none()

    @operation(
        "Orders retrieved",
        scope="orders:read",
        response=RecordPage(shapes.ORDER_WITH_TOKEN, "orders"),
        meta=META_SCHEMA,
        failures={"404": shapes.TOKEN_NOT_FOUND},
    )
    def list(self, _request: Request, token_id: str) -> Response:
        """List the orders of a token. All Active orders, without their owners, and your own in any
        state; each includes its token.
        """
        organisation_id = self.caller.organisation_id
        found, text = self.find_token(token_id)
        parts = [self.filter_queryset(part) for part in orders_on_token(organisation_id, found)]

        def read(orders: Sequence[UUID]) -> Sequence[str]:
            texts = read_orders(organisation_id, orders)
            return [embed_token(order, found, text) for order in texts]

        return self.paginated_response(merge_sorted(parts), read)


class BookViewSet(MarketViewSet):
    """The order book of a token."""

    singleton = True

    @operation(
        "Book retrieved",
        scope="orders:read",
        query=[shapes.LEVELS_PARAMETER],
        response=shapes.BOOK,
        failures={"404": shapes.TOKEN_NOT_FOUND},
    )
    def retrieve(self, request: Request, token_id: str) -> SuccessResponse:
        """Fetch the order book of a token. Open units per price level, best price first."""
        found, _ = self.find_token(token_id)
        wanted = read_positive_integer(request.query_params, "levels", shapes.DEFAULT_LEVELS)
        return self.respond(read_book(found, min(wanted, shapes.MAX_LEVELS)))
