"""Listing a token in the admin: its record and its units in the ledger."""

from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from config.back_office.roles import BACK_OFFICE
from exchange.tokens.models import Token
from tests.assertions.unchanged import table_fingerprints
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.back_office import messages_of, signed_in_client, text_of
from tests.factories.wallets import assert_books_hold
from wallets.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db

LISTING = {
    "symbol": "RVT",
    "name": "Rift Valley Tea",
    "currency": "KES",
    "total_supply": "1000",
    "price_buy": "100",
    "price_sell": "98",
    "investment_type": "Debt",
    "investment_category": "Debt Note",
    "type": "Public",
    "deal_access": "Public",
}


def enter(client: Client, **changes: str):
    return client.post(reverse("admin:exchange_token_add"), {**LISTING, **changes})


def units(token: Token) -> dict[str, Decimal]:
    owned = Account.objects.filter(asset_id=str(token.pk), organisation__isnull=False)
    return {kind: balance for kind, balance in owned.values_list("kind", "balance") if balance}


def test_a_token_without_a_raise_is_the_issuers_to_sell():
    issuer = make_organisation()
    creator = make_member(issuer)
    client = signed_in_client(BACK_OFFICE)
    response = enter(
        client,
        issuer=str(issuer.pk),
        creator=str(creator.pk),
        secondaries="on",
        buy_fee="1.5",
        min_buy="50",
        esop_token="on",
        payout_frequency="Monthly",
        tenor="365",
    )
    assert messages_of(response) == ["RVT listed; 1,000 units issued."]
    token = Token.objects.get()
    assert (token.issuer, token.creator, token.currency_id) == (issuer, creator, "KES")
    assert (token.price_buy, token.price_sell, token.price_exchange) == (100, 98, 0)
    assert (token.buy_fee, token.min_buy, token.tenor) == (Decimal("1.5"), 50, 365)
    assert token.completed_raise
    assert token.secondaries
    assert token.esop_token
    assert units(token) == {"available": 1000}
    shown = text_of(client.get(reverse("admin:exchange_token_change", args=[token.pk])))
    assert "Issue of units back-office" in shown
    assert f"{issuer} - 1,000 units 0 units 0 units 1,000 units 100.0 %" in shown
    assert_books_hold()


def test_units_of_a_raise_start_unsold():
    issuer = make_organisation()
    client = signed_in_client(BACK_OFFICE)
    enter(client, issuer=str(issuer.pk), raise_amount="60000", offered="600")
    token = Token.objects.get()
    assert not token.completed_raise
    assert units(token) == {"available": 400, "unsold": 600}
    shown = text_of(client.get(reverse("admin:exchange_token_change", args=[token.pk])))
    assert "In raise" in shown
    assert "Target 60,000.00 KES Raised 0.00 KES (0.0 %)" in shown
    assert "Unsold in the raise 600 units" in shown
    assert_books_hold()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"total_supply": "0"}, "Must be above 0"),
        ({"total_supply": ""}, "This field is required."),
        ({"total_supply": "0.000000001"}, "At most 8 decimals"),
        ({"price_buy": "1.005"}, "At most 2 decimals"),
        ({"price_sell": "100.01"}, "Must not be above buy price"),
        ({"price_sell": "-1"}, "Enter a number such as 12,500.50"),
        ({"offered": "1001", "raise_amount": "5000"}, "Must be above 0 and not above"),
        ({"raise_amount": "5000", "secondaries": "on"}, "Opens after the raise"),
        ({"sell_fee": "60"}, "Must be from 0 to 50"),
        ({"currency": "EUR"}, "Select a valid choice."),
        ({"issuer": "nonsense"}, "not a valid UUID"),
        ({"issuer": ""}, "This field is required."),
    ],
)
@pytest.mark.one_in(3)
def test_an_invalid_listing_is_rejected_and_the_input_is_kept(changes, expected):
    issuer = make_organisation()
    client = signed_in_client(BACK_OFFICE)
    before = table_fingerprints()
    response = enter(client, **{"issuer": str(issuer.pk), "listing_reference": "kept", **changes})
    assert response.status_code == 200
    assert expected in text_of(response)
    assert b'value="kept"' in response.content
    assert table_fingerprints() == before


def test_a_creator_belongs_to_the_issuer():
    stranger = make_member(make_organisation())
    client = signed_in_client(BACK_OFFICE)
    response = enter(client, issuer=str(make_organisation().pk), creator=str(stranger.pk))
    assert "Must be a member of the issuer" in text_of(response)
    assert Token.objects.count() == 0


def test_sending_the_form_twice_lists_one_token():
    issuer = str(make_organisation().pk)
    client = signed_in_client(BACK_OFFICE)
    enter(client, issuer=issuer)
    again = enter(client, issuer=issuer)
    assert "A token with symbol RVT exists already" in text_of(again)
    assert Token.objects.count() == 1
    assert Transfer.objects.count() == 1
