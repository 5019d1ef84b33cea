"""The pages of breaks: lists, the page of one, and what two people do there."""

import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import AUDITOR, BACK_OFFICE, FINANCE_APPROVER
from tests.environment.owner import without_guards
from tests.factories.back_office import (
    messages_of,
    signed_in_client,
    submit_confirmation,
    text_of,
    user_of,
)
from tests.factories.breaks import make_break
from tests.factories.wallets import SYSTEM
from wallets.reconciliation.models import (
    BreakExplanation,
    LineKind,
    ReconciliationBreak,
    ReconciliationLine,
    ReportStatus,
)
from wallets.reconciliation.services import reports

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]

LIST = "admin:wallets_reconciliationbreak_changelist"
WHY = "The bank collected its yearly fee"


def address(name: str, found: ReconciliationBreak, *more: object) -> str:
    return reverse(f"admin:wallets_reconciliationbreak_{name}", args=[found.pk, *more])


def listed(client: Client, **query: str) -> list[ReconciliationBreak]:
    return list(client.get(reverse(LIST), query).context["cl"].result_list)


@pytest.fixture
def found() -> ReconciliationBreak:
    return make_break()


@pytest.fixture
def ada() -> Client:
    return signed_in_client(FINANCE_APPROVER, "ada")


@pytest.fixture
def kwesi() -> Client:
    return signed_in_client(FINANCE_APPROVER, "kwesi")


def explained(
    client: Client, found: ReconciliationBreak, explanation: str = WHY
) -> BreakExplanation:
    response = submit_confirmation(client, address("explain", found), explanation=explanation)
    assert messages_of(response) == ["Explained. A second person must close the break."]
    return BreakExplanation.objects.get(subject=found, status="Pending")


def test_two_people_explain_and_close_a_break_on_its_page(ada, kwesi, found, auditor):
    page = text_of(ada.get(address("change", found)))
    assert "Kind Unexplained variance Status Open Owner Unassigned Subject NGN" in page
    assert "-250,000.55 NGN" in page
    assert "No explanation yet" in page
    proposed = explained(ada, found)
    own = ada.get(address("change", found))
    assert "Someone other than the person who explained it must close the break" in text_of(own)
    assert address("close", found, proposed.pk) not in own.content.decode()
    assert messages_of(submit_confirmation(ada, address("close", found, proposed.pk))) == [
        "Someone other than the person who explained it must close the break. No changes were made."
    ]
    assert address("close", found, proposed.pk) in (
        kwesi.get(address("change", found)).content.decode()
    )
    asked = kwesi.get(address("close", found, proposed.pk))
    assert WHY in text_of(asked)
    assert "The variance counts as explained from now on" in text_of(asked)
    assert messages_of(
        submit_confirmation(kwesi, address("close", found, proposed.pk), at=asked)
    ) == ["Break closed."]
    found.refresh_from_db()
    assert found.status == "Closed"
    shown = text_of(auditor.get(address("change", found)))
    for words in (WHY, "ada", "kwesi", "Approved"):
        assert words in shown
    # Its history includes its explanations.
    assert WHY in text_of(auditor.get(address("history", found)))


def test_a_rejection_states_its_reason_and_reopens_the_break(ada, kwesi, found):
    blank = submit_confirmation(ada, address("explain", found), explanation="")
    assert (blank.status_code, BreakExplanation.objects.count()) == (200, 0)
    proposed = explained(ada, found)
    reject = address("reject", found, proposed.pk)
    assert "required" in text_of(submit_confirmation(kwesi, reject, reason=""))
    assert messages_of(submit_confirmation(kwesi, reject, reason="Not on the statement")) == [
        "Rejected. The break is open again."
    ]
    found.refresh_from_db()
    assert found.status == "Open"
    assert "Not on the statement" in text_of(ada.get(address("change", found)))
    # The confirmation is of an explanation that is already decided.
    assert messages_of(submit_confirmation(kwesi, address("close", found, proposed.pk)))[-1] == (
        "Already rejected by kwesi. No changes were made."
    )
    assert kwesi.get(address("close", make_break(), proposed.pk)).status_code == 404


def test_a_break_is_assigned_to_oneself_and_to_others(ada, kwesi, found):
    assert ada.get(address("take", found)).status_code == 405
    assert messages_of(ada.post(address("take", found))) == ["Assigned to you."]
    assert [row.pk for row in listed(ada, open="mine")] == [found.pk]
    assert (listed(kwesi, open="mine"), listed(ada, open="nobody")) == ([], [])
    assert "ada" in text_of(kwesi.get(reverse(LIST)))
    owner = {"owner": str(user_of(kwesi).pk)}
    assert messages_of(ada.post(address("assign", found), owner)) == ["Assigned to kwesi."]
    assert [row.pk for row in listed(kwesi, open="mine")] == [found.pk]
    auditor = {"owner": str(user_of(signed_in_client(AUDITOR)).pk)}
    assert "Select a valid choice" in text_of(kwesi.post(address("assign", found), auditor))


def test_lists_filter_open_breaks_and_those_one_can_close(ada, kwesi, found):
    other = make_break("7", currency="KES")
    proposed = explained(ada, found)
    assert {row.pk for row in listed(ada, open="all")} == {found.pk, other.pk}
    assert (
        listed(ada, decision="awaiting_my_approval"),
        listed(kwesi, decision="awaiting_my_approval"),
    ) == ([], [found])
    assert listed(ada, decision="awaiting_others") == [found]
    submit_confirmation(kwesi, address("close", found, proposed.pk))
    assert listed(ada, open="all") == [other]


@pytest.mark.parametrize("term", ["250000.55", "-250000.55", "250,000.55"])
def test_a_break_is_found_by_its_amount_with_or_without_its_sign(ada, found, term):
    make_break("7")
    assert listed(ada, q=term) == [found]


def test_a_break_is_found_by_its_reference_and_the_providers_id(ada, found):
    other = make_break("7")
    ReconciliationBreak.objects.bulk_create(
        [
            ReconciliationBreak(
                day=other.day,
                kind="Not in our records",
                reference="payout_stranger",
                provider_id="187",
                first_report=other.first_report,
                latest_report=other.latest_report,
                created_at=timezone.now(),
            )
        ]
    )
    for term in ("payout_stranger", "187"):
        [row] = listed(ada, q=term)
        assert row.reference == "payout_stranger"


@pytest.mark.parametrize("role", [BACK_OFFICE, AUDITOR])
def test_other_roles_view_only(role, ada, found):
    explained(ada, found)
    client = signed_in_client(role)
    page = client.get(address("change", found))
    assert "Your role can view this but not approve it" in text_of(page)
    for name in ("explain", "assign"):
        assert address(name, found) not in page.content.decode()


def test_a_report_lists_its_breaks_with_their_state(ada, found):
    page = ada.get(reverse("admin:wallets_reconciliation_change", args=[found.first_report_id]))
    row = next(
        section for section in page.context["sections"] if section.title.startswith("Breaks")
    ).rows[0]
    assert address("change", found) in str(row[0])
    words = [re.sub("<[^>]+>", "", str(cell)) for cell in row]
    assert words == [
        "Unexplained variance", str(found.day), "NGN", "-250,000.55 NGN", "Open", "Unassigned",
        "Yes",
    ]  # fmt: skip


# --- the dashboard ---


def floats(client: Client) -> Any:
    return client.get(reverse("admin:index")).context["dashboard"].provider_balances


def close(first: Client, second: Client, found: ReconciliationBreak) -> None:
    explanation = explained(first, found, f"{WHY} for {found.day}")
    submit_confirmation(second, address("close", found, explanation.pk))


def test_the_dashboard_is_red_until_every_day_is_explained(ada, kwesi):
    today = timezone.now().date()
    latest = make_break(day=today - timedelta(days=1))
    older = make_break("7", currency="KES", day=today - timedelta(days=20))
    shown = floats(ada)
    assert (shown.good, shown.status) == (False, "Differs")
    assert [row.label for row in shown.open_days] == [str(latest.day), str(older.day)]
    assert shown.url.endswith(f"/{latest.first_report_id}/change/")
    for row, found in zip(shown.open_days, (latest, older), strict=True):
        assert ada.get(row.url).context["cl"].result_list[0] == found
        assert list(row.cells) == ["1", "0", "1"]
    close(ada, kwesi, latest)
    shown = floats(ada)
    assert (shown.good, [row.label for row in shown.open_days]) == (False, [str(older.day)])
    assert "Days with open breaks" in text_of(ada.get(reverse("admin:index")))
    close(ada, kwesi, older)
    shown = floats(ada)
    assert (shown.good, shown.status, shown.open_days) == (True, "Explained", [])


def agree(day: Any) -> None:
    """Store a report of `day` without differences."""
    found = make_break(day=day)
    report = found.first_report
    with without_guards():
        found.first_report.__class__.objects.create(
            day=day,
            status=ReportStatus.MATCHED,
            requested_by=report.requested_by,
            requested_by_label=report.requested_by_label,
            created_at=timezone.now(),
            finished_at=timezone.now(),
        )


def test_a_report_of_an_older_day_or_a_rerun_never_turns_it_green(ada):
    today = timezone.now().date()
    make_break(day=today - timedelta(days=1))
    agree(today - timedelta(days=9))
    assert not floats(ada).good
    agree(today - timedelta(days=1))
    shown = floats(ada)
    assert (shown.good, shown.status) == (False, "Open breaks")


def test_a_day_without_a_report_is_missing(ada, kwesi):
    found = make_break(day=timezone.now().date() - timedelta(days=3))
    close(ada, kwesi, found)
    shown = floats(ada)
    assert (shown.good, shown.status) == (False, "Missing")
    # A provisional report of today does not count.
    make_break(day=timezone.now().date())
    assert floats(ada).status == "Missing"


def test_dashboard_report_and_list_agree_on_a_variance_that_was_closed(ada, kwesi):
    found = make_break(day=timezone.now().date() - timedelta(days=1))
    lost = Decimal("-250000.55")
    for position, (kind, ours) in enumerate(
        (
            (LineKind.BALANCE, Decimal(0)),
            (LineKind.IN_TRANSIT, None),
            (LineKind.VARIANCE, Decimal(0)),
        )
    ):
        ReconciliationLine.objects.create(
            report=found.first_report, position=position, is_difference=False, kind=kind,
            currency_id="NGN", our_amount=ours,
            their_amount=Decimal(0) if kind == LineKind.IN_TRANSIT else lost,
        )  # fmt: skip
    report = reverse("admin:wallets_reconciliation_change", args=[found.first_report_id])
    address = reverse("admin:wallets_reconciliation_changelist")

    def shown() -> tuple[str, object, object, str]:
        """Return the result and the unexplained amount of the dashboard, then of page and list."""
        dashboard = floats(ada)
        sections = {each.title: each for each in ada.get(report).context["sections"]}
        balance = sections["Provider balance vs clearing"].rows[0]
        listed = ada.get(address).context["cl"].result_list[0].result
        return dashboard.status, dashboard.rows[0].cells[-1], balance[-1], listed

    assert shown() == ("Differs", "-250,000.55", "0.00 NGN", "Differs")
    close(ada, kwesi, found)
    assert shown() == ("Explained", "0.00", "-250,000.55 NGN", "Explained")
    other = make_break("7", day=found.day)
    assert (floats(ada).status, other.status) == ("Differs", "Open")


def test_a_report_that_runs_shows_its_progress_until_it_is_ready(ada):
    yesterday = timezone.now().date() - timedelta(days=1)
    report = reports.request_report(day=yesterday, actor=SYSTEM)
    page = ada.get(reverse("admin:wallets_reconciliation_change", args=[report.pk]))
    progress = reverse("admin:wallets_reconciliation_progress", args=[report.pk])
    assert f'data-progress="{progress}"' in page.content.decode()
    assert ada.get(progress).json()["text"] == "Queued"
    assert reports.claim_report(report)
    assert ada.get(progress).json() == {
        "finished": False, "text": "Comparing with the provider", "done": None, "total": None,
    }  # fmt: skip
    reports.run_report(report)
    assert ada.get(progress).json() == {"finished": True}
