"""The steps of a payout, one by one: claim, mark, put back and send."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from exchange.events.models import Event
from tests.factories.wallets import make_approved_withdrawal, status_of
from tests.wallets.payouts.payout_rows import (
    claim_and_mark,
    claim_payout,
    count_orders,
    decline_orders,
    read_payout,
    read_values,
    seconds_until,
    update_payout,
)
from wallets.alerts.models import Alert
from wallets.alerts.services import raise_alert
from wallets.banks.models import BankAccount
from wallets.payouts.models import PayoutCircuit
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import settlement
from wallets.providers.base import RecipientIdentity, TransferRequest
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services.transfer_requests import transfer_request

pytestmark = pytest.mark.django_db

SECOND, LEASE, LATER = timedelta(seconds=1), timedelta(minutes=2), timedelta(hours=1)
BLACKLISTED = "Payout was made to a blacklisted account number"


def test_a_claim_leases_for_two_minutes_and_the_first_emits_an_event(wallet):
    one, other = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    before = read_values(other)
    token = claim_payout(one)
    payout = read_payout(one)
    assert (status_of(one), payout.claimed_by, payout.attempts) == ("Processing", token, 1)
    assert payout.leased_until == payout.next_step_at == payout.updated_at + LEASE
    assert payout.posted_at is None
    assert read_values(other) == before
    events = Event.objects.filter(subject_id=one.id, type="withdrawal.processing")
    assert events.count() == 1
    # A repeated claim emits no event.
    payouts._requeue(one.id, token, "too little float", 0)
    assert claim_payout(one) != token
    assert (read_payout(one).attempts, events.count()) == (2, 1)


def test_an_unapproved_withdrawal_is_not_claimed(wallet):
    pending = wallet.request()
    assert payouts._claim(pending.id) is None
    assert status_of(pending) == "Pending"


@pytest.mark.parametrize(("planned", "taken"), [(SECOND * 5, False), (-SECOND, True), (None, True)])
def test_an_approved_payout_waits_for_its_next_step(wallet, planned, taken):
    withdrawal = make_approved_withdrawal(wallet)
    update_payout(withdrawal, next_step_at=planned)
    assert (payouts._claim(withdrawal.id) is not None) is taken
    assert status_of(withdrawal) == ("Processing" if taken else "Approved")


@pytest.mark.parametrize(
    ("changes", "taken"),
    [
        ({"leased_until": SECOND * 5}, None),
        ({"leased_until": -SECOND}, "send"),
        ({"leased_until": None}, "send"),
        ({"leased_until": -SECOND, "posted_at": -LATER}, "ask first"),
        ({"leased_until": -SECOND, "posted_at": -LATER, "provider_id": "7"}, None),
    ],
    ids=["leased", "over", "none", "posted", "accepted"],
)
@pytest.mark.one_in(3)
def test_an_expired_claim_is_taken_over_unless_the_order_was_accepted(wallet, changes, taken):
    withdrawal = make_approved_withdrawal(wallet)
    first = claim_payout(withdrawal)
    update_payout(withdrawal, **changes)
    claim = payouts._claim(withdrawal.id)
    if taken is None:
        assert (claim, read_payout(withdrawal).claimed_by) == (None, first)
    else:
        assert claim is not None
        assert claim.check_first is (taken == "ask first")
        assert (read_payout(withdrawal).claimed_by, read_payout(withdrawal).attempts) == (
            claim.token,
            2,
        )
    assert status_of(withdrawal) == "Processing"


@pytest.mark.parametrize("posted", [False, True])
def test_while_on_hold_only_possibly_sent_payouts_are_taken_over(wallet, posted):
    withdrawal, waiting = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    claim_payout(withdrawal)
    update_payout(withdrawal, leased_until=-SECOND, posted_at=-LATER if posted else None)
    now = timezone.now()
    PayoutCircuit.objects.update(state="Open", opened_at=now, next_probe_at=now)
    claim = payouts._claim(withdrawal.id)
    assert (claim is not None, status_of(withdrawal)) == (
        posted,
        "Processing" if posted else "Approved",
    )
    assert (payouts._claim(waiting.id), status_of(waiting)) == (None, "Approved")


@pytest.mark.parametrize(
    ("changes", "may"),
    [
        ({}, True),
        ({"claimed_by": "claim_other"}, False),
        ({"posted_at": -SECOND}, False),
        ({"leased_until": SECOND * 63}, True),
        ({"leased_until": SECOND * 60}, False),
        ({"leased_until": None}, False),
    ],
    ids=["mine", "another's", "posted", "over half", "half", "no lease"],
)
@pytest.mark.one_in(3)
def test_a_payout_is_marked_once_by_its_claimant_in_the_first_half_of_the_lease(
    wallet, changes, may
):
    one, other = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    token = claim_payout(one)
    claim_payout(other)
    update_payout(one, **changes)
    before, untouched = read_values(one), read_values(other)
    assert not payouts._mark_posting(other, token)
    assert payouts._mark_posting(one, token) is may
    if may:
        assert read_payout(one).posted_at == read_payout(one).updated_at
        assert seconds_until(read_payout(one).posted_at) == 0
    else:
        assert read_values(one) == before
    assert read_values(other) == untouched


def test_an_order_that_was_not_accepted_is_put_back_only_by_its_worker(wallet):
    one, other = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    token = claim_and_mark(one)
    claim_and_mark(other)
    before, untouched = read_values(one), read_values(other)
    payouts._requeue(one.id, "claim_other", "late", 60)
    payouts._requeue(other.id, token, "not mine", 60)
    assert (read_values(one), read_values(other)) == (before, untouched)
    payouts._requeue(one.id, token, "x" * 400, 60)
    payout = read_payout(one)
    assert (status_of(one), payout.claimed_by, payout.last_error) == ("Approved", "", "x" * 300)
    assert (payout.leased_until, payout.posted_at) == (None, None)
    assert payout.next_step_at == payout.updated_at + SECOND * 60
    assert read_values(other) == untouched
    assert not Event.objects.filter(subject_id=one.id, type="withdrawal.approved")[1:]


def test_a_payout_with_a_later_status_is_not_put_back(wallet):
    withdrawal = make_approved_withdrawal(wallet)
    token = claim_and_mark(withdrawal)
    settlement.mark_unknown(withdrawal.id, error="silence", not_found=False)
    payouts._requeue(withdrawal.id, token, "late", 60)
    assert (status_of(withdrawal), read_payout(withdrawal).claimed_by) == ("Unknown", "")


@pytest.mark.parametrize(
    ("changes", "back"),
    [
        ({"leased_until": SECOND * 5}, False),
        ({"leased_until": -SECOND}, True),
        ({"leased_until": None}, True),
        ({"leased_until": None, "posted_at": -SECOND}, False),
    ],
    ids=["leased", "over", "none", "posted"],
)
@pytest.mark.one_in(3)
def test_an_unsent_payout_is_put_back_when_its_lease_expires(wallet, changes, back):
    one, other = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    for each in (one, other):
        claim_payout(each)
        update_payout(each, leased_until=-SECOND)
    update_payout(one, **changes)
    before, untouched = read_values(one), read_values(other)
    payouts._requeue_unsent(one.id)
    assert read_values(other) == untouched
    if not back:
        assert read_values(one) == before
        return
    payout = read_payout(one)
    assert (status_of(one), payout.claimed_by, payout.leased_until) == ("Approved", "", None)
    assert payout.next_step_at == payout.updated_at
    assert seconds_until(payout.updated_at) == 0
    assert Event.objects.filter(subject_id=one.id, type="withdrawal.approved").count() == 1
    # It is Approved already, so putting it back again is no transition.
    payouts._requeue_unsent(one.id)
    assert status_of(one) == "Approved"


def test_the_order_has_payee_amount_and_account(wallet):
    withdrawal = Withdrawal.objects.select_related("bank").get(
        pk=make_approved_withdrawal(wallet).pk
    )
    plain = TransferRequest(
        reference=withdrawal.reference,
        amount=Decimal(470),
        currency="KES",
        bank_code="01",
        account_number="0690000031",
        beneficiary_name="Ada Obi",
        narration=f"Withdrawal {withdrawal.reference}",
        branch_code=None,
        recipient=None,
    )
    assert transfer_request(withdrawal) == plain
    withdrawal.bank = BankAccount(
        code="GH01",
        account_number="12",
        account_name="Thandi Nkosi",
        branch_code="GH280100",
        recipient_first_name="Thandi",
        recipient_last_name="Nkosi",
        recipient_email="t@example.com",
        recipient_phone="+27820000000",
        recipient_address="1 Long St",
    )
    identity = RecipientIdentity("Thandi", "Nkosi", "t@example.com", "+27820000000", "1 Long St")
    assert transfer_request(withdrawal) == TransferRequest(
        reference=withdrawal.reference,
        amount=Decimal(470),
        currency="KES",
        bank_code="GH01",
        account_number="12",
        beneficiary_name="Thandi Nkosi",
        narration=f"Withdrawal {withdrawal.reference}",
        branch_code="GH280100",
        recipient=identity,
    )


def test_an_accepted_order_resolves_the_float_alert_and_resets_failures(sandbox, wallet):
    PayoutCircuit.objects.update(failures=2)
    for currency in ("KES", "NGN"):
        raise_alert("float", subject=currency, message="Too little")
    withdrawal = make_approved_withdrawal(wallet)
    payouts.send_payout(withdrawal.id)
    assert (status_of(withdrawal), read_payout(withdrawal).provider_status) == ("Processing", "NEW")
    assert [*Alert.objects.filter(resolved_at=None).values_list("subject", flat=True)] == ["NGN"]
    assert PayoutCircuit.objects.get().failures == 0


def test_insufficient_float_raises_an_alert_with_the_providers_message(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    decline_orders(sandbox, "Insufficient fund")
    PayoutCircuit.objects.update(failures=2)
    payouts.send_payout(withdrawal.id)
    payout = read_payout(withdrawal)
    assert (status_of(withdrawal), payout.last_error) == ("Approved", "Insufficient fund")
    assert seconds_until(payout.next_step_at, payout.updated_at) == 300
    alert = Alert.objects.get()
    message = (
        f"Insufficient KES float at the provider for {withdrawal.reference}: Insufficient fund"
    )
    assert (alert.kind, alert.subject, alert.message) == ("float", "KES", message)
    assert PayoutCircuit.objects.get().failures == 0


def test_an_undelivered_order_is_sent_again_after_a_minute(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    sandbox.stop()
    payouts.send_payout(withdrawal.id)
    payout = read_payout(withdrawal)
    reason = "no connection could be made"
    assert (status_of(withdrawal), payout.last_error) == ("Approved", reason)
    assert seconds_until(payout.next_step_at, payout.updated_at) == 60
    circuit = PayoutCircuit.objects.get()
    assert (circuit.failures, circuit.reason) == (1, reason)


def test_an_order_is_not_sent_when_its_lease_is_half_over(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    token = claim_payout(withdrawal)
    update_payout(withdrawal, leased_until=SECOND * 30)
    payouts._post(withdrawal.id, token)
    assert (status_of(withdrawal), read_payout(withdrawal).posted_at) == ("Processing", None)
    assert count_orders(sandbox) == 0


def test_an_order_claimed_before_payouts_went_on_hold_waits(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    token = claim_payout(withdrawal)
    now = timezone.now()
    PayoutCircuit.objects.update(state="Open", opened_at=now, next_probe_at=now)
    payouts._post(withdrawal.id, token)
    payout = read_payout(withdrawal)
    reason = "payouts are on hold"
    assert (status_of(withdrawal), payout.last_error) == ("Approved", reason)
    assert (payout.next_step_at, count_orders(sandbox)) == (payout.updated_at, 0)
