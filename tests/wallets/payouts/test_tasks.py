"""Tasks of the workers: their names, the work of one run, and failures within it."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from tests.factories.wallets import SYSTEM, make_approved_withdrawal, status_of
from tests.wallets.payouts.payout_rows import read_payout, update_payout
from wallets.banks import tasks as banks_tasks
from wallets.banks.models import BankList
from wallets.payouts import tasks as payouts_tasks
from wallets.payouts.models import PayoutCircuit
from wallets.providers.registry import payment_provider
from wallets.reconciliation import tasks as reconciliation_tasks
from wallets.reconciliation.models import Reconciliation
from wallets.reconciliation.services import reports

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)


def test_tasks_have_the_names_that_beat_and_notifications_send():
    assert [
        payouts_tasks.sweep_payouts.name,
        banks_tasks.refresh_bank_lists.name,
        reconciliation_tasks.reconcile.name,
    ] == [
        "wallets.tasks.sweep_payouts",
        "wallets.tasks.refresh_bank_lists",
        "wallets.tasks.reconcile",
    ]


def test_a_sweep_takes_and_counts_every_due_step(sandbox, wallet):
    first, second, later = (make_approved_withdrawal(wallet) for _ in range(3))
    for withdrawal, step in ((first, -SECOND), (second, -SECOND), (later, SECOND * 60)):
        update_payout(withdrawal, next_step_at=step)
    assert payouts_tasks.sweep_payouts() == 2
    for withdrawal, status in ((first, "NEW"), (second, "NEW"), (later, "")):
        assert read_payout(withdrawal).provider_status == status
    assert payouts_tasks.sweep_payouts() == 0


def test_a_failed_step_does_not_stop_the_others(sandbox, wallet, settings: Settings):
    due = [make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)]
    for withdrawal in due:
        update_payout(withdrawal, next_step_at=-SECOND)
    settings.PAYMENT_PROVIDER = {}
    payment_provider.cache_clear()
    with pytest.raises(TypeError):
        payment_provider()
    assert payouts_tasks.sweep_payouts() == 2
    assert [status_of(withdrawal) for withdrawal in due] == ["Processing", "Processing"]
    assert all(read_payout(withdrawal).posted_at for withdrawal in due)


def test_a_sweep_probes_a_failing_provider(sandbox):
    now = timezone.now()
    PayoutCircuit.objects.update(state="Open", opened_at=now, next_probe_at=now - SECOND)
    assert payouts_tasks.sweep_payouts() == 0
    assert PayoutCircuit.objects.get().state == "Half-open"


def test_bank_lists_are_fetched_before_they_expire(sandbox):
    banks_tasks.refresh_bank_lists()
    assert BankList.objects.filter(currency_id="KES").exclude(banks=[]).exists()


def test_due_reports_are_made_one_by_one_and_counted(sandbox, monkeypatch):
    # Yesterday's report is due at any hour.
    monkeypatch.setattr("wallets.reconciliation.services.reports._START_HOUR", 0)
    now = timezone.now()
    days = {now.date() - timedelta(days=ago) for ago in (1, 5, 9)}
    for day in days - {now.date() - timedelta(days=1)}:
        reports.request_report(day=day, actor=SYSTEM)
    assert reconciliation_tasks.reconcile() == len(days)
    made = Reconciliation.objects.values_list("day", "status")
    assert {*made} == {(day, "Matched") for day in days}
    assert reconciliation_tasks.reconcile() == 0
