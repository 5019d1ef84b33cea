"""Which intervals the parameters of candles name, at a given time."""

from datetime import UTC, datetime

import pytest
from django.http import QueryDict

from orders.market.query import DEFAULT_INTERVAL, INTERVALS, MAX_CANDLES, read_query
from tests.factories.market_trades import DAY, EPOCH, HOUR, MINUTE, NOON

NOW = NOON + 90 * MINUTE


def read(text: str, now: datetime = NOW) -> tuple[datetime, datetime]:
    query = read_query(QueryDict(text), now)
    return query.start, query.end


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("interval=1h&from=2020-03-10T11:59:59Z", NOON - HOUR, NOON + 2 * HOUR),
        ("from=2020-03-10T12:00:00Z&to=2020-03-10T12:00:00Z", NOON, NOON + HOUR),
        ("from=2020-03-10T12:00:00Z&to=2020-03-10T12:59:59.999Z", NOON, NOON + HOUR),
        ("from=2020-03-10T12:00:00Z&to=2020-03-10T13:00:00Z", NOON, NOON + 2 * HOUR),
        ("from=2020-03-10T12:00:00Z&to=2020-03-10T23:00:00Z", NOON, NOON + 2 * HOUR),
        ("interval=1d&from=2020-03-09&to=2020-03-09", NOON - 1.5 * DAY, NOON - 0.5 * DAY),
        ("interval=1m&to=2020-03-10T12:00:00Z", NOON - 999 * MINUTE, NOON + MINUTE),
        ("interval=1m", NOW - 999 * MINUTE, NOW + MINUTE),
        ("interval=5m&from=2020-03-01", NOON - 9.5 * DAY, NOON - 9.5 * DAY + 5000 * MINUTE),
        ("from=2020-03-10T13:00:00%2B03:00&to=2020-03-10T10:30:00Z", NOON - 2 * HOUR, NOON - HOUR),
    ],
)
def test_from_and_to_are_in_the_first_and_in_the_last_interval(text, first, end):
    assert read(text) == (first, end)


@pytest.mark.parametrize("interval", INTERVALS)
def test_no_interval_begins_after_now_and_none_before_1970(interval):
    width = INTERVALS[interval]
    present = EPOCH + (NOW - EPOCH) // width * width
    most = MAX_CANDLES * width
    for text in ("", "to=9999-12-31", "to=9999-12-31T23:59:59.999Z"):
        end = present + width
        assert read(f"interval={interval}&{text}") == (max(end - most, EPOCH), end)
    for text in ("to=1969-12-31", "to=0001-01-01", "from=0001-01-01&to=0001-01-01T00:00:00Z"):
        assert read(f"interval={interval}&{text}") == (EPOCH, EPOCH)
    assert read(f"interval={interval}&from=0001-01-01") == (EPOCH, EPOCH + most)
    for text in ("from=2020-03-12", "from=9999-12-31", "from=2020-03-12&to=2021-03-12"):
        start, end = read(f"interval={interval}&{text}")
        assert start == end > NOW


def test_the_interval_is_an_hour_and_gaps_stay_unless_others_are_named():
    query = read_query(QueryDict(""), NOW)
    assert (query.interval, query.fill) == (DEFAULT_INTERVAL, False) == ("1h", False)
    query = read_query(QueryDict("interval=1d&fill=TRUE"), datetime(2020, 3, 10, tzinfo=UTC))
    assert (query.interval, query.fill, query.width) == ("1d", True, DAY)
