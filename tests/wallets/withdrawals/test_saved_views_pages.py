"""The withdrawals' list: saved views, filters, search, columns, and a bounded number of queries."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import FINANCE_APPROVER
from exchange.participants.models import Member, Organisation
from tests.environment.owner import without_guards
from tests.environment.view_caller import ViewCaller
from tests.factories.back_office import (
    fund,
    make_withdrawal,
    signed_in_client,
    text_of,
    user_of,
)
from tests.factories.wallets import OVERRIDE
from wallets.payouts.models import Proposal
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]

LIST = "admin:wallets_withdrawal_changelist"


def rewrite(withdrawal: Withdrawal, **columns: Any) -> Withdrawal:
    """Overwrite columns that the guards protect, in the test's own transaction."""
    values = ", ".join(f"{name} = %s" for name in columns)
    with without_guards() as cursor:
        cursor.execute(
            f"UPDATE wallets_withdrawal SET {values} WHERE id = %s",
            [*columns.values(), withdrawal.pk],
        )
    return withdrawal


def list_references(client: Client, **query: str) -> list[str]:
    return [row.reference for row in ViewCaller(client).rows(Withdrawal, query)]


def test_saved_views_hold_the_withdrawals_of_their_name_for_each_role(owners, auditor):
    organisation, member = owners
    now = timezone.now()
    client = signed_in_client(FINANCE_APPROVER, "amina")
    other = user_of(signed_in_client(FINANCE_APPROVER, "kofi"))
    amina = user_of(client)
    names = ("plain", "mine", "theirs", "entered", "lacking", "unknown", "old", "fresh", "slow",
             "quick", "failed", "failed before", "done")  # fmt: skip
    rows = {
        name: make_withdrawal(organisation, member, "GHS" if name == "lacking" else "KES", "100")
        for name in names
    }
    for name, approver in (("mine", amina), ("theirs", other)):
        rewrite(rows[name], approvals_needed=2, first_approver_id=approver.pk)
    rewrite(rows["entered"], requested_by=f"staff:{amina.pk}")
    for name, status, ago in (
        ("unknown", "Unknown", 1),
        ("old", "Approved", 16),
        ("fresh", "Approved", 14),
        ("slow", "Processing", 241),
        ("quick", "Processing", 239),
        ("failed", "Failed", 0),
        ("failed before", "Failed", 24 * 60),
        ("done", "Completed", 0),
    ):
        rewrite(rows[name], status=status, updated_at=now - timedelta(minutes=ago))
    by_reference = {row.reference: name for name, row in rows.items()}

    def view(who: Client, key: str) -> set[str]:
        return {by_reference[reference] for reference in list_references(who, view=key)}

    expected = {
        "awaiting_my_approval": {"plain", "theirs"},
        "second_approval": {"theirs"},
        "awaiting_others": {"mine", "entered"},
        "missing_details": {"lacking"},
        "stuck": {"unknown", "old", "slow"},
        "returned": set(),
        "failed": {"failed"},
    }
    assert {key: view(client, key) for key in expected} == expected
    seen = client.get(reverse(LIST), {"view": "stuck"})
    assert {one["address"]: one["count"] for one in seen.context["cl"].views} == {
        f"?view={key}": str(len(found)) for key, found in expected.items()
    }
    assert 'href="?view=stuck"' in seen.content.decode()
    assert "Stuck 3" in text_of(seen)

    # An auditor has no approval view; its address shows the default view. What awaits a first
    # approval is counted instead.
    views = auditor.get(reverse(LIST)).context["cl"].views
    assert [one["address"].removeprefix("?view=") for one in views] == [
        "first_approval", "second_approval", "missing_details", "stuck", "returned", "failed",
    ]  # fmt: skip
    assert view(auditor, "first_approval") == {"plain", "entered"}
    assert view(auditor, "second_approval") == {"mine", "theirs"}


@pytest.mark.parametrize(
    ("query", "offered"),
    [
        ({}, ["approve_selected", "reject_selected"]),
        ({"view": "awaiting_my_approval"}, ["approve_selected", "reject_selected"]),
        ({"status": "all"}, ["approve_selected", "reject_selected", "reverse_selected"]),
        ({"status": "Returned"}, ["reverse_selected"]),
        ({"view": "returned"}, ["reverse_selected"]),
        ({"view": "stuck"}, []),
        ({"view": "failed"}, []),
        ({"status": "Failed"}, []),
    ],
)
@pytest.mark.one_in(4)
def test_a_list_offers_what_its_rows_may_take(owners, query, offered, finance):
    row = make_withdrawal(owners[0], owners[1], "KES", "100")
    page = finance.get(reverse(LIST), query)
    admin = page.context["cl"].model_admin
    assert list(admin.get_actions(page.wsgi_request)) == offered
    # Nor does the address take another: no confirmation page follows.
    for action in {"approve_selected", "reject_selected", "reverse_selected"} - {*offered}:
        body = {"action": action, "_selected_action": str(row.pk)}
        address = f"{reverse(LIST)}?{urlencode(query)}"
        assert "decide/" not in finance.post(address, body).get("Location", "")


def test_the_list_starts_with_the_oldest_pending_withdrawals(owners, finance):
    organisation, member = owners
    first = rewrite(
        make_withdrawal(organisation, member, "KES", "1000"),
        created_at=timezone.now() - timedelta(hours=5),
    )
    second = make_withdrawal(organisation, None, "GHS", "77")
    done = make_withdrawal(organisation, member, "KES", "333")
    decisions.reject(withdrawal_id=done.pk, version=1, approver=user_of(finance), reason="no")

    assert list_references(finance) == [first.reference, second.reference]
    assert list_references(finance, status="all") == [
        done.reference,
        second.reference,
        first.reference,
    ]
    assert list_references(finance, status="Rejected") == [done.reference]
    assert list_references(finance, owner_model="organisation") == [second.reference]
    assert list_references(finance, details="missing") == [second.reference]
    assert list_references(finance, details="complete") == [first.reference]
    assert list_references(finance, currency__code__exact="KES") == [first.reference]
    assert list_references(finance, approvals="two") == []
    assert list_references(finance, approvals="first") == [first.reference, second.reference]
    both = [first.reference, second.reference]
    assert list_references(finance, organisation__id__exact=str(organisation.pk)) == both
    assert list_references(finance, owner_id=str(member.pk)) == [first.reference]
    assert list_references(finance, age="4h") == [first.reference]
    assert list_references(finance, age="24h") == []


def test_the_list_filters_by_amount_day_and_name(owners, finance):
    organisation, member = owners
    rival = Organisation.objects.create(name="Rival Ventures")
    bo = Member.objects.create(organisation=rival, name="Bo Mensah", email="bo@rival.example")
    fund(rival, bo, "KES", "5000")
    small, large = (
        make_withdrawal(organisation, member, "KES", amount) for amount in ("100", "250.5")
    )
    theirs = make_withdrawal(rival, bo, "KES", "300")
    days = {small: 1, large: 2, theirs: 3}
    for row, day in days.items():
        rewrite(row, created_at=datetime(2026, 3, day, 23, 59, tzinfo=UTC))
    names = {small.reference: "small", large.reference: "large", theirs.reference: "theirs"}

    def found(**query: str) -> list[str]:
        return [names[reference] for reference in list_references(finance, **query)]

    assert found(amount_from="100.01") == ["large", "theirs"]
    assert found(amount_to="250.5") == ["small", "large"]
    assert found(amount_from="250.5", amount_to="250.5") == ["large"]
    assert found(created_from="2026-03-02") == ["large", "theirs"]
    assert found(created_to="2026-03-02") == ["small", "large"]
    assert found(created_from="2026-03-02", created_to="2026-03-02") == ["large"]
    assert found(owner="mens") == ["theirs"]
    assert found(organisation="ventures", amount_from="200") == ["theirs"]
    assert found(owner="ventures") == []
    # An empty filter form changes nothing.
    empty = dict.fromkeys(("status", "amount_from", "created_to", "age", "owner", "view", "q"), "")
    assert found(**empty) == ["small", "large", "theirs"]


def test_an_invalid_filter_shows_an_error_and_no_rows(owners, finance):
    make_withdrawal(owners[0], owners[1], "KES", "100")
    shown = "A filter is not valid, so no records are shown. Change it or clear all filters."
    for query in (
        {"amount_from": "lots"},
        {"amount_to": "NaN"},
        {"amount_from": "-1"},
        {"created_from": "2026-02-30"},
        {"age": "1y"},
        {"status": "Gone"},
        {"owner": "a\x00b"},
    ):
        response = finance.get(reverse(LIST), query)
        assert response.status_code == 200, query
        assert list(response.context["cl"].result_list) == [], query
        assert shown in text_of(response), query


@pytest.mark.slow
def test_search_finds_reference_account_payee_and_owner(owners, finance):
    organisation, member = owners
    one = make_withdrawal(organisation, member, "KES", "100", account_number="0690000031")
    two = make_withdrawal(organisation, None, "KES", "100", account_number="0690000045")
    newest_first = [two.reference, one.reference]
    assert list_references(finance, q=one.reference) == [one.reference]
    assert list_references(finance, q=one.reference[:20]) == [one.reference]
    assert list_references(finance, q=one.reference[-8:]) == [one.reference]
    assert list_references(finance, q="0690000045") == [two.reference]
    assert list_references(finance, q="0045") == [two.reference]
    assert list_references(finance, q="obi ada") == newest_first
    assert list_references(finance, q="ada 0031") == [one.reference]
    assert list_references(finance, q="acme") == newest_first
    assert list_references(finance, q="nobody") == []
    # A search covers every status, within the other filters.
    rewrite(one, status="Completed")
    assert list_references(finance, q="obi") == newest_first
    assert list_references(finance, q="obi", status="Pending") == [two.reference]
    assert list_references(finance, q="obi", view="missing_details") == []


def test_each_row_shows_what_it_awaits(owners):
    organisation, member = owners
    client = signed_in_client(FINANCE_APPROVER, "amina")
    kofi = user_of(signed_in_client(FINANCE_APPROVER, "kofi"))
    waits = {}
    waits[make_withdrawal(organisation, member, "KES", "100")] = "First approval"
    waits[make_withdrawal(organisation, member, "NGN", "5000000")] = "Two approvals"
    once_approved = make_withdrawal(organisation, None, "NGN", "5000000")
    decisions.approve(withdrawal_id=once_approved.pk, version=1, approver=kofi, override=OVERRIDE)
    waits[once_approved] = "Second approval, after kofi"
    waits[make_withdrawal(organisation, member, "GHS", "100")] = "Missing: branch code"
    for status, words in (
        ("Approved", "Sending to provider"),
        ("Processing", "Provider"),
        ("Unknown", "Status check or dual approval"),
        ("Completed", "-"),
    ):
        row = make_withdrawal(organisation, member, "KES", "100")
        waits[rewrite(row, status=status)] = words
    proposed = rewrite(make_withdrawal(organisation, member, "KES", "100"), status="Unknown")
    Proposal.objects.create(
        withdrawal=proposed, action="Fail", reason="x", proposed_by=kofi, created_at=timezone.now()
    )
    waits[proposed] = "Confirmation: Fail"

    response = client.get(reverse(LIST), {"status": "all"})
    changelist = response.context["cl"]
    admin = changelist.model_admin
    assert {row.pk: admin.awaiting(row) for row in changelist.result_list} == {
        row.pk: words for row, words in waits.items()
    }
    assert "Acme" in text_of(response)
    assert "5,000,000.00 NGN" in text_of(response)


def test_the_list_takes_the_same_number_of_queries_for_fifty_rows_as_for_two(owners, finance):

    def queries(**query: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert finance.get(reverse(LIST), query).status_code == 200
        return len(captured)

    make_withdrawal(owners[0], owners[1], "KES", "101")
    make_withdrawal(owners[0], None, "KES", "101")
    few = queries()
    for number in range(48):
        make_withdrawal(owners[0], owners[1] if number % 2 else None, "KES", str(102 + number))
    assert queries() == few
    assert few <= 12
    # One of a search finds client references.
    assert (
        queries(view="awaiting_my_approval", q="ada", owner="ada", amount_from="1", age="1h") <= 13
    )
