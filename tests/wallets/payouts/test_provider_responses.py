"""What follows an order that was refused or not answered, and what a look-up makes of it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.factories.wallets import make_approved_withdrawal, status_of
from tests.wallets.payouts.payout_rows import (
    change,
    fail,
    marked,
    orders,
    refuse_orders,
    row,
    seconds,
    token_of,
)
from wallets.alerts.models import Alert
from wallets.payouts.models import PayoutCircuit
from wallets.payouts.services import execution as payouts
from wallets.providers.registry import payment_provider
from wallets.providers.sandbox.faults import Fault
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services.transfer_requests import transfer_request

pytestmark = pytest.mark.django_db

SECOND, LATER = timedelta(seconds=1), timedelta(hours=1)
BLACKLISTED = "Payout was made to a blacklisted account number"


@pytest.mark.parametrize("attempts", [1, 2])
def test_a_refusal_of_the_first_order_fails_and_of_a_later_one_is_looked_up(
    sandbox, wallet, attempts
):
    one, other = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    change(one, attempts=attempts - 1)
    change(other, attempts=5)
    refuse_orders(sandbox, BLACKLISTED)
    fail(sandbox)
    PayoutCircuit.objects.update(failures=2)
    payouts.send_payout(one.id)
    # It was an answer, so the provider is not failing.
    assert PayoutCircuit.objects.get().failures == 0
    if attempts == 1:
        assert (status_of(one), row(one).last_error) == ("Failed", "")
        assert Withdrawal.objects.get(pk=one.pk).reason == BLACKLISTED
        return
    reason = f"{BLACKLISTED}; the provider failed (503)"
    assert (status_of(one), row(one).last_error) == ("Unknown", reason)
    assert row(one).not_found_count == 0


def test_a_later_order_that_is_refused_is_as_the_provider_has_the_earlier_one(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    change(withdrawal, attempts=1)
    payment_provider().transfer(transfer_request(withdrawal))
    refuse_orders(sandbox, BLACKLISTED)
    payouts.send_payout(withdrawal.id)
    assert (status_of(withdrawal), row(withdrawal).provider_status) == ("Processing", "NEW")
    assert row(withdrawal).claimed_by == ""


def test_a_later_order_that_is_refused_fails_where_the_provider_knows_of_no_other(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    change(withdrawal, attempts=1)
    refuse_orders(sandbox, BLACKLISTED)
    payouts.send_payout(withdrawal.id)
    assert status_of(withdrawal) == "Failed"
    assert Withdrawal.objects.get(pk=withdrawal.pk).reason == BLACKLISTED


@pytest.mark.parametrize("reads", ["found", "not found", "failed", "quiet"])
def test_an_answer_that_is_lost_is_asked_for_at_once_unless_we_are_to_leave_them_alone(
    sandbox, wallet, reads
):
    withdrawal = make_approved_withdrawal(wallet)
    lost = "error_5xx" if reads != "quiet" else "rate_limit"
    sandbox.faults.add(
        Fault(fault=lost, method="POST", path_prefix="/v3/transfers", retry_after=120,
              effect=reads in {"found", "quiet"})
    )  # fmt: skip
    if reads == "failed":
        fail(sandbox)
    payouts.send_payout(withdrawal.id)
    first = "the provider failed (503)"
    status, error, not_found = {
        "found": ("Processing", "", 0),
        "not found": ("Unknown", first, 1),
        "failed": ("Unknown", f"{first}; {first}", 0),
        "quiet": ("Unknown", "the provider limits the request rate (429)", 0),
    }[reads]
    assert (status_of(withdrawal), row(withdrawal).last_error) == (status, error)
    assert row(withdrawal).not_found_count == not_found
    assert row(withdrawal).provider_status == ("NEW" if reads == "found" else "")
    circuit = PayoutCircuit.objects.get()
    assert seconds(circuit.quiet_until) == (120 if reads == "quiet" else None)
    assert circuit.failures == 1


def test_an_order_under_a_reference_that_the_provider_has_is_looked_up(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    payment_provider().transfer(transfer_request(withdrawal))
    PayoutCircuit.objects.update(failures=2)
    payouts.send_payout(withdrawal.id)
    assert (status_of(withdrawal), row(withdrawal).provider_status) == ("Processing", "NEW")
    assert row(withdrawal).claimed_by == ""
    assert PayoutCircuit.objects.get().failures == 0


def test_what_a_worker_sent_and_did_not_come_back_to_is_asked_for_and_not_sent_again(
    sandbox, wallet
):
    known, unknown = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    payment_provider().transfer(transfer_request(known))
    sent = orders(sandbox)
    for withdrawal in (known, unknown):
        marked(withdrawal)
        change(withdrawal, leased_until=-SECOND)
        payouts.send_payout(withdrawal.id)
    assert (status_of(known), row(known).provider_status) == ("Processing", "NEW")
    reason = "the worker that posted it did not finish"
    assert (status_of(unknown), row(unknown).last_error) == ("Unknown", reason)
    assert row(unknown).not_found_count == 1
    assert orders(sandbox) == sent


def test_a_look_up_that_is_told_to_come_later_leaves_the_provider_alone(sandbox, wallet):
    one, lost = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    marked(one)
    change(one, leased_until=None)
    sandbox.faults.add(
        Fault(fault="rate_limit", method="GET", path_prefix="/v3/transfers", times=3,
              retry_after=900)
    )  # fmt: skip
    payouts.check_status(one.id)
    assert seconds(PayoutCircuit.objects.get().quiet_until) == 900
    PayoutCircuit.objects.update(quiet_until=None)
    marked(lost)
    payouts._verify_outcome(lost.id, "silence")
    assert seconds(PayoutCircuit.objects.get().quiet_until) == 900


@pytest.mark.parametrize(
    ("lease", "accepted", "status"),
    [(LATER, False, "Processing"), (-SECOND, False, "Unknown"), (None, False, "Unknown"),
     (None, True, "Processing")],
    ids=["leased", "over", "none", "accepted"],
)  # fmt: skip
def test_a_look_up_that_fails_makes_unknown_only_what_nobody_works_on(
    sandbox, wallet, lease, accepted, status
):
    one, other = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    marked(one)
    marked(other)
    change(one, leased_until=lease, provider_id="7" if accepted else "")
    change(other, leased_until=-SECOND if status == "Processing" else LATER)
    fail(sandbox)
    payouts.check_status(one.id)
    assert (status_of(one), row(one).last_error) == (status, "the provider failed (503)")
    assert (row(one).status_checks, row(one).not_found_count) == (
        1 if status == "Processing" else 2,
        0,
    )
    assert status_of(other) == "Processing"


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"posted_at": None, "leased_until": -SECOND}, "Approved"),
        ({"posted_at": None, "leased_until": LATER}, "Processing"),
        ({"posted_at": -LATER, "leased_until": LATER}, "Processing"),
        ({"posted_at": -LATER, "leased_until": -SECOND}, "Unknown"),
    ],
    ids=["unsent", "unsent and leased", "leased", "sent"],
)
def test_a_payout_that_the_provider_does_not_know_is_lost_unless_it_was_never_sent(
    sandbox, wallet, changes, status
):
    withdrawal = make_approved_withdrawal(wallet)
    token_of(withdrawal)
    change(withdrawal, **changes)
    payouts.check_status(withdrawal.id)
    assert status_of(withdrawal) == status
    lost = status == "Unknown"
    reason = "the provider does not know the reference" if lost else ""
    assert (row(withdrawal).not_found_count, row(withdrawal).last_error) == (int(lost), reason)
    if lost:
        # It stays Unknown, and so it does where a lease is left over.
        change(withdrawal, posted_at=None, leased_until=LATER)
        payouts.check_status(withdrawal.id)
        assert (status_of(withdrawal), row(withdrawal).status_checks) == ("Unknown", 2)


def test_a_withdrawal_that_is_not_on_its_way_is_not_looked_up(sandbox, wallet):
    for withdrawal in (wallet.request(), make_approved_withdrawal(wallet)):
        payouts.check_status(withdrawal.id)
    payouts.check_status(wallet.organisation.id)
    assert sandbox.requests.entries() == []


@pytest.mark.parametrize("status", ["Completed", "Failed"])
def test_a_closed_payout_that_the_provider_does_not_know_is_told_of_if_it_was_paid(
    sandbox, wallet, status
):
    withdrawal = make_approved_withdrawal(wallet)
    if status == "Failed":
        refuse_orders(sandbox, BLACKLISTED)
    payouts.send_payout(withdrawal.id)
    sandbox.store.settle(None)
    payouts.check_status(withdrawal.id)
    assert status_of(withdrawal) == status
    looked = row(withdrawal).status_checks
    sandbox.faults.add(Fault(fault="hidden", method="GET", path_prefix="/v3/transfers", times=3))
    payouts.check_status(withdrawal.id)
    assert (status_of(withdrawal), row(withdrawal).status_checks) == (status, looked + 1)
    reference = withdrawal.reference
    words = f"The provider no longer finds {reference}, which it completed"
    vanished = [("payout_vanished", reference, words)] if status == "Completed" else []
    assert [*Alert.objects.values_list("kind", "subject", "message")] == vanished
