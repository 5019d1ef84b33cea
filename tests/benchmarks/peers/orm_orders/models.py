"""The peer's tables: the same facts as ours, without triggers, guards and documents."""

from __future__ import annotations

from django.db import models

from exchange.ids import uuid7


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
    created_at = models.DateTimeField(auto_now_add=True)


class Entry(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    transfer = models.ForeignKey(Transfer, on_delete=models.PROTECT)
    account = models.ForeignKey(Account, on_delete=models.PROTECT)
    amount = Amount()


class Order(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    token = models.ForeignKey(Token, on_delete=models.PROTECT)
    owner = models.ForeignKey(Member, on_delete=models.PROTECT)
    side = models.CharField(max_length=4)
    price = Amount()
    tokens = Amount()
    fee_percent = Amount()
    filled = Amount()
    filled_value = Amount()
    charged = Amount()
    charged_fee = Amount()
    reserved = Amount()
    status = models.CharField(max_length=10, default="Active")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["token", "side", "price", "created_at"],
                condition=models.Q(status="Active"),
                name="peer_book",
            )
        ]


class Trade(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    token = models.ForeignKey(Token, on_delete=models.PROTECT)
    buy_order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="+")
    sell_order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="+")
    price = Amount()
    tokens = Amount()
    buyer_value = Amount()
    buyer_fee = Amount()
    seller_value = Amount()
    seller_fee = Amount()
    created_at = models.DateTimeField(auto_now_add=True)


class Event(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    type = models.CharField(max_length=60)
    organisation = models.UUIDField()
    body = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
