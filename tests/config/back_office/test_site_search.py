"""The search on every page: what it finds, for whom, and how it stays within its bounds."""

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.db import OperationalError, connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoDbBlocker

from config.back_office import search
from config.back_office.roles import ADMINISTRATOR, AUDITOR, ROLES
from exchange.admin import site_search
from exchange.admin.site_search import (
    MAX_LENGTH,
    ROWS,
    SearchTerm,
    parse_search,
)
from exchange.core.time_limits import read_within
from exchange.participants.models import Member, Organisation
from exchange.staff.models import StaffUser
from tests.environment.module_transaction import module_transaction
from tests.environment.owner import as_owner
from tests.factories.api_clients import make_member
from tests.factories.back_office import signed_in_client, text_of, user_of
from tests.factories.customers import Customer, make_customer
from tests.factories.deposits import arrive, transaction_record
from tests.factories.staff import create_superuser
from tests.factories.traders import Trader, make_trader
from wallets.deposits.admin.site_search import DEPOSITS
from wallets.deposits.models import Payment
from wallets.deposits.selectors import find_deposit_ids
from wallets.deposits.services import manual as deposits
from wallets.ledger.models import Account, Transfer
from wallets.providers.collection import Payer

pytestmark = pytest.mark.django_db

MOST_QUERIES = 30
# Kinds of records that each permission lets a person find.
KIND_OF = {
    "exchange.view_member": "Members",
    "exchange.view_organisation": "Organisations",
    "exchange.view_staffuser": "Staff users",
    "exchange.view_apikey": "API keys",
    "exchange.view_token": "Tokens",
    "wallets.view_withdrawal": "Withdrawals",
    "wallets.view_deposit": "Deposits",
    "wallets.view_virtualaccount": "Virtual accounts",
    "wallets.view_payment": "Payments",
    "wallets.view_wallettransfer": "Wallet transfers",
    "wallets.view_conversion": "Conversions",
    "orders.view_order": "Orders",
    "orders.view_trade": "Trades",
    "credit.view_loan": "Loans",
    "credit.view_loanconfiguration": "Loan configurations",
    "wallets.view_transfer": "Ledger transfers",
    "exchange.view_event": "Events",
}


@pytest.fixture(scope="module")
def ada(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Customer]:
    with module_transaction(django_db_blocker):
        yield make_customer()


def look_for(client: Client, text: str) -> dict[str, list[str]]:
    """Return the texts of the links that a search of the signed-in user finds, by kind."""
    return look_for_as(user_of(client), text)


def look_for_as(user: StaffUser, text: str) -> dict[str, list[str]]:
    request = RequestFactory().get(reverse("admin:search"), {"q": text})
    request.user = user
    found = search.search(admin.site, request, parse_search(text))
    assert found.cut_short == []
    return {
        section.title: [unescape(re.sub("<[^>]+>", "", str(row[0]))) for row in section.rows]
        for section in found.sections
    }


@pytest.mark.slow
def test_people_are_found_by_words_of_their_names_and_by_email(ada):
    Member.objects.filter(pk=ada.other.pk).update(name="Bisi Ade-Ojo", email="bisi@acme.example")
    client = signed_in_client(ADMINISTRATOR, "obi.staff")
    assert look_for(client, "obi ADA")["Members"] == ["Ada Obi"]
    assert look_for(client, "Obi ad")["Members"] == ["Ada Obi"]
    assert "Members" not in look_for(client, "ob ada")
    for text in ("ojo", "Ade-Ojo Bi", "(bisi) ade-oj", "ade' - ojo!"):
        assert look_for(client, text) == {"Members": ["Bisi Ade-Ojo"]}, text
    assert look_for(client, "jo") == {}
    assert look_for(client, "Obi")["Staff users"] == ["obi.staff"]
    assert look_for(client, "ADA.OBI@acme.example") == {"Members": ["Ada Obi"]}
    assert look_for(client, "ops@ACME.example") == {"Organisations": ["Acme"]}
    assert look_for(client, "obi@acme.example") == {}
    assert look_for(client, "acm")["Organisations"] == ["Acme"]
    assert look_for(client, "CUST-0017") == {"Members": ["Ada Obi"]}


def references(ada: Customer) -> dict[str, str]:
    """The references of every subject, and the kind that each of them finds."""
    return {
        ada.withdrawal.reference: "Withdrawals",
        "salary-4": "Withdrawals",
        ada.withdrawal.bank.account_number: "Withdrawals",
        ada.deposit.reference: "Deposits",
        ada.deposit.payer_account: "Deposits",
        ada.account.account_number: "Virtual accounts",
        ada.account.reference: "Virtual accounts",
        str(ada.deposit.payment.transaction_id): "Payments",
        ada.deposit.payment.provider_reference: "Payments",
        "move-1": "Wallet transfers",
        "desk-9": "Orders",
        "loan-77": "Loans",
        f"withdrawal:{ada.withdrawal.pk}:hold": "Ledger transfers",
        ada.organisation.api_keys.get().client_id: "API keys",
        ada.order.token.symbol.lower(): "Tokens",
        "savannah": "Tokens",
    }


def test_references_and_account_numbers_are_found_in_every_subject(ada, auditor):
    for text, kind in references(ada).items():
        found = look_for(auditor, text)
        assert len(found.get(kind, [])) == 1, (text, found)
        assert look_for(auditor, f"{text}x") == {}, text


def test_the_reference_of_a_failed_deposit_is_found(ada):
    staff = create_superuser()
    payment = deposits.IncomingPayment(ada.organisation.pk, None, "KES", Decimal(5), "BANK-X")
    for _ in range(2):
        entered = deposits.enter(payment=payment, user=staff)
        deposits.cancel(deposit_id=entered.pk, user=staff)
    found = look_for_as(staff, "BANK-X")
    assert {kind: len(rows) for kind, rows in found.items()} == {"Deposits": 2}
    assert len(find_deposit_ids("BANK-X")) == 2


def test_a_payment_without_an_owner_is_found_by_our_reference_and_amount(ada, auditor):
    arrive(transaction_record("mistyped", "43.21", currency="KES"))
    for text in ("mistyped", "43.21", "43.21 KES"):
        found = look_for(auditor, text)
        assert {kind: len(rows) for kind, rows in found.items()} == {"Payments": 1}, text
    assert look_for(auditor, "43.21 NGN") == {}


@pytest.mark.slow
def test_payees_payers_and_beginnings_of_references_are_found(ada, auditor):
    payer = Payer("Forrest Green", "Equity Bank", "******4821")
    paid = arrive(transaction_record(ada.account.reference, "60", currency="KES", payer=payer))
    arrive(transaction_record("invoice-127300", "43.21", currency="KES", payer=payer))
    unmatched = f"Payment {Payment.objects.get(tx_ref='invoice-127300')} of 43.21 KES"
    credited = f"Payment {paid} of 60.00 KES"
    for text in ("forrest green", "Green For", "equity b", "green equity"):
        assert look_for(auditor, text) == {
            "Deposits": ["60.00 KES for Ada Obi"], "Payments": [unmatched, credited],
        }, text  # fmt: skip
    assert look_for(auditor, "invoice-127300") == {"Payments": [unmatched]}
    # That of one that was credited, too.
    assert look_for(auditor, ada.account.reference)["Payments"][0] == credited
    payee = ada.withdrawal.bank.account_name
    assert look_for(auditor, payee)["Withdrawals"] == ["500.00 KES to Ada Obi"]
    assert look_for(auditor, f"{payee}x").get("Withdrawals") is None
    references = {"Withdrawals": ada.withdrawal.reference, "Deposits": ada.deposit.reference}
    for kind, reference in references.items():
        beginning = reference[:14]
        assert len(look_for(auditor, beginning)[kind]) == 1
        assert look_for(auditor, f"{beginning}_") == {}
    for text in ("payout_", "payout_ab", "deposit_"):
        assert look_for(auditor, text) == {}


def test_an_id_finds_the_record_of_any_kind_and_what_is_about_it(ada, auditor):
    for record, kind in (
        (ada.member, "Members"),
        (ada.organisation, "Organisations"),
        (ada.deposit, "Deposits"),
        (ada.account, "Virtual accounts"),
        (ada.transfer, "Wallet transfers"),
        (ada.conversion, "Conversions"),
        (ada.order, "Orders"),
        (ada.loan, "Loans"),
        (ada.order.token, "Tokens"),
        (user_of(auditor), "Staff users"),
    ):
        assert len(look_for(auditor, str(record.pk))[kind]) == 1, kind
    found = look_for(auditor, str(ada.withdrawal.pk).upper())
    hold = Transfer.objects.get(subject_id=ada.withdrawal.pk)
    assert found == {
        "Withdrawals": ["500.00 KES to Ada Obi"],
        "Ledger transfers": [f"Withdrawal hold of {hold.created_at:%Y-%m-%d %H:%M:%S} UTC"],
        "Events": ["withdrawal.created to Acme"],
    }
    account = Account.objects.filter(owner_id=ada.member.pk).first()
    assert account is not None
    assert look_for(auditor, str(account.pk)) == {"Other records": [str(account.pk)]}
    assert look_for(auditor, str(Transfer(kind="").pk)) == {}


def test_a_client_reference_that_is_a_uuid_is_found(ada):
    text = "7d5a2f0e-9a61-4f77-8f0a-0a3a3e3f9a11"
    made = ada.wallet.request(100, client_reference=text)
    assert look_for(signed_in_client(AUDITOR), text) == {
        "Withdrawals": [f"100.00 KES to {made.bank.account_name}"]
    }


def test_amounts_are_found_with_and_without_their_currency(ada, auditor):
    net = f"{ada.withdrawal.disburse_amount:,.2f}"
    for text in ("500", "500.00 KES", "kes 500", net, f"{net}KES"):
        assert look_for(auditor, text)["Withdrawals"] == ["500.00 KES to Ada Obi"], text
    assert "Withdrawals" not in look_for(auditor, "500 NGN")
    assert set(look_for(auditor, "250 KES")) == {"Deposits"}
    assert set(look_for(auditor, "200.00")) == {"Wallet transfers"}
    assert set(look_for(auditor, "129 kes")) == {"Conversions"}
    assert set(look_for(auditor, "840,000")) == {"Loans"}
    assert set(look_for(auditor, "1,596,000 NGN")) == {"Loans"}
    assert look_for(auditor, "500.01") == {}


def test_orders_and_trades_are_searched_for_amounts_among_the_newest(monkeypatch, auditor):
    issuer, buyer = make_trader(), make_trader(50_000)
    token = issuer.issue()
    issuer.place(token, "Sell", 777, 10)
    buyer.place(token, "Buy", 777, 10)
    code = token.currency_id
    for text in ("7,770", f"7770 {code}"):
        assert {kind: len(rows) for kind, rows in look_for(auditor, text).items()} == {
            "Orders": 2, "Trades": 1,
        }  # fmt: skip
    Trader(buyer.wallet).place(token, "Buy", 1, 10)
    monkeypatch.setattr(site_search, "RECENT_ROWS", 1)
    assert set(look_for(auditor, "7770")) == {"Trades"}


def test_each_kind_is_found_by_those_who_may_view_it_only(ada, auditor):
    user = user_of(auditor)
    user.groups.clear()
    issuer = make_trader()
    issuer.place(issuer.issue(), "Sell", 10, 5)
    everything = [
        "salary-4", "move-1", "desk-9", "savannah", "Ada", "Acme", "Reports", "250", "129",
        "loan-77",
        ada.account.reference, ada.deposit.payment.provider_reference, str(ada.withdrawal.pk),
        str(user.pk), "10",
    ]  # fmt: skip
    pages = {model._meta.label_lower for model in admin.site._registry}
    for permission, kind in KIND_OF.items():
        app, _, codename = permission.partition(".")
        assert f"{app}.{codename.removeprefix('view_')}" in pages
        granted = Permission.objects.get(content_type__app_label=app, codename=codename)
        with as_owner():
            user.user_permissions.set([granted])
        person = StaffUser.objects.get(pk=user.pk)
        found = {title for text in everything for title in look_for_as(person, text)}
        assert found <= {kind}, permission
        assert found or kind in {"Trades", "Loan configurations"}, permission
    with as_owner():
        user.user_permissions.clear()
    assert {title for text in everything for title in look_for(auditor, text)} == set()


@pytest.mark.parametrize("role", list(ROLES))
@pytest.mark.one_in(3)
def test_every_role_finds_the_kinds_that_it_may_view(role, ada):
    client = signed_in_client(role, "obi.viewer")
    visible = {kind for permission, kind in KIND_OF.items() if permission in ROLES[role]}
    # Without its currency, 129 is also part of the name of a numbered record.
    texts = ("obi", "salary-4", ada.deposit.reference, "129 kes", str(ada.withdrawal.pk))
    found = {title for text in texts for title in look_for(client, text)}
    assert found == visible & {
        "Members", "Staff users", "Withdrawals", "Deposits", "Payments", "Conversions",
        "Ledger transfers", "Events",
    }  # fmt: skip


def test_results_are_limited_and_lead_to_the_list(ada, auditor):
    for _ in range(ROWS + 1):
        make_member(ada.organisation)
    page = auditor.get(reverse("admin:search"), {"q": "ada"})
    [members] = [one for one in page.context["found"].sections if one.title == "Members"]
    assert len(members.rows) == ROWS
    assert members.more.url == f"{reverse('admin:exchange_member_changelist')}?q=ada"
    assert f"The first {ROWS}." in text_of(page)
    assert auditor.get(members.more.url).status_code == 200


def test_the_search_takes_a_bounded_number_of_queries(ada, auditor):
    texts = ("ada", "ada@acme.example", "500", "500 KES", str(ada.withdrawal.pk), "nothing-at-all")
    for text in texts:
        with CaptureQueriesContext(connection) as queries:
            auditor.get(reverse("admin:search"), {"q": text})
        assert len(queries) <= MOST_QUERIES, text


HOSTILE = [
    "%", "_", "'", '"', "\\", "';--", "%q", "{}", "&|!:*", "a" * MAX_LENGTH, "مريم", "\u202eAda",
    "<script>alert(1)</script>", "1e9", "-5", "99999999999999999999", "0.0", "NGN", "5 XXX",
    "12,50 NGN", "@", "@@", "q@", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
]  # fmt: skip


@pytest.mark.slow
def test_hostile_text_finds_nothing_and_breaks_nothing(ada, auditor):
    for text in HOSTILE:
        page = auditor.get(reverse("admin:search"), {"q": text})
        assert page.status_code == 200, text
        assert page.context["found"].cut_short == [], text
        titles = [section.title for section in page.context["found"].sections]
        named = ["Members", "Withdrawals", "Deposits", "Payments"]
        assert titles == (named if text == "\u202eAda" else []), text


def test_text_that_no_record_can_have_is_refused_in_words(ada, auditor):
    address = reverse("admin:search")
    for text, message in (
        ("a\x00b", "The text contains characters that no record can have"),
        ("x" * (MAX_LENGTH + 1), f"Enter at most {MAX_LENGTH} characters"),
    ):
        page = auditor.get(address, {"q": text})
        assert page.status_code == 200
        assert message in text_of(page)
        assert page.context["found"].sections == ()
    # Bytes that are not UTF-8.
    assert auditor.get(f"{address}?q=%ED%A0%80%FF").status_code == 200
    for empty in ("", "   "):
        page = auditor.get(address, {"q": empty})
        assert "Nothing found" not in text_of(page)
    assert auditor.post(address, {"q": "ada"}).status_code == 405


def test_what_is_found_and_typed_is_escaped(ada, auditor):
    hostile = '<img src=x onerror="alert(1)">'
    Member.objects.filter(pk=ada.member.pk).update(name=hostile, email="x@acme.example")
    Organisation.objects.filter(pk=ada.organisation.pk).update(name=hostile)
    for text in (hostile, "x@acme.example", "salary-4"):
        body = auditor.get(reverse("admin:search"), {"q": text}).content.decode()
        assert "<img src=x" not in body
    assert "&lt;img src=x" in body


def slow_read(connection_sleep: float) -> Callable[[], str]:
    def read() -> str:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(%s)", [connection_sleep])
        return "read"

    return read


def test_a_part_that_takes_too_long_is_cut_short_and_the_others_are_not():
    results = read_within([slow_read(0), slow_read(30), slow_read(0)], milliseconds=100, seconds=60)
    assert results == ["read", None, "read"]
    # The limit ends with the search.
    assert slow_read(0.2)() == "read"


def test_parts_after_the_total_time_are_not_started():
    assert read_within([slow_read(0)] * 2, milliseconds=100, seconds=0) == [None, None]


def test_other_errors_are_not_taken_for_slowness():
    def broken() -> None:
        raise OperationalError

    with pytest.raises(OperationalError):
        read_within([broken], milliseconds=100, seconds=60)


def test_the_page_names_the_kinds_that_were_cut_short(ada, monkeypatch):
    find = site_search.SearchKind.find

    def slow(kind: Any, rows: Any, term: SearchTerm) -> Any:
        if kind is DEPOSITS:
            slow_read(30)()
        return find(kind, rows, term)

    monkeypatch.setattr(site_search.SearchKind, "find", slow)
    monkeypatch.setattr(search, "STATEMENT_MILLISECONDS", 150)
    page = signed_in_client(AUDITOR).get(reverse("admin:search"), {"q": "salary-4"})
    assert page.context["found"].cut_short == ["Deposits"]
    assert "Not all records were searched, because it took too long: Deposits." in text_of(page)
    assert [section.title for section in page.context["found"].sections] == ["Withdrawals"]


def test_every_page_has_the_field_and_it_keeps_the_text(ada, auditor):
    for address in (
        reverse("admin:index"),
        reverse("admin:exchange_member_changelist"),
        reverse("admin:exchange_member_change", args=[ada.member.pk]),
    ):
        body = auditor.get(address).content.decode()
        assert body.count('id="site-search"') == 1
        assert f'action="{reverse("admin:search")}"' in body
    body = auditor.get(reverse("admin:search"), {"q": 'a"b'}).content.decode()
    assert 'id="site-search" value="a&quot;b"' in body
    assert 'id="site-search"' not in Client().get(reverse("admin:login")).content.decode()


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("12,500.50 NGN", "12500.5", "NGN"),
        ("ngn12500.50", "12500.5", "NGN"),
        ("12,500.50", "12500.5", ""),
        ("12,50 NGN", None, ""),
        ("5 XXX", None, ""),
        ("0 NGN", None, ""),
    ],
)
def test_amounts_with_currencies_are_parsed(text, amount, currency):
    term = parse_search(text)
    assert term.amount == (amount and Decimal(amount))
    assert term.currency == currency


@given(st.text(max_size=60))
def test_any_text_can_be_parsed(text):
    term = parse_search(text)
    assert term.text == text.strip()
    assert term.integer is None or 0 <= term.integer < 2**63
