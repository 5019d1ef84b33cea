"""Orders that the provider declined or did not respond to, and their status checks."""

from datetime import timedelta

import pytest

from config.local.sandbox.faults import Fault
from tests.factories.wallets import make_approved_withdrawal, status_of
from tests.wallets.payouts.payout_rows import (
    claim_and_mark,
    claim_payout,
    count_orders,
    decline_orders,
    fail_requests,
    read_payout,
    seconds_until,
    update_payout,
)
from wallets.alerts.models import Alert
from wallets.payouts.models import PayoutCircuit
from wallets.payouts.services import execution as payouts
from wallets.providers.registry import payment_provider
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services.transfer_requests import transfer_request

pytestmark = pytest.mark.django_db

SECOND, LATER = timedelta(seconds=1), timedelta(hours=1)
BLACKLISTED = "Payout was made to a blacklisted account number"


@pytest.mark.parametrize("attempts", [1, 2])
def test_a_declined_first_order_fails_and_a_declined_later_one_is_checked(
    sandbox, wallet, attempts
):
    one, other = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    update_payout(one, attempts=attempts - 1)
    update_payout(other, attempts=5)
    decline_orders(sandbox, BLACKLISTED)
    fail_requests(sandbox)
    PayoutCircuit.objects.update(failures=2)
    payouts.send_payout(one.id)
    # The provider responded, so it is not failing.
    assert PayoutCircuit.objects.get().failures == 0
    if attempts == 1:
        assert (status_of(one), read_payout(one).last_error) == ("Failed", "")
        assert Withdrawal.objects.get(pk=one.pk).reason == BLACKLISTED
        return
    reason = f"{BLACKLISTED}; the provider failed (503)"
    assert (status_of(one), read_payout(one).last_error) == ("Unknown", reason)
    assert read_payout(one).not_found_count == 0


def test_a_declined_later_order_takes_the_status_of_the_earlier_one(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    update_payout(withdrawal, attempts=1)
    payment_provider().transfer(transfer_request(withdrawal))
    decline_orders(sandbox, BLACKLISTED)
    payouts.send_payout(withdrawal.id)
    assert (status_of(withdrawal), read_payout(withdrawal).provider_status) == ("Processing", "NEW")
    assert read_payout(withdrawal).claimed_by == ""


def test_a_declined_later_order_fails_when_the_provider_has_no_earlier_one(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    update_payout(withdrawal, attempts=1)
    decline_orders(sandbox, BLACKLISTED)
    payouts.send_payout(withdrawal.id)
    assert status_of(withdrawal) == "Failed"
    assert Withdrawal.objects.get(pk=withdrawal.pk).reason == BLACKLISTED


@pytest.mark.parametrize("reads", ["found", "not found", "failed", "quiet"])
def test_a_lost_response_is_checked_at_once_unless_backing_off(sandbox, wallet, reads):
    withdrawal = make_approved_withdrawal(wallet)
    fault = "error_5xx" if reads != "quiet" else "rate_limit"
    sandbox.faults.add(
        Fault(fault=fault, method="POST", path_prefix="/v3/transfers", retry_after=120,
              effect=reads in {"found", "quiet"})
    )  # fmt: skip
    if reads == "failed":
        fail_requests(sandbox)
    payouts.send_payout(withdrawal.id)
    first = "the provider failed (503)"
    status, error, not_found = {
        "found": ("Processing", "", 0),
        "not found": ("Unknown", first, 1),
        "failed": ("Unknown", f"{first}; {first}", 0),
        "quiet": ("Unknown", "the provider limits the request rate (429)", 0),
    }[reads]
    assert (status_of(withdrawal), read_payout(withdrawal).last_error) == (status, error)
    assert read_payout(withdrawal).not_found_count == not_found
    assert read_payout(withdrawal).provider_status == ("NEW" if reads == "found" else "")
    circuit = PayoutCircuit.objects.get()
    assert seconds_until(circuit.quiet_until) == (120 if reads == "quiet" else None)
    assert circuit.failures == 1


def test_an_order_with_a_duplicate_reference_is_checked(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    payment_provider().transfer(transfer_request(withdrawal))
    PayoutCircuit.objects.update(failures=2)
    payouts.send_payout(withdrawal.id)
    assert (status_of(withdrawal), read_payout(withdrawal).provider_status) == ("Processing", "NEW")
    assert read_payout(withdrawal).claimed_by == ""
    assert PayoutCircuit.objects.get().failures == 0


def test_an_order_left_by_its_worker_is_checked_and_not_sent_again(sandbox, wallet):
    known, unknown = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    payment_provider().transfer(transfer_request(known))
    sent = count_orders(sandbox)
    for withdrawal in (known, unknown):
        claim_and_mark(withdrawal)
        update_payout(withdrawal, leased_until=-SECOND)
        payouts.send_payout(withdrawal.id)
    assert (status_of(known), read_payout(known).provider_status) == ("Processing", "NEW")
    reason = "the worker that posted it did not finish"
    assert (status_of(unknown), read_payout(unknown).last_error) == ("Unknown", reason)
    assert read_payout(unknown).not_found_count == 1
    assert count_orders(sandbox) == sent


def test_a_rate_limited_status_check_backs_off(sandbox, wallet):
    one, other = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    claim_and_mark(one)
    update_payout(one, leased_until=None)
    sandbox.faults.add(
        Fault(fault="rate_limit", method="GET", path_prefix="/v3/transfers", times=3,
              retry_after=900)
    )  # fmt: skip
    payouts.check_status(one.id)
    assert seconds_until(PayoutCircuit.objects.get().quiet_until) == 900
    PayoutCircuit.objects.update(quiet_until=None)
    claim_and_mark(other)
    payouts._verify_outcome(other.id, "silence")
    assert seconds_until(PayoutCircuit.objects.get().quiet_until) == 900


@pytest.mark.parametrize(
    ("lease", "accepted", "status"),
    [(LATER, False, "Processing"), (-SECOND, False, "Unknown"), (None, False, "Unknown"),
     (None, True, "Processing")],
    ids=["leased", "over", "none", "accepted"],
)  # fmt: skip
@pytest.mark.one_in(3)
def test_a_failed_status_check_marks_only_unclaimed_payouts_unknown(
    sandbox, wallet, lease, accepted, status
):
    one, other = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    claim_and_mark(one)
    claim_and_mark(other)
    update_payout(one, leased_until=lease, provider_id="7" if accepted else "")
    update_payout(other, leased_until=-SECOND if status == "Processing" else LATER)
    fail_requests(sandbox)
    payouts.check_status(one.id)
    assert (status_of(one), read_payout(one).last_error) == (status, "the provider failed (503)")
    assert (read_payout(one).status_checks, read_payout(one).not_found_count) == (
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
def test_a_payout_that_is_not_found_is_unknown_unless_it_was_never_sent(
    sandbox, wallet, changes, status
):
    withdrawal = make_approved_withdrawal(wallet)
    claim_payout(withdrawal)
    update_payout(withdrawal, **changes)
    payouts.check_status(withdrawal.id)
    assert status_of(withdrawal) == status
    is_unknown = status == "Unknown"
    reason = "the provider does not know the reference" if is_unknown else ""
    assert (read_payout(withdrawal).not_found_count, read_payout(withdrawal).last_error) == (
        int(is_unknown),
        reason,
    )
    if is_unknown:
        # It stays Unknown, with or without an old lease.
        update_payout(withdrawal, posted_at=None, leased_until=LATER)
        payouts.check_status(withdrawal.id)
        assert (status_of(withdrawal), read_payout(withdrawal).status_checks) == ("Unknown", 2)


def test_only_withdrawals_in_transit_are_checked(sandbox, wallet):
    for withdrawal in (wallet.request(), make_approved_withdrawal(wallet)):
        payouts.check_status(withdrawal.id)
    payouts.check_status(wallet.organisation.id)
    assert sandbox.requests.entries() == []


@pytest.mark.parametrize("status", ["Completed", "Failed"])
def test_a_closed_payout_that_is_not_found_raises_an_alert_if_it_was_paid(sandbox, wallet, status):
    withdrawal = make_approved_withdrawal(wallet)
    if status == "Failed":
        decline_orders(sandbox, BLACKLISTED)
    payouts.send_payout(withdrawal.id)
    sandbox.store.settle(None)
    payouts.check_status(withdrawal.id)
    assert status_of(withdrawal) == status
    checks = read_payout(withdrawal).status_checks
    sandbox.faults.add(Fault(fault="hidden", method="GET", path_prefix="/v3/transfers", times=3))
    payouts.check_status(withdrawal.id)
    assert (status_of(withdrawal), read_payout(withdrawal).status_checks) == (status, checks + 1)
    reference = withdrawal.reference
    message = f"The provider no longer finds {reference}, which it completed"
    vanished = [("payout_vanished", reference, message)] if status == "Completed" else []
    assert [*Alert.objects.values_list("kind", "subject", "message")] == vanished
