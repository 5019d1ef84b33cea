"""Contract notes of fills: figures of the ledger, and the parties that the client may know."""

import io
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import Sum
from pypdf import PdfReader

from exchange.core.ids import uuid7
from tests.factories.api_clients import assert_error
from tests.factories.market import ORDERS, ApiTrader, Market
from tests.factories.withdrawals import exact_json
from wallets.ledger.models import Entry

pytestmark = pytest.mark.django_db

CUSTOMER = {"name": "Wanjirũ Kamaũ", "email": "wanjiru@example.com"}


def fetch_note(trader: ApiTrader, order_id: str) -> tuple[str, str]:
    """Return the trade of the order's only fill, and the text of its note."""
    fills = exact_json(trader.caller.get(f"{ORDERS}/{order_id}/fills"))["data"]["fills"]
    [trade_id] = [fill["trade_id"] for fill in fills]
    response = trader.caller.get(f"{ORDERS}/{order_id}/fills/{trade_id}/note")
    assert response.status_code == 200, response.content
    assert response["Content-Type"] == "application/pdf"
    assert response["Content-Disposition"] == (
        f'attachment; filename="contract-note-{trade_id}.pdf"'
    )
    [page] = PdfReader(io.BytesIO(response.content)).pages
    return trade_id, page.extract_text()


def in_ledger(trader: ApiTrader, trade_id: str) -> Decimal:
    """Return what the trade moved into the organisation's money accounts."""
    legs = Entry.objects.filter(
        account__organisation=trader.organisation,
        asset_id="NGN",
        transfer__reference=f"trade:{trade_id}",
    )
    moved: Decimal = legs.aggregate(total=Sum("amount"))["total"]
    return moved


def test_both_sides_get_their_own_note_with_the_figures_of_the_ledger():
    market = Market(buy_fee=Decimal("1.5"), sell_fee=Decimal("0.5"))
    member: dict[str, Any] = {"user_id": str(market.buyer.member.id)}
    sold = market.sell(price=98.25, tokens=4, customer=CUSTOMER)["_id"]
    bought = market.buy(price=100, tokens=4, client_order_id="desk/17", **member)["_id"]
    trade_id, text = fetch_note(market.buyer, bought)
    for shown in (
        "Contract note",
        "Ada Obi",
        market.buyer.organisation.name,
        "Another participant of the exchange",
        f"{market.token.name} ({market.token.symbol})",
        "4 units at 98.25 NGN",
        "393.00 NGN",
        "Fee 5.90 NGN",
        "desk/17",
        bought,
        trade_id,
        "the incoming order (taker)",
    ):
        assert shown in text, shown
    assert in_ledger(market.buyer, trade_id) == Decimal("-398.90")
    assert "Paid 398.90 NGN" in text
    for hidden in (market.seller.organisation.name, CUSTOMER["name"], sold):
        assert hidden not in text
    _, text = fetch_note(market.seller, sold)
    assert in_ledger(market.seller, trade_id) == Decimal("391.03")
    for shown in (
        CUSTOMER["name"],
        "4 units at 98.25 NGN 393.00 NGN",
        "Fee -1.97 NGN",
        "Received 391.03 NGN",
        "resting (maker)",
    ):
        assert shown in text, shown
    for hidden in ("Ada Obi", market.buyer.organisation.name, bought):
        assert hidden not in text


def test_a_purchase_in_a_raise_names_the_issuer():
    market = Market(raise_amount=Decimal(50_000))
    _, text = fetch_note(market.buyer, market.buy(tokens=3)["_id"])
    assert f"{market.token.issuer.name}, the issuer" in text
    assert "Paid 300.00 NGN" in text


def test_the_notes_of_others_are_not_found():
    market = Market()
    sold = market.sell(tokens=10)["_id"]
    bought = market.buy(tokens=4)["_id"]
    trade_id, _ = fetch_note(market.buyer, bought)
    for order, trade, code, message in (
        (sold, trade_id, "order_not_found", "Order not found"),
        (str(uuid7()), trade_id, "order_not_found", "Order not found"),
        (bought, str(uuid7()), "fill_not_found", "Fill not found"),
        (bought, "x", "fill_not_found", "Fill not found"),
    ):
        response = market.buyer.caller.get(f"{ORDERS}/{order}/fills/{trade}/note")
        assert_error(response, 404, code, message)
