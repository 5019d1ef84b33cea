"""Token pages: details, changes of terms, and access."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.utils import InternalError, ProgrammingError
from django.test import Client
from django.urls import reverse

from config.back_office.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, FINANCE_APPROVER
from exchange.participants.models import Organisation
from exchange.tokens.models import Token, TokenAccess
from tests.assertions.unchanged import table_fingerprints
from tests.factories.back_office import messages_of, signed_in_client, text_of, user_of
from tests.factories.lifecycle import set_flags
from tests.factories.tokens import make_token

pytestmark = pytest.mark.django_db


def page(token: Token, name: str) -> str:
    return reverse(f"admin:exchange_token_{name}", args=[token.pk])


def form_values(client: Client, token: Token) -> dict[str, Any]:
    """Return the values of the edit form, ready to be posted."""
    form = client.get(page(token, "edit")).context["form"]
    return {
        name: value
        for name, value in ((field.html_name, field.value()) for field in form)
        if value not in (False, None)
    }


def edit(client: Client, token: Token, **changes: str):
    return client.post(page(token, "edit"), {**form_values(client, token), **changes})


def test_changes_of_terms_are_recorded():
    token = make_token(buy_fee=Decimal("1.5"), raise_amount=Decimal(1000))
    client = signed_in_client(BACK_OFFICE)
    response = edit(client, token, name="Lake Solar", max_buy="120.5", buy_fee="2", tenor="365")
    assert messages_of(response) == ["Saved."]
    token.refresh_from_db()
    assert (token.name, token.max_buy, token.buy_fee, token.tenor) == (
        "Lake Solar",
        Decimal("120.5"),
        Decimal(2),
        365,
    )
    sections = {s.title: s for s in client.get(page(token, "change")).context["sections"]}
    rows = [[str(cell) for cell in row[1:]] for row in sections["Changes"].rows]
    assert sorted(rows) == [
        ["back-office", "Buyer fee", "1.5", "2"],
        ["back-office", "Highest price, buy", "0", "120.5"],
        ["back-office", "Name", rows[0][2], "Lake Solar"],
        ["back-office", "Tenor", "0", "365"],
    ]


def test_saving_the_form_unchanged_changes_nothing():
    token = make_token(min_buy=Decimal("0.5"), valuation=Decimal("1e9"), esop_token=True)
    client = signed_in_client(BACK_OFFICE)
    before = table_fingerprints()
    assert messages_of(edit(client, token)) == ["Saved."]
    assert table_fingerprints() == before


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_buy": "1.005"}, "At most 2 decimals"),
        ({"min_trade_sell": "-1"}, "Enter a number such as 12,500.50"),
        ({"valuation": "1000000000000001"}, "From 0 to 1,000,000,000,000,000"),
        ({"min_buy": "NaN"}, "Enter a number such as 12,500.50"),
        ({"min_buy": "1e999"}, "Enter a number such as 12,500.50"),
        ({"min_buy": "120", "max_buy": "100"}, "Must not be above highest price, buy"),
        ({"buy_fee": "50.5"}, "Must be from 0 to 50"),
        ({"carry": "101"}, "Must be from 0 to 100"),
        ({"interest": "1.00001"}, "At most 4 decimals"),
        ({"issue_price": "0"}, "Must be above 0"),
        ({"issue_price": ""}, "This field is required."),
        ({"tenor": "-1"}, "greater than or equal to 0"),
        ({"name": "  "}, "This field is required."),
        ({"image": "javascript:alert(1)"}, "Must be a web address"),
        ({"investment_category": "Wine"}, "Select a valid choice."),
        ({"expected_version": "x"}, "Enter a valid UUID."),
    ],
)
@pytest.mark.one_in(5)
def test_invalid_terms_are_rejected_and_the_input_is_retained(changes, message):
    token = make_token(raise_amount=Decimal(1000))
    client = signed_in_client(BACK_OFFICE)
    before = table_fingerprints()
    response = edit(client, token, **{"listing_reference": "kept", **changes})
    assert response.status_code == 200
    assert message in text_of(response)
    assert b'value="kept"' in response.content
    assert table_fingerprints() == before


def test_a_currency_without_decimals_takes_none():
    token = make_token(currency="UGX")
    client = signed_in_client(BACK_OFFICE)
    refused = edit(client, token, max_buy="100.5")
    assert "No decimals" in text_of(refused)
    edit(client, token, max_buy="100")
    token.refresh_from_db()
    assert token.max_buy == 100


def test_concurrent_changes_of_terms_are_not_overwritten():
    token = make_token()
    first, second = signed_in_client(BACK_OFFICE), signed_in_client(BACK_OFFICE, "another")
    stale = form_values(first, token)
    edit(second, token, max_buy="130")
    before = table_fingerprints()
    response = first.post(page(token, "edit"), {**stale, "max_buy": "120"})
    assert "The token has changed (max_buy). Reload the page and try again" in text_of(response)
    assert table_fingerprints() == before


def test_trades_do_not_make_an_edit_stale():
    token = make_token()
    client = signed_in_client(BACK_OFFICE)
    before_the_trade = form_values(client, token)
    Token.objects.filter(pk=token.pk).update(vol_buy=5, vol_sell=5)
    client.post(page(token, "edit"), {**before_the_trade, "max_buy": "120"})
    token.refresh_from_db()
    assert (token.max_buy, token.vol_buy) == (120, 5)


def test_fields_outside_the_form_are_ignored():
    token = make_token()
    client = signed_in_client(BACK_OFFICE)
    edit(
        client, token, price_buy="1", symbol="OTHER", total_supply="5", cancelled="on", closed="on"
    )
    was = (token.price_buy, token.symbol, token.total_supply)
    token.refresh_from_db()
    assert (token.price_buy, token.symbol, token.total_supply) == was
    assert not token.cancelled
    assert not token.closed


def test_a_cancelled_token_is_not_edited():
    token = make_token()
    client = signed_in_client(BACK_OFFICE)
    body = form_values(client, token)
    set_flags(token, cancelled=True)
    before = table_fingerprints()
    assert "The token is cancelled" in text_of(client.post(page(token, "edit"), body))
    assert table_fingerprints() == before
    assert page(token, "edit") not in client.get(page(token, "change")).content.decode()


def test_the_history_of_tokens_is_not_rewritten():
    make_token()
    for statement in (
        "UPDATE exchange_tokenchange SET name = 'x'",
        "DELETE FROM exchange_tokenchange",
    ):
        with (
            pytest.raises((InternalError, ProgrammingError)),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)


def test_access_is_granted_once_and_withdrawn_once():
    token = make_token(deal_access="Private")
    friend = Organisation.objects.create(name="Baobab")
    client = signed_in_client(BACK_OFFICE)
    body = {"organisation": str(friend.pk)}
    assert messages_of(client.post(page(token, "grant"), body)) == [
        f"Baobab has access to {token.symbol}."
    ]
    granted = TokenAccess.objects.get()
    assert (granted.organisation, granted.granted_by) == (friend, user_of(client))
    assert "Baobab granted" in text_of(client.get(page(token, "change")))
    again = client.post(page(token, "grant"), body)
    assert "Baobab already has access" in text_of(again)
    issuer = client.post(page(token, "grant"), {"organisation": str(token.issuer_id)})
    assert "The issuer sees its own token" in text_of(issuer)
    assert TokenAccess.objects.count() == 1
    withdrawn = client.post(page(token, "withdraw"), body)
    assert messages_of(withdrawn)[-1] == f"Baobab no longer has access to {token.symbol}."
    assert TokenAccess.objects.count() == 0
    before = table_fingerprints()
    twice = client.post(page(token, "withdraw"), body)
    assert "Select a valid choice." in text_of(twice)
    assert table_fingerprints() == before


@pytest.mark.parametrize("role", [AUDITOR, FINANCE_APPROVER, ADMINISTRATOR])
@pytest.mark.one_in(3)
def test_only_the_back_office_lists_edits_and_grants(role):
    token = make_token(deal_access="Private")
    friend = Organisation.objects.create(name="Baobab")
    client = signed_in_client(role)
    before = table_fingerprints()
    for name in ("edit", "grant", "withdraw", "quote"):
        assert client.get(page(token, name)).status_code == 403
        assert client.post(page(token, name), {"organisation": str(friend.pk)}).status_code == 403
    assert client.get(reverse("admin:exchange_token_add")).status_code == 403
    assert client.post(reverse("admin:exchange_token_add"), {}).status_code == 403
    assert table_fingerprints() == before
    shown = client.get(page(token, "change"))
    assert shown.status_code == 200
    for name in ("edit", "grant", "quote"):
        assert page(token, name) not in shown.content.decode()


def test_the_page_of_a_token_is_read_only():
    token = make_token()
    client = signed_in_client(BACK_OFFICE)
    before = table_fingerprints()
    assert client.post(page(token, "change"), {"name": "x"}).status_code == 405
    assert client.post(page(token, "delete"), {"post": "yes"}).status_code == 403
    assert table_fingerprints() == before


def test_the_page_shows_details_limits_and_units():
    token = make_token(
        name="Rift Valley Tea",
        min_buy=Decimal(50),
        max_trade_sell=Decimal(250_000),
        interest=Decimal("12.5"),
        payout_frequency="Quarterly",
    )
    text = text_of(signed_in_client(AUDITOR).get(page(token, "change")))
    for words in (
        f"{token.symbol} · Rift Valley Tea",
        "Trading",
        "Instrument Equity",
        "Pays income Quarterly",
        "Interest 12.5 %",
        "Lowest price 50.00 NGN -",
        "Largest value - 250,000.00 NGN",
        "Buy 100.00 NGN 100.00 NGN none",
        "Available 1,000 units",
        "No changes since the listing.",
        "No quotes approved yet",
    ):
        assert words in text, words


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        ({}, "Trading"),
        ({"secondaries": False}, "Raise complete"),
        ({"raise_amount": Decimal(5000)}, "In raise"),
        ({"closed": True}, "Closed"),
        ({"exited": True, "closed": True}, "Exited"),
        ({"cancelled": True, "exited": True}, "Cancelled"),
    ],
)
@pytest.mark.one_in(3)
def test_each_token_is_listed_under_its_state_only(facts, state):
    token = make_token(**facts)
    client = signed_in_client(AUDITOR)
    listed = reverse("admin:exchange_token_changelist")
    assert f"{state} </span>".split()[0] in text_of(client.get(page(token, "change")))
    for name in ("Cancelled", "Exited", "Closed", "In raise", "Trading", "Raise complete"):
        found = list(client.get(listed, {"state": name}).context["cl"].result_list)
        assert found == ([token] if name == state else []), name
    nonsense = client.get(listed, {"state": "nonsense"})
    assert list(nonsense.context["cl"].result_list) == []


def test_tokens_are_found_by_name_symbol_issuer_and_id():
    token = make_token(name="Rift Valley Tea", symbol="RVT")
    make_token(name="Lake Solar", symbol="SOLAR")
    client = signed_in_client(AUDITOR)
    listed = reverse("admin:exchange_token_changelist")
    for wanted in ("valley", "rvt", str(token.pk), str(token.issuer_id), token.issuer.name):
        found = client.get(listed, {"q": wanted}).context["cl"].result_list
        assert list(found) == [token], wanted
    for filters in ({"deal_access__exact": "Private"}, {"investment_type__exact": "Debt"}):
        assert not client.get(listed, filters).context["cl"].result_count


def test_an_account_of_units_is_named_by_its_symbol():
    token = make_token(symbol="RVT")
    client = signed_in_client(AUDITOR)
    listed = client.get(
        reverse("admin:wallets_account_changelist"), {"asset__id__exact": str(token.pk)}
    )
    assert f"RVT available of {token.issuer}" in text_of(listed)
    units = client.get(reverse("admin:wallets_account_changelist"), {"counts": "units"})
    assert set(units.context["cl"].result_list) == set(listed.context["cl"].result_list)
