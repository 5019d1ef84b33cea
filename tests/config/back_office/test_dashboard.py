"""The dashboard: numbers, the lists behind them, and visibility by role."""

import re
from datetime import datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    BACK_OFFICE,
    CREDIT_OFFICER,
    FINANCE_APPROVER,
    ROLES,
)
from config.books import CHECKS
from tests.environment.owner import without_guards
from tests.environment.view_caller import ViewCaller
from tests.factories.back_office import (
    fund,
    make_participants,
    make_withdrawal,
    signed_in_client,
    text_of,
)
from wallets.ledger.models import BooksProof
from wallets.ledger.proof import prove_and_store
from wallets.withdrawals.models import Withdrawal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]


@pytest.fixture
def demo_records() -> Any:
    organisation, member = make_participants()
    for currency in ("NGN", "KES"):
        fund(organisation, member, currency, "9000000")
    return organisation, member


def set_closed(withdrawal: Withdrawal, status: str, days_ago: int) -> None:
    """Set status and closing time directly, bypassing the guards."""
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_withdrawal SET status = %s, updated_at = %s WHERE id = %s",
            [status, timezone.now() - timedelta(days=days_ago), withdrawal.pk],
        )


def dashboard(client: Client) -> Any:
    response = client.get("/admin/")
    assert response.status_code == 200
    return response


def addresses(response: Any) -> set[str]:
    """Return the links of the page without the sidebar."""
    main = re.search(r"<main.*</main>", response.content.decode(), re.S)
    assert main is not None
    return {unescape(url) for url in re.findall(r'href="(/admin/[^"]*)"', main[0])}


def test_pending_withdrawals_are_listed_by_currency_with_count_amount_and_link(
    demo_records, finance
):
    organisation, member = demo_records
    for currency, amount in (("NGN", "2000"), ("NGN", "3000.50"), ("KES", "700")):
        make_withdrawal(organisation, member, currency, amount)
    rows = {row.label: row for row in dashboard(finance).context["dashboard"].pending_withdrawals}
    assert {*rows} == {"NGN", "KES"}
    assert rows["NGN"].cells[:2] == ("2", "5,000.50 NGN")
    assert rows["KES"].cells[:2] == ("1", "700.00 KES")
    behind = finance.get(rows["NGN"].url).context["cl"]
    assert behind.result_count == 2
    assert {row.currency_id for row in behind.result_list} == {"NGN"}


def test_payouts_are_counted_on_their_closing_day_and_link_to_that_day(demo_records, finance):
    organisation, member = demo_records
    for status, days_ago in (
        ("Completed", 0), ("Completed", 2), ("Completed", 2), ("Failed", 2), ("Reversed", 29),
        ("Completed", 30),
    ):  # fmt: skip
        set_closed(make_withdrawal(organisation, member, "KES", "500"), status, days_ago)
    shown = dashboard(finance).context["dashboard"]
    assert shown.payout_chart.description == "3 completed, 1 failed, 1 returned by bank."
    assert len(shown.payout_days) == 3
    day = timezone.now().date() - timedelta(days=2)
    row = next(row for row in shown.payout_days if row.label == f"{day}")
    link = re.search('href="([^"]+)"', str(row.cells[0]))
    assert link is not None
    behind = finance.get(unescape(link[1])).context["cl"]
    assert [w.status for w in behind.result_list] == ["Completed", "Completed"]
    fee = Withdrawal.objects.values_list("fee", flat=True)[0]
    assert [(row.label, row.cells) for row in shown.completed_payouts] == [
        ("KES", ("3", f"{3 * (500 - fee):,.2f} KES"))
    ]


def test_every_number_links_to_a_page_that_opens(demo_records, finance):
    organisation, member = demo_records
    make_withdrawal(organisation, member, "KES", "500")
    prove_and_store(CHECKS)
    found = addresses(dashboard(finance))
    assert {address.partition("?")[0] for address in found} >= {
        "/admin/inbox/",
        "/admin/credit/loan/",
        "/admin/wallets/withdrawal/",
    }
    for address in found:
        shown = finance.get(address)
        assert shown.status_code == 200, address
        assert "A filter is not valid" not in shown.content.decode(), address


def test_the_dashboard_and_the_sidebar_count_the_same_withdrawals(demo_records):
    organisation, member = demo_records
    fund(organisation, member, "GHS", "5000")
    for currency in ("NGN", "KES", "GHS"):  # the last without its branch code
        make_withdrawal(organisation, member, currency, "2000")
    approver = dashboard(signed_in_client(FINANCE_APPROVER))
    items = {item.label: item.count for item in approver.context["dashboard"].awaiting_my_approval}
    assert items["Withdrawals: awaiting my approval"] == 2
    assert "Withdrawals: first approval" not in items
    assert re.search(r"Withdrawals 2 ", text_of(approver))
    # Who does not approve sees what awaits a first approval.
    for role in (AUDITOR, BACK_OFFICE):
        shown = dashboard(signed_in_client(role)).context["dashboard"]
        others = {item.label: item.count for item in shown.awaiting_others}
        assert others["Withdrawals: first approval"] == 2
        assert others["Withdrawals: missing details"] == 1


def backdate(proof: BooksProof, ran_at: datetime) -> None:
    """Change when a proof ran: the service's login cannot."""
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_booksproof SET ran_at = %s WHERE id = %s", [ran_at, proof.pk]
        )


def test_ledger_integrity_is_passed_failed_overdue_or_not_run(demo_records, auditor):
    assert "Not run" in text_of(dashboard(auditor))
    proof = prove_and_store(CHECKS)
    assert "Passed" in text_of(dashboard(auditor))
    assert dashboard(auditor).context["dashboard"].ledger_check.good
    age = timezone.now() - timedelta(hours=4)
    backdate(proof, age)
    assert "the hourly check is overdue" in text_of(dashboard(auditor))
    assert prove_and_store(CHECKS, incremental=True).incremental
    shown = text_of(dashboard(auditor))
    assert "The incremental check passed; the full check 4 h ago passed too." in shown
    age -= timedelta(days=3)
    backdate(proof, age)
    assert "the daily full check is overdue" in text_of(dashboard(auditor))
    off = type(proof).objects.create(
        ran_at=timezone.now(), passed=False, findings=["one", "two"], milliseconds=1
    )
    page = dashboard(auditor)
    assert "2 checks failed" in text_of(page)
    assert not page.context["dashboard"].ledger_check.good
    assert f"/admin/wallets/booksproof/{off.pk}/change/" in addresses(page)


def test_each_role_sees_only_sections_it_may_open(demo_records):
    for role in ROLES:
        client = signed_in_client(role)
        views = ViewCaller(client)
        for address in addresses(dashboard(client)):
            assert views.call("GET", address).status_code == 200, (role, address)


def test_empty_queues_are_not_shown():
    for role in (AUDITOR, BACK_OFFICE, FINANCE_APPROVER):
        shown = dashboard(signed_in_client(role)).context["dashboard"]
        queues = (shown.awaiting_my_approval, shown.awaiting_others, shown.needs_attention)
        assert queues == ([], [], []), role


def test_only_approvers_have_a_list_awaiting_their_approval(demo_records):
    organisation, member = demo_records
    make_withdrawal(organisation, member, "KES", "500")
    own = "Withdrawals: awaiting my approval"
    assert own in text_of(dashboard(signed_in_client(FINANCE_APPROVER)))
    for role in (AUDITOR, ADMINISTRATOR, CREDIT_OFFICER):
        assert own not in text_of(dashboard(signed_in_client(role))), role


@pytest.mark.slow
def test_the_number_of_queries_is_constant(demo_records, finance):
    organisation, member = demo_records

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            dashboard(finance)
        return len(captured)

    make_withdrawal(organisation, member, "KES", "500")
    prove_and_store(CHECKS)
    few = queries()
    for number in range(30):
        set_closed(make_withdrawal(organisation, member, "NGN", "2000"), "Completed", number)
        make_withdrawal(organisation, member, "NGN", "2000")
    assert queries() == few
    assert few <= 25
