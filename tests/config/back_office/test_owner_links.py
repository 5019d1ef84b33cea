"""Links from a member or an organisation lead to what is theirs, never to a namesake's."""

import re
from dataclasses import dataclass
from html import unescape
from typing import Any
from uuid import UUID

import pytest
from django.db import models
from django.test import Client
from django.urls import resolve, reverse

from config.back_office.roles import FINANCE_APPROVER
from credit.loans.models import Loan
from credit.loans.services.lending import create_loan
from exchange.participants.models import Member
from orders.book.models import Order
from tests.factories.api_clients import TESTER, make_member
from tests.factories.back_office import signed_in_client, text_of
from tests.factories.lending import Lending, make_lending
from tests.factories.tokens import give_units
from tests.factories.traders import Trader
from tests.factories.wallets import Wallet, store_bank_list
from wallets.deposits.models import Deposit
from wallets.ledger.models import Account, Entry
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db

# Lists linked from an owner's page, and how each row refers to the owner.
OWNER_OF = {
    Account: lambda row: row.owner_id,
    Deposit: lambda row: row.owner_id,
    Entry: lambda row: row.account.owner_id,
    Withdrawal: lambda row: row.owner_id,
    Order: lambda row: row.owner_id,
    Loan: lambda row: row.borrower_id,
}


@dataclass
class Namesake:
    """One of several namesakes, with a record of every kind."""

    wallet: Wallet
    pages: list[models.Model]


def make_namesake(lending: Lending, organisation: Any = None) -> Namesake:
    """Create a member named Ada Obi with a withdrawal, orders and a loan."""
    organisation = organisation or lending.creditor.organisation
    member = make_member(organisation)
    Member.objects.filter(pk=member.pk).update(name="Ada Obi")
    wallet = Wallet(organisation, Member.objects.get(pk=member.pk))
    wallet.fund(5000, "KES").fund(100_000, "NGN")
    withdrawal = wallet.request(500)
    order = Trader(wallet).place(lending.token, "Buy", 100, 1)
    give_units(lending.token, wallet, 300)
    loan = create_loan(
        organisation_id=organisation.pk,
        request=lending.request(user_id=wallet.member_id),
        actor=TESTER,
    )
    account = Account.objects.get(owner_id=wallet.owner_id, asset="KES", kind="available")
    deposit = Deposit.objects.filter(owner_id=wallet.owner_id).earliest("pk")
    return Namesake(
        wallet,
        [wallet.member, withdrawal, Order.objects.get(pk=order), loan, account, deposit],  # type: ignore[list-item]
    )


def links_to_lists(client: Client, page: models.Model) -> set[str]:
    """Return the filtered lists linked from the page of a record."""
    meta = page._meta
    address = reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[page.pk])
    response = client.get(address)
    assert response.status_code == 200
    body = response.content.decode()
    found = {unescape(link) for link in re.findall(r'href="(/admin/[^"]*\?[^"]+)"', body)}
    names = {link: str(resolve(link.partition("?")[0]).url_name) for link in found}
    return {link for link, name in names.items() if name.endswith("list")}


def rows_of(client: Client, link: str) -> list[Any]:
    response = client.get(link)
    assert response.status_code == 200, link
    assert "A filter is not valid" not in response.content.decode(), link
    return list(response.context["cl"].result_list)


@pytest.fixture
def lending() -> Lending:
    store_bank_list()
    made = make_lending()
    made.creditor.fund(20_000_000, "NGN")
    return made


@pytest.mark.slow
def test_links_about_a_member_never_lead_to_a_namesake(lending, finance):
    ada = make_namesake(lending)
    in_the_same = make_namesake(lending, ada.wallet.organisation)
    awaiting_others = make_namesake(lending, lending.borrower.organisation)
    for one in (ada, in_the_same, awaiting_others):
        others = {other.wallet.owner_id for other in (ada, in_the_same, awaiting_others)}
        others.remove(one.wallet.owner_id)
        reached: dict[type[models.Model], set[UUID]] = {}
        for page in one.pages:
            for link in links_to_lists(finance, page):
                assert "Ada" not in link, "by name"
                for row in rows_of(finance, link):
                    if type(row) in OWNER_OF and str(lending.token.pk) not in link:
                        owner = OWNER_OF[type(row)](row)
                        assert owner not in others, (page, link)
                        reached.setdefault(type(row), set()).add(owner)
        # Each kind is reached, so that no link can pass by showing nothing.
        assert reached == {model: {one.wallet.owner_id} for model in OWNER_OF}


def test_the_withdrawals_of_a_member_are_shown_in_every_status(lending, finance):
    ada = make_namesake(lending)
    ended = ada.wallet.request(100)
    decisions.cancel(
        withdrawal_id=ended.pk, organisation_id=ada.wallet.organisation.pk, actor=TESTER
    )
    shown = [
        {row.status for row in rows_of(finance, link)}
        for link in links_to_lists(finance, ada.pages[0])
        if link.startswith(reverse("admin:wallets_withdrawal_changelist"))
    ]
    assert shown == [{"Pending", "Cancelled"}]


def test_links_about_an_organisation_never_lead_to_another_of_its_name(lending, finance):
    first, second = lending.creditor.organisation, lending.borrower.organisation
    type(first).objects.filter(pk__in=[first.pk, second.pk]).update(name="Acme")
    for wallet in (lending.creditor, Wallet(second)):
        wallet.fund(3000, "KES").request(500)
        Trader(wallet.fund(1000, "NGN")).place(lending.token, "Buy", 100, 1)
    for organisation in (first, second):
        reached = set()
        for link in links_to_lists(finance, organisation):
            assert "Acme" not in link
            for row in rows_of(finance, link):
                reached.add(type(row))
                if isinstance(row, Entry):
                    assert row.account.organisation_id == organisation.pk, link
                elif isinstance(row, Loan):
                    assert organisation.pk in {row.organisation_id, row.creditor_id}, link
                elif hasattr(row, "organisation_id"):
                    assert row.organisation_id == organisation.pk, link
        assert reached >= {Account, Deposit, Entry, Withdrawal, Order}


def test_the_list_says_whose_withdrawals_it_shows(lending):
    ada = make_namesake(lending)
    link = next(
        link
        for link in links_to_lists(signed_in_client(FINANCE_APPROVER), ada.pages[0])
        if "/wallets/withdrawal/" in link
    )
    assert f"owner_id={ada.wallet.owner_id}" in link
    page = signed_in_client(FINANCE_APPROVER, "another").get(link)
    assert "Also filtered by: owner Ada Obi" in text_of(page)
