"""The shared filters: accepted values, rejected values, messages."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.core.exceptions import ValidationError
from drf_spectacular.drainage import get_override

from exchange.api.filters import (
    ChoiceParameter,
    CurrencyFilter,
    EnumeratedFilter,
    FlagFilter,
    FlagParameter,
    FromFilter,
    IdFilter,
    IdParameter,
    TextFilter,
    TextParameter,
    TimestampParameter,
    ToFilter,
)
from exchange.core.currencies import WALLET_CURRENCIES as CURRENCIES
from exchange.core.errors import InvalidCurrency
from exchange.events.filters import EventFilters
from exchange.events.models import Event
from exchange.participants.filters import MemberFilters
from exchange.participants.models import Member
from exchange.tokens.filters import ActiveTokenFilters, TokenSearchFilters
from exchange.tokens.models import Token

MILLISECOND, SECOND = timedelta(milliseconds=1), timedelta(seconds=1)


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("TRUE", True), ("True", True), ("1", True), ("false", False),
     ("FaLsE", False), ("0", False), ("", None), (None, None)],
)  # fmt: skip
def test_flags_are_true_false_1_or_0_in_any_case(text, value):
    assert FlagParameter(required=False).clean(text) is value


@pytest.mark.parametrize("text", ["yes", "2", "t", "truee", "-1", "\u0660"])
def test_other_values_are_not_flags(text):
    with pytest.raises(ValidationError, match="must be true or false"):
        FlagParameter(required=False).clean(text)


def test_choices_match_in_any_case_and_have_the_declared_spelling():
    field = ChoiceParameter(allowed=["Sell", "Buy", "the service"], required=False)
    assert field.clean("sell") == "Sell"
    assert field.clean("THE SERVICE") == "the service"
    assert field.clean("") is None
    for bad in ("sel", "sell ", "Sell,Buy"):
        with pytest.raises(ValidationError, match=r"must be one of \[Sell, Buy, the service\]"):
            field.clean(bad)


def test_a_malformed_id_matches_nothing_and_is_no_error():
    field = IdParameter(required=False)
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
def test_timestamps_are_dates_or_times_with_their_offset(text, moment):
    found = TimestampParameter(step=MILLISECOND, end=False, required=False).clean(text)
    assert found == moment
    # Offsets are converted here: the database rejects 16 hours or more.
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
def test_other_values_are_not_timestamps(text):
    with pytest.raises(ValidationError, match="must be an ISO 8601 date"):
        TimestampParameter(step=MILLISECOND, end=True, required=False).clean(text)


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
def test_a_timestamp_covers_its_day_or_the_printed_precision(text, step, begin, after):
    for end, expected in ((False, begin), (True, after)):
        found = TimestampParameter(step=step, end=end, required=False).clean(text)
        assert found == datetime.fromisoformat(f"{expected}+00:00")


def test_text_is_trimmed_and_limited_in_length():
    field = TextParameter(max_length=3, required=False)
    for text, value in ((" abc ", "abc"), ("", ""), (None, ""), ("a c", "a c")):
        assert field.clean(text) == value
    for text, message in (("abcd", "must have at most 3 characters"), ("a\x00", "NUL characters")):
        with pytest.raises(ValidationError, match=message):
            field.clean(text)


def test_a_currency_is_rejected_with_the_common_code():
    field = CurrencyFilter().field
    assert field.clean("ngn") == "NGN"
    assert field.clean("") is None
    with pytest.raises(ValidationError) as refused:
        field.clean("EUR")
    expected = InvalidCurrency(list(CURRENCIES))
    assert (refused.value.messages, refused.value.code) == ([expected.message], expected.code)


MOMENT = {
    "anyOf": [{"type": "string", "format": "date-time"}, {"type": "string", "format": "date"}]
}


def test_the_schema_describes_accepted_values():
    text = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"
    for made, schema in (
        (FlagFilter(), {"type": "boolean"}),
        (FlagFilter(default=False), {"type": "boolean", "default": False}),
        (EnumeratedFilter(allowed=["Buy", "Sell"]), {"type": "string", "enum": ["Buy", "Sell"]}),
        (CurrencyFilter(), {"type": "string", "enum": list(CURRENCIES)}),
        (TextFilter(max_length=40), {"type": "string", "pattern": text, "maxLength": 40}),
        (IdFilter(), {"type": "string", "pattern": r"\S"}),
        (FromFilter("created_at"), MOMENT),
        (ToFilter("created_at"), MOMENT),
    ):
        assert get_override(made, "field") == schema


def test_a_period_includes_both_ends():
    for made, lookup, moment in (
        (FromFilter("created_at"), "gte", "2026-11-22T00:00:00"),
        (ToFilter("created_at"), "lt", "2026-11-23T00:00:00"),
        (FromFilter("created_at", SECOND), "gte", "2026-11-22T00:00:00"),
    ):
        assert (made.field_name, made.lookup_expr) == ("created_at", lookup)
        assert made.field.clean("2026-11-22") == datetime.fromisoformat(f"{moment}+00:00")
    second = ToFilter("created_at", SECOND).field.clean("2026-11-22T10:00:00.5Z")
    assert second == datetime(2026, 11, 22, 10, 0, 1, tzinfo=UTC)


def test_the_schema_has_the_maximum_length_of_texts():
    for filters, name, longest in (
        (MemberFilters, "email", 254),
        (MemberFilters, "external_id", 100),
        (TokenSearchFilters, "name", 200),
        (TokenSearchFilters, "symbol", 20),
    ):
        declared = filters.base_filters[name]
        assert get_override(declared, "field")["maxLength"] == longest
        declared.field.clean("x" * longest)
        with pytest.raises(ValidationError):
            declared.field.clean("x" * (longest + 1))


# --- conditions of the query ---


def condition(filters, model, **search):
    """Return the SQL condition of `search` and its values."""
    found = filters(search, queryset=model.objects.order_by())
    assert found.is_valid(), found.errors
    sql, values = found.qs.query.sql_with_params()
    return sql.partition(" WHERE ")[2].replace('"', ""), values


def test_times_are_from_the_first_and_before_the_end_of_the_last():
    day = datetime(2026, 11, 22, tzinfo=UTC)
    asked = condition(MemberFilters, Member, created_from="2026-11-22", created_to="2026-11-22")
    assert asked == (
        "(exchange_member.created_at >= %s AND exchange_member.created_at < %s)",
        (day, day + timedelta(days=1)),
    )
    moment = "2026-11-22T00:00:00.0009Z"
    asked = condition(EventFilters, Event, created_from=moment, created_to=moment)
    assert asked[1] == (day, day + MILLISECOND)
    asked = condition(MemberFilters, Member, updated_from="2026-11-22", updated_to="2026-11-22")
    assert asked == (
        "(exchange_member.updated_at >= %s AND exchange_member.updated_at < %s)",
        (day, day + timedelta(days=1)),
    )


def test_the_default_is_open_tokens():
    closed, exited = "exchange_token.closed", "exchange_token.exited"
    for search, expected in (
        ({}, f"(NOT {closed} AND NOT {exited})"),
        ({"closed": "true"}, f"({closed} AND NOT {exited})"),
        ({"exited": "1", "closed": "0"}, f"(NOT {closed} AND {exited})"),
    ):
        assert condition(ActiveTokenFilters, Token, **search)[0] == expected
    for value, expected in (
        ("true", "NOT exchange_token.completed_raise"),
        ("false", "exchange_token.secondaries"),
    ):
        asked, _ = condition(ActiveTokenFilters, Token, primary_raise=value)
        assert asked == f"(NOT {closed} AND NOT {exited} AND {expected})"


def test_a_search_has_only_the_given_conditions():
    assert condition(TokenSearchFilters, Token) == ("", ())
    for value, kind in (("true", "Private"), ("false", "Public")):
        asked = condition(TokenSearchFilters, Token, private=value)
        assert asked == ("exchange_token.type = %s", (kind,))
    for name in ("closed", "exited", "completed_raise"):
        assert condition(TokenSearchFilters, Token, **{name: "true"})[0] == f"exchange_token.{name}"
    asked, values = condition(TokenSearchFilters, Token, symbol="tk")
    assert asked == "UPPER(exchange_token.symbol::text) LIKE UPPER(%s)"
    assert values == ("tk%",)
    asked, values = condition(TokenSearchFilters, Token, name="green")
    assert "name_words(fold_text(%s))" in asked
    assert values == ("green",)
