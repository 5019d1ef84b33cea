"""The shared filters: what they take, what they refuse, and how they say so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.core.exceptions import ValidationError

from exchange.filtersets import ChoiceField, FlagField, IdField, MomentField

MILLISECOND, SECOND = timedelta(milliseconds=1), timedelta(seconds=1)


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("TRUE", True), ("True", True), ("1", True), ("false", False),
     ("FaLsE", False), ("0", False), ("", None), (None, None)],
)  # fmt: skip
def test_flags_are_true_false_1_or_0_in_any_case(text, value):
    assert FlagField(required=False).clean(text) is value


@pytest.mark.parametrize("text", ["yes", "2", "t", "truee", "-1", "\u0660"])
def test_anything_else_is_not_a_flag(text):
    with pytest.raises(ValidationError, match="must be true or false"):
        FlagField(required=False).clean(text)


def test_choices_are_found_in_any_case_and_spelt_as_declared():
    field = ChoiceField(allowed=["Sell", "Buy", "the service"], required=False)
    assert field.clean("sell") == "Sell"
    assert field.clean("THE SERVICE") == "the service"
    assert field.clean("") is None
    for bad in ("sel", "sell ", "Sell,Buy"):
        with pytest.raises(ValidationError, match=r"must be one of \[Sell, Buy, the service\]"):
            field.clean(bad)


def test_a_malformed_id_matches_nothing_and_is_no_error():
    field = IdField(required=False)
    known = "01890000-0000-7000-8000-000000000001"
    assert field.clean(known) == UUID(known)
    assert field.clean("abc") == UUID(int=0)
    assert field.clean("") is None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-31", datetime(2026, 1, 31, tzinfo=UTC)),
        ("2026-01-31T10:00:00Z", datetime(2026, 1, 31, 10, tzinfo=UTC)),
        ("2026-01-31T10:00:00.250Z", datetime(2026, 1, 31, 10, 0, 0, 250_000, tzinfo=UTC)),
        ("2026-01-31T11:00:00+01:00", datetime(2026, 1, 31, 10, tzinfo=UTC)),
        ("2026-01-31t10:00:00z", datetime(2026, 1, 31, 10, tzinfo=UTC)),
        ("2026-01-31T11:00:00 01:00", datetime(2026, 1, 31, 10, tzinfo=UTC)),
        ("2026-01-31T00:00:00-20:04", datetime(2026, 1, 31, 20, 4, tzinfo=UTC)),
    ],
)
def test_moments_are_dates_or_times_with_their_offset(text, moment):
    found = MomentField(step=MILLISECOND, end=False, required=False).clean(text)
    assert found == moment
    # An offset is resolved here: the database takes none of 16 hours or more.
    assert found.tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "2026-02-30",
        "2026-01-31T10:00:00",
        "1767225600",
        "T",
        "0001-01-01T00:00:00+20:00",
        "9999-12-31T23:59:59-20:00",
    ],
)
def test_anything_else_is_not_a_moment(text):
    with pytest.raises(ValidationError, match="must be an ISO 8601 date"):
        MomentField(step=MILLISECOND, end=True, required=False).clean(text)


@pytest.mark.parametrize(
    ("text", "step", "begin", "after"),
    [
        ("2026-11-22", MILLISECOND, "2026-11-22T00:00:00", "2026-11-23T00:00:00"),
        ("2026-11-22T10:00:00.25Z", MILLISECOND, "2026-11-22T10:00:00.250",
         "2026-11-22T10:00:00.251"),
        ("2026-11-22T10:00:00.250999Z", MILLISECOND, "2026-11-22T10:00:00.250",
         "2026-11-22T10:00:00.251"),
        ("2026-11-22T10:00:00.25Z", SECOND, "2026-11-22T10:00:00", "2026-11-22T10:00:01"),
        ("9999-12-31", MILLISECOND, "9999-12-31T00:00:00", "9999-12-31T23:59:59.999999"),
        ("0001-01-01", MILLISECOND, "0001-01-01T00:00:00", "0001-01-02T00:00:00"),
    ],
)  # fmt: skip
def test_a_moment_is_all_of_its_day_or_of_the_step_that_times_are_printed_with(
    text, step, begin, after
):
    for end, expected in ((False, begin), (True, after)):
        found = MomentField(step=step, end=end, required=False).clean(text)
        assert found == datetime.fromisoformat(f"{expected}+00:00")
