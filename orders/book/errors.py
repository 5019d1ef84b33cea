"""Errors of orders. Each rule has its own message and code."""

from decimal import Decimal
from typing import Any

from exchange.core.errors import Conflict, DomainError, InvalidRequest, NotFound, Rejected
from exchange.core.numbers import format_plain
from exchange.participants.errors import member_error
from exchange.tokens.errors import TokenNotFound, record_error
from wallets.freezes.errors import block_error


class OrderNotFound(NotFound):
    """The order does not exist, or is not visible to the caller."""

    code = "order_not_found"
    message = "Order not found"


class OrderNotActive(Conflict):
    """The order is closed, so nothing of it can be cancelled."""

    code = "state_conflict"

    def __init__(self, status: str) -> None:
        super().__init__(f"Only an Active order can be cancelled: it is {status}")


class DuplicateClientOrderId(Conflict):
    """The organisation already used this `client_order_id`."""

    code = "duplicate_client_order_id"

    def __init__(self, client_order_id: str) -> None:
        super().__init__(f"There is an order with client_order_id {client_order_id} already")


# Message templates by error code of `enter_orders`, formatted with its details and `side`.
_MESSAGES = {
    "token_cancelled": "The token is cancelled",
    "token_exited": "The token has exited",
    "token_closed": "The token is closed to new orders",
    "price_decimals": "price must not have more than {decimals} decimals",
    "tokens_decimals": "tokens must not have more than 8 decimals",
    "post_only_in_raise": ("In the primary raise every order is filled at once: none is post-only"),
    "already_expired": "expires_at has passed",
    "amount_decimals": "amount must not have more than {decimals} decimals",
    "in_primary_raise": "The token is in its primary raise: it can be bought, not sold",
    "own_raise": "An issuer cannot buy in its own raise",
    "below_offer": "In the primary raise a unit costs {price}: price must be at least that",
    "not_in_secondaries": "The token does not trade in the secondary market",
    "worth_nothing": "The order is worth less than the smallest unit of the currency",
    "amount_too_large": "price times tokens must not be above 1000000000000000",
    "below_min_trade": "A {side} order must be worth at least {least}: it is worth {amount}",
    "above_max_trade": "A {side} order must be worth at most {most}: it is worth {amount}",
    "below_filled": "tokens must be above what is filled: {filled}",
    "insufficient_units": "Insufficient units. Available: {available}, requested: {requested}",
    "insufficient_balance": (
        "Insufficient {currency} balance. Available: {available}, requested: {requested}"
    ),
}


# The same for what the book does not allow now: the request is well formed.
_CONFLICTS = {
    "token_halted": "Trading of the token is halted: orders can be cancelled, and none is accepted",
    "no_liquidity": "No order of another owner is in the book at a price within the band",
    "not_fillable": "The order cannot be filled completely at once",
    "would_take": "The order would be filled at once",
    "state_conflict": "Only an Active order can be amended: it is {status}",
    "filled_changed": "The order is filled differently than expected_filled says: {filled}",
    "terms_changed": (
        "Fees or limits of the token have changed since the order was placed: cancel it, and place"
        " another one"
    ),
}


_NOT_FOUND = {TokenNotFound.code: TokenNotFound, OrderNotFound.code: OrderNotFound}


def build_rejection(code: str, detail: dict[str, Any], *, side: str) -> DomainError | None:
    """Return the error for a code raised by `enter_orders`; None for an unknown code."""
    if missing := _NOT_FOUND.get(code):
        return missing()
    if (error := record_error(code) or member_error(code)) is not None:
        return error
    values = {
        name: format_plain(value) if isinstance(value, Decimal) else value
        for name, value in detail.items()
    }
    if code == "price_out_of_band":
        return Rejected(_describe_price_band(values, side), code=code)
    if code in _CONFLICTS:
        return Conflict(_CONFLICTS[code].format(**values), code=code)
    message = _MESSAGES.get(code)
    if message is None:
        return block_error(code)
    if code in {"price_decimals", "amount_decimals"} and values.get("decimals") == "0":
        message = message.replace("more than {decimals} ", "")
    if code.endswith("_decimals"):
        # Too many decimals is the same error on every endpoint.
        code = InvalidRequest.code
    return Rejected(message.format(side=side.lower(), **values), code=code)


def _describe_price_band(limits: dict[str, Any], side: str) -> str:
    bounds = []
    if limits["lowest"] != "0":
        bounds.append(f"at least {limits['lowest']}")
    if limits["highest"] != "0":
        bounds.append(f"at most {limits['highest']}")
    return f"The price of a {side.lower()} order must be {' and '.join(bounds)}"
