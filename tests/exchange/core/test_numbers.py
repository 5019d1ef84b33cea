"""Parsing, rounding and formatting of numbers, checked against exact fractions."""

from decimal import Decimal, InvalidOperation
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exchange.core.numbers import (
    MAX_NUMBER,
    TOKEN_DECIMALS,
    InvalidNumber,
    count_decimals,
    format_grouped,
    format_plain,
    parse_number,
    parse_typed_amount,
    round_half_even,
)

numbers = st.decimals(-MAX_NUMBER, MAX_NUMBER, places=16)
# Halves of the last decimal: ties.
middles = st.integers(-(10**18), 10**18).map(lambda n: Decimal(2 * n + 1) * Decimal("0.005"))


@given(number=numbers | middles, decimals=st.sampled_from([0, 2, 8]))
def test_rounding_is_to_the_nearest_and_ties_to_even(number, decimals):
    found = round_half_even(number, decimals)
    # Python rounds fractions half-even.
    assert Fraction(found) == Fraction(round(Fraction(number) * 10**decimals), 10**decimals)
    assert count_decimals(found) <= decimals


def test_rounding_supports_at_most_sixty_digits():
    assert round_half_even(Decimal("1E+59"), 0) == Decimal(10) ** 59
    with pytest.raises(InvalidOperation):
        round_half_even(Decimal("1E+60"), 0)


@given(numbers | middles, st.integers(0, 20))
def test_plain_notation_is_short_and_exact_for_any_exponent(number, zeros):
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    for each in (number, Decimal((sign, digits, exponent + zeros))):
        text = format_plain(each)
        assert Decimal(text) == each
        assert "E" not in text
        assert not ("." in text and text.endswith(("0", ".")))
        assert text != "-0"
        assert count_decimals(each) == len(text.partition(".")[2])


@given(st.decimals(allow_nan=True, allow_infinity=True) | st.integers())
def test_a_number_is_parsed_exactly_or_rejected(value):
    inside = Decimal(value).is_finite() and not Decimal(value).is_signed()
    if inside and Decimal(value) <= MAX_NUMBER:
        assert parse_number(value) == value
    else:
        with pytest.raises(InvalidNumber):
            parse_number(value)


@pytest.mark.parametrize("number", [0, Decimal("0.00000001"), MAX_NUMBER, 10**15])
def test_the_smallest_and_the_largest_number_are_accepted(number):
    assert parse_number(number) == number


@given(st.text() | st.booleans() | st.none() | st.floats() | st.binary())
def test_only_numbers_are_parsed(value):
    with pytest.raises(InvalidNumber):
        parse_number(value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (True, "must be a number"),
        ("5", "must be a number"),
        (Decimal("NaN"), "must be a number"),
        (Decimal("-Infinity"), "must be a number"),
        (Decimal("-0"), "must not be negative"),
        (-1, "must not be negative"),
        (MAX_NUMBER + Decimal("0.00000001"), "must not be above 1000000000000000"),
        (10**15 + 1, "must not be above 1000000000000000"),
    ],
)
def test_a_rejected_number_has_a_reason(value, message):
    with pytest.raises(InvalidNumber) as refused:
        parse_number(value)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("12,500.50", "12500.5"),
        ("12500.5", "12500.5"),
        ("1,234,567", "1234567"),
        ("0.00000001", "0.00000001"),
        ("1.12345678", "1.12345678"),
        ("999", "999"),
        ("1000000000000000", "1000000000000000"),
        ("1,000,000,000,000,000", "1000000000000000"),
        ("1000000000000000.00000001", None),
        ("1000000000000001", None),
        ("10000000000000000", None),
        ("1.123456789", None),
        *((text, None) for text in ("0", "0.0", "", "-1", "+1", "1.", ".5", "1e3", " 1", "1\n")),
        *((text, None) for text in ("01", "1,23", "0,123", "1234,567", "12,5000", "1,,234", "1,2")),
    ],
)
def test_a_typed_amount_is_parsed_or_rejected(text, amount):
    assert parse_typed_amount(text) == (None if amount is None else Decimal(amount))


def test_a_typed_amount_has_at_most_the_decimals_of_a_token():
    assert TOKEN_DECIMALS == 8
    assert parse_typed_amount(f"1.{'1' * TOKEN_DECIMALS}") == Decimal("1.11111111")
    assert parse_typed_amount(f"1.{'1' * (TOKEN_DECIMALS + 1)}") is None


@pytest.mark.parametrize(
    ("number", "decimals"),
    [("0", 0), ("0.000", 0), ("0E-8", 0), ("100", 0), ("1E+4", 0), ("1.50", 1), ("0.00000001", 8),
     ("-12.345", 3), ("10.10", 1)],
)  # fmt: skip
def test_trailing_zeros_do_not_count_as_decimals(number, decimals):
    assert count_decimals(Decimal(number)) == decimals


@pytest.mark.parametrize(
    ("number", "decimals", "text"),
    [("1234.5", 2, "1,234.50"), ("1234.567", 2, "1,234.567"), ("1000000", 0, "1,000,000"),
     ("0", 2, "0.00"), ("-1234.5000", 1, "-1,234.5")],
)  # fmt: skip
def test_a_grouped_number_has_all_of_its_decimals_and_no_fewer_than_its_currency(
    number, decimals, text
):
    assert format_grouped(Decimal(number), decimals) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [("-0", "0"), ("-0.00", "0"), ("0.10", "0.1"), ("1E+4", "10000"), ("90.020", "90.02"),
     ("100", "100"), ("-0.50", "-0.5")],
)  # fmt: skip
def test_a_plain_number_has_no_exponent_and_no_zeros_at_its_end(number, text):
    assert format_plain(Decimal(number)) == text
