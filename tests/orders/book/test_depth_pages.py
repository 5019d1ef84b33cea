"""The order book on a token's page: cumulative units by price, as a chart and as a table."""

import re

import pytest

from exchange.admin.base import Section
from exchange.admin.chart import Chart
from exchange.tokens.models import Token
from orders.book.admin.depth import depth_section
from tests.factories.back_office import page, text_of
from tests.factories.traders import Trader, make_trader

pytestmark = pytest.mark.django_db


@pytest.fixture
def issuer() -> Trader:
    return make_trader(100_000)


@pytest.fixture
def token(issuer: Trader) -> Token:
    return issuer.issue()


def chart_of(section: Section) -> Chart:
    assert isinstance(section.chart, Chart)
    return section.chart


def cells(section: Section) -> list[list[str]]:
    return [[str(cell) for cell in row] for row in section.rows]


def test_the_book_is_a_ladder_with_cumulative_units(issuer, token):
    buyer = make_trader(100_000)
    for price, units in ((99, 4), (98, 6), (98, 1)):
        buyer.place(token, "Buy", price, units)
    issuer.place(token, "Sell", 101, 2)
    issuer.place(token, "Sell", 103, "0.5")
    section = depth_section(token)
    assert cells(section) == [
        ["Sell", "103.00 KES", "0.5", "2.5", "1"],
        ["Sell", "101.00 KES", "2", "2", "1"],
        ["Buy", "99.00 KES", "4", "4", "1"],
        ["Buy", "98.00 KES", "7", "11", "2"],
    ]
    assert list(section.facts) == [("Spread", "2.00 KES (2.00 %)")]
    chart = chart_of(section)
    assert chart.description == (
        "Buy orders for 11 units, best 99.00 KES. Sell orders for 2.5 units, best 101.00 KES."
        " The table below lists all prices."
    )
    assert [hint.tooltip for hint in chart.hints] == [
        "Buy at 99.00 KES or better: 4 units",
        "Buy at 98.00 KES or better: 11 units",
        "Sell at 101.00 KES or better: 2 units",
        "Sell at 103.00 KES or better: 2.5 units",
    ]
    assert [mark.text for mark in chart.labels] == ["97.75 KES", "100.50 KES", "103.25 KES"]
    assert [mark.text for mark in chart.levels] == ["0 units", "5.5 units", "11 units"]
    # Buys from their best price to the left edge, sells to the right one; the top is 11 units.
    assert dict(chart.lines) == {
        "Buy orders": "M245.9 182V124.5H137.2V24.0H110.0V182Z",
        "Sell orders": "M463.4 182V153.3H680.8V146.1H708.0V182Z",
    }


def test_a_book_of_one_side_has_no_spread(issuer, token):
    issuer.place(token, "Sell", 100, 5)
    section = depth_section(token)
    assert list(section.facts) == [("Spread", "-")]
    chart = chart_of(section)
    assert chart.description.startswith("No buy orders. Sell orders for 5 units")
    assert dict(chart.lines)["Buy orders"] == ""


def test_a_far_price_is_in_the_table_and_leaves_the_chart_to_the_others(issuer, token):
    buyer = make_trader(1_000_000)
    for price in (99, 50, 49, 1):
        buyer.place(token, "Buy", price, 1)
    for price in (101, 202, 203):
        issuer.place(token, "Sell", price, 1)
    section = depth_section(token)
    assert [row[1] for row in cells(section)] == [
        f"{price}.00 KES" for price in (203, 202, 101, 99, 50, 49, 1)
    ]
    chart = chart_of(section)
    assert "Buy orders for 4 units, best 99.00 KES." in chart.description
    assert "3 far prices are not drawn." in chart.description
    assert [hint.tooltip.partition(" or")[0] for hint in chart.hints] == [
        "Buy at 99.00 KES",
        "Buy at 50.00 KES",
        "Sell at 101.00 KES",
        "Sell at 202.00 KES",
    ]
    assert [mark.text for mark in chart.labels] == ["42.40 KES", "126.00 KES", "209.60 KES"]


def test_an_empty_book_has_neither_chart_nor_table(token, auditor):
    section = depth_section(token)
    assert (section.rows, section.chart) == ([], None)
    text = text_of(auditor.get(page(token)))
    assert "Order book No open orders." in text
    assert "Spread -" in text


def test_the_best_20_prices_of_each_side_are_shown(issuer, token):
    for place in range(22):
        issuer.place(token, "Sell", 200 + place, 1)
    section = depth_section(token)
    assert len(section.rows) == 20
    assert cells(section)[0][:4] == ["Sell", "219.00 KES", "1", "20"]


def test_the_page_draws_the_depth_with_a_table(issuer, token, auditor):
    issuer.place(token, "Sell", 100, 5)
    html = auditor.get(page(token)).content.decode()
    figure = re.search(r'<figure class="chart chart-depth">.*?</figure>', html, re.DOTALL)
    assert figure is not None
    assert "style=" not in figure[0]
    assert 'role="img" aria-labelledby="depth-title depth-words"' in figure[0]
    after = html[figure.end() :]
    assert after.index("View as table") < after.index("100.00 KES") < after.index("</details>")
