"""The search of every list: by id, amount and email."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection
from django.db.models import UUIDField
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoDbBlocker

from exchange.admin import search
from exchange.core.ids import first_id_at
from exchange.core.numbers import parse_typed_amount
from exchange.participants.models import Member
from orders.book.models import Order, Trade
from tests.environment.module_transaction import module_transaction
from tests.environment.view_caller import ViewCaller
from tests.factories.every_record import make_every_record
from tests.factories.lending import make_lending
from tests.factories.logins import sign_in
from tests.factories.staff import create_superuser
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import (
    Wallet,
    make_approved_withdrawal,
    make_member_wallet,
    make_staff,
    store_bank_list,
)
from wallets.ledger.models import Account, Entry, Transfer
from wallets.payouts.models import Proposal, ProposalAction
from wallets.withdrawals.models import Payout, Withdrawal

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(client: Client) -> Client:
    sign_in(client, create_superuser("looker", password="x"))
    return client


def search_list(client: Client, model: str, term: str) -> list[Any]:
    """Return the records that the list of `model` shows for `term`."""
    return ViewCaller(client).rows(model, {"q": term})


def test_every_list_with_a_search_finds_a_record_by_its_id(client):
    make_every_record()
    seen = set()
    for model, model_admin in admin.site._registry.items():
        pk = model._meta.pk
        uuid = isinstance(pk, UUIDField) or isinstance(getattr(pk, "target_field", None), UUIDField)
        if not (uuid and model_admin.search_fields):
            continue
        row = model._default_manager.order_by("pk").first()
        assert row is not None, model
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        rows = search_list(client, name, str(row.pk))
        # The audit is searched by the changed records.
        assert name == "exchange_change" or row in rows, name
        assert search_list(client, name, str(first_id_at(timezone.now() - timedelta(days=9)))) == []
        seen.add(name)
    assert len(seen) > 25, sorted(seen)


@pytest.fixture(scope="module")
def ada(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Wallet]:
    with module_transaction(django_db_blocker):
        yield make_ada()


def make_ada() -> Wallet:
    """Make a member with one record of 12,500.50 in each list; another one has other records."""
    store_bank_list()
    wallet = make_member_wallet()
    Member.objects.filter(pk=str(wallet.member_id)).update(email="Ada.Obi@Acme.example")
    for owner, amount in ((make_member_wallet(), Decimal(900)), (wallet, Decimal("12500.50"))):
        owner.fund(amount)
        sent = make_approved_withdrawal(owner.fund(amount), amount)
        Proposal.objects.create(
            withdrawal=sent,
            action=ProposalAction.FAIL,
            reason="lost",
            proposed_by=make_staff(),
            created_at=timezone.now(),
        )
        issuer, buyer = make_trader(), Trader(owner.fund(50_000))
        token = issuer.issue()
        issuer.place(token, "Sell", amount / 10, 10)
        buyer.place(token, "Buy", amount / 10, 10)
    return wallet


LISTS = {
    "wallets_withdrawal": lambda row: row.owner_id,
    "wallets_payout": lambda row: row.withdrawal.owner_id,
    "wallets_proposal": lambda row: row.withdrawal.owner_id,
    "wallets_decision": lambda row: row.withdrawal.owner_id,
    "wallets_bankaccount": lambda row: row.withdrawal.owner_id,
    "wallets_deposit": lambda row: row.owner_id,
    "wallets_account": lambda row: row.owner_id,
    "wallets_entry": lambda row: row.account.owner_id,
    "wallets_transfer": None,
    "orders_order": lambda row: row.owner_id,
    "orders_trade": lambda row: row.buy_order.owner_id,
}


@pytest.mark.parametrize("term", ["12,500.50", "12500.5", "12500.50000000"])
@pytest.mark.one_in(3)
def test_lists_find_an_amount_however_it_is_written(client, ada, term):
    for model in LISTS:
        rows = search_list(client, model, term)
        assert rows, model
        amount = Decimal("12500.5")
        for row in rows:
            if isinstance(row, Transfer):
                assert amount in {abs(leg.amount) for leg in row.entries.all()}
            elif isinstance(row, Entry):
                assert abs(row.amount) == amount
            elif isinstance(row, Account):
                assert row.balance == amount
            elif isinstance(row, Order):
                assert row.amount == amount
            elif isinstance(row, Trade):
                assert row.buyer_value == amount
            else:
                assert getattr(row, "withdrawal", row).amount == amount
        assert search_list(client, model, "12,500.51") == [], model


def test_a_payout_is_found_by_what_reaches_the_bank(client, ada):
    sent = Withdrawal.objects.get(owner_id=ada.owner_id)
    assert sent.disburse_amount != sent.amount
    for model in ("wallets_withdrawal", "wallets_payout"):
        [row] = search_list(client, model, f"{sent.disburse_amount:,.2f}")
        assert row.pk == sent.pk


def test_a_payout_is_found_by_the_providers_id(client, ada):
    payout = Payout.objects.get(withdrawal__owner_id=ada.owner_id)
    Payout.objects.filter(pk=payout.pk).update(provider_id="26251")
    assert search_list(client, "wallets_payout", "26251") == [payout]
    assert search_list(client, "wallets_payout", "2625") == []


def test_the_ids_of_a_member_and_of_an_organisation_find_their_withdrawals(client, ada):
    sent = Withdrawal.objects.get(owner_id=ada.owner_id)
    for wanted in (sent.pk, sent.owner_id, sent.organisation_id):
        for model in ("wallets_withdrawal", "wallets_payout"):
            assert [row.pk for row in search_list(client, model, str(wanted))] == [sent.pk], wanted


def test_an_email_finds_records_of_its_members_in_every_organisation(client, ada):
    other = Withdrawal.objects.exclude(owner_id=ada.owner_id).get()
    assert other.organisation_id != ada.organisation.pk
    Member.objects.filter(pk=str(other.member_id)).update(email="ada.obi@acme.example")
    rows = search_list(client, "wallets_withdrawal", "ada.obi@acme.example")
    assert {row.owner_id for row in rows} == {ada.owner_id, other.owner_id}


def test_lists_find_records_by_a_members_email(client, ada):
    for model, owner in LISTS.items():
        rows = search_list(client, model, "ada.obi@acme.example")
        assert rows, model
        if owner is not None:
            assert {owner(row) for row in rows} == {ada.owner_id}, model
        else:
            legs = [{leg.account.owner_id for leg in row.entries.all()} for row in rows]
            assert all(ada.owner_id in owners for owners in legs)
        assert search_list(client, model, "nobody@acme.example") == [], model
        # Only complete addresses match.
        assert search_list(client, model, "obi@acme.example") == [], model


def test_an_organisations_email_finds_its_own_records(client):
    store_bank_list()
    wallet = make_member_wallet(900)
    wallet.organisation.email = "ops@acme.example"
    wallet.organisation.save()
    own = Wallet(wallet.organisation).fund(800).request(500)
    wallet.request(600)
    assert search_list(client, "wallets_withdrawal", "OPS@acme.example") == [own]


def test_loans_and_quotes_are_found_by_their_amounts(client):
    lending = make_lending()
    loan = lending.lend()
    lending.set_price(9_876)
    assert search_list(client, "credit_loan", "840,000") == [loan]
    assert search_list(client, "credit_loan", "1596000.00") == [loan]
    assert search_list(client, "credit_loan", lending.borrower.member.email) == [loan]  # type: ignore[union-attr]
    assert search_list(client, "credit_loan", "840,001") == []
    [quote] = search_list(client, "exchange_quote", "9,876")
    assert quote.sell == 9876


def test_amounts_in_long_lists_are_searched_among_recent_records(client, ada, monkeypatch):
    long = ("wallets_entry", "wallets_transfer", "orders_order", "orders_trade",
            "wallets_decision", "wallets_bankaccount")  # fmt: skip
    assert all(search_list(client, model, "12,500.50") for model in long)
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off")
        for model in (Entry, Order):
            plan = model._default_manager.filter(search.recent_condition(), amount=5).explain()
            # The index depends on the statistics that other tests have left.
            assert "Index Cond: (id >= " in plan, plan
    # Make all of them older than that.
    monkeypatch.setattr(search, "RECENT_PERIOD", -timedelta(hours=1))
    assert [model for model in long if search_list(client, model, "12,500.50")] == []
    assert search_list(client, "wallets_withdrawal", "12,500.50")


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("12,500.50", "12500.5"),
        ("12500.5", "12500.5"),
        ("1,234,567", "1234567"),
        ("0.00000001", "0.00000001"),
        ("1000000000000000", "1000000000000000"),
    ],
)
def test_typed_amounts_are_parsed(text, amount):
    assert parse_typed_amount(text) == Decimal(amount)


@pytest.mark.parametrize(
    "text",
    ["", "0", "-5", "12,50", "1,2345", "0690000031", ",500", "1.", ".5", "1e5", "٣", "NaN",
     "1000000000000000.1", "0.000000001", "12 500", "12500,50"],
)  # fmt: skip
def test_other_texts_are_not_amounts(text):
    assert parse_typed_amount(text) is None


@given(st.text(max_size=40))
def test_any_text_can_be_parsed_for_amounts(text):
    parse_typed_amount(text)
