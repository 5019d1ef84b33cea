"""Orders and trades in the admin: complete and read-only."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.back_office.roles import AUDITOR
from orders.book.models import Order, Trade
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import signed_in_client, text_of
from tests.factories.logins import sign_in
from tests.factories.staff import create_superuser
from tests.factories.traders import Trader, make_trader

pytestmark = pytest.mark.django_db

LISTS = ("orders_order", "orders_trade")


def listed(client: Client, name: str, **query: str) -> list[Any]:
    found = client.get(reverse(f"admin:{name}_changelist"), query)
    assert found.status_code == 200
    return list(found.context["cl"].result_list)


@pytest.fixture
def issuer() -> Trader:
    return make_trader(1000)


@pytest.fixture
def buyer() -> Trader:
    return make_trader(50_000, member=True)


def test_an_order_shows_its_fills_its_reservation_and_what_moved(issuer, buyer, auditor):
    token = issuer.issue(symbol="RVT", buy_fee=Decimal("1.5"), sell_fee=Decimal("0.5"))
    sell = issuer.place(token, "Sell", 100, 10)
    sent = {"client_reference": "INV <17>", "metadata": {"team": "a", "invoice": "17"}}
    buy = buyer.place(token, "Buy", 101, 12, client_order_id="mine-1", **sent)
    shown = auditor.get(reverse("admin:orders_order_change", args=[buy]))
    text = text_of(shown)
    for words in (
        "Buy 12 units of RVT at 101.00 KES",
        "Filled 10 units (83 %)",
        "Average price 100.00 KES",
        "Value charged to date 1,000.00 KES",
        "Fee 15.00 KES to date (1.5 % at placement)",
        "Reserved 205.03 KES",
        "Client order ID mine-1",
        "Client reference INV <17>",
        "Metadata team: a; invoice: 17",
        "10 units 100.00 KES 1,000.00 KES 15.00 KES Organisation",
        "Order reservation Ada Obi Available -205.03 KES",
        "Trade Ada Obi Available -1,015.00 KES",
        "The exchange Fees 20.00 KES",
    ):
        assert words in text, words
    trade = Trade.objects.get()
    assert reverse("admin:orders_trade_change", args=[trade.pk]) in shown.content.decode()
    other = text_of(auditor.get(reverse("admin:orders_order_change", args=[sell])))
    assert "10 units 100.00 KES 1,000.00 KES 5.00 KES Ada Obi" in other
    assert "Reserved 0 units" in other


def test_a_trade_shows_both_sides_and_the_transfer_behind_it(issuer, buyer):
    token = issuer.issue(symbol="RVT", buy_fee=Decimal("1.5"), sell_fee=Decimal("0.5"))
    issuer.place(token, "Sell", 100, 10)
    buyer.place(token, "Buy", 100, 4)
    trade = Trade.objects.get()
    text = text_of(
        signed_in_client(AUDITOR).get(reverse("admin:orders_trade_change", args=[trade.pk]))
    )
    for words in (
        "4 units of RVT at 100.00 KES",
        "Buyer fee 6.00 KES",
        "Seller fee 2.00 KES",
        "Reserved -4 RVT",
        "Ada Obi Available 4 RVT",
    ):
        assert words in text, words


def test_a_sale_of_a_raise_has_the_issuer_on_the_other_side(issuer, buyer, auditor):
    token = issuer.issue(raise_amount=Decimal(100_000))
    buy = buyer.place(token, "Buy", 100, 10)
    side = f"{token.issuer} (issuer)"
    assert side in text_of(auditor.get(reverse("admin:orders_order_change", args=[buy])))
    trade = Trade.objects.get()
    assert side in text_of(auditor.get(reverse("admin:orders_trade_change", args=[trade.pk])))
    assert listed(auditor, "orders_trade", market="primary") == [trade]
    assert listed(auditor, "orders_trade", market="secondary") == []


def test_orders_and_trades_are_found_by_filters_words_and_ids(issuer, buyer, auditor):
    token = issuer.issue(symbol="RVT")
    other = issuer.issue(symbol="SOLAR")
    ask = issuer.place(token, "Sell", 100, 10)
    reference = "0199d4e0-0000-7000-8000-000000000001"
    bid = buyer.place(token, "Buy", 100, 4, client_order_id="mine-1", client_reference=reference)
    ask2 = issuer.place(other, "Sell", 110, 10, client_reference="INV 17")
    issuer.place(other, "Sell", 100, 10)

    def ids(**query: str) -> set[object]:
        return {order.pk for order in listed(auditor, "orders_order", **query)}

    assert ids(status__exact="Fulfilled") == {bid}
    assert ids(type__exact="Buy") == {bid}
    assert ids(q="rvt") == {ask, bid}
    assert ids(q="mine-1") == ids(q=reference) == {bid}
    assert ids(q="INV 17") == {ask2}
    assert ids(q="inv 17") == ids(q="INV") == set()
    assert ids(q=str(ask)) == {ask}
    assert ids(q=str(token.pk)) == {ask, bid}
    assert ids(q=str(buyer.wallet.member_id)) == {bid}
    assert ids(q=str(buyer.wallet.organisation.pk)) == {bid}
    trade = Trade.objects.get()
    for wanted in (trade.pk, ask, bid, token.pk, "rvt"):
        assert listed(auditor, "orders_trade", q=str(wanted)) == [trade]
    for page in ("exchange_organisation_change", "exchange_member_change"):
        owner = buyer.wallet.organisation.pk if "organ" in page else buyer.wallet.member_id
        shown = auditor.get(reverse(f"admin:{page}", args=[owner])).content.decode()
        assert f"{reverse('admin:orders_order_changelist')}?q={owner}" in shown


def test_an_open_order_is_not_shown_as_filled_completely(issuer, buyer, auditor):
    token = issuer.issue()
    issuer.place(token, "Sell", 100, "9.99")
    order = buyer.place(token, "Buy", 100, 10)
    shown = text_of(auditor.get(reverse("admin:orders_order_change", args=[order])))
    assert "Filled 9.99 units (99 %)" in shown
    rows = text_of(auditor.get(reverse("admin:orders_order_changelist")))
    assert "10 units 99 % 100.00 KES" in rows


def test_an_amended_order_keeps_its_place_among_those_placed(issuer, buyer, auditor):
    token = issuer.issue()
    first, second, third = (buyer.place(token, "Buy", price, 1) for price in (90, 91, 92))
    buyer.amend(first, price=Decimal(93))
    assert [order.pk for order in listed(auditor, "orders_order")] == [third, second, first]


def test_orders_and_trades_cannot_be_added_changed_or_deleted(issuer, buyer):
    token = issuer.issue()
    issuer.place(token, "Sell", 100, 10)
    buyer.place(token, "Buy", 100, 4)
    client = Client()
    sign_in(client, create_superuser("owner", password="x"))
    with assert_no_table_changes():
        for name, row in zip(LISTS, (Order.objects.first(), Trade.objects.first()), strict=True):
            assert row is not None
            for page, arguments in (("add", []), ("change", [row.pk]), ("delete", [row.pk])):
                address = reverse(f"admin:{name}_{page}", args=arguments)
                assert (
                    client.post(address, {"status": "Cancelled", "post": "yes"}).status_code == 403
                )


def test_pages_use_a_constant_number_of_queries(issuer, buyer, auditor):
    token = issuer.issue()
    ask = issuer.place(token, "Sell", 100, 50)
    addresses = [
        reverse("admin:exchange_token_changelist"),
        reverse("admin:exchange_token_change", args=[token.pk]),
        reverse("admin:orders_order_changelist"),
        reverse("admin:orders_order_change", args=[ask]),
        reverse("admin:orders_trade_changelist"),
    ]

    def queries(address: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert auditor.get(address).status_code == 200
        return len(captured)

    for _ in range(2):
        buyer.place(token, "Buy", 100, 2)
    for address in addresses:
        queries(address)  # what a process asks once, such as content types, is not counted
    few = [queries(address) for address in addresses]
    for _ in range(6):
        make_trader(1000, member=True).place(token, "Buy", 100, 2)
    assert [queries(address) for address in addresses] == few
