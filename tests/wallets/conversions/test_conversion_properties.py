"""No sequence of quotes and conversions profits at the same rates; positions and fees add up."""

from decimal import Decimal
from fractions import Fraction

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from exchange.core.currencies import WALLET_CURRENCIES, currencies
from tests.environment.property_tests import examples
from tests.factories.configuration import set_setting
from tests.factories.conversions import convert_quote, quote
from tests.factories.wallets import Wallet, assert_books_hold, make_wallet
from wallets.conversions.errors import ResultOutOfRange
from wallets.conversions.models import Conversion
from wallets.ledger.models import ConversionPosition, Entry

pytestmark = pytest.mark.django_db

LOCAL = tuple(code for code in WALLET_CURRENCIES if code != "USD")
rates = st.decimals("0.01", 5000, places=4)
spreads = st.decimals(0, 5000, places=2) | st.just(Decimal(0))


def value_in_dollars(wallet: Wallet, effective: dict[str, Decimal]) -> Fraction:
    """Return what all balances are worth at the middle rates, exactly."""
    return sum(
        (
            Fraction(wallet.balance(currency=code)) / Fraction(effective[code])
            for code in WALLET_CURRENCIES
        ),
        Fraction(0),
    )


def total_of(kind: str, currency: str) -> Decimal:
    amounts = Entry.objects.filter(account__kind=kind, asset=currency)
    return sum(amounts.values_list("amount", flat=True), Decimal(0))


@examples("CONVERSION", 10)
@given(
    local=st.lists(rates, min_size=6, max_size=6),
    charged=st.lists(spreads, min_size=7, max_size=7),
    steps=st.lists(
        st.tuples(
            st.sampled_from(WALLET_CURRENCIES),
            st.sampled_from(WALLET_CURRENCIES),
            st.fractions(0, 1),
        ),
        min_size=1,
        max_size=12,
    ),
)
@pytest.mark.slow
def test_no_sequence_of_conversions_profits(local, charged, steps):
    with transaction.atomic():
        effective = {"USD": Decimal(1), **dict(zip(LOCAL, local, strict=True))}
        for code, rate in zip(LOCAL, local, strict=True):
            set_setting(f"{code}_USD_RATE", rate)
        for code, spread in zip(WALLET_CURRENCIES, charged, strict=True):
            set_setting(f"CONVERSION_SPREAD_{code}", spread)
            set_setting(f"CONVERSION_POSITION_LIMIT_{code}", 10**15)
        wallet = make_wallet(1000, currency="USD")
        wallet.fund(100_000, "UGX").fund("5000.01", "KES")
        worth = value_in_dollars(wallet, effective)
        for source, target, part in steps:
            unit = Decimal(1).scaleb(-currencies()[source].decimals)
            amount = int(Fraction(wallet.balance(currency=source) / unit) * part) * unit
            if source == target or not amount:
                continue
            try:
                quoted = quote(wallet, amount, source, target)
            except ResultOutOfRange:
                continue
            exact = Fraction(amount) * Fraction(effective[target]) / Fraction(effective[source])
            smallest = Fraction(Decimal(1).scaleb(-currencies()[target].decimals))
            together = Fraction(quoted["converted_amount"] + quoted["fee"])
            assert exact - smallest < together <= exact
            kept = [
                1 - Fraction(charged[WALLET_CURRENCIES.index(c)]) / 10_000 for c in (source, target)
            ]
            arrives = Fraction(quoted["converted_amount"])
            assert exact * kept[0] * kept[1] - smallest < arrives <= exact * kept[0] * kept[1]
            convert_quote(wallet, quoted["quote_id"])
            after = value_in_dollars(wallet, effective)
            assert after <= worth
            worth = after
        for code in WALLET_CURRENCIES:
            bought = Conversion.objects.filter(from_currency=code)
            sold = Conversion.objects.filter(to_currency=code)
            fees = sum(sold.values_list("fee", flat=True), Decimal(0))
            position = sum(bought.values_list("amount", flat=True), Decimal(0)) - sum(
                sold.values_list("converted_amount", flat=True), fees
            )
            assert total_of("position", code) == position
            assert total_of("fees", code) == fees
            kept_position = ConversionPosition.objects.filter(currency=code)
            assert sum(kept_position.values_list("amount", flat=True), Decimal(0)) == position
        assert_books_hold()
        transaction.set_rollback(True)
