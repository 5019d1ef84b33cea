"""Effects of a lifecycle action, holders of a token, and terms that are not known. Read-only."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from django.db.models import Count, Max, Min, Q, Sum

from exchange.core.numbers import format_plain
from exchange.tokens.models import Token
from orders.book.models import Order, OrderStatus, OrderType, Trade
from wallets.ledger.models import Account, AccountKind, Transfer, TransferKind

_ZERO = Decimal(0)
_SALES = Q(sell_order__isnull=True)
# The kinds of accounts whose units belong to their owner.
OWNED_KINDS = (AccountKind.AVAILABLE, AccountKind.RESERVED, AccountKind.LIEN)


@dataclass(frozen=True, slots=True)
class BookSummary:
    """Open orders of a book: number per side, reservations and best prices."""

    buys: int
    sells: int
    reserved_money: Decimal
    reserved_units: Decimal
    best_bid: Decimal | None
    best_ask: Decimal | None


@dataclass(frozen=True, slots=True)
class Refund:
    """Refund of one buyer of a raise, fee included, and the units the buyer returns.

    With fewer `available` units than `tokens` the raise cannot be cancelled.
    """

    owner_id: UUID
    owner: str
    purchases: int
    amount: Decimal
    tokens: Decimal
    available: Decimal

    @property
    def is_possible(self) -> bool:
        """Whether the buyer can return the units."""
        return self.available >= self.tokens


def summarise_book(token: Token) -> BookSummary:
    """Summarise the Active orders of the token."""
    buys, sells = Q(type=OrderType.BUY), Q(type=OrderType.SELL)
    found = Order.objects.filter(buys | sells, token=token, status=OrderStatus.ACTIVE).aggregate(
        buys=Count("id", filter=buys),
        sells=Count("id", filter=sells),
        reserved_money=Sum("reserved", filter=buys, default=_ZERO),
        reserved_units=Sum("reserved", filter=sells, default=_ZERO),
        best_bid=Max("price", filter=buys),
        best_ask=Min("price", filter=sells),
    )
    return BookSummary(**found)


def list_refunds(token: Token) -> list[Refund]:
    """Return the refunds of cancelling an open raise, by buyer, the largest first."""
    if token.completed_raise:
        return []
    found = (
        Trade.objects.filter(_SALES, token=token)
        .values("buy_order__owner_id", "buy_order__member__name", "buy_order__organisation__name")
        .annotate(
            purchases=Count("id"),
            paid=Sum("buyer_value") + Sum("buyer_fee"),
            bought=Sum("tokens"),
        )
        .order_by("-paid", "buy_order__owner_id")
    )
    free = dict(
        Account.objects.filter(asset_id=str(token.id), kind=AccountKind.AVAILABLE).values_list(
            "owner_id", "balance"
        )
    )
    return [
        Refund(
            owner_id=row["buy_order__owner_id"],
            owner=row["buy_order__member__name"] or row["buy_order__organisation__name"],
            purchases=row["purchases"],
            amount=row["paid"],
            tokens=row["bought"],
            available=free.get(row["buy_order__owner_id"]) or _ZERO,
        )
        for row in found
    ]


def raise_version(token: Token) -> str:
    """Return a version that changes with every sale and with the completion of the raise."""
    return f"{'complete' if token.completed_raise else 'open'}:{format_plain(token.total_raised)}"


def holding_organisations(token: Token) -> list[UUID]:
    """Return the organisations that hold units, or whose members do."""
    held = Account.objects.filter(
        asset_id=str(token.id), kind__in=OWNED_KINDS, organisation__isnull=False, balance__gt=0
    )
    return list(
        held.order_by("organisation_id").values_list("organisation_id", flat=True).distinct()
    )


@dataclass(frozen=True, slots=True)
class UnknownTerms:
    """A token whose issue price or completion is not known, and what records say.

    `completed_at` is the time of the ledger's transfer, or of a listing without a raise. In the
    raise, units were sold at `lowest` to `highest`; without one both are None.
    """

    token: Token
    completed_at: datetime | None
    lowest: Decimal | None
    highest: Decimal | None

    @property
    def issue_price(self) -> Decimal | None:
        """The price of all sales of the raise; None where they differ, or there was none."""
        return self.lowest if self.lowest == self.highest else None


def unknown_terms(token_id: UUID | None = None) -> list[UnknownTerms]:
    """Return the tokens with terms that staff must decide, by symbol, or only this one.

    Tokens that were listed before terms were kept, whose raise is complete.
    """
    rows = Token.objects.filter(completed_raise=True, cancelled=False, exited=False)
    rows = rows.filter(Q(issue_price__isnull=True) | Q(completed_at__isnull=True))
    if token_id is not None:
        rows = rows.filter(pk=token_id)
    tokens = list(rows.select_related("issuer").order_by("symbol"))
    ids = [token.pk for token in tokens]
    completed = dict(
        Transfer.objects.filter(subject_id__in=ids, kind=TransferKind.RAISE_COMPLETE).values_list(
            "subject_id", "created_at"
        )
    )
    sales = Trade.objects.filter(_SALES, token_id__in=ids).order_by().values_list("token_id")
    prices = {token: each for token, *each in sales.annotate(Min("price"), Max("price"))}
    return [
        UnknownTerms(
            token,
            completed.get(token.pk) or (None if token.raise_amount else token.created_at),
            *prices.get(token.pk, (None, None)),
        )
        for token in tokens
    ]
