"""Orders: what an owner offers to buy or sell, and its reservation; trades: its fills.

Rows are written by the functions in `orders/book/sql`, under the lock of the token. `seq` is the
time priority. Prices and values are amounts of the token's currency; units have up to 8 decimals.
"""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Least
from django.db.models.lookups import GreaterThan, GreaterThanOrEqual

from exchange.core.fields import AMOUNT, UNCHECKED, choice_field, owner_column
from exchange.core.models import Record
from exchange.core.numbers import format_plain
from exchange.core.references import ReferencedModel, reference_once
from exchange.participants.models import ApiKey, Member, Organisation
from exchange.tokens.models import Token


class OrderType(models.TextChoices):
    """The side of an order."""

    BUY = "Buy"
    SELL = "Sell"


class OrderKind(models.TextChoices):
    """Kinds of an order: at a limit price, or at the best price there is."""

    LIMIT = "limit"
    MARKET = "market"


class TimeInForce(models.TextChoices):
    """How long an order stays: until cancelled, until a time, or not at all.

    IOC cancels what is not filled at once, FOK refuses the order unless all of it is.
    """

    GTC = "GTC", "GTC"
    GTD = "GTD", "GTD"
    IOC = "IOC", "IOC"
    FOK = "FOK", "FOK"


class OrderStatus(models.TextChoices):
    """Statuses of an order. Partly filled orders stay Active."""

    ACTIVE = "Active"
    FULFILLED = "Fulfilled"
    CANCELLED = "Cancelled"


class OwnerModel(models.TextChoices):
    """Kind of owner. An organisation and its API keys trade with the same money and units."""

    API_KEY = "api_key"
    USER = "user"
    ORGANISATION = "organisation"


class Order(ReferencedModel, Record):
    """One order for units of one token."""

    seq = models.BigIntegerField(unique=True, help_text="Time priority within the book")
    # Neither needs a foreign key check: both are never removed, `enter_orders` locks the token,
    # and the accounts it moves reference the organisation.
    token = models.ForeignKey(Token, related_name="orders", **UNCHECKED)
    organisation = models.ForeignKey(Organisation, related_name="orders", **UNCHECKED)
    # SQL ties both to the organisation: a trigger the member, a composite foreign key the API key.
    member = models.ForeignKey(Member, null=True, related_name="orders", **UNCHECKED)
    api_key = models.ForeignKey(ApiKey, null=True, related_name="+", **UNCHECKED)
    owner_id = owner_column()
    owner_model = choice_field(OwnerModel, max_length=12)
    type = choice_field(OrderType, max_length=4)
    price = models.DecimalField(help_text="Limit for one unit", **AMOUNT)
    tokens = models.DecimalField(help_text="Units", **AMOUNT)
    amount = models.DecimalField(help_text="price * tokens, rounded to the currency", **AMOUNT)
    order_type = choice_field(
        OrderKind, max_length=6, default=OrderKind.LIMIT, db_default=OrderKind.LIMIT
    )
    time_in_force = choice_field(
        TimeInForce, max_length=3, default=TimeInForce.GTC, db_default=TimeInForce.GTC
    )
    post_only = models.BooleanField(
        default=False, db_default=False, help_text="It was placed only to rest"
    )
    expires_at = models.DateTimeField(null=True, blank=True, help_text="Of a GTD order")
    requested_amount = models.DecimalField(
        null=True, blank=True, help_text="The sum to spend, fee included, of a market buy", **AMOUNT
    )
    fee_percent = models.DecimalField(
        max_digits=12, decimal_places=4, help_text="The token's fee when the order was placed"
    )
    status = choice_field(OrderStatus, max_length=10, default=OrderStatus.ACTIVE)
    filled = models.DecimalField(default=0, help_text="Units filled so far", **AMOUNT)
    filled_value = models.DecimalField(
        max_digits=54,
        decimal_places=16,
        default=0,
        help_text="Sum of price * units of its fills, not rounded",
    )
    charged = models.DecimalField(
        default=0, help_text="filled_value, rounded up for a Buy and down for a Sell", **AMOUNT
    )
    charged_fee = models.DecimalField(
        default=0,
        help_text="Fee: paid on top of charged (Buy), or deducted from it (Sell)",
        **AMOUNT,
    )
    reserved = models.DecimalField(
        default=0,
        help_text="Still reserved for the open remainder: money of a Buy, units of a Sell",
        **AMOUNT,
    )
    customer_name = models.CharField(max_length=200, blank=True)
    customer_email = models.CharField(max_length=254, blank=True)
    client_order_id = models.CharField(
        max_length=64, blank=True, help_text="The organisation's own ID for the order"
    )
    placed_by = models.CharField(max_length=80, help_text="The actor")
    reason = models.CharField(
        max_length=100, blank=True, help_text="Why the remainder was cancelled"
    )
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    document = models.TextField(editable=False, default="")

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            # The rules of amounts and statuses are in order_state.sql.
            models.UniqueConstraint(
                fields=["organisation", "client_order_id"],
                condition=~Q(client_order_id=""),
                name="order_client_id_once",
            ),
            reference_once("order_client_reference_once"),
        ]
        indexes = [
            # Both sides of a book in price-time priority.
            models.Index(
                fields=["token", "price", "seq"],
                condition=Q(status="Active", type="Sell"),
                name="order_asks",
            ),
            models.Index(
                fields=["token", "-price", "seq"],
                condition=Q(status="Active", type="Buy"),
                name="order_bids",
            ),
            # Covering indexes for lists: filters, sorting and totals. They hold no column that a
            # partial fill changes.
            models.Index(
                fields=["token", "-created_at", "-id"],
                include=["type", "price", "amount"],
                condition=Q(status="Active"),
                name="order_open",
            ),
            models.Index(
                fields=["organisation", "token", "-created_at", "-id"],
                include=["type", "status", "price", "amount"],
                name="order_of_owner_on_token",
            ),
            models.Index(
                fields=["organisation", "-created_at", "-id"],
                include=["token", "type", "status", "owner_model", "member", "price", "amount"],
                name="order_of_owner",
            ),
            models.Index(fields=["token", "-created_at", "-id"], name="order_of_token"),
            # Pages of organisations and members in the back office: all of a member's, and the open
            # ones of an organisation.
            models.Index(
                fields=["member", "-created_at", "-id"],
                condition=Q(member__isnull=False),
                name="order_of_member",
            ),
            models.Index(
                fields=["organisation", "-created_at", "-id"],
                condition=Q(status="Active"),
                name="order_open_of_owner",
            ),
            models.Index(
                fields=["expires_at"],
                condition=Q(status="Active", expires_at__isnull=False),
                name="order_expiring",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} {format_plain(self.tokens)} at {format_plain(self.price)}"


class BookSequence(models.Model):
    """The number of the state of a token's book, raised with every change (`book_sequence.sql`)."""

    token = models.OneToOneField(Token, primary_key=True, related_name="+", **UNCHECKED)
    seq = models.BigIntegerField()

    def __str__(self) -> str:
        return str(self.seq)


class Trade(Record):
    """One fill, between two orders or, in a primary raise, between an order and the issuer.

    Append-only; the ledger transfer has it as subject.

    Each side is charged the total of its order after the trade less the total before, rounded
    against it (`order_rounding.sql`). So the two values may differ, and the fee of a single trade
    may be negative; that of an order is not. The difference is fee income of the exchange.
    """

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


class Fill(models.Model):
    """A trade under the owner of one of its orders: what lists of an organisation's fills read.

    A trigger of trades writes it (`fills.sql`), twice where an organisation has both orders.
    Append-only.
    """

    # The fill of a buy has twice the `seq` of the trade, that of a sell one more.
    id = models.BigIntegerField(primary_key=True)
    # No foreign key checks, as of the trade.
    trade = models.ForeignKey(Trade, related_name="+", **UNCHECKED)
    order = models.ForeignKey(Order, related_name="+", **UNCHECKED)
    token = models.ForeignKey(Token, related_name="+", **UNCHECKED)
    organisation = models.ForeignKey(Organisation, related_name="+", **UNCHECKED)
    member = models.ForeignKey(Member, null=True, related_name="+", **UNCHECKED)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            # Covering: filters, order and totals.
            models.Index(
                fields=["organisation", "-created_at", "-id"],
                include=["token", "member"],
                name="fill_of_organisation",
            )
        ]

    def __str__(self) -> str:
        return str(self.id)
