"""The peer's tables: the same facts as ours, without triggers and documents."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from exchange.core.ids import uuid7


class Member(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    organisation = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    name = models.CharField(max_length=200)
    email = models.EmailField()


class BankList(models.Model):
    currency = models.CharField(max_length=3, primary_key=True)
    banks = models.JSONField()
    fetched_at = models.DateTimeField()


class Account(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    holder = models.UUIDField()
    organisation = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    currency = models.CharField(max_length=3)
    kind = models.CharField(max_length=10)
    balance = models.DecimalField(max_digits=38, decimal_places=8)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["holder", "currency", "kind"], name="peer_account_once")
        ]


class Figure(models.Model):
    key = models.CharField(max_length=60, primary_key=True)
    value = models.DecimalField(max_digits=30, decimal_places=8)


class Transfer(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    reference = models.CharField(max_length=120, unique=True)
    kind = models.CharField(max_length=30)
    created_at = models.DateTimeField(auto_now_add=True)


class Entry(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    transfer = models.ForeignKey(Transfer, on_delete=models.PROTECT)
    account = models.ForeignKey(Account, on_delete=models.PROTECT)
    amount = models.DecimalField(max_digits=38, decimal_places=8)


class BankRecord(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    name = models.CharField(max_length=200)
    code = models.CharField(max_length=20)
    account_number = models.CharField(max_length=40)
    account_name = models.CharField(max_length=200)
    currency = models.CharField(max_length=3)


class Withdrawal(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    owner = models.UUIDField(db_index=True)
    owner_model = models.CharField(max_length=20)
    reference = models.CharField(max_length=40, unique=True)
    amount = models.DecimalField(max_digits=38, decimal_places=8)
    disburse_amount = models.DecimalField(max_digits=38, decimal_places=8)
    fee = models.DecimalField(max_digits=38, decimal_places=8)
    gusd_amount = models.DecimalField(max_digits=38, decimal_places=8, null=True)
    currency = models.CharField(max_length=3)
    bank = models.OneToOneField(BankRecord, on_delete=models.PROTECT)
    status = models.CharField(max_length=10, default="Pending")
    actioned_on = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)


class WalletTransfer(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    organisation = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    payer = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    payee = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    amount = models.DecimalField(max_digits=38, decimal_places=8)
    currency = models.CharField(max_length=3)
    status = models.CharField(max_length=10, default="Completed")
    created_at = models.DateTimeField(auto_now_add=True)


class Income(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    account = models.ForeignKey(Account, on_delete=models.PROTECT)
    net = models.DecimalField(max_digits=38, decimal_places=8)
    status = models.CharField(max_length=10, default="Due", db_index=True)


class Event(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7)
    type = models.CharField(max_length=60)
    organisation = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    body = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
