"""The life of an order on its page: placed, amended, filled, and how it ended."""

import re
from datetime import timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import SUPPORT
from exchange.tokens.models import Token
from orders.book.models import Order, Trade
from orders.book.tasks import expire_orders
from tests.factories.api_clients import make_organisation
from tests.factories.back_office import signed_in_client
from tests.factories.holds import freeze
from tests.factories.traders import Trader, make_trader
from tests.orders.book.sides import move_expiry

pytestmark = pytest.mark.django_db


@pytest.fixture
def issuer() -> Trader:
    return make_trader(1000)


@pytest.fixture
def buyer() -> Trader:
    return make_trader(100_000, member=True)


@pytest.fixture
def token(issuer: Trader) -> Token:
    return issuer.issue()


def timeline(client: Client, order_id: UUID) -> list[list[str]]:
    """Return event, details and actor of each row."""
    response = client.get(reverse("admin:orders_order_change", args=[order_id]))
    assert response.status_code == 200
    (section,) = (
        each for each in response.context["sections"] if getattr(each, "title", "") == "Timeline"
    )
    return [[re.sub("<[^>]*>", "", str(cell)) for cell in row[1:]] for row in section.rows]


def test_an_order_that_was_amended_partly_filled_and_cancelled(issuer, buyer, token, auditor):
    order = buyer.place(token, "Buy", 90, 10)
    buyer.amend(order, tokens="8")
    issuer.place(token, "Sell", 90, 3)
    issuer.place(token, "Sell", 95, 2)
    buyer.amend(order, price="95", tokens="12")
    freeze(buyer.wallet.member)
    rows = timeline(auditor, order)
    assert [row[:2] for row in rows] == [
        ["Placed", "Buy 10 units at 90.00 KES"],
        ["Amended", "Units from 10 to 8; Same place in the queue"],
        ["Fill", "3 units at 90.00 KES"],
        [
            "Amended",
            "Price from 90.00 KES to 95.00 KES; Units from 8 to 12; End of the queue",
        ],
        ["Fill", "2 units at 95.00 KES"],
        ["Cancelled", "The account is frozen; 5 of 12 units filled"],
    ]
    assert [row[2] for row in rows[:4]] == ["System: tests", "System: tests", "", "System: tests"]
    assert rows[-1][2] not in ("", "The exchange"), "who placed the freeze"


def test_an_amendment_that_fills_the_order_comes_before_its_fills(issuer, buyer, token, auditor):
    issuer.place(token, "Sell", 100, 5)
    order = buyer.place(token, "Buy", 90, 5)
    buyer.amend(order, price="100")
    assert [row[:2] for row in timeline(auditor, order)] == [
        ["Placed", "Buy 5 units at 90.00 KES"],
        ["Amended", "Price from 90.00 KES to 100.00 KES; End of the queue"],
        ["Fill", "5 units at 100.00 KES"],
        ["Fulfilled", "5 of 5 units filled"],
    ]


def test_an_order_that_its_owner_cancelled_has_no_reason(buyer, token, auditor):
    order = buyer.place(token, "Buy", 90, 10)
    buyer.cancel(order)
    assert timeline(auditor, order)[-1] == [
        "Cancelled", "0 of 10 units filled", "System: tests",
    ]  # fmt: skip


def test_an_order_that_expired(issuer, buyer, token, auditor):
    moment = timezone.now() + timedelta(hours=1)
    order = buyer.place(token, "Buy", 90, 10, time_in_force="GTD", expires_at=moment)
    issuer.place(token, "Sell", 90, 4)
    move_expiry(order, timezone.now() - timedelta(seconds=1))
    assert expire_orders() == 1
    assert timeline(auditor, order)[-1] == [
        "Expired", "Its time had come; 4 of 10 units filled", "The exchange",
    ]  # fmt: skip


def test_reasons_of_matching_are_in_words(issuer, buyer, token, auditor):
    issuer.place(token, "Sell", 100, 4)
    order = buyer.place(token, "Buy", 100, 10, time_in_force="IOC")
    assert timeline(auditor, order)[1:] == [
        ["Fill", "4 units at 100.00 KES", ""],
        [
            "Cancelled",
            "The book had no more for it, and it does not rest; 4 of 10 units filled",
            "The exchange",
        ],
    ]
    assert set(Order.objects.values_list("reason", flat=True)) == {"", "unfilled"}


def test_an_order_for_a_sum_was_placed_for_it(issuer, buyer, token, auditor):
    issuer.place(token, "Sell", 100, 4)
    amount = {"order_type": "market", "time_in_force": "IOC", "requested_amount": Decimal(500)}
    order = buyer.place(token, "Buy", None, None, **amount)
    assert [row[1] for row in timeline(auditor, order)] == [
        "Buy for 500.00 KES at 105.00 KES (market)",
        "4 units at 100.00 KES",
        "4 of 4 units filled",
    ]


def test_many_fills_and_amendments_are_shown_at_both_ends(
    issuer, buyer, token, auditor, django_assert_max_num_queries
):
    order = buyer.place(token, "Buy", 90, 1000)
    address = reverse("admin:orders_order_change", args=[order])
    auditor.get(address)
    with django_assert_max_num_queries(100) as captured:
        auditor.get(address)
    few = len(captured)
    for units in range(1, 26):
        issuer.place(token, "Sell", 90, units)
        buyer.amend(order, tokens=1000 - units)
    rows = timeline(auditor, order)
    fills = [row[1] for row in rows if row[0] == "Fill"]
    assert fills == [
        *(f"{units} {'unit' if units == 1 else 'units'} at 90.00 KES" for units in range(1, 11)),
        "Further fills are in their list",
        *(f"{units} units at 90.00 KES" for units in range(16, 26)),
    ]
    amendments = [row[1] for row in rows if row[0] == "Amended"]
    assert len(amendments) == 21
    assert amendments[0] == "Units from 1,000 to 999; Same place in the queue"
    assert amendments[10] == "Further amendments are in the history"
    assert amendments[-1] == "Units from 976 to 975; Same place in the queue"
    # The price was not amended among the first ones, so that of the placement is not known.
    assert rows[0][1] == "Buy 1,000 units"
    html = auditor.get(address).content.decode()
    assert f'href="{reverse("admin:orders_trade_changelist")}?q={order}">All fills</a>' in html
    # The last fills, the last amendments, and those whose names are asked at once.
    with django_assert_max_num_queries(few + 4):
        auditor.get(address)


def test_fills_link_to_their_trades(issuer, buyer, token, auditor):
    order = buyer.place(token, "Buy", 90, 10)
    issuer.place(token, "Sell", 90, 3)
    html = auditor.get(reverse("admin:orders_order_change", args=[order])).content.decode()
    address = reverse("admin:orders_trade_change", args=[Trade.objects.get().pk])
    assert f'<a href="{address}">Fill</a>' in html


def test_support_sees_the_timeline_and_no_history(buyer, token):
    order = buyer.place(token, "Buy", 90, 10)
    buyer.amend(order, price="91")
    support = signed_in_client(SUPPORT)
    assert [row[0] for row in timeline(support, order)] == ["Placed", "Amended"]


def test_reasons_and_names_are_escaped(issuer, token, auditor):
    firm = make_organisation("<b>Firm")
    trader = make_trader(1000, organisation=firm)
    order = trader.place(token, "Buy", 90, 10)
    freeze(firm)
    html = auditor.get(reverse("admin:orders_order_change", args=[order])).content.decode()
    assert "<b>Firm" not in html
    assert "&lt;b&gt;Firm" in html
