"""The life of an order on its page: placed, amended, filled, and how it ended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from exchange.admin.base import SafeAdmin, Section
from exchange.admin.display import format_time, record_link
from exchange.admin.panels import Panel
from exchange.audit import selectors as audit
from exchange.core.currencies import format_money
from exchange.core.models import Change
from exchange.core.numbers import format_grouped, format_units
from exchange.participants.selectors import describe_actors
from orders.book.admin.show import list_link
from orders.book.models import Order, OrderKind, OrderStatus
from orders.trades.selectors import OrderSide, fills_of

# So many of the first and of the last fills are shown, and of the amendments.
_SHOWN = 10
_TERMS = ("price", "tokens")
_EXCHANGE = "The exchange"
# What the codes mean that matching and the expiry give; other reasons are texts.
_REASONS = {
    "expired": "Its time had come",
    "unfilled": "The book had no more for it, and it does not rest",
    "self_trade": "It met an order of its own owner",
    "worth_nothing": "What was left is worth less than the smallest amount of the currency",
    "raise_sold_out": "The raise has no more units",
}


@dataclass(frozen=True, slots=True)
class _Event:
    """An event of an order. `rank` is the order of events of the same moment."""

    at: datetime
    rank: int
    label: object
    details: object
    actor: str = ""


@dataclass(frozen=True, slots=True)
class _Ends:
    """The first and the last records of many; `last` is empty where `first` has all."""

    first: list[Any]
    last: list[Any]

    @property
    def all(self) -> list[Any]:
        """The records that are shown, oldest first."""
        return [*self.first, *self.last]


class OrderTimelinePanel(Panel):
    """What happened to an order, oldest first."""

    def sections(self, page: SafeAdmin, request: HttpRequest, record: Order) -> Sequence[Section]:
        """Return the timeline."""
        changes = _read_ends(
            audit.column_changes(Order._meta.db_table, record.pk, (*_TERMS, "status")), "id"
        )
        fills = _read_ends(fills_of(OrderSide(record.pk, record.type)), "seq")
        events = [
            _placement(record, changes),
            *_amendments(record, changes, fills),
            *_fill_events(record, fills),
            *_end(record, changes),
        ]
        rows = [
            (format_time(event.at), event.label, event.details, event.actor)
            for event in sorted(events, key=lambda event: (event.at, event.rank))
        ]
        more = list_link("orders_trade", record.pk, "All fills") if fills.last else None
        headings = ("Time (UTC)", "Event", "Details", "By")
        return [Section("Timeline", headings, rows, more=more)]


def _read_ends(found: QuerySet[Any], order: str) -> _Ends:
    first = list(found.order_by(order)[: 2 * _SHOWN + 1])
    if len(first) <= 2 * _SHOWN:
        return _Ends(first, [])
    return _Ends(first[:_SHOWN], list(found.order_by(f"-{order}")[:_SHOWN])[::-1])


def _placement(order: Order, changes: _Ends) -> _Event:
    """Return the placement, with the terms before the first amendment of each."""
    terms: dict[str, Any] = {} if changes.last else {name: getattr(order, name) for name in _TERMS}
    for change in reversed(changes.first):
        terms |= {name: value for name, value in _before(change).items() if name in _TERMS}
    details = [order.type]
    if order.requested_amount is not None:
        # Its units are those that it bought.
        details.append(f"for {_money(order, order.requested_amount)}")
    elif "tokens" in terms:
        details.append(format_units(Decimal(terms["tokens"])))
    if "price" in terms:
        details.append(f"at {_money(order, terms['price'])}")
    if order.order_type == OrderKind.MARKET:
        details.append("(market)")
    actor = describe_actors([order.placed_by])[0]
    return _Event(order.created_at, 0, "Placed", " ".join(details), actor)


def _amendments(order: Order, changes: _Ends, fills: _Ends) -> list[_Event]:
    found = [change for change in changes.all if set(_TERMS) & set(_before(change))]
    events = [
        _Event(_amended_at(order, change, fills), 1, "Amended", _describe(order, change), actor)
        for change, actor in zip(found, audit.actor_names(found), strict=True)
    ]
    if changes.last:
        at = changes.first[-1].at
        events.append(_Event(at, 1, "Amended", "Further amendments are in the history"))
    return events


def _amended_at(order: Order, change: Change, fills: _Ends) -> datetime:
    """Return when the order was amended: not after what the amendment itself brought.

    The change is recorded a moment later. An amendment that is matched has a new number, and its
    fills have higher ones.
    """
    after = (change.after or {}).get("seq")
    moments: list[datetime] = [change.at]
    if after is not None:
        moments += [fill.created_at for fill in fills.all if fill.seq > after]
    if order.closed_at:
        moments.append(order.closed_at)
    return min(moments)


def _describe(order: Order, change: Change) -> str:
    before, after = _before(change), change.after or {}
    parts = []
    if "price" in before:
        parts.append(
            f"Price from {_money(order, before['price'])} to {_money(order, after['price'])}"
        )
    if "tokens" in before:
        old, new = (format_grouped(Decimal(each["tokens"])) for each in (before, after))
        parts.append(f"Units from {old} to {new}")
    parts.append("End of the queue" if "seq" in before else "Same place in the queue")
    return "; ".join(parts)


def _fill_events(order: Order, fills: _Ends) -> list[_Event]:
    events = [
        _Event(
            fill.created_at,
            2,
            record_link(fill, "Fill"),
            f"{format_units(fill.tokens)} at {_money(order, fill.price)}",
        )
        for fill in fills.all
    ]
    if fills.last:
        gap = _Event(fills.first[-1].created_at, 2, "Fill", "Further fills are in their list")
        events.insert(len(fills.first), gap)
    return events


def _end(order: Order, changes: _Ends) -> list[_Event]:
    if order.closed_at is None:
        return []
    filled = f"{format_grouped(order.filled)} of {format_units(order.tokens)} filled"
    if order.status == OrderStatus.FULFILLED:
        return [_Event(order.closed_at, 3, order.status, filled)]
    label = "Expired" if order.reason == "expired" else order.status
    reason = _REASONS.get(order.reason, order.reason)
    details = f"{reason}; {filled}" if reason else filled
    return [_Event(order.closed_at, 3, label, details, _canceller(order, changes))]


def _canceller(order: Order, changes: _Ends) -> str:
    """Return who cancelled the order. Matching does so in the name of whose order it meets."""
    if order.reason in _REASONS:
        return _EXCHANGE
    last = [change for change in changes.all if "status" in _before(change)]
    return audit.actor_names(last)[-1] if last else ""


def _before(change: Change) -> Mapping[str, Any]:
    return change.before or {}


def _money(order: Order, amount: Any) -> str:
    return format_money(Decimal(amount), order.token.currency_id)
