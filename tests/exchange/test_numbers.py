"""Rounding and writing of numbers, against exact fractions."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exchange.numbers import LARGEST, NotANumber, decimals_of, plain, read_number, round_to

numbers = st.decimals(-LARGEST, LARGEST, places=16)
# Whole halves of the last decimal: the middle between two numbers.
middles = st.integers(-(10**18), 10**18).map(lambda n: Decimal(2 * n + 1) * Decimal("0.005"))


@given(number=numbers | middles, decimals=st.sampled_from([0, 2, 8]))
def test_what_is_rounded_is_the_nearest_and_in_the_middle_the_even_one(number, decimals):
    found = round_to(number, decimals)
    # Python rounds a fraction to the nearest, in the middle to the even one.
    assert Fraction(found) == Fraction(round(Fraction(number) * 10**decimals), 10**decimals)
    assert decimals_of(found) <= decimals


@given(numbers | middles, st.integers(0, 20))
def test_plain_writes_the_same_number_shortly_whatever_its_exponent(number, zeros):
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    for each in (number, Decimal((sign, digits, exponent + zeros))):
        text = plain(each)
        assert Decimal(text) == each
        assert "E" not in text
        assert not ("." in text and text.endswith(("0", ".")))
        assert text != "-0"
        assert decimals_of(each) == len(text.partition(".")[2])


@given(st.decimals(allow_nan=True, allow_infinity=True) | st.integers())
def test_a_number_is_read_as_it_is_or_not_at_all(value):
    inside = Decimal(value).is_finite() and not Decimal(value).is_signed()
    if inside and Decimal(value) <= LARGEST:
        assert read_number(value) == value
    else:
        with pytest.raises(NotANumber):
            read_number(value)


@given(st.text() | st.booleans() | st.none() | st.floats() | st.binary())
def test_nothing_but_a_number_is_read_as_one(value):
    with pytest.raises(NotANumber):
        read_number(value)
