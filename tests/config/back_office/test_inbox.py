"""The page of all that awaits the user's approval, and what it says when it cannot be read."""

import psycopg
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.back_office import inbox
from config.back_office.roles import AUDITOR, CREDIT_OFFICER, FINANCE_APPROVER
from tests.environment.database import server_url, worker_database
from tests.environment.owner import without_guards
from tests.factories.back_office import (
    approve_withdrawal,
    fund,
    make_participants,
    make_withdrawal,
    signed_in_client,
    text_of,
    user_of,
)
from tests.factories.every_record import make_every_record
from wallets.withdrawals.models import Withdrawal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]

ADDRESS = "/admin/inbox/"


@pytest.fixture
def withdrawals() -> list[Withdrawal]:
    organisation, member = make_participants()
    for currency in ("NGN", "KES"):
        fund(organisation, member, currency, "90000")
    return [
        make_withdrawal(organisation, member, currency, amount)
        for currency, amount in (("KES", "1500"), ("NGN", "2000"))
    ]


def titles(client: Client) -> list[str]:
    return [record.title for _, record in client.get(ADDRESS).context["rows"]]


def request_earlier(withdrawal: Withdrawal, hours: int) -> None:
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_withdrawal SET created_at = created_at - make_interval(hours => %s)"
            " WHERE id = %s",
            [hours, withdrawal.pk],
        )


def test_every_kind_is_listed_with_a_link_that_opens():
    make_every_record()
    for role in (FINANCE_APPROVER, CREDIT_OFFICER):
        client = signed_in_client(role)
        shown = client.get(ADDRESS)
        dashboard = client.get(reverse("admin:index")).context["dashboard"]
        # The dashboard also counts work that is no approval; only approvals have an age.
        counted = [item.count for item in dashboard.awaiting_my_approval if item.oldest]
        assert len(shown.context["rows"]) == sum(counted) > 1
        assert (shown.context["unread"], shown.context["cut"]) == ([], [])
        for _, record in shown.context["rows"]:
            assert client.get(record.url).status_code == 200, record


@pytest.mark.slow
def test_the_oldest_is_first_with_age_and_amount_also_on_the_dashboard(withdrawals, finance):
    kenyan, nigerian = withdrawals
    request_earlier(nigerian, hours=3)
    assert titles(finance) == ["2,000.00 NGN to Forrest Green", "1,500.00 KES to Ada Obi"]
    shown = text_of(finance.get(ADDRESS))
    assert "3 h Withdrawal 2,000.00 NGN to Forrest Green 2,000.00 NGN" in shown
    front = text_of(finance.get(reverse("admin:index")))
    own = "Withdrawals: awaiting my approval 2 Oldest 3 h : 1,500.00 KES, 2,000.00 NGN"
    assert own in front
    approve_withdrawal(finance, nigerian)
    assert titles(finance) == ["1,500.00 KES to Ada Obi"]
    assert kenyan.status == "Pending"


def test_who_decides_nothing_has_an_empty_page(withdrawals):
    auditor = signed_in_client(AUDITOR)
    assert titles(auditor) == []
    assert "Nothing awaits your approval." in text_of(auditor.get(ADDRESS))


def test_only_the_oldest_of_many_are_shown_and_the_page_says_so(withdrawals, finance, monkeypatch):
    request_earlier(withdrawals[1], hours=3)
    monkeypatch.setattr(inbox, "ROWS", 1)
    assert titles(finance) == ["2,000.00 NGN to Forrest Green"]
    shown = text_of(finance.get(ADDRESS))
    assert "The first 1 of each kind; there are more of: Withdrawal." in shown


def test_the_number_of_queries_does_not_follow_the_number_of_rows(finance, withdrawals):
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            finance.get(ADDRESS)
        return len(captured)

    queries()
    few = queries()
    organisation, member = withdrawals[0].organisation, withdrawals[0].member
    for number in range(5):
        make_withdrawal(organisation, member, "KES", str(1000 + number))
    assert queries() == few


def test_a_kind_that_cannot_be_read_is_named_and_the_others_are_shown(
    withdrawals, finance, monkeypatch
):
    monkeypatch.setattr(inbox, "STATEMENT_MILLISECONDS", 200)
    with psycopg.connect(server_url(worker_database())) as other:
        other.execute("LOCK TABLE wallets_treasurymovement IN ACCESS EXCLUSIVE MODE")
        found = {kind.label: kind for kind in inbox.read_inbox(user_of(finance))}
    assert not found["Treasury movement"].read
    assert len(found["Withdrawal"].records) == 2


def test_a_page_that_read_nothing_does_not_say_that_nothing_waits(
    withdrawals, finance, monkeypatch
):
    monkeypatch.setattr(inbox, "SECONDS", 0.0)
    shown = text_of(finance.get(ADDRESS))
    assert "Could not be read: Withdrawal, " in shown
    assert "Nothing awaits your approval" not in shown
