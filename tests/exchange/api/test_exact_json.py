"""Numbers of any form are parsed and encoded without change."""

import contextlib
import json
import time
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.exceptions import ParseError
from rest_framework.serializers import ValidationError

from exchange.api.fields import NumberField
from exchange.api.idempotency import body_hash
from exchange.api.parsers import read_json
from exchange.api.responses import RawJSON, encode_json, join_documents
from exchange.core.numbers import MAX_NUMBER

amounts = st.decimals(min_value=0, max_value=MAX_NUMBER, places=8, allow_nan=False)


def read(text):
    return read_json(text if isinstance(text, bytes) else text.encode(), depth_limit=20)


@given(amounts)
def test_an_amount_is_read_back_as_it_was_written(amount):
    field = NumberField()
    amount = abs(amount)
    written = encode_json({"amount": amount})
    assert b"E" not in written
    assert field.to_internal_value(read(written)["amount"]) == amount
    digits = written.removeprefix(b'{"amount":').removesuffix(b"}").decode()
    assert not ("." in digits and digits.endswith(("0", ".")))


@given(amounts, st.integers(-12, 12))
def test_any_notation_of_a_number_is_the_same_number_to_the_last_digit(amount, shift):
    amount = abs(amount)
    text = f"{amount.scaleb(-shift):f}e{shift}"
    assert NumberField().to_internal_value(read(f'{{"x": {text}}}')["x"]) == amount
    assert body_hash(read(f'{{"x": {text}}}')) == body_hash({"x": amount})


@given(st.integers(-(10**70), 10**70))
def test_whole_numbers_are_exact_or_far_out_of_range(number):
    value = read(f'{{"x": {number}}}')["x"]
    if len(str(number)) <= 60:
        assert value == number
        assert isinstance(value, int)
    else:
        assert abs(value) > 10**90
        assert (value < 0) == (number < 0)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20)
    | st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])),
        inner, max_size=4,
    ),
    max_leaves=20,
)  # fmt: skip


@given(st.dictionaries(st.text(st.characters(categories=["L", "N"])), json_values, max_size=5))
def test_any_object_is_parsed_like_json(value):
    assert read(json.dumps(value, ensure_ascii=True)) == value
    assert read(json.dumps(value, ensure_ascii=False)) == value


@given(st.binary(max_size=200))
def test_any_bytes_are_an_object_or_a_parse_error(body):
    with contextlib.suppress(ParseError):
        assert isinstance(read(body), dict)


@pytest.mark.parametrize(
    "number", ["1" + "0" * 60_000, "0." + "1" * 60_000, "1e" + "9" * 60_000, "-1e-" + "9" * 60_000]
)
def test_huge_numbers_are_parsed_and_rejected_cheaply(number):
    started = time.thread_time()
    value = read(f'{{"x": {number}}}')["x"]
    with pytest.raises(ValidationError):
        NumberField(decimals=2).to_internal_value(value)
    assert len(encode_json({"x": value})) < 70_000
    assert time.thread_time() - started < 1


@pytest.mark.parametrize(
    ("number", "read_as"),
    [
        ("1." + "0" * 16_384, Decimal(1)),
        ("12.50" + "0" * 60_000, Decimal("12.5")),
        ("0." + "0" * 16_384, Decimal(0)),
        ("1." + "0" * 16_384 + "e15", Decimal("1E15")),
        ("0.00" + "0" * 30 + "1" + "0" * 60, Decimal("1E-33")),
    ],
)
def test_zeros_at_the_end_cost_no_digits(number, read_as):
    value = read(f'{{"x": {number}}}')["x"]
    assert value.as_tuple() == read_as.as_tuple()


def test_responses_format_decimals_times_and_ids():
    made = encode_json(
        {
            "a": Decimal("90.020000"),
            "b": [Decimal("1E+4"), Decimal("0E-8"), Decimal("-0.00")],
            "c": {"tiny": Decimal("0.00000001")},
            "id": UUID(int=7),
            "none": None,
            "page": 10**20,
        }
    )
    assert made == (
        b'{"a":90.02,"b":[10000,0,0],"c":{"tiny":0.00000001},'
        b'"id":"00000000-0000-0000-0000-000000000007","none":null,"page":100000000000000000000}'
    )


def test_stored_documents_are_inserted_unchanged():
    texts = ['{"a": 1.50}', '{"b":2}']
    assert encode_json({"list": join_documents(texts)}) == b'{"list":[{"a": 1.50},{"b":2}]}'
    assert (
        encode_json({"none": join_documents([]), "one": RawJSON("[ ]")}) == b'{"none":[],"one":[ ]}'
    )


@pytest.mark.parametrize("value", [0.1, Decimal("NaN"), Decimal("Infinity"), {1, 2}, object()])
def test_inexact_values_cannot_be_encoded(value):
    with pytest.raises(TypeError):
        encode_json({"deep": [value]})
