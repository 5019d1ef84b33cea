"""Limits of proposed prices: their range, and the band beyond which a change needs a reason."""

from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import BACK_OFFICE, FINANCE_APPROVER
from exchange.core.database import violated_constraint
from exchange.core.errors import Rejected
from exchange.tokens.models import Quote, Token
from exchange.tokens.services import quotes
from tests.assertions.unchanged import table_fingerprints
from tests.environment.owner import as_owner
from tests.factories.back_office import (
    messages_of,
    signed_in_client,
    submit_confirmation,
    text_of,
    user_of,
)
from tests.factories.quote_pages import propose_prices, quote_address
from tests.factories.quotes import set_effective_quote
from tests.factories.tokens import make_token
from tests.factories.wallets import make_staff

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"buy": "0"}, "Enter an amount above 0"),
        ({"sell": "-1"}, "Enter a number such as 12,500.50"),
        ({"buy": "1.005"}, "At most 2 decimals"),
        ({"buy": "NaN"}, "Enter a number such as 12,500.50"),
        ({"sell": ""}, "This field is required."),
        ({"exchange": "1000000000000001"}, "From 0 to 1,000,000,000,000,000"),
    ],
)
@pytest.mark.one_in(3)
def test_invalid_prices_are_rejected_and_the_input_is_retained(changes, message):
    token = make_token()
    client = signed_in_client(BACK_OFFICE)
    before = table_fingerprints()
    response = propose_prices(client, token, **{"note": "kept", **changes})
    assert response.status_code == 200
    assert message in text_of(response)
    assert b'value="kept"' in response.content
    assert table_fingerprints() == before


def test_a_sell_price_above_the_buy_price_is_rejected():
    token = make_token()
    client = signed_in_client(BACK_OFFICE)
    before = table_fingerprints()
    response = propose_prices(client, token, buy="110", sell="110.01")
    assert "Sell cannot exceed buy" in text_of(response)
    assert table_fingerprints() == before
    propose_prices(client, token, buy="110", sell="110")
    assert Quote.objects.get().status == "Pending"


def test_the_database_rejects_a_sell_price_above_the_buy_price():
    token = make_token()
    values = {
        "token": token, "buy": 10, "created_at": timezone.now(), "proposed_by": make_staff(),
    }  # fmt: skip
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        Quote.objects.create(**values, sell=Decimal("10.01"))
    assert violated_constraint(refused.value) == "quote_sell_not_above_buy"
    Quote.objects.create(**values, sell=Decimal(10))


def test_an_old_quote_that_breaks_the_price_rule_is_not_approved():
    token = make_token()
    with as_owner() as cursor:
        cursor.execute("ALTER TABLE exchange_quote DROP CONSTRAINT quote_sell_not_above_buy")
    quote = Quote.objects.create(
        token=token, buy=110, sell=111, note="Old", created_at=timezone.now(),
        proposed_by=make_staff(),
    )  # fmt: skip
    finance = signed_in_client(FINANCE_APPROVER)
    before = table_fingerprints()
    with pytest.raises(Rejected) as error:
        quotes.approve(quote_id=quote.pk, user=user_of(finance))
    assert error.value.code == "sell_above_buy"
    assert table_fingerprints() == before
    assert (
        submit_confirmation(
            finance, quote_address(quote, "reject"), reason="Propose it anew, checked with the bank"
        ).status_code
        == 302
    )


def test_a_proposal_beyond_the_band_shows_a_warning_and_needs_a_reason():
    token = make_token()
    client = signed_in_client(BACK_OFFICE)
    address = reverse("admin:exchange_token_quote", args=[token.pk])
    assert "errornote" not in client.get(address).content.decode()
    before = table_fingerprints()
    asked = propose_prices(client, token, buy="1180", sell="79.99", note="")
    buy = "Buy: 100.00 NGN → 1,180.00 NGN (+1,080.00 %). Usual is a change of at most 20 %."
    sell = "Sell: 100.00 NGN → 79.99 NGN (-20.01 %). Usual is a change of at most 20 %."
    for warning in (buy, sell):
        assert f'class="errornote" role="alert">{warning}' in asked.content.decode()
    assert "Buy 100.00 NGN 1,180.00 NGN +1,080.00 %" in text_of(asked)
    assert "Sell 100.00 NGN 79.99 NGN -20.01 %" in text_of(asked)
    assert b'value="79.99"' in asked.content
    # The button of a page that has shown it wants the reason as well.
    typed = {"buy": "1180", "sell": "79.99"}
    refused = submit_confirmation(client, address, at=asked, **typed, note=" ")
    assert "This is beyond what is usual: enter a reason" in text_of(refused)
    short = submit_confirmation(client, address, at=asked, **typed, note="Split undone")
    assert "A reason has at least 15 letters and two words" in text_of(short)
    # And other prices than those on the page are shown first.
    other = submit_confirmation(
        client, address, at=asked, buy="1280", sell="79.99", note="Split undone"
    )
    assert "1,280.00 NGN (+1,180.00 %)" in text_of(other)
    assert table_fingerprints() == before
    why = "Split of May undone"
    done = submit_confirmation(client, address, at=asked, **typed, note=why)
    assert messages_of(done) == ["Prices proposed. They require a second person's approval."]
    assert Quote.objects.get().note == why


@pytest.mark.parametrize(("buy", "sell"), [("120", "80"), ("100", "100"), ("119.99", "80.01")])
@pytest.mark.one_in(3)
def test_a_change_within_the_band_needs_no_reason(buy, sell):
    token = make_token()
    done = propose_prices(signed_in_client(BACK_OFFICE), token, buy=buy, sell=sell, note="")
    assert messages_of(done) == ["Prices proposed. They require a second person's approval."]
    shown = signed_in_client(FINANCE_APPROVER).get(quote_address(Quote.objects.get(), "change"))
    assert "Usual is a change" not in text_of(shown)


def test_the_band_is_a_setting(settings):
    settings.PLAUSIBILITY_BANDS = {**settings.PLAUSIBILITY_BANDS, "quote": 5}
    token = make_token()
    asked = propose_prices(signed_in_client(BACK_OFFICE), token, buy="105.01", sell="95")
    assert "(+5.01 %). Usual is a change of at most 5 %" in text_of(asked)
    assert not Quote.objects.exists()


def test_nothing_is_usual_in_place_of_zero():
    unpriced = Token(price_buy=Decimal(0), price_sell=Decimal(0))
    assert all(
        change.exceeds_band
        for change in quotes.compare_prices(unpriced, quotes.Prices(Decimal(500), Decimal(400)))
    )


def test_the_approver_is_warned_of_changes_beyond_the_band_of_current_prices():
    token = make_token()
    office, finance = signed_in_client(BACK_OFFICE), signed_in_client(FINANCE_APPROVER)
    propose_prices(office, token, buy="119", sell="118", note="Annual report of the issuer")
    quote = Quote.objects.get()
    asked = finance.get(quote_address(quote, "approve"))
    warning = "Buy: 90.00 NGN → 119.00 NGN (+32.22 %). Usual is a change of at most 20 %."
    assert warning not in text_of(asked)
    prices = quotes.Prices(Decimal(90), Decimal(85))
    set_effective_quote(token_id=token.pk, prices=prices, note="By command")
    assert warning in text_of(finance.get(quote_address(quote, "change")))
    before = table_fingerprints()
    # The button of a page without the warning does nothing.
    assert warning in text_of(
        submit_confirmation(finance, quote_address(quote, "approve"), at=asked)
    )
    asked = finance.get(quote_address(quote, "approve"))
    assert warning in text_of(asked)
    assert "Buy 90.00 NGN 119.00 NGN +32.22 %" in text_of(asked)
    finance.post(quote_address(quote, "approve"), {"seen": asked.context["seen"]})
    for reason, problem in (
        ("", "This field is required."),
        ("checked", "A reason has at least 15 letters and two words"),
    ):
        refused = submit_confirmation(
            finance, quote_address(quote, "approve"), at=asked, reason=reason
        )
        assert problem in text_of(refused)
    assert table_fingerprints() == before
    why = "Compared with the report, page 12"
    submit_confirmation(finance, quote_address(quote, "approve"), at=asked, reason=why)
    token.refresh_from_db()
    assert (token.price_buy, token.prev_price_buy) == (119, 90)
    assert Quote.objects.get(pk=quote.pk).approval_reason == why


def test_a_quote_without_a_reason_is_not_approved_beyond_the_band():
    token = make_token()
    propose_prices(signed_in_client(BACK_OFFICE), token, buy="119", sell="118", note="")
    quote = Quote.objects.get()
    prices = quotes.Prices(Decimal(90), Decimal(85))
    set_effective_quote(token_id=token.pk, prices=prices, note="By command")
    finance = signed_in_client(FINANCE_APPROVER)
    before = table_fingerprints()
    why = "Compared with the report, page 12"
    refused = submit_confirmation(finance, quote_address(quote, "approve"), reason=why)
    assert "was proposed without a reason. Reject it" in text_of(refused)
    with pytest.raises(Rejected) as error:
        quotes.approve(quote_id=quote.pk, user=user_of(finance), reason=why)
    assert error.value.code == "reason_required"
    assert table_fingerprints() == before
    assert (
        submit_confirmation(
            finance, quote_address(quote, "reject"), reason="Propose it anew, checked with the bank"
        ).status_code
        == 302
    )
