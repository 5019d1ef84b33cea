"""What a provider's record of a transfer, or the want of one, leaves on the payout, exactly."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from tests.factories.wallets import (
    SYSTEM,
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
    make_member_wallet,
    status_of,
    store_bank_list,
)
from tests.wallets.payouts.payout_rows import record_of
from wallets.alerts.models import Alert
from wallets.alerts.services import raise_alert
from wallets.ledger.models import Entry, Transfer, TransferKind
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import payout_row, settlement
from wallets.providers.base import TransferStatus
from wallets.withdrawals.models import Payout, Withdrawal
from wallets.withdrawals.models import WithdrawalStatus as Status

pytestmark = pytest.mark.django_db

HALF_DAY = timedelta(hours=12)
LONG = "x" * 600


@pytest.fixture
def wallet() -> Wallet:
    store_bank_list()
    return make_member_wallet(5_000)


def posted(wallet: Wallet, amount: int = 500) -> Withdrawal:
    """A withdrawal whose order has just been sent; its payout remembers four looks in vain."""
    withdrawal = make_approved_withdrawal(wallet, amount)
    claim = payouts._claim(withdrawal.id)
    assert claim is not None
    assert payouts._mark_posting(withdrawal.id, claim.token)
    now = timezone.now()
    Payout.objects.filter(withdrawal=withdrawal).update(
        status_checks=3,
        last_error="silence",
        not_found_count=2,
        first_not_found_at=now,
        last_not_found_at=now,
    )
    return Withdrawal.objects.select_related("bank").get(pk=withdrawal.pk)


def apply(withdrawal: Withdrawal, status: TransferStatus, **changes: Any) -> None:
    record = record_of(withdrawal, status, **changes)
    settlement.apply_record(withdrawal.id, record, actor=SYSTEM)


def row(withdrawal: Withdrawal) -> Payout:
    return Payout.objects.get(withdrawal=withdrawal)


def kept(withdrawal: Withdrawal) -> tuple[Any, ...]:
    """What the payout says of the provider's record."""
    payout = row(withdrawal)
    return (payout.provider_id, payout.provider_status, payout.provider_message, payout.last_error)


def not_found(withdrawal: Withdrawal) -> tuple[Any, ...]:
    payout = row(withdrawal)
    return (payout.not_found_count, payout.first_not_found_at, payout.last_not_found_at)


def claim_of(withdrawal: Withdrawal) -> tuple[str, datetime | None]:
    payout = row(withdrawal)
    return (payout.claimed_by, payout.leased_until)


def wait_of(withdrawal: Withdrawal) -> timedelta | None:
    """How long after the payout was written it is looked at again, in whole seconds."""
    payout = row(withdrawal)
    if payout.next_step_at is None:
        return None
    return timedelta(seconds=round((payout.next_step_at - payout.updated_at).total_seconds()))


def messages() -> dict[str, tuple[str, str]]:
    """The open alerts: subject and message, by kind."""
    return {
        each.kind: (each.subject, each.message) for each in Alert.objects.filter(resolved_at=None)
    }


def untouched(withdrawal: Withdrawal) -> bool:
    """Whether the payout is as `posted` left it."""
    payout = row(withdrawal)
    return (payout.status_checks, payout.last_error, payout.not_found_count) == (3, "silence", 2)


@pytest.mark.parametrize("status", [TransferStatus.NEW, TransferStatus.PENDING])
def test_a_record_without_a_decision_is_kept_and_looked_at_again(wallet, status):
    withdrawal, other = posted(wallet), posted(wallet)
    apply(withdrawal, status, provider_id="7" * 45, complete_message=LONG)
    assert status_of(withdrawal) == "Processing"
    assert kept(withdrawal) == ("7" * 40, status, LONG[:500], "")
    assert not_found(withdrawal) == (0, None, None)
    assert claim_of(withdrawal) == ("", None)
    assert (row(withdrawal).status_checks, wait_of(withdrawal)) == (4, timedelta(seconds=40))
    assert row(withdrawal).settled_at is None
    assert untouched(other)
    assert messages() == {}


@pytest.mark.parametrize(
    ("fee", "charge"),
    [("0", "0"), ("0.004", "0"), ("0.006", "0.01"), ("100", "100"), ("-0.5", "0"), ("-5", "0")],
)
def test_a_successful_transfer_books_the_payout_the_fee_and_the_charge(wallet, fee, charge):
    withdrawal, other = posted(wallet), posted(wallet)
    for kind in ("payout_unknown", "payout_differs"):
        raise_alert(kind, subject=withdrawal.reference, message="open")
        raise_alert(kind, subject=other.reference, message="open")
    apply(withdrawal, TransferStatus.SUCCESSFUL, fee=Decimal(fee))
    assert (status_of(withdrawal), status_of(other)) == ("Completed", "Processing")
    payout = row(withdrawal)
    assert payout.settled_at is not None
    assert (payout.provider_fee, payout.status_checks) == (Decimal(charge), 4)
    assert wait_of(withdrawal) == HALF_DAY
    assert payout.monitor_until == payout.settled_at + timedelta(days=30)
    assert untouched(other)
    assert messages() == {
        "payout_unknown": (other.reference, "open"),
        "payout_differs": (other.reference, "open"),
    }
    booked = {
        transfer.kind: (transfer.reference, transfer.memo, transfer.actor)
        for transfer in Transfer.objects.filter(
            reference__startswith=f"withdrawal:{withdrawal.id}:c"
        )
    }
    wanted = {
        "withdrawal_settle": (
            f"withdrawal:{withdrawal.id}:close", withdrawal.reference, str(SYSTEM),
        ),
        "provider_charge": (
            f"withdrawal:{withdrawal.id}:charge", withdrawal.reference, str(SYSTEM),
        ),
    }  # fmt: skip
    if charge == "0":
        del wanted["provider_charge"]
    assert booked == wanted
    legs = Entry.objects.filter(transfer__kind=TransferKind.WITHDRAWAL_SETTLE)
    assert {*legs.values_list("account__kind", "amount")} == {
        ("escrow", Decimal(-500)), ("clearing", Decimal(470)), ("fees", Decimal(30)),
    }  # fmt: skip
    assert_books_hold()


@pytest.mark.parametrize(
    ("message", "reason"),
    [("", "declined by the bank"), ("No such account", "No such account"), (LONG, LONG[:500])],
    ids=["none", "short", "long"],
)
def test_a_failed_transfer_gives_the_money_back_and_says_why(wallet, message, reason):
    withdrawal, other = posted(wallet), posted(wallet)
    apply(withdrawal, TransferStatus.FAILED, complete_message=message)
    assert (status_of(withdrawal), status_of(other)) == ("Failed", "Processing")
    assert Withdrawal.objects.get(pk=withdrawal.pk).reason == reason
    assert kept(withdrawal) == ("77", "FAILED", message[:500], "")
    assert (row(withdrawal).next_step_at, row(withdrawal).settled_at) == (None, None)
    given_back = Transfer.objects.get(kind=TransferKind.WITHDRAWAL_RELEASE)
    assert given_back.memo == f"failed: {message or 'declined by the bank'}"[:300]
    assert untouched(other)
    assert wallet.kes == (Decimal(4500), Decimal(500))
    assert_books_hold()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reference": "payout_x"}, "reference payout_x instead of {reference}"),
        ({"amount": Decimal("470.5")}, "amount 470.5 instead of 470"),
        ({"currency": "NGN"}, "currency NGN instead of KES"),
        ({"account_number": "12"}, "account 12 instead of 0690000031"),
        ({"account_number": "9" * 600}, f"account {'9' * 600}"),
        (
            {"amount": Decimal(1), "account_number": "12"},
            "amount 1 instead of 470, account 12 instead of 0690000031",
        ),
    ],
    ids=["reference", "amount", "currency", "account", "too long", "two"],
)
@pytest.mark.parametrize("status", [TransferStatus.SUCCESSFUL, TransferStatus.FAILED])
def test_a_record_of_something_else_decides_nothing_and_is_told(wallet, changes, words, status):
    withdrawal, other = posted(wallet), posted(wallet)
    words = words.format(reference=withdrawal.reference)
    apply(withdrawal, status, provider_id="7" * 45, **changes)
    assert (status_of(withdrawal), status_of(other)) == ("Unknown", "Processing")
    difference = f"provider record mismatch: {words}"[:300]
    assert kept(withdrawal) == ("7" * 40, "", "", difference)
    assert not_found(withdrawal) == (0, None, None)
    assert row(withdrawal).leased_until is None
    assert (row(withdrawal).status_checks, wait_of(withdrawal)) == (4, timedelta(seconds=40))
    reported = f"The provider's record of {withdrawal.reference} does not match: {words}"[:500]
    assert messages() == {"payout_differs": (withdrawal.reference, reported)}
    assert untouched(other)
    # A second record like it changes no state, and the right one still decides.
    apply(withdrawal, status, **changes)
    assert status_of(withdrawal) == "Unknown"
    apply(withdrawal, TransferStatus.SUCCESSFUL)
    assert (status_of(withdrawal), messages()) == ("Completed", {})


def test_a_record_that_names_no_account_is_taken_as_ours(wallet):
    withdrawal = posted(wallet)
    apply(withdrawal, TransferStatus.SUCCESSFUL, account_number="")
    assert (status_of(withdrawal), messages()) == ("Completed", {})


@pytest.mark.parametrize("status", TransferStatus)
def test_only_a_completed_payout_that_came_back_is_told_of(wallet, status):
    withdrawal, other = posted(wallet), posted(wallet)
    apply(withdrawal, TransferStatus.SUCCESSFUL)
    apply(withdrawal, status, complete_message="No such account")
    assert untouched(other)
    assert status_of(withdrawal) == "Completed"
    assert kept(withdrawal) == ("77", status, "No such account", "")
    assert (row(withdrawal).status_checks, wait_of(withdrawal)) == (5, HALF_DAY)
    reported = (
        f"The bank returned {withdrawal.reference}: No such account."
        " Reversal requires dual approval."
    )
    came_back = {"payout_returned": (withdrawal.reference, reported)}
    assert messages() == (came_back if status is TransferStatus.FAILED else {})


@pytest.mark.parametrize("status", TransferStatus)
def test_a_failed_payout_that_the_provider_has_otherwise_is_told_of(wallet, status):
    withdrawal, other = posted(wallet), posted(wallet)
    apply(withdrawal, TransferStatus.FAILED)
    assert untouched(other)
    Payout.objects.filter(withdrawal=withdrawal).update(
        monitor_until=timezone.now() + timedelta(days=1)
    )
    apply(withdrawal, status)
    assert status_of(withdrawal) == "Failed"
    assert kept(withdrawal) == ("77", status, "", "")
    assert wait_of(withdrawal) == HALF_DAY
    reported = (
        f"{withdrawal.reference} is Failed and its amount was released, but the provider"
        f" reports {status}"
    )
    paid = {"paid_after_failure": (withdrawal.reference, reported)}
    assert messages() == ({} if status is TransferStatus.FAILED else paid)


@pytest.mark.parametrize(
    ("watched", "wait"),
    [(timedelta(minutes=1), HALF_DAY), (-timedelta(seconds=1), None), (None, None)],
    ids=["still", "no longer", "never"],
)
def test_a_closed_payout_is_looked_at_again_while_it_is_watched(wallet, watched, wait):
    withdrawal, other = posted(wallet), posted(wallet)
    apply(withdrawal, TransferStatus.SUCCESSFUL)
    until = None if watched is None else timezone.now() + watched
    Payout.objects.filter(withdrawal=withdrawal).update(monitor_until=until)
    settlement.continue_monitoring(withdrawal.id, expected_status=Status.FAILED)
    assert (row(withdrawal).status_checks, wait_of(withdrawal)) == (4, HALF_DAY)
    settlement.continue_monitoring(withdrawal.id, expected_status=Status.COMPLETED)
    assert (row(withdrawal).status_checks, wait_of(withdrawal)) == (5, wait)
    apply(withdrawal, TransferStatus.SUCCESSFUL)
    assert (row(withdrawal).status_checks, wait_of(withdrawal)) == (6, wait)
    assert untouched(other)


def test_a_payout_that_is_lost_is_unknown_told_of_once_and_looked_at_again(wallet):
    withdrawal, other = posted(wallet), posted(wallet)
    settlement.mark_unknown(withdrawal.id, error=LONG, not_found=False)
    assert (status_of(withdrawal), status_of(other)) == ("Unknown", "Processing")
    assert kept(withdrawal) == ("", "", "", LONG[:300])
    assert row(withdrawal).leased_until is None
    assert row(withdrawal).not_found_count == 2
    assert (row(withdrawal).status_checks, wait_of(withdrawal)) == (4, timedelta(seconds=40))
    reported = f"The outcome of {withdrawal.reference} is unknown: {LONG}"[:500]
    assert messages() == {"payout_unknown": (withdrawal.reference, reported)}
    settlement.mark_unknown(withdrawal.id, error="again", not_found=False)
    assert Alert.objects.get().occurrences == 1
    assert (row(withdrawal).status_checks, row(withdrawal).last_error) == (5, "again")
    assert wait_of(withdrawal) == timedelta(seconds=60)
    assert untouched(other)


@pytest.mark.parametrize("reported", [True, False])
def test_only_a_provider_that_answered_has_not_found_it(wallet, reported):
    withdrawal = posted(wallet)
    Payout.objects.update(not_found_count=0, first_not_found_at=None, last_not_found_at=None)
    settlement.mark_unknown(withdrawal.id, error="silence", not_found=reported)
    at = row(withdrawal).updated_at if reported else None
    assert not_found(withdrawal) == (int(reported), at, at)


def test_a_payout_that_is_closed_is_not_lost_and_does_not_fail(wallet):
    completed, failed, waiting = posted(wallet), posted(wallet), make_approved_withdrawal(wallet)
    apply(completed, TransferStatus.SUCCESSFUL)
    apply(failed, TransferStatus.FAILED)
    for withdrawal in (completed, failed, waiting):
        before = status_of(withdrawal), Payout.objects.filter(withdrawal=withdrawal).values().get()
        settlement.mark_unknown(withdrawal.id, error="late", not_found=True)
        settlement.fail_payout(withdrawal.id, reason="late", actor=SYSTEM)
        after = status_of(withdrawal), Payout.objects.filter(withdrawal=withdrawal).values().get()
        assert after == before
    assert messages() == {}
    assert_books_hold()


@pytest.mark.parametrize("unknown", [False, True], ids=["Processing", "Unknown"])
def test_a_refused_payout_fails_and_nothing_is_planned_for_it(wallet, unknown):
    withdrawal, other = posted(wallet), posted(wallet)
    if unknown:
        settlement.mark_unknown(withdrawal.id, error="silence", not_found=False)
    settlement.fail_payout(withdrawal.id, reason="blacklisted", actor=SYSTEM)
    assert (status_of(withdrawal), status_of(other)) == ("Failed", "Processing")
    assert Withdrawal.objects.get(pk=withdrawal.pk).reason == "blacklisted"
    assert (row(withdrawal).leased_until, row(withdrawal).next_step_at) == (None, None)
    assert row(other).leased_until is not None
    assert (messages(), untouched(other)) == ({}, True)
    assert wallet.kes == (Decimal(4500), Decimal(500))
    assert_books_hold()


def test_a_payout_counts_as_not_found_again_half_an_hour_after_the_last_time():
    now = timezone.now()
    half_an_hour = timedelta(minutes=30)
    again = {"last_not_found_at": now}
    for last, wanted in (
        (now - half_an_hour, again),
        (now - half_an_hour + timedelta(microseconds=1), {}),
        (None, again),
    ):
        payout = Payout(first_not_found_at=now - timedelta(days=1), last_not_found_at=last)
        found = payout_row._count_not_found(payout, now)
        counted = str(found.pop("not_found_count", None))
        assert (counted, found) == ("F(not_found_count) + Value(1)" if wanted else "None", wanted)
    assert payout_row._count_not_found(Payout(), now) == {
        "not_found_count": 1,
        "first_not_found_at": now,
        "last_not_found_at": now,
    }


def test_a_look_in_vain_is_counted_unless_the_withdrawal_has_moved_on(wallet):
    withdrawal, other = posted(wallet), posted(wallet)
    settlement.record_inconclusive_check(
        withdrawal.id, expected_status=Status.UNKNOWN, error="late"
    )
    assert untouched(withdrawal)
    settlement.record_inconclusive_check(
        withdrawal.id, expected_status=Status.PROCESSING, error=LONG
    )
    assert kept(withdrawal) == ("", "", "", LONG[:300])
    assert (row(withdrawal).status_checks, wait_of(withdrawal)) == (4, timedelta(seconds=40))
    assert row(withdrawal).leased_until is not None
    settlement.record_inconclusive_check(withdrawal.id, expected_status=Status.PROCESSING)
    assert row(withdrawal).last_error == ""
    assert (status_of(withdrawal), untouched(other), messages()) == ("Processing", True, {})
