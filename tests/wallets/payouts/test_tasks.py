"""What workers are sent to do: the tasks' names, what one run takes, and what it survives."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from tests.factories.wallets import SYSTEM, make_approved_withdrawal, status_of
from tests.wallets.payouts.payout_rows import change, row
from wallets.banks import tasks as banks_tasks
from wallets.banks.models import BankList
from wallets.payouts import tasks as payouts_tasks
from wallets.payouts.models import PayoutCircuit
from wallets.providers.registry import payment_provider
from wallets.reconciliation import services as reconciliation
from wallets.reconciliation import tasks as reconciliation_tasks
from wallets.reconciliation.models import Reconciliation

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)


def test_tasks_are_called_by_the_names_that_beat_and_hints_send():
    assert [
        payouts_tasks.sweep_payouts.name,
        banks_tasks.refresh_bank_lists.name,
        reconciliation_tasks.reconcile.name,
    ] == [
        "wallets.tasks.sweep_payouts",
        "wallets.tasks.refresh_bank_lists",
        "wallets.tasks.reconcile",
    ]


def test_a_sweep_takes_every_step_that_is_due_and_says_how_many(sandbox, wallet):
    first, second, later = (make_approved_withdrawal(wallet) for _ in range(3))
    for withdrawal, step in ((first, -SECOND), (second, -SECOND), (later, SECOND * 60)):
        change(withdrawal, next_step_at=step)
    assert payouts_tasks.sweep_payouts() == 2
    for withdrawal, status in ((first, "NEW"), (second, "NEW"), (later, "")):
        assert row(withdrawal).provider_status == status
    assert payouts_tasks.sweep_payouts() == 0


def test_a_step_that_fails_keeps_no_other_one_from_being_taken(sandbox, wallet, settings: Settings):
    due = [make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)]
    for withdrawal in due:
        change(withdrawal, next_step_at=-SECOND)
    settings.PAYMENT_PROVIDER = {}
    payment_provider.cache_clear()
    with pytest.raises(TypeError):
        payment_provider()
    assert payouts_tasks.sweep_payouts() == 2
    assert [status_of(withdrawal) for withdrawal in due] == ["Processing", "Processing"]
    assert all(row(withdrawal).posted_at for withdrawal in due)


def test_a_sweep_asks_a_provider_that_failed_whether_it_is_back(sandbox):
    now = timezone.now()
    PayoutCircuit.objects.update(state="Open", opened_at=now, next_probe_at=now - SECOND)
    assert payouts_tasks.sweep_payouts() == 0
    assert PayoutCircuit.objects.get().state == "Half-open"


def test_lists_of_banks_that_stop_being_fresh_are_fetched(sandbox):
    banks_tasks.refresh_bank_lists()
    assert BankList.objects.filter(currency_id="KES").exclude(banks=[]).exists()


def test_reports_that_wait_are_made_one_after_another_and_counted(sandbox, monkeypatch):
    # The report on yesterday is due whatever the hour is.
    monkeypatch.setattr("wallets.reconciliation.services.reports._START_HOUR", 0)
    now = timezone.now()
    days = {now.date() - timedelta(days=ago) for ago in (1, 5, 9)}
    for day in days - {now.date() - timedelta(days=1)}:
        reconciliation.request_report(day=day, actor=SYSTEM)
    assert reconciliation_tasks.reconcile() == len(days)
    made = Reconciliation.objects.values_list("day", "status")
    assert {*made} == {(day, "Agrees") for day in days}
    assert reconciliation_tasks.reconcile() == 0
