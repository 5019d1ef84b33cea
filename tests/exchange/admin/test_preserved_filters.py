"""List filters and page are preserved while a record is opened and decided."""

import re
from decimal import Decimal
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib import admin
from django.contrib.admin.utils import quote
from django.test import Client
from django.urls import reverse

from tests.factories.back_office import (
    current_flag_codes,
    submit_confirmation,
)
from tests.factories.every_record import make_every_record
from tests.factories.logins import sign_in
from tests.factories.staff import create_superuser
from tests.factories.wallets import (
    OVERRIDE,
    Wallet,
    make_approved_withdrawal,
    make_member_wallet,
    make_staff,
    store_bank_list,
)
from wallets.deposits.models import Deposit
from wallets.deposits.services import manual as deposits
from wallets.ledger.models import Account
from wallets.payouts.models import Proposal
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db

QUERY = "o=1&p=1"


@pytest.fixture
def wallet() -> Wallet:
    store_bank_list()
    return make_member_wallet(50_000)


def links(response: Any) -> list[str]:
    assert response.status_code == 200
    return [unescape(found) for found in re.findall(r'href="([^"]*)"', response.content.decode())]


def crumb(response: Any) -> str:
    """Where the page's breadcrumb leads for its list."""
    found = re.search(r'<nav class="breadcrumbs".*?</nav>', response.content.decode(), re.S)
    assert found is not None
    return unescape(re.findall(r'href="([^"]*)"', found.group())[1])


def same(address: str, wanted: str) -> bool:
    """Whether two addresses are of the same list with the same query."""
    one, other = urlsplit(address), urlsplit(wanted)
    return (one.path, parse_qs(one.query)) == (other.path, parse_qs(other.query))


def opened(client: Client, listed: str, record: Any) -> tuple[str, Any]:
    """The address under which `listed` leads to the page of `record`, and that page."""
    meta = record._meta
    page = reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[quote(record.pk)])
    (address,) = {link for link in links(client.get(listed)) if link.startswith(page)}
    return address, client.get(address)


@pytest.mark.slow
def test_every_record_links_back_to_its_filtered_list():
    make_every_record()
    client = Client()
    sign_in(client, create_superuser("looker", password="x"))
    seen = set()
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        listed = f"{reverse(f'{name}_changelist')}?{QUERY}"
        rows = client.get(listed).context["cl"].result_list
        if not rows:
            continue
        address, page = opened(client, listed, rows[0])
        assert same(crumb(page), listed), name
        record = reverse(f"{name}_change", args=[quote(rows[0].pk)]).removesuffix("change/")
        for link in links(page):
            # Its own pages that ask something, and those lead back as well.
            if link.startswith(record) and "download" not in link:
                further = client.get(link)
                assert further.status_code in {200, 302}, link
                if further.status_code == 302:
                    # Also from an empty queue to the first page of the list.
                    empty = same(further["Location"], listed.replace("&p=1", ""))
                    assert empty or "_changelist_filters" in further["Location"], link
                elif further["Content-Type"].startswith("text/html"):  # no file
                    assert same(crumb(further), listed), link
                    assert address in links(further), link
                    seen.add(link.partition("?")[0].rstrip("/").rpartition("/")[2])
    assert seen >= {"approve", "confirm", "decline", "details", "edit", "history", "reject"}, seen


def test_deciding_a_withdrawal_returns_to_the_saved_view(wallet, finance):
    made = wallet.request(500)
    address = reverse("admin:wallets_withdrawal_changelist")
    listed = f"{address}?view=awaiting_my_approval&currency__code__exact=KES"
    address, page = opened(finance, listed, made)
    (step,) = {link for link in links(page) if "/approve/" in link}
    asked = finance.get(step)
    assert address in links(asked)
    done = submit_confirmation(finance, step, at=asked, override=OVERRIDE)
    assert done["Location"] == address
    made.refresh_from_db()
    assert made.status == "Approved"
    assert same(crumb(finance.get(done["Location"])), listed)


def test_a_refused_decision_keeps_the_list_too(wallet, finance):
    made = wallet.request(500)
    listed = f"{reverse('admin:wallets_withdrawal_changelist')}?view=awaiting_my_approval&p=1"
    address, page = opened(finance, listed, made)
    (step,) = {link for link in links(page) if "/reject/" in link}
    response = finance.post(
        step, {"version": made.version + 1, "reason": "No, checked with the bank"}
    )
    assert response["Location"] == address
    made.refresh_from_db()
    assert made.status == "Pending"


def test_bulk_decisions_return_to_the_list(wallet, finance):
    made = [wallet.request(500), wallet.request(600)]
    wallet.request(1000)
    listed = f"{reverse('admin:wallets_withdrawal_changelist')}?amount_to=700&status=Pending"
    asked = finance.post(
        listed,
        {"action": "approve_selected", "_selected_action": [str(row.pk) for row in made]},
        follow=True,
    )
    assert any(same(link, listed) for link in links(asked))
    action = unescape(re.findall(r'action="([^"]*/decide/[^"]*)"', asked.content.decode())[0])
    rows = [f"{row.pk}:{row.version}" for row in made]
    seen = [f"{row.pk}:{code}" for row in made for code in current_flag_codes(row)]
    body = {"decision": "approve", "row": rows, "seen": seen}
    done = finance.post(action, body, follow=True)
    assert Withdrawal.objects.filter(status="Approved").count() == 2
    assert any(same(link, listed) for link in links(done))
    incomplete = finance.post(action, {"decision": "approve"})
    assert same(incomplete["Location"], listed)


def test_saving_and_confirming_on_other_pages_return_too(wallet, finance):
    deposit = deposits.enter(
        payment=deposits.IncomingPayment(
            wallet.organisation.pk, wallet.member_id, "KES", Decimal(750), "wire 7"
        ),
        user=make_staff("add_deposit"),
    )
    listed = f"{reverse('admin:wallets_deposit_changelist')}?status__exact=Pending&p=1"
    address, page = opened(finance, listed, Deposit.objects.get(pk=deposit.pk))
    (step,) = {link for link in links(page) if "/confirm/" in link}
    done = submit_confirmation(finance, step)
    assert done["Location"] == address
    assert Deposit.objects.get(pk=deposit.pk).status == "Completed"
    assert same(crumb(finance.get(address)), listed)


def test_a_proposal_made_on_the_page_keeps_the_list(wallet, finance):
    made = make_approved_withdrawal(wallet, 500)
    listed = f"{reverse('admin:wallets_withdrawal_changelist')}?status=Approved"
    address, page = opened(finance, listed, made)
    (action,) = re.findall(r'action="([^"]*/propose/[^"]*)"', page.content.decode()) or [""]
    if not action:  # nothing can be proposed about one that is about to be sent
        action = f"{address.replace('/change/', '/propose/')}"
    done = finance.post(
        unescape(action), {"action": "Return", "reason": "The client asked, checked with the bank"}
    )
    assert done["Location"] == address
    assert not Proposal.objects.exists() or Proposal.objects.get().withdrawal == made


def test_the_export_leads_back_to_what_it_exports(wallet, finance):
    wallet.request(500)
    listed = f"{reverse('admin:wallets_withdrawal_changelist')}?status=all&q=Ada"
    (export,) = {link for link in links(finance.get(listed)) if "withdrawal/export/" in link}
    page = finance.get(export)
    assert same(crumb(page), listed)
    assert [link for link in links(page) if same(link, listed)][1:], "and by Go back"


def test_a_page_that_was_opened_from_no_list_leads_to_the_whole_list(wallet, finance):
    made = wallet.request(500)
    page = finance.get(reverse("admin:wallets_withdrawal_change", args=[made.pk]))
    assert crumb(page) == reverse("admin:wallets_withdrawal_changelist")
    assert "_changelist_filters" not in page.content.decode()


@pytest.mark.parametrize(
    "given",
    ["//evil.example/", "https://evil.example/?a=1", "a=1&b=%0d%0aX: y", '"><script>', "&&"],
)
def test_forged_filters_cannot_redirect_elsewhere(wallet, finance, given):
    made = wallet.request(500)
    page = finance.get(
        reverse("admin:wallets_withdrawal_change", args=[made.pk]), {"_changelist_filters": given}
    )
    assert urlsplit(crumb(page)).path == reverse("admin:wallets_withdrawal_changelist")
    assert "<script>" not in page.content.decode()
    response = finance.post(
        reverse("admin:wallets_withdrawal_approve", args=[made.pk])
        + "?_changelist_filters=%2F%2Fevil.example%2F%0d%0aSet-Cookie:x",
        {"version": 7},
    )
    assert response.status_code == 302
    assert urlsplit(response["Location"]).netloc == ""
    assert "Set-Cookie" not in response.headers or "x" not in response.headers["Set-Cookie"]


def test_links_with_their_own_filters_are_not_changed(finance, wallet):
    account = Account.objects.get(owner_id=wallet.owner_id, kind="available")
    accounts = reverse("admin:wallets_account_changelist")
    _, page = opened(finance, f"{accounts}?kind__exact=available", account)
    [whole] = [tool.url for tool in page.context["tools"] if tool.label == "Whole wallet"]
    assert whole == f"{accounts}?owner_id={wallet.owner_id}"
