"""Due work: payouts as scheduled or after a notification, and bank lists."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.local.sandbox import SandboxServer
from config.local.sandbox.faults import Fault
from tests.factories.payouts import open_alerts
from tests.factories.wallets import Wallet, make_approved_withdrawal, make_wallet, store_bank_list
from wallets.banks import services as banks_services
from wallets.banks.models import BankList
from wallets.payouts.models import PayoutCircuit
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import payout_row, settlement
from wallets.payouts.services import sweeps as services_sweeps
from wallets.payouts.services.payout_row import PayoutRow
from wallets.withdrawals.models import Payout, Withdrawal, WithdrawalStatus

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def test_status_checks_start_soon_and_then_come_every_ten_minutes():
    store_bank_list()
    withdrawal = make_approved_withdrawal(make_wallet(1000))
    steps = (5, 10, 20, 40, 60, 120, 300, 600, 600, 600)
    for status_checks, seconds in enumerate(steps):
        Payout.objects.filter(withdrawal_id=withdrawal.id).update(status_checks=status_checks)
        before = timezone.now()
        found = payout_row.PayoutRow(withdrawal.id)._next_check_at() - timedelta(seconds=seconds)
        assert before <= found <= timezone.now(), status_checks


def test_a_payout_is_monitored_every_twelve_hours_for_thirty_days():
    now = timezone.now()
    assert payout_row._monitoring_schedule(now) == {
        "next_step_at": now + 12 * HOUR,
        "monitor_until": now + timedelta(days=30),
    }


@pytest.mark.parametrize(
    ("planned", "due"),
    [(HOUR, True), (-HOUR, True), (None, False)],
    ids=["later", "due already", "never"],
)
def test_a_notification_expedites_a_status_check_and_never_delays_it(planned, due):
    store_bank_list()
    withdrawal = make_approved_withdrawal(make_wallet(1000))
    at = None if planned is None else timezone.now() + planned
    Payout.objects.filter(withdrawal_id=withdrawal.id).update(next_step_at=at)
    before = timezone.now()
    assert services_sweeps.expedite(withdrawal.reference) == withdrawal.id
    found = Payout.objects.get(withdrawal_id=withdrawal.id).next_step_at
    if planned == HOUR:
        assert found is not None
        assert before <= found <= timezone.now()
    else:
        assert found == at
    assert PayoutRow(withdrawal.id).claim_step(WithdrawalStatus.APPROVED) is due


def test_a_payout_that_was_put_back_is_not_postponed():
    store_bank_list()
    withdrawal = make_approved_withdrawal(make_wallet(1000))
    now = timezone.now()
    Payout.objects.filter(withdrawal_id=withdrawal.id).update(next_step_at=now)
    # Another worker has put it back since this one read its status.
    assert not PayoutRow(withdrawal.id).claim_step(WithdrawalStatus.PROCESSING)
    assert Payout.objects.get(withdrawal_id=withdrawal.id).next_step_at == now


def make_scheduled(wallet: Wallet, minutes: float | None, **changes: object) -> Withdrawal:
    """Make an Approved withdrawal whose next step is `minutes` from now."""
    withdrawal = make_approved_withdrawal(wallet)
    at = None if minutes is None else timezone.now() + minutes * HOUR / 60
    Payout.objects.filter(withdrawal=withdrawal).update(next_step_at=at, **changes)
    return withdrawal


def make_unknown(wallet: Wallet, minutes: float) -> Withdrawal:
    """Make an Unknown payout."""
    withdrawal = make_approved_withdrawal(wallet)
    claim = payouts._claim(withdrawal.id)
    assert claim is not None
    assert payouts._mark_posting(withdrawal, claim.token)
    settlement.mark_unknown(withdrawal.id, error="silence", not_found=False)
    at = timezone.now() + minutes * HOUR / 60
    Payout.objects.filter(withdrawal=withdrawal).update(next_step_at=at)
    return withdrawal


def test_due_payouts_are_taken_in_order_except_leased_ones():
    store_bank_list()
    wallet = make_wallet(5000)
    now = timezone.now()
    second = make_scheduled(wallet, -2)
    first = make_scheduled(wallet, -3, leased_until=now - HOUR)
    third = make_unknown(wallet, -1)
    make_scheduled(wallet, 1)
    make_scheduled(wallet, None)
    make_scheduled(wallet, -9, leased_until=now + HOUR)
    due = [(first.id, "Approved"), (second.id, "Approved"), (third.id, "Unknown")]
    assert services_sweeps.due_payouts() == due
    assert services_sweeps.due_payouts(2) == due[:2]
    with CaptureQueriesContext(connection) as queries:
        services_sweeps.due_payouts()
    assert queries.captured_queries[-1]["sql"].endswith("LIMIT 100")
    PayoutCircuit.objects.update(state="Open", opened_at=now, next_probe_at=now)
    assert services_sweeps.due_payouts() == due[2:]


def test_a_step_is_claimed_once_and_for_one_payout():
    store_bank_list()
    wallet = make_wallet(5000)
    one, other = make_scheduled(wallet, -1), make_scheduled(wallet, -1)
    before = Payout.objects.get(withdrawal=other).next_step_at
    assert PayoutRow(one.id).claim_step(WithdrawalStatus.APPROVED)
    assert not PayoutRow(one.id).claim_step(WithdrawalStatus.APPROVED)
    at = Payout.objects.get(withdrawal=one).next_step_at
    assert at is not None
    assert round((at - timezone.now()).total_seconds()) == 120
    assert Payout.objects.get(withdrawal=other).next_step_at == before


def test_a_notification_of_a_failed_payout_has_only_it_checked():
    store_bank_list()
    wallet = make_wallet(5000)
    failed, other = make_unknown(wallet, 60), make_scheduled(wallet, 60)
    settlement.fail_payout(failed.id, reason="refused", actor=payouts._ACTOR)
    before = Payout.objects.get(withdrawal=other).next_step_at
    assert Payout.objects.get(withdrawal=failed).next_step_at is None
    assert services_sweeps.expedite("payout_nobody") is None
    assert services_sweeps.expedite(failed.reference) == failed.id
    assert services_sweeps.due_payouts() == [(failed.id, "Failed")]
    assert Payout.objects.get(withdrawal=other).next_step_at == before


def count_orders_and_reads(sandbox: SandboxServer) -> tuple[int, int]:
    methods = [entry["method"] for entry in sandbox.requests.entries()]
    return methods.count("POST"), methods.count("GET")


def test_a_step_sends_unsent_payouts_and_checks_sent_ones(sandbox: SandboxServer):
    store_bank_list()
    wallet = make_wallet(5000)
    sandbox.store.set_float("KES", Decimal(5000))
    services_sweeps.process_payout(wallet.request().id)
    services_sweeps.process_payout(wallet.organisation.id)
    assert count_orders_and_reads(sandbox) == (0, 0)
    new = make_scheduled(wallet, None)
    PayoutCircuit.objects.update(quiet_until=timezone.now() + HOUR)
    services_sweeps.process_payout(new.id)
    assert count_orders_and_reads(sandbox) == (0, 0)
    PayoutCircuit.objects.update(quiet_until=None)
    services_sweeps.process_payout(new.id)
    assert count_orders_and_reads(sandbox) == (1, 0)
    # The provider has it: it is checked when due, whatever else is pending.
    make_scheduled(wallet, 60)
    services_sweeps.process_payout(new.id)
    assert count_orders_and_reads(sandbox) == (1, 0)
    Payout.objects.filter(withdrawal=new).update(next_step_at=timezone.now())
    services_sweeps.process_payout(new.id)
    assert count_orders_and_reads(sandbox) == (1, 1)
    orphan = make_approved_withdrawal(wallet)
    assert payouts._claim(orphan.id) is not None
    gone = timezone.now() - HOUR
    Payout.objects.filter(withdrawal=orphan).update(leased_until=gone, next_step_at=gone)
    services_sweeps.process_payout(orphan.id)
    assert count_orders_and_reads(sandbox) == (2, 1)
    assert Payout.objects.get(withdrawal=orphan).provider_status == "NEW"


def test_bank_lists_are_fetched_four_hours_before_they_are_a_day_old(sandbox: SandboxServer):
    minute = timedelta(minutes=1)
    ages = {"NGN": 20 * HOUR - minute, "GHS": 20 * HOUR + minute, "ZAR": -HOUR}
    for currency, age in ages.items():
        BankList.objects.create(currency_id=currency, banks=[], fetched_at=timezone.now() - age)
    path = "/v3/banks/UG"
    sandbox.faults.add(Fault(fault="error_5xx", method="GET", path_prefix=path, times=3))
    assert banks_services.refresh_bank_lists() == {
        "GHS": True,
        "KES": True,
        "TZS": True,
        "UGX": False,
    }
    assert open_alerts() == {"bank_list"}
    stored = BankList.objects.exclude(banks=[]).values_list("currency_id", flat=True)
    assert {*stored} == {"GHS", "KES", "TZS"}
    assert banks_services.refresh_bank_lists() == {"UGX": True}
    assert open_alerts() == set()
