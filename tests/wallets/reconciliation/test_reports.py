"""Requesting reports, daily and by people: permissions, interrupted workers, pages."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    BACK_OFFICE,
    CREDIT_OFFICER,
    FINANCE_APPROVER,
)
from tests.assertions.unchanged import table_fingerprints
from tests.environment.owner import as_owner
from tests.factories.back_office import messages_of, signed_in_client, text_of
from tests.factories.exports import file_bytes, read_csv, read_xlsx
from tests.factories.wallets import SYSTEM
from tests.wallets.reconciliation.harness import compare, fault_of, order_without_record, pay, today
from wallets.reconciliation.models import Reconciliation
from wallets.reconciliation.services import reports

pytestmark = pytest.mark.django_db


def test_yesterday_is_reported_on_once_and_again_while_it_is_incomplete(sandbox, wallet):
    sandbox.faults.add(fault_of("unauthorized", "/v3/balances"))
    now = timezone.now()
    if now.hour < 2:
        assert reports.request_daily_report() is None
        return
    first = reports.request_daily_report()
    assert first is not None
    assert first.day == today() - timedelta(days=1)
    assert reports.request_daily_report() is None
    assert made_next().status == "Incomplete"
    assert reports.request_daily_report() is None
    earlier(first, hours=2)
    again = reports.request_daily_report()
    assert again is not None
    assert made_next().status == "Matched"
    earlier(again, hours=2)
    assert reports.request_daily_report() is None
    assert reports.run_next_report() is None


def test_a_provisional_report_does_not_stand_in_for_the_daily_one(sandbox, wallet):
    """Request a provisional report of yesterday."""
    early = compare(today() - timedelta(days=1))
    earlier(early, hours=24)
    early.refresh_from_db()
    assert early.provisional
    now = timezone.now()
    assert (reports.request_daily_report() is None) == (now.hour < 2)


def test_a_report_of_a_day_that_is_not_over_is_preliminary(sandbox, wallet, auditor):
    pages = {}
    for over in (True, False):
        report = compare(over=over)
        page = reverse("admin:wallets_reconciliation_change", args=[report.pk])
        pages[over] = text_of(auditor.get(page))
    listed = text_of(auditor.get(reverse("admin:wallets_reconciliation_changelist")))
    words = "Preliminary: day not ended"
    assert (words in pages[False], words in pages[True], listed.count(words)) == (True, False, 1)


def made_next() -> Reconciliation:
    """Run the requested report."""
    report = reports.run_next_report()
    assert report is not None
    return report


def earlier(report: Reconciliation, hours: int) -> None:
    with as_owner() as cursor:
        cursor.execute(
            "UPDATE wallets_reconciliation SET created_at = created_at - make_interval(hours => %s)"
            " WHERE id = %s",
            [hours, report.pk],
        )


def test_a_report_whose_worker_died_is_made_by_the_next_one(sandbox, wallet):
    report = reports.request_report(day=today(), actor=SYSTEM)
    assert reports.claim_report(report)
    assert reports.run_next_report() is None
    gone = timezone.now() - timedelta(seconds=1)
    Reconciliation.objects.update(leased_until=gone)
    assert made_next().status == "Matched"
    # What the dead worker may still send is not taken.
    assert reports.run_report(report).status == "Matched"
    assert Reconciliation.objects.get().attempts == 2


def test_a_report_that_is_cut_off_again_and_again_is_incomplete(sandbox):
    report = reports.request_report(day=today() - timedelta(days=9), actor=SYSTEM)
    Reconciliation.objects.filter(pk=report.pk).update(
        status="Running", attempts=3, leased_until=timezone.now() - timedelta(seconds=1)
    )
    assert reports.run_next_report() is None
    report.refresh_from_db()
    assert (report.status, report.reason) == (
        "Incomplete",
        "The worker was interrupted on every attempt",
    )


def test_a_last_attempt_of_another_worker_is_left_to_it(monkeypatch):
    report = reports.request_report(day=today() - timedelta(days=9), actor=SYSTEM)
    Reconciliation.objects.filter(pk=report.pk).update(
        status="Running", attempts=2, leased_until=timezone.now() - timedelta(seconds=1)
    )

    claim = reports.claim_report

    def claim_second(seen: Reconciliation) -> bool:
        assert claim(Reconciliation.objects.get(pk=seen.pk))
        return claim(seen)

    monkeypatch.setattr(reports, "claim_report", claim_second)
    assert reports.run_next_report() is None
    report.refresh_from_db()
    assert (report.status, report.attempts) == ("Running", 3)


def test_the_command_prints_differences_and_exits_with_an_error(sandbox, wallet, capsys):
    yesterday = str(today() - timedelta(days=1))
    call_command("reconcile", yesterday)
    assert capsys.readouterr().out == f"{yesterday}: Matched, payouts compared: 0\n"
    order_without_record("payout_stranger")
    with pytest.raises(SystemExit) as ended:
        call_command("reconcile", str(today()))
    assert ended.value.code == 1
    assert capsys.readouterr().out.splitlines() == [
        "Not in our records: payout_stranger: provider NEW 50 KES to 01 0690000031;"
        " no withdrawal here",
        "Unexplained variance: KES: ours 0, provider Unexplained: -150.00 KES",
        f"{today()}: Differs, payouts compared: 1, differences: 2"
        " (preliminary: the day has not ended)",
    ]
    sandbox.faults.add(fault_of("unauthorized"))
    with pytest.raises(SystemExit) as ended:
        call_command("reconcile", str(today()))
    assert ended.value.code == 2


@pytest.mark.parametrize(
    ("role", "may"),
    [
        (FINANCE_APPROVER, True),
        (BACK_OFFICE, True),
        (CREDIT_OFFICER, False),
        (AUDITOR, False),
        (ADMINISTRATOR, False),
    ],
)
@pytest.mark.one_in(3)
def test_who_may_run_it(sandbox, wallet, role, may):
    client = signed_in_client(role)
    add = reverse("admin:wallets_reconciliation_add")
    report = compare()
    page = reverse("admin:wallets_reconciliation_change", args=[report.pk])
    # The word alone is on every page of a report: this is its result.
    shown = "Result Matched Basis Complete day Differences 0 Compared 0"
    assert shown in text_of(client.get(page))
    again = reverse("admin:wallets_reconciliation_again", args=[report.pk])
    before = table_fingerprints()
    assert client.get(again).status_code == 405
    response = client.post(add, {"day": str(today())})
    if may:
        assert messages_of(response)[-1].startswith("Reconciliation requested.")
        made = Reconciliation.objects.latest("pk")
        assert response["Location"].endswith(f"{made.pk}/change/")
        assert client.post(again).status_code == 302
        assert Reconciliation.objects.filter(status="Waiting").count() == 1
        assert made_next().status == "Matched"
        future = client.post(add, {"day": str(today() + timedelta(days=2))})
        assert "Choose a day that is not in the future" in text_of(future)
    else:
        assert (response.status_code, client.post(again).status_code) == (403, 403)
        assert table_fingerprints() == before


def test_the_report_as_a_file(sandbox, wallet):
    withdrawal = pay(wallet)
    sandbox.store.settle(withdrawal.reference)
    report = compare()
    client: Client = signed_in_client(AUDITOR)
    address = reverse("admin:wallets_reconciliation_export", args=[report.pk])
    assert client.get(address).status_code == 405
    rows, last = read_csv(file_bytes(client.post(address)))
    assert last.startswith(f"Complete: {report.lines.count()} rows")
    first = rows[0]
    assert (first["Line"], first["Kind"], first["Ours"], first["Provider"]) == (
        "Difference",
        "Status",
        "Processing",
        "SUCCESSFUL",
    )
    assert first["Withdrawal ID"] == str(withdrawal.pk)
    [deposits] = [row for row in rows if (row["Kind"], row["Currency"]) == ("Deposits", "KES")]
    assert deposits["Our amount"] == "20000"
    found, _ = read_xlsx(file_bytes(client.post(f"{address}?form=xlsx")))
    assert [row["Our amount"] for row in found if row["Kind"] == "Deposits"].count(20000) == 1
