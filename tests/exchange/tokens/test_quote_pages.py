"""Quotes under dual control: one person proposes prices, a second one approves them."""

import re
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from config.back_office.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, FINANCE_APPROVER
from exchange.tokens.models import Quote
from exchange.tokens.services import quotes
from tests.assertions.unchanged import table_fingerprints
from tests.factories.back_office import (
    messages_of,
    signed_in_client,
    submit_confirmation,
    text_of,
)
from tests.factories.logins import sign_in
from tests.factories.quote_pages import propose_prices, quote_address, token_address
from tests.factories.quotes import set_effective_quote
from tests.factories.staff import create_superuser
from tests.factories.tokens import make_token

pytestmark = pytest.mark.django_db


def test_prices_take_effect_once_a_second_person_approves():
    token = make_token()
    office, finance = signed_in_client(BACK_OFFICE), signed_in_client(FINANCE_APPROVER)
    response = propose_prices(office, token)
    assert messages_of(response) == ["Prices proposed. They require a second person's approval."]
    token.refresh_from_db()
    assert (token.price_buy, token.price_sell) == (100, 100)
    quote = Quote.objects.get()
    pending = "Proposed by back-office: buy 118.00 NGN, sell 115.50 NGN."
    assert pending in text_of(office.get(token_address(token)))
    shown = text_of(finance.get(quote_address(quote, "change")))
    assert "Approve 118.00 NGN / 115.50 NGN" in shown
    assert "Buy 100.00 NGN 118.00 NGN +18.00 %" in shown
    assert "Sell 100.00 NGN 115.50 NGN +15.50 %" in shown
    assert "Rate to USD 1,600 NGN per USD" in shown
    approved = submit_confirmation(finance, quote_address(quote, "approve"))
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
    text = text_of(finance.get(token_address(token)))
    assert pending not in text
    assert "118.00 NGN 115.50 NGN 1,600 back-office finance-approver Annual report" in text


def test_an_approved_quote_cannot_be_decided_again():
    token = make_token()
    propose_prices(signed_in_client(BACK_OFFICE), token)
    quote = Quote.objects.get()
    finance = signed_in_client(FINANCE_APPROVER)
    submit_confirmation(finance, quote_address(quote, "approve"))
    before = table_fingerprints()
    again = submit_confirmation(finance, quote_address(quote, "approve"))
    message = "Already approved by finance-approver"
    assert messages_of(again)[-1] == f"{message}. No changes were made."
    late = submit_confirmation(
        finance, quote_address(quote, "reject"), reason="Too high, checked with the bank"
    )
    assert messages_of(late)[-1] == f"{message}. No changes were made."
    assert table_fingerprints() == before
    assert "Approve 118" not in text_of(finance.get(quote_address(quote, "change")))


def test_proposers_cannot_approve_their_own_quotes():
    token = make_token()
    client = Client()
    sign_in(client, create_superuser("owner", password="x"))
    propose_prices(client, token)
    quote = Quote.objects.get()
    before = table_fingerprints()
    assert "Approve 118" not in text_of(client.get(quote_address(quote, "change")))
    response = submit_confirmation(client, quote_address(quote, "approve"))
    message = "Someone other than the proposer must approve this. No changes were made."
    assert messages_of(response)[-1] == message
    assert table_fingerprints() == before


def test_a_rejected_quote_changes_no_price_and_needs_a_reason():
    token = make_token()
    propose_prices(signed_in_client(BACK_OFFICE), token)
    quote = Quote.objects.get()
    finance = signed_in_client(FINANCE_APPROVER)
    refused = submit_confirmation(finance, quote_address(quote, "reject"), reason=" ")
    assert "This field is required." in text_of(refused)
    done = submit_confirmation(
        finance, quote_address(quote, "reject"), reason="Not in the report, checked with the bank"
    )
    assert messages_of(done)[-1] == "Quote rejected. Prices are unchanged."
    quote.refresh_from_db()
    token.refresh_from_db()
    assert (quote.status, quote.reason) == ("Rejected", "Not in the report, checked with the bank")
    assert token.price_buy == 100


def test_proposers_can_cancel_their_own_quotes():
    token = make_token()
    office = signed_in_client(BACK_OFFICE)
    propose_prices(office, token)
    quote = Quote.objects.get()
    assert "Cancel proposal" in text_of(office.get(quote_address(quote, "change")))
    assert f"Cancel the proposed quote of {token.symbol}?" in text_of(
        office.get(quote_address(quote, "reject"))
    )
    done = submit_confirmation(
        office, quote_address(quote, "reject"), reason="A slip of the pen, checked with the bank"
    )
    assert messages_of(done)[-1] == "Proposal cancelled. Prices are unchanged."
    quote.refresh_from_db()
    assert (quote.status, quote.reason) == ("Rejected", "A slip of the pen, checked with the bank")
    assert quote.decided_by_id == quote.proposed_by_id
    token.refresh_from_db()
    assert token.price_buy == 100
    # Another one can then be proposed.
    propose_prices(office, token)
    assert Quote.objects.filter(status="Pending").count() == 1


def test_a_token_has_one_pending_quote_at_a_time():
    token = make_token()
    client = signed_in_client(BACK_OFFICE)
    propose_prices(client, token)
    again = propose_prices(client, token, buy="119")
    assert "Another quote of this token is pending approval" in text_of(again)
    assert Quote.objects.count() == 1


@pytest.mark.parametrize("role", [AUDITOR, FINANCE_APPROVER, ADMINISTRATOR])
def test_only_the_back_office_proposes(role):
    token = make_token()
    client = signed_in_client(role)
    before = table_fingerprints()
    assert propose_prices(client, token).status_code == 403
    assert table_fingerprints() == before


@pytest.mark.parametrize("role", [AUDITOR, BACK_OFFICE, ADMINISTRATOR])
@pytest.mark.one_in(3)
def test_only_finance_approves_and_rejects_quotes(role):
    token = make_token()
    propose_prices(signed_in_client(BACK_OFFICE, "somebody"), token)
    quote = Quote.objects.get()
    client = signed_in_client(role)
    before = table_fingerprints()
    assert client.post(quote_address(quote, "approve")).status_code == 403
    assert (
        client.post(
            quote_address(quote, "reject"), {"reason": "no, checked with the bank"}
        ).status_code
        == 403
    )
    assert client.get(quote_address(quote, "reject")).status_code == 403
    assert table_fingerprints() == before
    assert "Pending" in text_of(client.get(quote_address(quote, "change")))


def test_the_confirmation_of_an_approval_shows_the_changes():
    token = make_token()
    propose_prices(signed_in_client(BACK_OFFICE), token)
    quote = Quote.objects.get()
    finance = signed_in_client(FINANCE_APPROVER)
    before = table_fingerprints()
    asked = finance.get(quote_address(quote, "approve"))
    text = text_of(asked)
    for fact in (
        f"Approve the quote of {token.symbol}?",
        "No changes made yet.",
        "Buy, current 100.00 NGN Buy, proposed 118.00 NGN Buy, change +18.00 %",
        "Proposed by back-office",
        "Reason Annual report",
        "Approve 118.00 NGN / 115.50 NGN",
    ):
        assert fact in text
    # A POST without the shown facts only shows the page.
    assert "No changes made yet." in text_of(finance.post(quote_address(quote, "approve")))
    assert table_fingerprints() == before


def test_an_approval_is_refused_when_prices_changed_since_the_page_was_loaded():
    token = make_token()
    propose_prices(signed_in_client(BACK_OFFICE), token)
    quote = Quote.objects.get()
    finance = signed_in_client(FINANCE_APPROVER)
    asked = finance.get(quote_address(quote, "approve"))
    prices = quotes.Prices(Decimal(110), Decimal(105))
    set_effective_quote(token_id=token.pk, prices=prices, note="By command")
    before = table_fingerprints()
    refused = submit_confirmation(finance, quote_address(quote, "approve"), at=asked)
    message = messages_of(refused)[-1]
    assert message.startswith("No changes were made. Since you opened the page: ")
    assert "Buy, current was 100.00 NGN and is 110.00 NGN" in message
    assert table_fingerprints() == before
    for nonsense in ("x", "[]", "{}", '{"Token": 1}'):
        finance.post(quote_address(quote, "approve"), {"seen": nonsense})
    assert table_fingerprints() == before
    submit_confirmation(finance, quote_address(quote, "approve"))
    token.refresh_from_db()
    assert (token.price_buy, token.prev_price_buy) == (118, 110)


def test_a_proposal_or_rejection_is_refused_when_prices_changed_meanwhile():
    token = make_token()
    office, finance = signed_in_client(BACK_OFFICE), signed_in_client(FINANCE_APPROVER)
    address = reverse("admin:exchange_token_quote", args=[token.pk])
    to_propose = office.get(address)
    propose_prices(office, token)
    quote = Quote.objects.get()
    typed = {"buy": "119", "sell": "117", "note": "Typed with care, checked with the bank"}
    refused = submit_confirmation(office, address, at=to_propose, **typed)
    change = "Pending approval was none and is quote by back-office"
    assert change in messages_of(refused)[-1]
    assert b'value="Typed with care, checked with the bank"' in refused.content
    to_reject = finance.get(quote_address(quote, "reject"))
    prices = quotes.Prices(Decimal(110), Decimal(105))
    set_effective_quote(token_id=token.pk, prices=prices, note="By command")
    before = table_fingerprints()
    refused = submit_confirmation(
        finance,
        quote_address(quote, "reject"),
        at=to_reject,
        reason="Too high, checked with the bank",
    )
    assert "Buy, current was 100.00 NGN and is 110.00 NGN" in messages_of(refused)[-1]
    assert "Too high, checked with the bank" in text_of(refused)
    assert table_fingerprints() == before


def test_a_double_click_approves_once():
    token = make_token()
    propose_prices(signed_in_client(BACK_OFFICE), token)
    quote = Quote.objects.get()
    finance = signed_in_client(FINANCE_APPROVER)
    asked = finance.get(quote_address(quote, "approve"))
    submit_confirmation(finance, quote_address(quote, "approve"), at=asked)
    before = table_fingerprints()
    again = submit_confirmation(finance, quote_address(quote, "approve"), at=asked)
    message = "Already approved by finance-approver. No changes were made."
    assert messages_of(again)[-1] == message
    assert table_fingerprints() == before


def test_the_dashboard_links_to_pending_quotes():
    token = make_token()
    propose_prices(signed_in_client(BACK_OFFICE), token)
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
        propose_prices(office, token, buy=buy, sell=sell)
        submit_confirmation(finance, quote_address(Quote.objects.get(status="Pending"), "approve"))
    shown = finance.get(token_address(token))
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
        propose_prices(office, token, buy="100", sell="100")
        submit_confirmation(finance, quote_address(Quote.objects.get(status="Pending"), "approve"))
    shown = finance.get(token_address(token))
    assert shown.status_code == 200
    (table,) = (s for s in shown.context["sections"] if s.title == "Approved quotes")
    assert table.chart is not None
