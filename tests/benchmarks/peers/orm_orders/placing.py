"""The peer's order service: the same locks, rules and rows as ours, one statement each.

It returns, stores and emits the same. It has no database guards, stored documents, raises, access
lists or deadlock retries, so it does less. (Neither side uses idempotency keys here or writes the
audit, since an order names its creator.)
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from tests.benchmarks.peers.orm_orders.models import (
    Account,
    Entry,
    Event,
    Member,
    Order,
    Token,
    Trade,
    Transfer,
)

CENT = Decimal("0.01")
ACTOR = "system:benchmark"
Key = tuple[UUID | None, str, str]


class Rejected(Exception):
    """The order violates a rule."""


def place(*, member_id: UUID, token_id: UUID, side: str, price: Decimal, tokens: Decimal) -> str:
    """Place the order, match and settle what the book allows, and return it as JSON."""
    with transaction.atomic():
        token = Token.objects.select_for_update().get(id=token_id)
        member = Member.objects.get(id=member_id)
        amount = (price * tokens).quantize(CENT, ROUND_HALF_EVEN)
        _check(token, side, price, amount)
        order = Order(
            token=token,
            organisation=member.organisation,
            owner=member,
            side=side,
            price=price,
            tokens=tokens,
            amount=amount,
            placed_by=ACTOR,
            fee_percent=token.buy_fee if side == "Buy" else token.sell_fee,
        )
        makers = _makers(order)
        accounts = _locked_accounts(token, [member.id, *(maker.owner_id for maker in makers)])
        source = accounts[member.id, _reserved_asset(order), "available"]
        if source.balance < _needed(order):
            raise Rejected("insufficient")
        order.save(force_insert=True)
        for maker in makers:
            if maker.owner_id == order.owner_id:
                order.status, order.reason = "Cancelled", "self_trade"
                order.closed_at = timezone.now()
                break
            _settle(order, maker, accounts)
        _close(order)
        if order.status == "Active":
            order.reserved = _needed(order) - (order.charged + order.charged_fee)
            if side == "Sell":
                order.reserved = order.tokens - order.filled
            target = accounts[member.id, _reserved_asset(order), "reserved"]
            _post(
                "order_reserve",
                f"order:{order.id}:reserve",
                {source: -order.reserved, target: order.reserved},
                order.id,
                token,
            )
        order.save()
        if order.filled:
            token.vol_buy += order.filled
            token.vol_sell += order.filled
            token.save()
        _emit("order.created", order, order.id, {"order": _as_json(order)})
        if order.status != "Active":
            _emit_closed(order)
    return json.dumps(_as_json(order))


def _check(token: Token, side: str, price: Decimal, amount: Decimal) -> None:
    if token.cancelled or token.exited or token.closed or not token.secondaries:
        raise Rejected("does not trade")
    if side == "Buy":
        low, high = token.min_buy, token.max_buy
        least, most = token.min_trade_buy, token.max_trade_buy
    else:
        low, high = token.min_sell, token.max_sell
        least, most = token.min_trade_sell, token.max_trade_sell
    if (low and price < low) or (high and price > high):
        raise Rejected("price out of band")
    if amount == 0 or (least and amount < least) or (most and amount > most):
        raise Rejected("amount")


def _makers(order: Order) -> list[Order]:
    """Lock and return the orders it will trade with, best first."""
    book: QuerySet[Order] = Order.objects.select_for_update(of=("self",)).select_related("owner")
    book = book.filter(token=order.token, status="Active")
    if order.side == "Buy":
        book = book.filter(side="Sell", price__lte=order.price).order_by("price", "created_at")
    else:
        book = book.filter(side="Buy", price__gte=order.price).order_by("-price", "created_at")
    makers, left = [], order.tokens
    for maker in book:
        if left <= 0:
            break
        makers.append(maker)
        left -= maker.tokens - maker.filled
    return makers


def _locked_accounts(token: Token, owners: Iterable[UUID]) -> dict[Key, Account]:
    wanted = Account.objects.filter(owner__in=owners, asset__in=[token.currency, str(token.id)])
    found = {(a.owner, a.asset, a.kind): a for a in wanted.select_for_update().order_by("id")}
    fees = Account.objects.get(owner=None, asset=token.currency, kind="fees")
    return {**found, (None, token.currency, "fees"): fees}


def _settle(order: Order, maker: Order, accounts: dict[Key, Account]) -> None:
    """Settle one fill at the maker's price: money, units, fees, the trade and its events."""
    token = order.token
    units = min(order.tokens - order.filled, maker.tokens - maker.filled)
    buy, sell = (order, maker) if order.side == "Buy" else (maker, order)
    charges = {}
    for one in (buy, sell):
        one.filled += units
        one.filled_value += maker.price * units
        whole = _rounded(one.side, one.filled_value)
        value = whole - one.charged
        fee = abs(_total(one, one.filled_value) - whole) - one.charged_fee
        one.charged += value
        one.charged_fee += fee
        charges[one.side] = (value, fee)
    (paid, buy_fee), (got, sell_fee) = charges["Buy"], charges["Sell"]
    freed = paid + buy_fee if maker.side == "Buy" else units
    maker.reserved -= freed
    _close(maker)
    maker.save()
    trade = Trade.objects.create(
        token=token,
        buy_order=buy,
        sell_order=sell,
        taker=order.side,
        price=maker.price,
        tokens=units,
        buyer_value=paid,
        buyer_fee=buy_fee,
        seller_value=got,
        seller_fee=sell_fee,
    )
    money, asset = token.currency, str(token.id)
    kinds = {order.id: "available", maker.id: "reserved"}
    _post(
        "trade",
        f"trade:{trade.id}",
        {
            accounts[buy.owner_id, money, kinds[buy.id]]: -paid - buy_fee,
            accounts[sell.owner_id, money, "available"]: got - sell_fee,
            accounts[None, money, "fees"]: paid - got + buy_fee + sell_fee,
            accounts[sell.owner_id, asset, kinds[sell.id]]: -units,
            accounts[buy.owner_id, asset, "available"]: units,
        },
        trade.id,
        token,
    )
    for one in (order, maker):
        shown = {"trade": _trade_as_json(trade), "order": _as_json(one)}
        _emit("trade.created", one, trade.id, shown)
    if maker.status == "Fulfilled":
        _emit_closed(maker)


def _post(
    kind: str, reference: str, amounts: dict[Account, Decimal], subject: UUID, token: Token
) -> None:
    transfer = Transfer.objects.create(
        kind=kind, reference=reference, subject=subject, actor=ACTOR, memo=str(token.id)
    )
    changes: defaultdict[Account, Decimal] = defaultdict(Decimal)
    for account, amount in amounts.items():
        changes[account] += amount
    for account, amount in changes.items():
        if account.owner is not None and amount:
            account.balance += amount
            account.save(update_fields=["balance"])
    Entry.objects.bulk_create(
        [
            Entry(
                transfer=transfer,
                account=account,
                asset=account.asset,
                amount=amount,
                balance_after=None if account.owner is None else account.balance,
            )
            for account, amount in changes.items()
            if amount
        ]
    )


def _close(order: Order) -> None:
    if order.filled == order.tokens:
        order.status = "Fulfilled"
        order.closed_at = timezone.now()


def _needed(order: Order) -> Decimal:
    if order.side == "Sell":
        units: Decimal = order.tokens
        return units
    return _total(order, order.filled_value + order.price * (order.tokens - order.filled))


def _total(order: Order, value: Decimal) -> Decimal:
    """Return the unrounded amount that a buyer pays, or a seller receives, with the fee."""
    fee = value * order.fee_percent / 100
    return _rounded(order.side, value + fee if order.side == "Buy" else value - fee)


def _reserved_asset(order: Order) -> str:
    return order.token.currency if order.side == "Buy" else str(order.token_id)


def _rounded(side: str, value: Decimal) -> Decimal:
    return value.quantize(CENT, ROUND_CEILING if side == "Buy" else ROUND_FLOOR)


def _emit(kind: str, order: Order, subject: UUID, data: dict[str, Any]) -> None:
    event = Event(type=kind, organisation=order.organisation, subject=subject)
    now = timezone.now().isoformat()
    event.body = {"id": str(event.id), "type": kind, "timestamp": now, "data": data}
    event.save(force_insert=True)


def _emit_closed(order: Order) -> None:
    data = {"order": _as_json(order), "reason": order.reason or None}
    _emit(f"order.{order.status.lower()}", order, order.id, data)


def _as_json(order: Order) -> dict[str, Any]:
    return {
        "_id": str(order.id),
        "price": float(order.price),
        "amount": float(order.amount),
        "type": order.side,
        "owner_model": order.owner_model,
        "status": order.status,
        "user": str(order.owner_id),
        "token": str(order.token_id),
        "customer": {"name": order.customer_name, "email": order.customer_email},
        "api_customer_email": None,
        "meta": {"tokens": float(order.tokens), "filled": float(order.filled)},
        "createdAt": order.created_at.isoformat(),
        "updatedAt": order.updated_at.isoformat(),
    }


def _trade_as_json(trade: Trade) -> dict[str, Any]:
    return {
        "_id": str(trade.id),
        "token": str(trade.token_id),
        "price": float(trade.price),
        "tokens": float(trade.tokens),
        "amount": float(trade.buyer_value),
        "type": trade.taker,
        "createdAt": trade.created_at.isoformat(),
    }
