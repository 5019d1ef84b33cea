"""The amount field in a real browser: typed, pasted, scrolled over."""

from decimal import Decimal

import pytest
from playwright.sync_api import expect

from config.back_office.roles import BACK_OFFICE
from exchange.tokens.models import Quote
from tests.environment.keyboard import create_enrolled_staff, sign_in
from tests.factories.tokens import make_token

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


@pytest.mark.slow
def test_an_amount_is_read_back_grouped_and_keeps_what_was_typed(page, live_service):
    token = make_token()
    create_enrolled_staff("lindiwe", BACK_OFFICE)
    sign_in(page, "lindiwe")
    page.goto(f"/admin/exchange/token/{token.pk}/quote/")
    buy, reading = page.locator("[name=buy]"), page.locator("#id_buy + output")
    expect(reading).to_have_text("100 NGN")

    buy.fill("")
    expect(reading).to_have_text("")
    buy.press_sequentially("12500000")
    expect(reading).to_have_text("12,500,000 NGN")
    buy.press_sequentially(".5")
    expect(reading).to_have_text("12,500,000.5 NGN")
    for no_number in ("1_000", "1e3", "\uff11\uff10\uff10\uff10", "12,50"):
        buy.fill(no_number)
        expect(reading).to_have_text("")

    # The wheel and the arrows over a focused number field would change it.
    buy.fill("110")
    buy.hover()
    page.mouse.wheel(0, -120)
    buy.press("ArrowUp")
    expect(buy).to_have_value("110")

    # As copied from a page of the back office.
    page.locator("[name=sell]").fill("")
    page.locator("[name=sell]").focus()
    page.keyboard.insert_text("109.50")
    expect(page.locator("#id_sell + output")).to_have_text("109.50 NGN")
    page.locator("[name=exchange]").fill("1,520.25")
    page.get_by_role("button", name="Propose", exact=True).click()
    expect(page.get_by_text("Prices proposed.")).to_be_visible()
    quote = Quote.objects.get()
    expected = (Decimal(110), Decimal("109.5"), Decimal("1520.25"))
    assert (quote.buy, quote.sell, quote.exchange) == expected
