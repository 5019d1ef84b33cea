"""The peer's tables: the same facts as ours, without triggers, guards and documents."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from exchange.core.ids import uuid7


class Amount(models.DecimalField):  # type: ignore[type-arg]
    def __init__(self, **more: object) -> None:
        super().__init__(**{"max_digits": 38, "decimal_places": 8, "default": 0, **more})  # type: ignore[arg-type]


class Organisation(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    name = models.CharField(max_length=200)


class Member(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT)
    name = models.CharField(max_length=200)
    email = models.EmailField()


class Token(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    name = models.CharField(max_length=200)
    currency = models.CharField(max_length=3)
    category = models.CharField(max_length=20)
    deal_access = models.CharField(max_length=7, default="Public")
    price_sell = Amount()
    quoted_at = models.DateTimeField(auto_now_add=True)
    exited = models.BooleanField(default=False)
    cancelled = models.BooleanField(default=False)


class Offer(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    creditor = models.ForeignKey(Organisation, on_delete=models.PROTECT)
    access = models.CharField(max_length=13, default="public")
    categories = ArrayField(models.CharField(max_length=20))
    collateral_ratio = Amount()
    interest_rate = Amount()
    duration = models.PositiveSmallIntegerField()
    grace_period = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=10, default="Approved")


class Limit(models.Model):
    offer = models.ForeignKey(Offer, on_delete=models.PROTECT)
    currency = models.CharField(max_length=3)
    max_amount = Amount()
    max_outstanding = Amount(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["offer", "currency"], name="peer_limit_once")
        ]


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
    subject = models.UUIDField(db_index=True)
    actor = models.CharField(max_length=80)
    created_at = models.DateTimeField(auto_now_add=True)


class Entry(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    transfer = models.ForeignKey(Transfer, on_delete=models.PROTECT)
    account = models.ForeignKey(Account, on_delete=models.PROTECT)
    amount = Amount()


class Loan(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    borrower = models.ForeignKey(Member, on_delete=models.PROTECT)
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+")
    creditor = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+")
    offer = models.ForeignKey(Offer, on_delete=models.PROTECT)
    currency = models.CharField(max_length=3)
    amount = Amount()
    repayment_amount = Amount()
    repayment_date = models.DateTimeField()
    interest_rate = Amount()
    collateral_ratio = Amount()
    duration = models.PositiveSmallIntegerField()
    grace_period = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=11, default="ACTIVE")
    interest_repaid = Amount()
    principal_repaid = Amount()
    requested_by = models.CharField(max_length=80)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField(auto_now=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["organisation", "-created_at", "-id"], name="peer_of_borrower"),
            models.Index(fields=["creditor", "-created_at", "-id"], name="peer_of_creditor"),
            models.Index(
                fields=["repayment_date"],
                condition=models.Q(status__in=["ACTIVE", "OVERDUE", "DEFAULTED"]),
                name="peer_open",
            ),
        ]


class Collateral(models.Model):
    loan = models.ForeignKey(Loan, on_delete=models.PROTECT, related_name="collaterals")
    token = models.ForeignKey(Token, on_delete=models.PROTECT)
    position = models.PositiveSmallIntegerField()
    quantity = Amount()
    pledged_price = Amount()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["loan", "token"], name="peer_collateral_once")
        ]


class Event(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    type = models.CharField(max_length=60)
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT)
    body = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
