"""Reports whose worker was so slow that another one makes them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.factories.wallets import SYSTEM
from tests.wallets.services.reconciliation.harness import (
    begin_after,
    pay,
    send_past_us,
    today,
)
from wallets.models import Alert, Reconciliation, ReconciliationBreak, ReportStatus
from wallets.services import reconciliation

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
