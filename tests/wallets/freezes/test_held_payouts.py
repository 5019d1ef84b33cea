"""Payouts of owners who are frozen or owe: they wait, and go on by themselves."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from config.local.sandbox import SandboxServer
from exchange.core.database import violated_constraint
from exchange.core.errors import Rejected
from tests.factories.back_office import page, text_of
from tests.factories.holds import REASON, freeze, lift, make_paid_deposit, reverse
from tests.factories.wallets import (
    OVERRIDE,
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
    make_member_wallet,
    make_staff,
    status_of,
    store_bank_list,
)
from tests.wallets.payouts.payout_rows import claim_payout, count_orders, read_payout, update_payout
from wallets.payouts.models import PayoutCircuit
from wallets.payouts.services import execution as payouts
from wallets.payouts.services.sweeps import due_payouts, process_payout
from wallets.payouts.tasks import sweep_payouts
from wallets.receivables.services.repayments import amount_owed
from wallets.withdrawals.models import Payout
from wallets.withdrawals.selectors.review_flags import review_flags
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db


def test_a_payout_of_a_frozen_owner_waits_and_is_sent_after_two_people_lifted(
    sandbox: SandboxServer, wallet: Wallet, finance: Client
):
    withdrawal = make_approved_withdrawal(wallet)
    assert wallet.member is not None
    frozen = freeze(wallet.member)
    assert due_payouts() == []
    assert sweep_payouts() == 0
    payouts.send_payout(withdrawal.id)
    process_payout(withdrawal.id)
    payout = read_payout(withdrawal)
    assert (status_of(withdrawal), payout.attempts, payout.posted_at) == ("Approved", 0, None)
    assert count_orders(sandbox) == 0
    shown = text_of(finance.get(page(withdrawal)))
    assert (
        f"On hold The account is frozen: {REASON}. The payout is sent once two people have lifted"
        " the freeze, unless it is returned by dual approval." in shown
    )
    listed = finance.get("/admin/wallets/withdrawal/", {"status": "all"})
    assert "Approved Lift of the freeze" in text_of(listed)
    lift(frozen)
    assert "On hold" not in text_of(finance.get(page(withdrawal)))
    assert sweep_payouts() == 1
    assert count_orders(sandbox) == 1
    assert_books_hold()


def test_other_owners_and_currencies_are_paid_meanwhile(sandbox: SandboxServer, wallet: Wallet):
    assert wallet.member is not None
    freeze(wallet.member, "NGN")
    freeze(wallet.organisation)
    withdrawal = make_approved_withdrawal(wallet)
    assert due_payouts() == [(withdrawal.id, "Approved")]
    assert sweep_payouts() == 1
    assert count_orders(sandbox) == 1


def test_a_payout_claimed_before_the_freeze_is_not_posted(sandbox: SandboxServer, wallet: Wallet):
    withdrawal = make_approved_withdrawal(wallet)
    token = claim_payout(withdrawal)
    assert wallet.member is not None
    frozen = freeze(wallet.member, "KES")
    payouts._post(withdrawal.id, token)
    payout = read_payout(withdrawal)
    assert (status_of(withdrawal), payout.posted_at, payout.leased_until) == (
        "Approved",
        None,
        None,
    )
    assert payout.last_error == "the owner is frozen or owes an amount"
    assert count_orders(sandbox) == 0
    lift(frozen)
    assert sweep_payouts() == 1
    assert count_orders(sandbox) == 1


def test_a_worker_that_died_before_posting_leaves_it_approved(
    sandbox: SandboxServer, wallet: Wallet
):
    withdrawal = make_approved_withdrawal(wallet)
    claim_payout(withdrawal)
    assert wallet.member is not None
    freeze(wallet.member)
    update_payout(withdrawal, leased_until=-timedelta(1), next_step_at=-timedelta(1))
    assert due_payouts() == [(withdrawal.id, "Processing")]
    process_payout(withdrawal.id)
    assert (status_of(withdrawal), read_payout(withdrawal).claimed_by) == ("Approved", "")
    assert due_payouts() == []
    assert count_orders(sandbox) == 0


def test_the_database_itself_refuses_to_mark_it(wallet: Wallet):
    withdrawal = make_approved_withdrawal(wallet)
    claim_payout(withdrawal)
    assert wallet.member is not None
    freeze(wallet.member)
    with pytest.raises(IntegrityError) as caught, transaction.atomic():
        Payout.objects.filter(withdrawal=withdrawal).update(posted_at=timezone.now())
    assert violated_constraint(caught.value) == "payout_owner_blocked"


def test_the_trial_of_the_circuit_is_given_back(sandbox: SandboxServer, wallet: Wallet):
    """The trial payout is blocked after its claim; another one must not wait for its lease."""
    withdrawal = make_approved_withdrawal(wallet)
    now = timezone.now()
    PayoutCircuit.objects.update(state="Open", opened_at=now, next_probe_at=now)
    PayoutCircuit.objects.update(state="Half-open")
    token = claim_payout(withdrawal)
    assert PayoutCircuit.objects.get().trial_id == withdrawal.id
    assert wallet.member is not None
    freeze(wallet.member)
    payouts._post(withdrawal.id, token)
    circuit = PayoutCircuit.objects.get()
    assert (circuit.state, circuit.trial_id, circuit.trial_until) == ("Half-open", None, None)
    other = make_approved_withdrawal(make_member_wallet(5_000))
    payouts.send_payout(other.id)
    assert (count_orders(sandbox), PayoutCircuit.objects.get().state) == (1, "Closed")


def test_a_payout_of_a_debtor_waits_until_the_debt_is_repaid(
    sandbox: SandboxServer, finance: Client
):
    store_bank_list()
    wallet = make_member_wallet()
    deposit = make_paid_deposit(wallet, "1000")
    withdrawal = make_approved_withdrawal(wallet, 900)
    token = claim_payout(withdrawal)
    reverse(deposit)
    assert amount_owed(wallet.owner_id, "KES") == 900
    payouts._post(withdrawal.id, token)
    assert (status_of(withdrawal), due_payouts(), count_orders(sandbox)) == ("Approved", [], 0)
    assert (
        "On hold The owner owes 900.00 KES after a chargeback. The payout is sent once it is"
        " repaid, unless it is returned by dual approval." in text_of(finance.get(page(withdrawal)))
    )
    wallet.fund("899.99")
    assert due_payouts() == []
    wallet.fund("0.01")
    assert amount_owed(wallet.owner_id, "KES") == 0
    assert due_payouts() == [(withdrawal.id, "Approved")]
    sweep_payouts()
    assert count_orders(sandbox) == 1
    assert_books_hold()


def test_a_withdrawal_of_a_frozen_owner_is_flagged_and_not_approved(
    wallet: Wallet, finance: Client
):
    withdrawal = wallet.request(500)
    assert wallet.member is not None
    frozen = freeze(wallet.member)
    flags = {flag.code: str(flag) for flag in review_flags([withdrawal])[withdrawal.pk]}
    assert flags["account_frozen"] == f"Critical: The account is frozen: {REASON}."
    approval: dict[str, Any] = {
        "withdrawal_id": withdrawal.id,
        "version": withdrawal.version,
        "approver": make_staff(),
        "override": OVERRIDE,
    }
    with pytest.raises(Rejected, match="once two people have lifted the freeze") as caught:
        decisions.approve(**approval)
    assert caught.value.code == "account_frozen"
    assert (status_of(withdrawal), withdrawal.decisions.count()) == ("Pending", 0)
    shown = text_of(finance.get(page(withdrawal)))
    assert "The account is frozen. It can be approved once two people have lifted" in shown
    lift(frozen)
    assert decisions.approve(**approval).status == "Approved"


def test_a_withdrawal_of_a_frozen_owner_can_be_rejected_and_its_money_comes_back(
    wallet: Wallet, finance: Client
):
    withdrawal = wallet.request(500)
    assert wallet.member is not None
    freeze(wallet.member)
    decisions.reject(
        withdrawal_id=withdrawal.id,
        version=withdrawal.version,
        approver=make_staff(),
        reason="Frozen",
    )
    assert wallet.kes == (Decimal(20_000), Decimal(0))
    assert_books_hold()


def test_a_debt_is_a_flag_to_review(wallet: Wallet):
    debtor = make_member_wallet()
    deposit = make_paid_deposit(debtor, "1000")
    withdrawal = debtor.request(1000)
    reverse(deposit)
    flags = {flag.code: str(flag) for flag in review_flags([withdrawal])[withdrawal.pk]}
    assert flags["receivable_due"] == (
        "Review: The owner owes 1,000.00 KES after a chargeback. The payout waits until it is"
        " repaid."
    )
    other = wallet.request(500)
    assert not {"account_frozen", "receivable_due"} & {
        flag.code for flag in review_flags([other])[other.pk]
    }
