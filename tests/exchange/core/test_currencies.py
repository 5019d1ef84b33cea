"""The currencies in schemas match the database."""

import pytest

from exchange.core.currencies import (
    PAYOUT_CURRENCIES,
    WALLET_CURRENCIES,
    currencies,
    payout_currencies,
)

pytestmark = pytest.mark.django_db


def test_the_listed_currencies_match_the_rows_in_order():
    assert tuple(currencies()) == WALLET_CURRENCIES
    assert payout_currencies() == PAYOUT_CURRENCIES
