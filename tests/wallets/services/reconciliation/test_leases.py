"""Who makes a report and for how long, and what is told of it."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from tests.factories.wallets import SYSTEM
from tests.wallets.services.reconciliation.harness import (
    begin_after,
    book,
    compare,
    pay,
    send_past_us,
    today,
)
from wallets.models import Alert, Reconciliation, ReconciliationBreak, ReportStatus
from wallets.services import reconciliation
from wallets.services.reconciliation import reports

pytestmark = pytest.mark.django_db


def test_a_worker_whose_lease_ran_out_writes_nothing_over_the_next_ones_report(sandbox, wallet):
    """It ends while the next one is still at work, and found what is no longer so."""
    slow = reconciliation.ask(day=today(), actor=SYSTEM)
    begin_after(slow)
    assert reconciliation.claim(slow)
    Reconciliation.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    quick = Reconciliation.objects.get()
    assert reconciliation.claim(quick)
    send_past_us("payout_stranger")
    # The slow one ends now, before the quick one.
    reconciliation.run(slow)
    kept = Reconciliation.objects.get()
    assert (kept.status, kept.claimed_by) == (ReportStatus.RUNNING, quick.claimed_by)
    assert (kept.finished_at, kept.lines.count()) == (None, 0)
    assert not ReconciliationBreak.objects.exists()
    assert not Alert.objects.filter(kind="reconciliation").exists()
    pay(wallet)
    made = reconciliation.run(quick)
    assert made.status == ReportStatus.DIFFERS
    assert made.compared == 2
    assert reconciliation.run(slow).compared == 2
    assert Alert.objects.filter(kind="reconciliation", resolved_at=None).count() == 1


@pytest.mark.parametrize(
    ("changes", "ours"),
    [
        ({}, True),
        ({"attempts": 2, "leased_until": -1}, True),
        ({"status": "Running", "leased_until": -1}, True),
        ({"leased_until": 5}, False),
        ({"attempts": 3}, False),
        ({"status": "Agrees"}, False),
    ],
)
def test_a_report_is_claimed_for_half_an_hour_and_three_times_at_most(changes, ours):
    report, other = (
        reconciliation.ask(day=today() - timedelta(days=days), actor=SYSTEM) for days in (1, 2)
    )
    now = timezone.now()
    if "leased_until" in changes:
        changes = changes | {"leased_until": now + timedelta(seconds=changes["leased_until"])}
    mine = Reconciliation.objects.filter(pk=report.pk)
    mine.update(**changes)
    before = mine.values().get()
    assert reconciliation.claim(report) is ours
    if not ours:
        assert mine.values().get() == before
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
            send_past_us(f"payout_stranger_{count}")
            book(sandbox, "UPDATE transfers SET created_at = created_at - 86400"
                 " WHERE reference = ?", f"payout_stranger_{count}")  # fmt: skip
            # What the provider has paid out of its own is not what this is about.
            sandbox.book.set_float("KES", Decimal(20_000))
        compare(day)
        told = Alert.objects.filter(kind="reconciliation").values_list("subject", "message")
        message = f"{words} with the provider for {day}, not explained by two people yet"
        assert [*told] == ([] if words is None else [(str(day), message)])


def test_a_difference_of_another_day_is_not_counted():
    day = today() - timedelta(days=3)
    reports._tell(day, ReportStatus.DIFFERS, "")
    assert not Alert.objects.exists()
    reports._tell(day, ReportStatus.INCOMPLETE, "no answer")
    told = Alert.objects.get()
    words = f"The comparison with the provider for {day} is incomplete: no answer"
    assert (told.kind, told.subject, told.message) == (
        "reconciliation_incomplete", str(day), words,
    )  # fmt: skip
    reports._tell(day, ReportStatus.AGREES, "")
    assert Alert.objects.get().resolved_at is not None
