"""The pages of members and organisations: all that they have, as far as the viewer may view it."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    ROLES,
)
from exchange.participants.admin.owner_records import ROWS
from exchange.participants.models import Member
from orders.freezing.services import freeze_owner
from tests.environment.owner import as_owner
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.back_office import signed_in_client, text_of, user_of
from tests.factories.customers import Customer, make_customer
from tests.factories.treasury import make_debt
from wallets.freezes.models import Freeze

pytestmark = pytest.mark.django_db

MOST_QUERIES = 30
# Tables by the permission that shows them, on the pages of members and of organisations alike.
SHARED = {
    "wallets.view_account": ["Balances", "Units"],
    "orders.view_order": ["Open orders"],
    "credit.view_loan": ["Loans"],
    "wallets.view_withdrawal": ["Withdrawals"],
    "wallets.view_deposit": ["Deposits"],
    "wallets.view_wallettransfer": ["Wallet transfers"],
    "wallets.view_conversion": ["Conversions"],
    "wallets.view_virtualaccount": ["Virtual accounts"],
    "wallets.view_freeze": ["Freezes"],
    "exchange.view_event": ["Events"],
}
OF_ORGANISATIONS = {
    "exchange.view_webhookendpoint": ["Webhook endpoints"],
    "exchange.view_apikey": ["API keys"],
}
# Kinds of records without a place in the timeline.
WITHOUT_TIME = {"wallets.view_account", "exchange.view_webhookendpoint", "exchange.view_event"}


@pytest.fixture
def ada() -> Customer:
    return make_customer()


def page_of(client: Client, owner: Model, page: str = "change", **query: str) -> Any:
    """Return the page of a member or organisation."""
    name = f"admin:exchange_{owner._meta.model_name}_{page}"
    response = client.get(reverse(name, args=[owner.pk]), query)
    assert response.status_code == 200
    return response


def tables(response: Any) -> dict[str, list[list[str]]]:
    """Return the texts of the tables on a page, by their titles."""
    found = {}
    for section in response.context["sections"]:
        if isinstance(section, dict):  # the history
            continue
        rows = [[plain(cell) for cell in row] for row in section.rows]
        found[section.title] = rows
    return found


def plain(cell: object) -> str:
    return unescape(re.sub(r"<[^>]+>", "", str(cell)))


def without_times(rows: list[list[str]]) -> list[list[str]]:
    return [[cell for cell in row if not re.match(r"\d{4}-\d\d-\d\d", cell)] for row in rows]


def grant(client: Client, *permissions: str) -> None:
    """Give the signed-in user these permissions and no other."""
    user = user_of(client)
    user.groups.clear()
    with as_owner():
        user.user_permissions.set(
            Permission.objects.get(content_type__app_label=app, codename=codename)
            for app, _, codename in (permission.partition(".") for permission in permissions)
        )


def test_the_page_of_a_member_shows_exact_balances_and_units(ada):
    shown = tables(page_of(signed_in_client(AUDITOR), ada.member))
    # 2,000 + 250 - 500 - 200 - 129 KES; 100 + 50,000 + 840,000 NGN less what the order reserves.
    balances = {row[0]: row[1:] for row in shown["Balances"]}
    assert balances["KES"] == ["1,421.00", "0.00", "500.00", "0.00", "0.00"]
    reserved = ada.order.reserved
    assert balances["NGN"][0] == f"{890_100 - reserved:,.2f}"
    assert balances["NGN"][3] == f"{reserved:,.2f}"
    assert balances["USD"][0] == f"{ada.conversion.converted_amount:,.2f}"
    symbol = ada.order.token.symbol
    assert shown["Units"] == [[symbol, "895", "0", "105", "10,000.00 NGN", "10,000,000.00 NGN"]]


def test_what_an_owner_owes_is_shown_above_zero():
    debt = make_debt("1000", "KES")
    owner = debt.member
    assert owner is not None
    [balances] = tables(page_of(signed_in_client(AUDITOR), owner))["Balances"]
    assert (balances[0], balances[-1]) == ("KES", "1,000.00")


def test_the_page_of_a_member_shows_each_kind_of_record(ada):
    page = page_of(signed_in_client(AUDITOR), ada.member)
    shown = {title: without_times(rows) for title, rows in tables(page).items()}
    symbol, acme = ada.order.token.symbol, str(ada.organisation)
    assert [row[:3] for row in shown["Open orders"]] == [["Buy", symbol, "1"]]
    assert shown["Loans"] == [
        ["840,000.00 NGN", "1,596,000.00 NGN", "Ada Obi", str(ada.loan.creditor), "Active"]
    ]
    assert [row[0] for row in shown["Withdrawals"]] == [ada.withdrawal.reference]
    assert next(row[-2:] for row in shown["Deposits"]) == ["250.00 KES", "Completed"]
    assert len(shown["Deposits"]) == 4
    assert shown["Wallet transfers"] == [["Ada Obi", acme, "200.00 KES", "move-1"]]
    assert [row[0] for row in shown["Conversions"]] == ["129.00 KES"]
    assert [row[0] for row in shown["Virtual accounts"]] == [ada.account.account_number]
    assert {row[0] for row in shown["Events"]} >= {"withdrawal.created", "deposit.completed"}
    assert not {"Webhook endpoints", "API keys", "Members"} & set(shown)
    assert reverse("admin:credit_loan_change", args=[ada.loan.pk]) in page.content.decode()


def test_the_page_of_an_organisation_shows_the_records_of_its_members_and_whose_they_are(ada):
    shown = {
        title: without_times(rows)
        for title, rows in tables(page_of(signed_in_client(AUDITOR), ada.organisation)).items()
    }
    assert shown["Balances"] == [["KES", "200.00", "0.00", "0.00", "0.00", "0.00"]]
    assert shown["Units"] == []
    assert [row[-1] for row in shown["Withdrawals"]] == ["Ada Obi"]
    assert {row[-1] for row in shown["Deposits"]} == {"Ada Obi"}
    assert {row[0] for row in shown["Members"]} == {"Ada Obi", str(ada.other)}
    assert [row[0] for row in shown["API keys"]] == ["Reports"]
    assert shown["Webhook endpoints"] == [["https://acme.example/hook", "All", "Enabled", "-", "-"]]
    lender = tables(page_of(signed_in_client(AUDITOR, "second"), ada.loan.creditor))
    assert len(lender["Loans"]) == 1


def test_the_record_of_another_owner_is_never_shown(ada):
    shown = tables(page_of(signed_in_client(AUDITOR), ada.other))
    assert {title for title, rows in shown.items() if rows} == set()


def test_the_timeline_has_every_kind_newest_first(ada):
    auditor = signed_in_client(AUDITOR)
    [rows] = tables(page_of(auditor, ada.member, "timeline", webhooks="1")).values()
    assert [row[0] for row in rows] == sorted((row[0] for row in rows), reverse=True)
    assert {row[1] for row in rows} == {
        "Loan", "Order", "Withdrawal", "Deposit", "Wallet transfer", "Conversion",
        "Virtual account", "Freeze", "Event",
    }  # fmt: skip
    assert ["Withdrawal", ada.withdrawal.reference, "500.00 KES", "Pending"] in [
        row[1:] for row in rows
    ]
    # Events repeat what the other rows say, so they are there on request only.
    [without] = tables(page_of(auditor, ada.member, "timeline")).values()
    assert without == [row for row in rows if row[1] != "Event"]
    newest = tables(page_of(auditor, ada.member))["Timeline"]
    assert newest == without[: len(newest)]


def pages_of_timeline(client: Client, owner: Model) -> Iterator[list[list[str]]]:
    """Yield the rows of each page, following the links to older ones."""
    query: dict[str, str] = {}
    for _ in range(50):
        response = page_of(client, owner, "timeline", **query)
        [section] = response.context["sections"]
        yield [[str(cell) for cell in row] for row in section.rows]
        if section.more is None:
            return
        response = client.get(section.more.url)
        assert response.status_code == 200
        query = {"before": response.wsgi_request.GET["before"]}


def test_the_timeline_keeps_webhook_events_on_older_pages(ada, auditor, monkeypatch):
    monkeypatch.setattr("exchange.participants.admin.timeline._PAGE", 3)
    shown = page_of(auditor, ada.member, "timeline", webhooks="1")
    assert "webhooks=1" in shown.context["sections"][0].more.url
    assert [tool.label for tool in shown.context["tools"]] == ["Without webhook events"]
    older = auditor.get(shown.context["sections"][0].more.url)
    assert [tool.label for tool in older.context["tools"]] == ["Without webhook events"]
    shown = page_of(auditor, ada.member, "timeline")
    assert [tool.label for tool in shown.context["tools"]] == ["With webhook events"]


@pytest.mark.slow
def test_pages_of_the_timeline_neither_skip_nor_repeat(ada, monkeypatch, auditor):
    # Many at one moment, which a position by time alone would skip or repeat.
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    made = [make_member(ada.organisation).pk for _ in range(5)]
    Member.objects.filter(pk__in=made).update(created_at=moment)
    for owner in (ada.member, ada.organisation):
        monkeypatch.setattr("exchange.participants.admin.timeline._PAGE", 1_000)
        [whole] = pages_of_timeline(auditor, owner)
        monkeypatch.setattr("exchange.participants.admin.timeline._PAGE", 3)
        pages = list(pages_of_timeline(auditor, owner))
        assert {len(page) for page in pages[:-1]} == {3}
        assert [row for page in pages for row in page] == whole


@pytest.mark.parametrize(
    "before",
    ["x", "~", "2026-01-01", "2026-01-01T00:00:00+00:00~x", "9999-12-31T23:59:59-14:00~x",
     "0001-01-01T00:00:00+14:00~01a21509-4914-73a1-9b05-d95c392a934f", "\x00~\x00"],
)  # fmt: skip
def test_a_position_that_is_none_is_not_found(before, auditor):
    member = make_member(make_organisation())
    address = reverse("admin:exchange_member_timeline", args=[member.pk])
    assert auditor.get(address, {"before": before}).status_code == 404


def test_each_table_is_shown_to_those_who_may_view_its_records_only(ada, auditor):
    for permission, titles in {**SHARED, **OF_ORGANISATIONS}.items():
        grant(auditor, "exchange.view_member", "exchange.view_organisation", permission)
        timeline = [] if permission in WITHOUT_TIME else ["Timeline"]
        expected = [*titles, *timeline] if permission in SHARED else []
        assert list(tables(page_of(auditor, ada.member))) == sorted(expected, key=in_order)
        # Members are on the page of their organisation, and in its timeline.
        shown = list(tables(page_of(auditor, ada.organisation)))
        assert shown == sorted([*titles, "Members", "Timeline"], key=in_order)
        [rows] = tables(page_of(auditor, ada.organisation, "timeline", webhooks="1")).values()
        assert {row[1] for row in rows} - {"Member"} == timeline_labels(permission)


ORDER = [
    "Webhook endpoints", "Balances", "Units", "Timeline", "Open orders", "Loans", "Withdrawals",
    "Deposits", "Wallet transfers", "Conversions", "Virtual accounts", "Freezes", "Members",
    "API keys", "Events",
]  # fmt: skip


def in_order(title: str) -> int:
    return ORDER.index(title)


def timeline_labels(permission: str) -> set[str]:
    labels = {
        "orders.view_order": "Order",
        "credit.view_loan": "Loan",
        "wallets.view_withdrawal": "Withdrawal",
        "wallets.view_deposit": "Deposit",
        "wallets.view_wallettransfer": "Wallet transfer",
        "wallets.view_conversion": "Conversion",
        "wallets.view_virtualaccount": "Virtual account",
        "wallets.view_freeze": "Freeze",
        "exchange.view_event": "Event",
        "exchange.view_apikey": "API key",
    }
    return {labels[permission]} if permission in labels else set()


@pytest.mark.parametrize("role", list(ROLES))
@pytest.mark.one_in(3)
def test_every_role_sees_the_tables_of_its_permissions(role, ada):
    client = signed_in_client(role)
    permitted = [
        title
        for permission, titles in {**SHARED, **OF_ORGANISATIONS}.items()
        if permission in ROLES[role]
        for title in titles
    ]
    expected = sorted([*permitted, "Members", "Timeline"], key=in_order)
    assert list(tables(page_of(client, ada.organisation))) == expected


@pytest.mark.slow
def test_a_page_takes_the_same_bounded_number_of_queries_for_few_records_and_for_many(ada):
    client = signed_in_client(ADMINISTRATOR)
    ada.wallet.fund(20_000)
    counts: list[list[int]] = []
    for _ in range(2):
        taken = []
        for owner in (ada.member, ada.organisation):
            for page in ("change", "timeline"):
                page_of(client, owner, page)
                with CaptureQueriesContext(connection) as queries:
                    page_of(client, owner, page)
                taken.append(len(queries))
        counts.append(taken)
        for _ in range(ROWS + 2):
            ada.wallet.request(100)
            make_member(ada.organisation)
    few, many = counts
    assert all(later <= first for first, later in zip(few, many, strict=True)), counts
    assert max(few) <= MOST_QUERIES
    shown = page_of(client, ada.member)
    assert len(tables(shown)["Withdrawals"]) == ROWS
    assert f"The newest {ROWS}." in text_of(shown)


def test_names_are_escaped_and_right_to_left_ones_stay_whole(ada, office):
    hostile = "<script>alert(1)</script>"
    Member.objects.filter(pk=ada.member.pk).update(name=hostile, external_id="\u202eمريم'\"%_")
    for page in (page_of(office, ada.member), page_of(office, ada.organisation, "timeline")):
        body = page.content.decode()
        assert hostile not in body
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in body
    # A character that turns the line around is shown as a replacement.
    assert "\ufffd<bdi>مريم</bdi>&#x27;&quot;%_" in page_of(office, ada.member).content.decode()


def test_what_blocks_an_owner_is_seen_wherever_the_owner_is(finance, auditor):
    debt = make_debt(45_000, currency="NGN")
    member = debt.member
    assert member is not None
    other = make_member(member.organisation)
    freeze_owner(owner=member, currency=None, reason="Court order 7", user=user_of(finance))
    freeze_owner(owner=other, currency="GHS", reason="Dispute", user=user_of(finance))
    (frozen,) = Freeze.objects.filter(owner_id=member.pk)

    shown = page_of(auditor, member)
    since = f"{frozen.created_at:%Y-%m-%d %H:%M:%S}"
    assert f"Frozen since {since} UTC, by finance-approver: Court order 7" in text_of(shown)
    assert "Owes 45,000.00 NGN since " in text_of(shown)
    account = reverse("admin:wallets_account_change", args=[debt.pk])
    assert "Frozen since" in text_of(auditor.get(account))
    assert "Owes 45,000.00 NGN since " in text_of(auditor.get(account))
    # The other is frozen in another currency only, and the organisation not at all.
    assert "Frozen in GHS since" in text_of(page_of(auditor, other))
    assert "Frozen" not in text_of(page_of(auditor, member.organisation)).split("Freezes")[0]

    listed = text_of(auditor.get(reverse("admin:exchange_member_changelist")))
    assert "Active Frozen Owes 45,000.00 NGN" in listed
    assert "Active Frozen in GHS" in listed
    found = text_of(auditor.get(reverse("admin:search"), {"q": str(member.email)}))
    assert "Frozen Owes 45,000.00 NGN" in found

    # What is frozen is lifted, not frozen again.
    tools = [tool.label for tool in page_of(finance, member).context["tools"]]
    assert ("Freeze" in tools, "Lift freeze" in tools) == (False, True)
    tools = [tool.label for tool in page_of(finance, other).context["tools"]]
    assert ("Freeze" in tools, "Lift freeze of GHS" in tools) == (True, True)


def test_the_badges_of_a_list_take_the_same_number_of_queries_for_many_rows(auditor):
    address = reverse("admin:exchange_member_changelist")

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert "Owes 1,000.00 KES" in text_of(auditor.get(address))
        return len(captured)

    make_debt()
    few = queries()
    for _ in range(4):
        make_debt()
    assert queries() == few
