"""Prices and volumes on a token's page: the chart and its table have the numbers of the candles."""

import re
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from config.back_office.roles import SUPPORT
from exchange.admin.base import Section
from exchange.admin.chart import Chart
from exchange.tokens.models import DealAccess, Token
from orders.market.admin.price_section import find_range, price_section
from tests.factories.back_office import page, signed_in_client, text_of
from tests.factories.market_trades import DAY, HOUR, NOON, insert_trades, sold, write_hours
from tests.factories.tokens import make_token
from tests.factories.traders import make_trader

pytestmark = pytest.mark.django_db

# Eleven days before, the day before and on the day of NOON.
TRADES = [
    sold(NOON - 40 * DAY, 90, 3),
    sold(NOON - 11 * DAY, 100, 4),
    sold(NOON - 11 * DAY + HOUR, 104, 6),
    sold(NOON - DAY - HOUR, 102, "0.5"),
    sold(NOON - 5 * HOUR, 101, 2),
    sold(NOON - 5 * HOUR, 108, 1),
    sold(NOON - 1 * HOUR, 105, 7),
]


@pytest.fixture
def token() -> Token:
    return make_token(currency="KES")


def shown(token: Token, name: str = "30d", now: datetime = NOON) -> Section:
    return price_section(token, find_range(name), now)


def chart_of(section: Section) -> Chart:
    assert isinstance(section.chart, Chart)
    return section.chart


def cells(section: Section) -> list[list[str]]:
    return [[re.sub("<[^>]*>", "", str(cell)) for cell in row] for row in section.rows]


@pytest.mark.parametrize("hours", [0, 100])
def test_the_table_has_the_days_with_trades_newest_first(token, hours):
    insert_trades(token, TRADES)
    write_hours(hours)
    section = shown(token)
    assert section.title == "Price and volume, 30 days"
    assert cells(section) == [
        ["2020-03-10 00:00:00", "101.00 KES", "108.00 KES", "101.00 KES", "105.00 KES", "10",
         "1,045.00 KES", "3"],
        ["2020-03-09 00:00:00", "102.00 KES", "102.00 KES", "102.00 KES", "102.00 KES", "0.5",
         "51.00 KES", "1"],
        ["2020-02-28 00:00:00", "100.00 KES", "104.00 KES", "100.00 KES", "104.00 KES", "10",
         "1,024.00 KES", "2"],
    ]  # fmt: skip


def test_the_chart_has_the_numbers_of_the_table(token):
    insert_trades(token, TRADES)
    section = shown(token)
    chart = chart_of(section)
    assert chart.description == (
        "From 100.00 KES to 105.00 KES, lowest 100.00 KES, highest 108.00 KES; 20.5 units traded."
        " The table below lists all values."
    )
    assert [hint.tooltip for hint in chart.hints] == [
        "2020-02-28: close 104.00 KES, 100.00 KES to 104.00 KES, 10 units",
        "2020-03-09: close 102.00 KES, 102.00 KES to 102.00 KES, 0.5 units",
        "2020-03-10: close 105.00 KES, 101.00 KES to 108.00 KES, 10 units",
    ]
    paths = dict(chart.lines)
    # The close before the period is where the line starts.
    assert [mark.text for mark in chart.levels] == [
        "90.00 KES", "99.00 KES", "108.00 KES", "0", "10 units",
    ]  # fmt: skip
    assert paths["Close"].startswith("M110.0 190.0V190.0H129.9"), "90 until 27 February"
    assert paths["Low to high"].count("M") == paths["Units"].count("M") == 3
    assert [mark.text for mark in chart.labels] == ["2020-02-10", "2020-02-25", "2020-03-10"]
    assert paths["Close"].endswith("H708.0"), "until the end of today"


def test_the_hours_of_a_day_and_the_days_of_a_year_are_shown_too(token):
    insert_trades(token, TRADES)
    hours = shown(token, "24h")
    assert hours.headings[0] == "Hour (UTC)"
    assert [row[0][:16] for row in cells(hours)] == ["2020-03-10 11:00", "2020-03-10 07:00"]
    assert [row[6] for row in cells(hours)] == ["735.00 KES", "310.00 KES"]
    year = shown(token, "1y")
    assert [row[0][:10] for row in cells(year)] == [
        "2020-03-10", "2020-03-09", "2020-02-28", "2020-01-30",
    ]  # fmt: skip
    assert find_range("forever") == find_range("30d") == find_range("")


def test_the_facts_are_those_of_the_ticker(token):
    insert_trades(token, TRADES)
    facts = dict(shown(token).facts)
    assert str(facts["Last trade"]).startswith("105.00 KES, ")
    assert facts["Change, 24 hours"] == "+3.96 %", "from 101 to 105"
    assert facts["Volume, 24 hours"] == "10 units"
    later = dict(shown(token, now=NOON + 3 * DAY).facts)
    assert (later["Change, 24 hours"], later["Volume, 24 hours"]) == ("-", "0 units")


def test_a_period_without_trades_has_neither_chart_nor_table(token):
    empty = shown(token)
    assert (empty.rows, empty.chart) == ([], None)
    assert empty.empty == "No trades in the secondary market yet."
    assert list(empty.facts) == [("Last trade", "none")]
    insert_trades(token, [sold(NOON - 40 * DAY, 90, primary=True)])
    assert shown(token).empty == "No trades in the secondary market yet."
    insert_trades(token, [sold(NOON - 39 * DAY, 90)])
    quiet = shown(token)
    assert (quiet.rows, quiet.chart) == ([], None)
    assert quiet.empty == "No trades within 30 days."


def test_one_trade_is_a_visible_line(token):
    insert_trades(token, [sold(NOON, 100, "0.00000001")])
    chart = chart_of(shown(token))
    assert dict(chart.lines)["Close"] == "M688.1 107.0V107.0H708.0"
    assert chart.levels[-1].text == "0.00000001 units"


def test_the_page_draws_the_chart_of_the_chosen_period(token, auditor):
    now = timezone.now()
    insert_trades(token, [sold(now - 40 * DAY, 95, 2), sold(now - timedelta(minutes=1), 100, 5)])
    response = auditor.get(page(token))
    html = response.content.decode()
    assert 'aria-labelledby="market-title market-words"' in html
    figure = re.search(r'<figure class="chart chart-candles">.*?</figure>', html, re.DOTALL)
    assert figure is not None
    assert "style=" not in figure[0]
    assert '<span aria-current="true">30 days</span>' in html
    assert 'href="?range=1y#tab-market">1 year</a>' in html
    assert "Last trade 100.00 KES, " in text_of(response)
    year = auditor.get(page(token), {"range": "1y", "_changelist_filters": "state=Trading"})
    html = year.content.decode()
    assert '<span aria-current="true">1 year</span>' in html
    assert 'href="?range=24h&amp;_changelist_filters=state%3DTrading#tab-market"' in html
    (section,) = (s for s in year.context["sections"] if s.title.startswith("Price and volume"))
    assert len(section.rows) == 2
    assert auditor.get(page(token), {"range": "<b>"}).status_code == 200


def test_names_are_escaped(auditor):
    trader, buyer = make_trader(), make_trader(10_000)
    token = trader.issue(symbol="<b>X", name="<script>")
    trader.place(token, "Sell", 100, 5)
    buyer.place(token, "Buy", 100, 2)
    html = auditor.get(page(token)).content.decode()
    assert "<b>X" not in html
    assert "<script>" not in re.sub(r'<script src="[^"]+"( defer)?>', "", html)


def test_the_page_costs_the_same_for_any_number_of_trades(
    token, auditor, django_assert_max_num_queries
):
    auditor.get(page(token))
    with django_assert_max_num_queries(100) as captured:
        auditor.get(page(token))
    empty = len(captured)
    now = timezone.now()
    insert_trades(token, [sold(now - n * HOUR, 100 + n % 7) for n in range(400, 0, -1)])
    for name in ("24h", "30d", "1y"):
        with django_assert_max_num_queries(empty):
            auditor.get(page(token), {"range": name})


def test_staff_who_view_tokens_see_private_ones_as_well(client):
    token = make_token(deal_access=DealAccess.PRIVATE)
    insert_trades(token, [sold(timezone.now() - HOUR, 100, 5)])
    assert client.get(page(token)).status_code == 302
    support = signed_in_client(SUPPORT)
    assert "Last trade 100.00 " in text_of(support.get(page(token)))


def test_numbers_of_any_size_fit_the_axes():
    token = make_token(currency="UGX")
    insert_trades(token, [sold(NOON, 12_500_000, 25_000), sold(NOON, 14_000_000, "0.5")])
    chart = chart_of(shown(token))
    assert [mark.text for mark in chart.levels] == [
        "12.5 m UGX", "13.25 m UGX", "14 m UGX", "0", "25 k units",
    ]  # fmt: skip
