"""Quotes under dual control: one person proposes prices, a second one approves them."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, FINANCE_APPROVER
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
from tests.factories.logins import sign_in
from tests.factories.quotes import set_effective_quote
from tests.factories.staff import create_superuser
from tests.factories.tokens import make_token

pytestmark = pytest.mark.django_db


def propose(client: Client, token: Token, **changes: str):
    typed = {"buy": "118", "sell": "115.5", "exchange": "1600", "note": "Annual report", **changes}
    return submit_confirmation(
        client, reverse("admin:exchange_token_quote", args=[token.pk]), **typed
    )


def page(quote: Quote, name: str) -> str:
    return reverse(f"admin:exchange_quote_{name}", args=[quote.pk])


def token_page(token: Token) -> str:
    return reverse("admin:exchange_token_change", args=[token.pk])


def test_prices_take_effect_once_a_second_person_approves():
    token = make_token()
    office, finance = signed_in_client(BACK_OFFICE), signed_in_client(FINANCE_APPROVER)
    response = propose(office, token)
    assert messages_of(response) == ["Prices proposed. They require a second person's approval."]
    token.refresh_from_db()
    assert (token.price_buy, token.price_sell) == (100, 100)
    quote = Quote.objects.get()
    pending = "Proposed by back-office: buy 118.00 NGN, sell 115.50 NGN."
    assert pending in text_of(office.get(token_page(token)))
    shown = text_of(finance.get(page(quote, "change")))
    assert "Approve 118.00 NGN / 115.50 NGN" in shown
    assert "Buy 100.00 NGN 118.00 NGN +18.00 %" in shown
    assert "Sell 100.00 NGN 115.50 NGN +15.50 %" in shown
    approved = submit_confirmation(finance, page(quote, "approve"))
    assert messages_of(approved) == [
        f"Approved. {token.symbol} is now quoted at 118.00 NGN to buy and 115.50 NGN to sell."
    ]
    token.refresh_from_db()
    assert (token.price_buy, token.price_sell, token.price_exchange) == (
        118,
        Decimal("115.5"),
        1600,
    )
    assert (token.prev_price_buy, token.prev_price_sell) == (100, 100)
    text = text_of(finance.get(token_page(token)))
    assert pending not in text
    assert "118.00 NGN 115.50 NGN 1,600 back-office finance-approver Annual report" in text


def test_an_approved_quote_cannot_be_decided_again():
    token = make_token()
    propose(signed_in_client(BACK_OFFICE), token)
    quote = Quote.objects.get()
    finance = signed_in_client(FINANCE_APPROVER)
    submit_confirmation(finance, page(quote, "approve"))
    before = table_fingerprints()
    again = submit_confirmation(finance, page(quote, "approve"))
    reported = "The quote is Approved by finance-approver, no longer Pending"
    assert messages_of(again)[-1] == f"{reported}. No changes were made."
    late = submit_confirmation(finance, page(quote, "reject"), reason="Too high")
    assert messages_of(late)[-1] == f"{reported}. No changes were made."
    assert table_fingerprints() == before
    assert "Approve 118" not in text_of(finance.get(page(quote, "change")))


def test_proposers_cannot_approve_their_own_quotes():
    token = make_token()
    client = Client()
    sign_in(client, create_superuser("owner", password="x"))
    propose(client, token)
    quote = Quote.objects.get()
    before = table_fingerprints()
    assert "Approve 118" not in text_of(client.get(page(quote, "change")))
    response = submit_confirmation(client, page(quote, "approve"))
    reported = "Someone other than the proposer must approve this. No changes were made."
    assert messages_of(response)[-1] == reported
    assert table_fingerprints() == before


def test_a_rejected_quote_changes_no_price_and_needs_a_reason():
    token = make_token()
    propose(signed_in_client(BACK_OFFICE), token)
    quote = Quote.objects.get()
    finance = signed_in_client(FINANCE_APPROVER)
    refused = submit_confirmation(finance, page(quote, "reject"), reason=" ")
    assert "This field is required." in text_of(refused)
    done = submit_confirmation(finance, page(quote, "reject"), reason="Not in the report")
    assert messages_of(done)[-1] == "Quote rejected. Prices are unchanged."
    quote.refresh_from_db()
    token.refresh_from_db()
    assert (quote.status, quote.reason) == ("Rejected", "Not in the report")
    assert token.price_buy == 100


def test_proposers_can_withdraw_their_own_quotes():
    token = make_token()
    office = signed_in_client(BACK_OFFICE)
    propose(office, token)
    quote = Quote.objects.get()
    assert "Withdraw" in text_of(office.get(page(quote, "change")))
    assert f"Withdraw the quote of {token.symbol}?" in text_of(office.get(page(quote, "reject")))
    done = submit_confirmation(office, page(quote, "reject"), reason="A slip of the pen")
    assert messages_of(done)[-1] == "Quote withdrawn. Prices are unchanged."
    quote.refresh_from_db()
    assert (quote.status, quote.reason) == ("Rejected", "A slip of the pen")
    assert quote.decided_by_id == quote.proposed_by_id
    token.refresh_from_db()
    assert token.price_buy == 100
    # Another one can then be proposed.
    propose(office, token)
    assert Quote.objects.filter(status="Pending").count() == 1


def test_a_token_has_one_pending_quote_at_a_time():
    token = make_token()
    client = signed_in_client(BACK_OFFICE)
    propose(client, token)
    again = propose(client, token, buy="119")
    assert "Another quote of this token is pending approval" in text_of(again)
    assert Quote.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "reported"),
    [
        ({"buy": "0"}, "buy must be above 0"),
        ({"sell": "-1"}, "sell must be from 0"),
        ({"buy": "1.005"}, "buy must not have more than 2 decimals"),
        ({"buy": "NaN"}, "Enter a number."),
        ({"sell": ""}, "This field is required."),
        ({"exchange": "1000000000000001"}, "exchange must be from 0"),
    ],
)
def test_invalid_prices_are_rejected_and_the_input_is_retained(changes, reported):
    token = make_token()
    client = signed_in_client(BACK_OFFICE)
    before = table_fingerprints()
    response = propose(client, token, **{"note": "kept", **changes})
    assert response.status_code == 200
    assert reported in text_of(response)
    assert b'value="kept"' in response.content
    assert table_fingerprints() == before


@pytest.mark.parametrize("role", [AUDITOR, FINANCE_APPROVER, ADMINISTRATOR])
def test_only_the_back_office_proposes(role):
    token = make_token()
    client = signed_in_client(role)
    before = table_fingerprints()
    assert propose(client, token).status_code == 403
    assert table_fingerprints() == before


@pytest.mark.parametrize("role", [AUDITOR, BACK_OFFICE, ADMINISTRATOR])
def test_only_finance_approves_and_rejects_quotes(role):
    token = make_token()
    propose(signed_in_client(BACK_OFFICE, "somebody"), token)
    quote = Quote.objects.get()
    client = signed_in_client(role)
    before = table_fingerprints()
    assert client.post(page(quote, "approve")).status_code == 403
    assert client.post(page(quote, "reject"), {"reason": "no"}).status_code == 403
    assert client.get(page(quote, "reject")).status_code == 403
    assert table_fingerprints() == before
    assert "Pending" in text_of(client.get(page(quote, "change")))


def test_the_confirmation_of_an_approval_shows_the_changes():
    token = make_token()
    propose(signed_in_client(BACK_OFFICE), token)
    quote = Quote.objects.get()
    finance = signed_in_client(FINANCE_APPROVER)
    before = table_fingerprints()
    asked = finance.get(page(quote, "approve"))
    text = text_of(asked)
    for reported in (
        f"Approve the quote of {token.symbol}?",
        "No changes made yet.",
        "Buy, current 100.00 NGN Buy, proposed 118.00 NGN Buy, change +18.00 %",
        "Proposed by back-office",
        "Reason Annual report",
        "Yes, approve 118.00 NGN / 115.50 NGN",
    ):
        assert reported in text
    # A POST without the shown facts only shows the page.
    assert "No changes made yet." in text_of(finance.post(page(quote, "approve")))
    assert table_fingerprints() == before


def test_an_approval_is_refused_when_prices_changed_since_the_page_was_form_values():
    token = make_token()
    propose(signed_in_client(BACK_OFFICE), token)
    quote = Quote.objects.get()
    finance = signed_in_client(FINANCE_APPROVER)
    asked = finance.get(page(quote, "approve"))
    prices = quotes.Prices(Decimal(110), Decimal(105))
    set_effective_quote(token_id=token.pk, prices=prices, note="By command")
    before = table_fingerprints()
    refused = submit_confirmation(finance, page(quote, "approve"), at=asked)
    reported = messages_of(refused)[-1]
    assert reported.startswith("No changes were made. Since you opened the page: ")
    assert "Buy, current was 100.00 NGN and is 110.00 NGN" in reported
    assert table_fingerprints() == before
    for nonsense in ("x", "[]", "{}", '{"Token": 1}'):
        finance.post(page(quote, "approve"), {"seen": nonsense})
    assert table_fingerprints() == before
    submit_confirmation(finance, page(quote, "approve"))
    token.refresh_from_db()
    assert (token.price_buy, token.prev_price_buy) == (118, 110)


def test_a_proposal_or_rejection_is_refused_when_prices_changed_meanwhile():
    token = make_token()
    office, finance = signed_in_client(BACK_OFFICE), signed_in_client(FINANCE_APPROVER)
    address = reverse("admin:exchange_token_quote", args=[token.pk])
    to_propose = office.get(address)
    propose(office, token)
    quote = Quote.objects.get()
    typed = {"buy": "119", "sell": "117", "note": "Typed with care"}
    refused = submit_confirmation(office, address, at=to_propose, **typed)
    reported = "Pending approval was none and is quote by back-office"
    assert reported in messages_of(refused)[-1]
    assert b'value="Typed with care"' in refused.content
    to_reject = finance.get(page(quote, "reject"))
    prices = quotes.Prices(Decimal(110), Decimal(105))
    set_effective_quote(token_id=token.pk, prices=prices, note="By command")
    before = table_fingerprints()
    refused = submit_confirmation(finance, page(quote, "reject"), at=to_reject, reason="Too high")
    assert "Buy, current was 100.00 NGN and is 110.00 NGN" in messages_of(refused)[-1]
    assert "Too high" in text_of(refused)
    assert table_fingerprints() == before


def test_a_double_click_approves_once():
    token = make_token()
    propose(signed_in_client(BACK_OFFICE), token)
    quote = Quote.objects.get()
    finance = signed_in_client(FINANCE_APPROVER)
    asked = finance.get(page(quote, "approve"))
    submit_confirmation(finance, page(quote, "approve"), at=asked)
    before = table_fingerprints()
    again = submit_confirmation(finance, page(quote, "approve"), at=asked)
    reported = "The quote is Approved by finance-approver, no longer Pending. No changes were made."
    assert messages_of(again)[-1] == reported
    assert table_fingerprints() == before


def test_the_dashboard_links_to_pending_quotes():
    token = make_token()
    propose(signed_in_client(BACK_OFFICE), token)
    client = signed_in_client(FINANCE_APPROVER)
    front = client.get(reverse("admin:index")).content.decode()
    (address,) = re.findall(r'href="([^"]+)">Quotes to approve<', front)
    listed = client.get(address)
    assert list(listed.context["cl"].result_list) == [Quote.objects.get()]
    assert token.symbol in text_of(listed)


def test_the_price_history_is_a_chart_with_a_description_and_a_table():
    token = make_token()
    office, finance = signed_in_client(BACK_OFFICE), signed_in_client(FINANCE_APPROVER)
    for buy, sell in (("90", "88"), ("108", "105"), ("108", "104")):
        propose(office, token, buy=buy, sell=sell)
        submit_confirmation(finance, page(Quote.objects.get(status="Pending"), "approve"))
    shown = finance.get(token_page(token))
    html = shown.content.decode()
    assert re.search(r'<svg [^>]*role="img" aria-labelledby="chart-title chart-words"', html)
    assert (
        "3 approved quotes. Buy from 90.00 NGN to 108.00 NGN, sell from 88.00 NGN to 104.00 NGN."
        in text_of(shown)
    )
    assert len(re.findall(r'<path class="line line-\d" d="M[0-9. HV]+"', html)) == 2
    (table,) = (s for s in shown.context["sections"] if s.title == "Approved quotes")
    assert [row[2] for row in table.rows] == ["104.00 NGN", "105.00 NGN", "88.00 NGN"]


def test_constant_prices_are_charted():
    token = make_token()
    office, finance = signed_in_client(BACK_OFFICE), signed_in_client(FINANCE_APPROVER)
    for _ in range(2):
        propose(office, token, buy="100", sell="100")
        submit_confirmation(finance, page(Quote.objects.get(status="Pending"), "approve"))
    shown = finance.get(token_page(token))
    assert shown.status_code == 200
    assert shown.context["chart"] is not None


def test_a_sell_price_above_the_buy_price_is_rejected():
    token = make_token()
    client = signed_in_client(BACK_OFFICE)
    before = table_fingerprints()
    response = propose(client, token, buy="110", sell="110.01")
    assert "sell must not be above buy" in text_of(response)
    assert table_fingerprints() == before
    propose(client, token, buy="110", sell="110")
    assert Quote.objects.get().status == "Pending"


def test_the_database_rejects_a_sell_price_above_the_buy_price():
    token = make_token()
    values = {"token": token, "buy": 10, "created_at": timezone.now(), "status": "Approved"}
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        Quote.objects.create(**values, sell=Decimal("10.01"), decided_at=timezone.now())
    assert violated_constraint(refused.value) == "quote_sell_not_above_buy"
    Quote.objects.create(**values, sell=Decimal(10), decided_at=timezone.now())


def test_an_old_quote_that_breaks_the_price_rule_is_not_approved():
    token = make_token()
    with as_owner() as cursor:
        cursor.execute("ALTER TABLE exchange_quote DROP CONSTRAINT quote_sell_not_above_buy")
    quote = Quote.objects.create(
        token=token, buy=110, sell=111, note="Old", created_at=timezone.now()
    )
    finance = signed_in_client(FINANCE_APPROVER)
    before = table_fingerprints()
    with pytest.raises(Rejected) as error:
        quotes.approve(quote_id=quote.pk, user=user_of(finance))
    assert error.value.code == "sell_above_buy"
    assert table_fingerprints() == before
    assert (
        submit_confirmation(finance, page(quote, "reject"), reason="Propose it anew").status_code
        == 302
    )


def test_a_proposal_beyond_the_band_shows_a_warning_and_needs_a_reason():
    token = make_token()
    client = signed_in_client(BACK_OFFICE)
    address = reverse("admin:exchange_token_quote", args=[token.pk])
    assert "errornote" not in client.get(address).content.decode()
    before = table_fingerprints()
    asked = propose(client, token, buy="1180", sell="79.99", note="")
    reported = "A price changes by more than 20 %: buy +1,080.00 %, sell -20.01 %."
    assert reported in text_of(asked)
    assert 'class="errornote" role="alert">A price changes' in asked.content.decode()
    assert "Buy 100.00 NGN 1,180.00 NGN +1,080.00 %" in text_of(asked)
    assert "Sell 100.00 NGN 79.99 NGN -20.01 %" in text_of(asked)
    assert b'value="79.99"' in asked.content
    # The button of a page that has shown it wants the reason as well.
    typed = {"buy": "1180", "sell": "79.99"}
    refused = submit_confirmation(client, address, at=asked, **typed, note=" ")
    assert "A change of more than 20 % needs a reason" in text_of(refused)
    # And other prices than those on the page are shown first.
    other = submit_confirmation(
        client, address, at=asked, buy="1280", sell="79.99", note="Split undone"
    )
    assert "buy +1,180.00 %" in text_of(other)
    assert table_fingerprints() == before
    done = submit_confirmation(client, address, at=asked, **typed, note="Split undone")
    assert messages_of(done) == ["Prices proposed. They require a second person's approval."]
    assert Quote.objects.get().note == "Split undone"


@pytest.mark.parametrize(("buy", "sell"), [("120", "80"), ("100", "100"), ("119.99", "80.01")])
def test_a_change_within_the_band_needs_no_reason(buy, sell):
    token = make_token()
    done = propose(signed_in_client(BACK_OFFICE), token, buy=buy, sell=sell, note="")
    assert messages_of(done) == ["Prices proposed. They require a second person's approval."]
    shown = signed_in_client(FINANCE_APPROVER).get(page(Quote.objects.get(), "change"))
    assert "A price changes by more than" not in text_of(shown)


def test_the_band_is_a_setting(settings):
    settings.QUOTE_BAND_PERCENT = 5
    token = make_token()
    asked = propose(signed_in_client(BACK_OFFICE), token, buy="105.01", sell="95")
    assert "A price changes by more than 5 %: buy +5.01 %." in text_of(asked)
    assert not Quote.objects.exists()


def test_a_first_price_has_no_band():
    token = make_token()
    Token.objects.filter(pk=token.pk).update(quoted_at=None)
    unpriced = Token(price_buy=Decimal(0), price_sell=Decimal(0))
    assert not any(
        change.exceeds_band
        for change in quotes.compare_prices(unpriced, quotes.Prices(Decimal(500), Decimal(400)))
    )


def test_the_approver_is_warned_of_changes_beyond_the_band_of_current_prices():
    token = make_token()
    office, finance = signed_in_client(BACK_OFFICE), signed_in_client(FINANCE_APPROVER)
    propose(office, token, buy="119", sell="118", note="Annual report")
    quote = Quote.objects.get()
    asked = finance.get(page(quote, "approve"))
    reported = "A price changes by more than 20 %: buy +32.22 %, sell +38.82 %."
    assert reported not in text_of(asked)
    prices = quotes.Prices(Decimal(90), Decimal(85))
    set_effective_quote(token_id=token.pk, prices=prices, note="By command")
    assert reported in text_of(finance.get(page(quote, "change")))
    before = table_fingerprints()
    # The button of a page without the warning does nothing.
    assert reported in text_of(submit_confirmation(finance, page(quote, "approve"), at=asked))
    asked = finance.get(page(quote, "approve"))
    assert reported in text_of(asked)
    assert "Buy 90.00 NGN 119.00 NGN +32.22 %" in text_of(asked)
    finance.post(page(quote, "approve"), {"seen": asked.context["seen"]})
    assert table_fingerprints() == before
    submit_confirmation(finance, page(quote, "approve"), at=asked)
    token.refresh_from_db()
    assert (token.price_buy, token.prev_price_buy) == (119, 90)


def test_a_quote_without_a_reason_is_not_approved_beyond_the_band():
    token = make_token()
    propose(signed_in_client(BACK_OFFICE), token, buy="119", sell="118", note="")
    quote = Quote.objects.get()
    prices = quotes.Prices(Decimal(90), Decimal(85))
    set_effective_quote(token_id=token.pk, prices=prices, note="By command")
    finance = signed_in_client(FINANCE_APPROVER)
    before = table_fingerprints()
    refused = submit_confirmation(finance, page(quote, "approve"))
    assert messages_of(refused)[-1].startswith("The quote now changes a price by more than 20 %")
    with pytest.raises(Rejected) as error:
        quotes.approve(quote_id=quote.pk, user=user_of(finance))
    assert error.value.code == "quote_needs_reason"
    assert table_fingerprints() == before
    assert (
        submit_confirmation(finance, page(quote, "reject"), reason="Propose it anew").status_code
        == 302
    )
