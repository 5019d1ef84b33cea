"""Random streams of orders against a slow reference in plain Python (`reference`).

After every step each order, trade, balance and the exchange's income equal the reference to the
last decimal, and the deferred rules of the ledger hold. The books are proven every few steps and at
the end of each stream.
"""

from contextlib import suppress
from decimal import Decimal

import pytest
from django.db import transaction
from hypothesis import given

from tests.environment.property_tests import examples
from tests.orders.book import reference_orders
from tests.orders.book.sides import prepare
from tests.orders.book.streams import raises, settings_of_streams, steps

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

LARGE = Decimal(10) ** 15


class _Undo(Exception):
    """Rolls back the effects of a stream."""


@examples("ORACLE", 12)
@given(setting=settings_of_streams, stream=steps)
def test_no_stream_of_orders_ends_otherwise_than_in_the_reference(setting, stream):
    with suppress(_Undo), transaction.atomic(), reference_orders.exactly():
        money = (setting.price * 400).quantize(Decimal(1).scaleb(-setting.decimals))
        prepare(setting, money=money, units=Decimal(40)).follow(stream)
        raise _Undo


@examples("ORACLE", 12)
@given(raising=raises, stream=steps)
def test_no_stream_of_a_raise_ends_otherwise_than_in_the_reference(raising, stream):
    setting = raising.setting
    with suppress(_Undo), transaction.atomic(), reference_orders.exactly():
        smallest = Decimal(1).scaleb(-setting.decimals)
        price = setting.price * raising.at
        wanted = (price * raising.offered * raising.share).quantize(smallest)
        sides = prepare(
            setting,
            money=min(setting.price * 60, LARGE).quantize(smallest),
            units=Decimal(0),
            total_supply=raising.offered + 10,
            offered=raising.offered,
            price_buy=price,
            raise_amount=min(max(wanted, smallest), LARGE),
            min_trade_buy=(setting.price * raising.least).quantize(smallest),
        )
        sides.follow(stream)
        raise _Undo
