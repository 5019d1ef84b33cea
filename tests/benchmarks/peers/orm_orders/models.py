"""The peer's tables: the same columns as ours, with indexes for the same lists and searches.

Without triggers, guards and stored documents, which a plain application does not have.
"""

from __future__ import annotations

from django.db import models

from exchange.core.ids import uuid7


class Amount(models.DecimalField):  # type: ignore[type-arg]
    def __init__(self, **more: object) -> None:
        super().__init__(**{"max_digits": 38, "decimal_places": 8, "default": 0, **more})  # type: ignore[arg-type]


class Token(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    currency = models.CharField(max_length=3)
    buy_fee = Amount()
    sell_fee = Amount()
    vol_buy = Amount()
    vol_sell = Amount()
    secondaries = models.BooleanField(default=True)
    closed = models.BooleanField(default=False)
    exited = models.BooleanField(default=False)
    cancelled = models.BooleanField(default=False)
    min_buy = Amount()
    max_buy = Amount()
    min_sell = Amount()
    max_sell = Amount()
    min_trade_buy = Amount()
    max_trade_buy = Amount()
    min_trade_sell = Amount()
    max_trade_sell = Amount()


class Member(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    organisation = models.UUIDField()
    name = models.CharField(max_length=200)


class Account(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    owner = models.UUIDField(null=True)
    asset = models.CharField(max_length=36)
    kind = models.CharField(max_length=10)
    balance = Amount()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "asset", "kind"], name="peer_account_once")
        ]


class Transfer(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    reference = models.CharField(max_length=120, unique=True)
    kind = models.CharField(max_length=30)
    subject = models.UUIDField(null=True, db_index=True)
    actor = models.CharField(max_length=80)
    memo = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)


class Entry(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    transfer = models.ForeignKey(Transfer, on_delete=models.PROTECT)
    account = models.ForeignKey(Account, on_delete=models.PROTECT, db_index=False)
    asset = models.CharField(max_length=36)
    amount = Amount()
    balance_after = Amount(null=True)

    class Meta:
        indexes = [models.Index(fields=["account", "-id"], name="peer_statement")]


class Order(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    token = models.ForeignKey(Token, on_delete=models.PROTECT)
    organisation = models.UUIDField()
    owner = models.ForeignKey(Member, on_delete=models.PROTECT)
    owner_model = models.CharField(max_length=12, default="user")
    side = models.CharField(max_length=4)
    price = Amount()
    tokens = Amount()
    amount = Amount()
    fee_percent = Amount()
    filled = Amount()
    filled_value = Amount()
    charged = Amount()
    charged_fee = Amount()
    reserved = Amount()
    status = models.CharField(max_length=10, default="Active")
    customer_name = models.CharField(max_length=200, blank=True)
    customer_email = models.CharField(max_length=254, blank=True)
    client_order_id = models.CharField(max_length=64, blank=True)
    placed_by = models.CharField(max_length=80)
    reason = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "client_order_id"],
                condition=~models.Q(client_order_id=""),
                name="peer_client_id_once",
            )
        ]
        indexes = [
            models.Index(
                fields=["token", "side", "price", "created_at"],
                condition=models.Q(status="Active"),
                name="peer_book",
            ),
            models.Index(fields=["token", "-created_at", "-id"], name="peer_of_token"),
            models.Index(fields=["organisation", "-created_at", "-id"], name="peer_of_owner"),
        ]


class Trade(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    token = models.ForeignKey(Token, on_delete=models.PROTECT)
    buy_order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="+")
    sell_order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="+")
    taker = models.CharField(max_length=4)
    price = Amount()
    tokens = Amount()
    buyer_value = Amount()
    buyer_fee = Amount()
    seller_value = Amount()
    seller_fee = Amount()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["token", "-created_at", "-id"], name="peer_trades")]


class Event(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    type = models.CharField(max_length=60)
    organisation = models.UUIDField()
    subject = models.UUIDField(db_index=True)
    body = models.JSONField()
    status = models.CharField(max_length=10, default="Pending")
    attempts = models.IntegerField(default=0)
    next_attempt_at = models.DateTimeField(auto_now_add=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["organisation", "next_attempt_at"],
                condition=models.Q(status="Pending"),
                name="peer_event_due",
            ),
            models.Index(fields=["organisation", "-created_at", "-id"], name="peer_event_listed"),
        ]
