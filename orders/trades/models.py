"""Trades: fills between two orders or, in a primary raise, between an order and the issuer."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Least
from django.db.models.lookups import GreaterThan, GreaterThanOrEqual

from exchange.core.fields import AMOUNT, UNCHECKED, choice_field
from exchange.core.ids import uuid7
from exchange.core.numbers import format_plain
from exchange.tokens.models import Token
from orders.book.models import Order, OrderType


class Trade(models.Model):
    """One fill. Append-only; the ledger transfer has it as subject.

    Each side is charged the total of its order after the trade less the total before, rounded
    against it (`order_rounding.sql`). So the two values may differ, and the fee of a single trade
    may be negative; that of an order is not. The difference is fee income of the exchange.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    seq = models.BigIntegerField(unique=True)
    # No foreign key checks: none is ever removed, and `enter_orders` has locked all of them.
    token = models.ForeignKey(Token, related_name="trades", **UNCHECKED)
    buy_order = models.ForeignKey(
        Order, on_delete=models.PROTECT, related_name="+", db_constraint=False
    )
    sell_order = models.ForeignKey(
        Order,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_constraint=False,
        help_text="NULL: sold by the issuer",
    )
    taker = choice_field(OrderType, max_length=4, help_text="Side of the incoming order")
    price = models.DecimalField(**AMOUNT)
    tokens = models.DecimalField(**AMOUNT)
    buyer_value = models.DecimalField(**AMOUNT)
    buyer_fee = models.DecimalField(**AMOUNT)
    seller_value = models.DecimalField(**AMOUNT)
    seller_fee = models.DecimalField(**AMOUNT)
    half_even = models.BooleanField(
        db_default=False,
        editable=False,
        help_text="Predates decision 22: charges rounded half-even",
    )
    created_at = models.DateTimeField()
    document = models.TextField(editable=False, default="")

    class Meta:
        ordering = ["-seq"]
        constraints = [
            models.CheckConstraint(
                # Kept short: it is parsed for every trade.
                condition=Q(
                    GreaterThan(Least("tokens", "price"), 0),
                    GreaterThanOrEqual(
                        Least(
                            "buyer_value",
                            "seller_value",
                            F("buyer_value") + F("buyer_fee"),
                            F("seller_value") - F("seller_fee"),
                        ),
                        0,
                    ),
                ),
                name="trade_positive",
            ),
        ]
        indexes = [
            models.Index(
                fields=["token", "-seq"],
                include=["id", "taker", "price", "tokens", "created_at"],
                name="trade_of_token",
            )
        ]

    def __str__(self) -> str:
        return f"{format_plain(self.tokens)} at {format_plain(self.price)}"
