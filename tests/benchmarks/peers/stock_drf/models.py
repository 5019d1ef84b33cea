"""Our table of tokens as a model of the peers, with the columns of the API's record."""

from __future__ import annotations

from typing import Any

from django.db import models


def _amount() -> models.DecimalField[Any, Any]:
    return models.DecimalField(max_digits=38, decimal_places=8)


def _percent() -> models.DecimalField[Any, Any]:
    return models.DecimalField(max_digits=12, decimal_places=4)


class Token(models.Model):
    id = models.UUIDField(primary_key=True)
    name = models.CharField(max_length=200)
    symbol = models.CharField(max_length=20)
    reference = models.BigIntegerField()
    image = models.CharField(max_length=500)
    currency_id = models.CharField(max_length=3)
    creator_id = models.UUIDField(null=True)
    listing_reference = models.CharField(max_length=60)
    price_buy = _amount()
    price_sell = _amount()
    price_exchange = _amount()
    prev_price_buy = _amount()
    prev_price_sell = _amount()
    prev_price_exchange = _amount()
    min_buy = _amount()
    min_sell = _amount()
    max_buy = _amount()
    max_sell = _amount()
    vol_buy = _amount()
    vol_sell = _amount()
    min_trade_buy = _amount()
    min_trade_sell = _amount()
    max_trade_buy = _amount()
    max_trade_sell = _amount()
    type = models.CharField(max_length=10)
    deal_access = models.CharField(max_length=10)
    investment_type = models.CharField(max_length=20)
    investment_category = models.CharField(max_length=20)
    payout_frequency = models.CharField(max_length=20)
    raise_amount = _amount()
    buy_fee = _percent()
    sell_fee = _percent()
    carry = _percent()
    management_fee = _percent()
    valuation = _amount()
    discount = _percent()
    interest = _percent()
    dividend = _percent()
    tenor = models.PositiveIntegerField()
    secondaries = models.BooleanField()
    completed_raise = models.BooleanField()
    supply = _amount()
    total_supply = _amount()
    total_raised = _amount()
    closed = models.BooleanField()
    exited = models.BooleanField()
    cancelled = models.BooleanField()
    esop_token = models.BooleanField()
    post_raise_valuation = _amount()
    total_allocated = _amount()
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        managed = False
        # Quoted, so that it is looked for outside of the peers' own schema.
        db_table = '"public"."exchange_token"'


# What both peers show. Prices and the like stay columns: grouping them would only cost them time.
FIELDS = [field.name for field in Token._meta.fields if field.name != "closed"]
