"""Leases of reports, the daily schedule, and alerts."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from exchange.core.errors import Conflict, Forbidden, InvalidRequest
from tests.environment.owner import without_guards
from tests.factories.wallets import SYSTEM, make_staff
from tests.wallets.reconciliation.harness import (
    begin_after,
    compare,
    fault_of,
    order_without_record,
    pay,
    today,
    update_provider,
)
from wallets.alerts.models import Alert
from wallets.providers.registry import payment_provider
from wallets.reconciliation.models import Reconciliation, ReconciliationBreak, ReportStatus
from wallets.reconciliation.services import reports

pytestmark = pytest.mark.django_db

DAY = date(2026, 3, 10)
MOMENT = timedelta(microseconds=1)
HOUR = timedelta(hours=1)


def kept(status: str, listed_at: datetime, day: date = DAY, **more: Any) -> Reconciliation:
    """Store a report of `day`, requested then, in `status`."""
    with without_guards():
        return Reconciliation.objects.create(
            day=day,
            status=status,
            requested_by=str(SYSTEM),
            requested_by_label=SYSTEM.label,
            created_at=listed_at,
            **more,
        )


@pytest.mark.parametrize(
    ("reports_before", "hours", "due"),
    [
        # Hours since the end of the day, and how long before that a report was requested.
        ([], 2 * HOUR - MOMENT, False),
        ([], 2 * HOUR, True),
        ([], 24 * HOUR - MOMENT, True),
        ([("Incomplete", HOUR - MOMENT)], 12 * HOUR, False),
        ([("Incomplete", HOUR)], 12 * HOUR, True),
        ([("Incomplete", HOUR), ("Incomplete", HOUR / 2)], 12 * HOUR, False),
        ([("Incomplete", HOUR)] * 4, 12 * HOUR, True),
        ([("Incomplete", HOUR)] * 5, 12 * HOUR, False),
        *(([(status, 9 * HOUR)], 12 * HOUR, False) for status in ("Waiting", "Running")),
        *(([(status, 9 * HOUR)], 12 * HOUR, False) for status in ("Matched", "Differs")),
        ([("Incomplete", 9 * HOUR), ("Matched", 8 * HOUR)], 12 * HOUR, False),
        # Requested before the day ended.
        ([("Matched", 12 * HOUR + MOMENT)], 12 * HOUR, True),
        ([("Incomplete", HOUR / 2)], HOUR / 4 + 2 * HOUR, False),
    ],
)
def test_a_day_is_due_from_two_on_and_five_times_an_hour_apart_until_it_is_complete(
    reports_before, hours, due
):
    now = datetime(2026, 3, 11, tzinfo=UTC) + hours
    for status, ago in reports_before:
        kept(status, now - ago)
    # What was found of another day says nothing of this one.
    kept("Matched", now - HOUR / 2, DAY - timedelta(days=1))
    assert reports._is_due(DAY, now) is due


def test_one_report_about_a_day_is_under_way_at_a_time(django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks() as callbacks:
        reports.request_report(day=DAY, actor=SYSTEM)
    assert len(callbacks) == 1
    with pytest.raises(Conflict, match=rf"^A reconciliation of {DAY} is already running$"):
        reports.request_report(day=DAY, actor=SYSTEM)
    # A pending provisional report delays the daily one.
    yesterday = today() - timedelta(days=1)
    kept("Waiting", timezone.now() - timedelta(days=1), yesterday)
    assert reports._is_due(yesterday, datetime.now(UTC).replace(hour=2))
    assert reports.request_daily_report() is None
    assert Reconciliation.objects.filter(day=yesterday).count() == 1
    with pytest.raises(InvalidRequest) as refusal:
        reports.request_report(day=today() + timedelta(days=1), actor=SYSTEM)
    assert refusal.value.message == "Choose a day that is not in the future"


def test_a_permitted_user_requests_a_comparison_under_their_name():
    stranger, user = make_staff("decide_break"), make_staff("run_reconciliation")
    with pytest.raises(Forbidden, match=r"^You may not run reconciliation$"):
        reports.request_report_as_staff(day=today(), user=stranger)
    report = reports.request_report_as_staff(day=today(), user=user)
    assert (report.requested_by, report.requested_by_label) == (f"staff:{user.pk}", str(user))
    assert Reconciliation.objects.get() == report


def test_a_long_reason_is_truncated(sandbox, wallet):
    withdrawal = pay(wallet)
    long = "x" * 600
    update_provider(
        sandbox, "UPDATE transfers SET reference = ? WHERE reference = ?", long,
        withdrawal.reference,
    )  # fmt: skip
    sandbox.faults.add(fault_of("wrong_reference"))
    report = compare()
    words = f"the provider lists {long}-other and does not find it"
    assert (report.status, report.reason) == ("Incomplete", words[:500])


def test_an_internal_error_makes_a_report_incomplete_and_keeps_its_totals(
    sandbox, wallet, settings
):
    settings.PAYMENT_PROVIDER = {"nothing": "of use"}
    payment_provider.cache_clear()
    report = compare()
    words = "An internal error occurred; see the log"
    assert (report.status, report.reason, report.compared) == ("Incomplete", words, 0)
    assert report.leased_until is None
    assert report.lines.get(kind="Deposits", currency="KES").our_amount == 20_000


def test_twenty_interrupted_reports_are_given_up_at_a_time():
    now = timezone.now()
    gone = {"attempts": 3, "leased_until": now - HOUR}
    ended, cut_off = (
        [kept(status, now - n * HOUR, DAY - timedelta(days=n), **gone) for n in range(first, last)]
        for status, first, last in (("Incomplete", 51, 72), ("Running", 1, 22))
    )
    assert reports.run_next_report() is None
    for report in (*ended, *cut_off):
        report.refresh_from_db()
    # The oldest come first; finished ones do not count.
    assert {report.status for report in cut_off[1:]} == {"Incomplete"}
    assert (cut_off[0].status, ended[0].reason) == ("Running", "")
    assert reports.run_next_report() is None
    assert not Reconciliation.objects.filter(status="Running").exists()


def test_only_the_claimant_stores_a_report_and_once():
    ours, other = (reports.request_report(day=day, actor=SYSTEM) for day in (DAY, DAY - HOUR * 24))
    for report in (ours, other):
        assert reports.claim_report(report)
    Reconciliation.objects.filter(pk=ours.pk).update(status="Matched")
    # Two never have the same claim; if they had, each would be kept by itself.
    Reconciliation.objects.update(claimed_by=ours.claimed_by)
    reports._store(ours, "found too late", [])
    assert [*Reconciliation.objects.order_by("-day").values_list("status", "reason")] == [
        ("Matched", ""),
        ("Running", ""),
    ]


@pytest.mark.django_db(transaction=True)
def test_storing_a_report_locks_out_writers_only(owner_connection):
    report = reports.request_report(day=DAY, actor=SYSTEM)
    assert reports.claim_report(report)
    look = "SELECT status FROM wallets_reconciliation FOR {} SKIP LOCKED"
    with transaction.atomic():
        reports._store(report, "no answer", [])
        assert owner_connection.execute(look.format("SHARE")).fetchall() == []
        assert len(owner_connection.execute(look.format("KEY SHARE")).fetchall()) == 1


def test_a_worker_whose_lease_ran_out_writes_nothing_over_the_next_ones_report(sandbox, wallet):
    """Let the first worker finish late, with an outdated result, while the next one runs."""
    slow = reports.request_report(day=today(), actor=SYSTEM)
    begin_after(slow)
    assert reports.claim_report(slow)
    Reconciliation.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    quick = Reconciliation.objects.get()
    assert reports.claim_report(quick)
    order_without_record("payout_stranger")
    # The slow one ends now, before the quick one.
    reports.run_report(slow)
    kept = Reconciliation.objects.get()
    assert (kept.status, kept.claimed_by) == (ReportStatus.RUNNING, quick.claimed_by)
    assert (kept.finished_at, kept.lines.count()) == (None, 0)
    assert not ReconciliationBreak.objects.exists()
    assert not Alert.objects.filter(kind="reconciliation").exists()
    pay(wallet)
    made = reports.run_report(quick)
    assert made.status == ReportStatus.DIFFERS
    assert made.compared == 2
    assert reports.run_report(slow).compared == 2
    assert Alert.objects.filter(kind="reconciliation", resolved_at=None).count() == 1


@pytest.mark.parametrize(
    ("changes", "claimed"),
    [
        ({}, True),
        ({"attempts": 2, "leased_until": -1}, True),
        ({"status": "Running", "leased_until": -1}, True),
        ({"leased_until": 5}, False),
        ({"attempts": 3}, False),
        ({"status": "Matched"}, False),
    ],
)
def test_a_report_is_claimed_for_half_an_hour_and_three_times_at_most(changes, claimed):
    report, other = (
        reports.request_report(day=today() - timedelta(days=days), actor=SYSTEM) for days in (1, 2)
    )
    now = timezone.now()
    if "leased_until" in changes:
        changes = changes | {"leased_until": now + timedelta(seconds=changes["leased_until"])}
    rows = Reconciliation.objects.filter(pk=report.pk)
    with without_guards():
        rows.update(**changes)
    before = rows.values().get()
    assert reports.claim_report(report) is claimed
    if not claimed:
        assert rows.values().get() == before
        return
    assert (report.status, report.attempts) == ("Running", before["attempts"] + 1)
    assert report.claimed_by.startswith("report_")
    assert report.leased_until is not None
    left = report.leased_until - timezone.now()
    assert timedelta(minutes=29, seconds=30) < left <= timedelta(minutes=30)
    other.refresh_from_db()
    assert (other.status, other.attempts, other.leased_until) == ("Waiting", 0, None)


def test_the_alert_of_a_day_counts_the_differences_that_wait_for_two_people(sandbox, wallet):
    day = today() - timedelta(days=1)
    for count, words in ((0, None), (1, "One difference"), (2, "2 differences")):
        if count:
            order_without_record(f"payout_stranger_{count}")
            update_provider(sandbox, "UPDATE transfers SET created_at = created_at - 86400"
                 " WHERE reference = ?", f"payout_stranger_{count}")  # fmt: skip
            # What the provider has paid out of its own is not what this is about.
            sandbox.store.set_float("KES", Decimal(20_000))
        compare(day)
        expected = Alert.objects.filter(kind="reconciliation").values_list("subject", "message")
        message = f"{words} with the provider for {day}, not closed by two people yet"
        assert [*expected] == ([] if words is None else [(str(day), message)])


def test_a_difference_of_another_day_is_not_counted():
    day = today() - timedelta(days=3)
    reports._update_alerts(day, ReportStatus.DIFFERS, "")
    assert not Alert.objects.exists()
    reports._update_alerts(day, ReportStatus.INCOMPLETE, "no answer")
    expected = Alert.objects.get()
    words = f"Reconciliation of {day} is incomplete: no answer"
    assert (expected.kind, expected.subject, expected.message) == (
        "reconciliation_incomplete", str(day), words,
    )  # fmt: skip
    reports._update_alerts(day, ReportStatus.MATCHED, "")
    assert Alert.objects.get().resolved_at is not None
