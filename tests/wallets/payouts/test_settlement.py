"""Effects of the provider's record of a transfer, or of its absence, on the payout."""

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
from tests.wallets.payouts.payout_rows import transfer_record
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


def make_posted(wallet: Wallet, amount: int = 500) -> Withdrawal:
    """Make a withdrawal whose order was just sent, after failed status checks."""
    withdrawal = make_approved_withdrawal(wallet, amount)
    claim = payouts._claim(withdrawal.id)
    assert claim is not None
    assert payouts._mark_posting(withdrawal, claim.token)
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
    record = transfer_record(withdrawal, status, **changes)
    settlement.apply_record(withdrawal.id, record, actor=SYSTEM)


def read_payout(withdrawal: Withdrawal) -> Payout:
    return Payout.objects.get(withdrawal=withdrawal)


def provider_columns(withdrawal: Withdrawal) -> tuple[Any, ...]:
    """Return the payout's columns that come from the provider's record."""
    payout = read_payout(withdrawal)
    return (payout.provider_id, payout.provider_status, payout.provider_message, payout.last_error)


def not_found(withdrawal: Withdrawal) -> tuple[Any, ...]:
    payout = read_payout(withdrawal)
    return (payout.not_found_count, payout.first_not_found_at, payout.last_not_found_at)


def claim_of(withdrawal: Withdrawal) -> tuple[str, datetime | None]:
    payout = read_payout(withdrawal)
    return (payout.claimed_by, payout.leased_until)


def time_to_next_step(withdrawal: Withdrawal) -> timedelta | None:
    """Return the time from the last write to the next step, in whole seconds."""
    payout = read_payout(withdrawal)
    if payout.next_step_at is None:
        return None
    return timedelta(seconds=round((payout.next_step_at - payout.updated_at).total_seconds()))


def open_alerts() -> dict[str, tuple[str, str]]:
    """Return subject and message of the open alerts by kind."""
    return {
        each.kind: (each.subject, each.message) for each in Alert.objects.filter(resolved_at=None)
    }


def is_unchanged(withdrawal: Withdrawal) -> bool:
    """Return whether the payout is as `make_posted` left it."""
    payout = read_payout(withdrawal)
    return (payout.status_checks, payout.last_error, payout.not_found_count) == (3, "silence", 2)


@pytest.mark.parametrize("status", [TransferStatus.NEW, TransferStatus.PENDING])
def test_a_record_without_an_outcome_is_stored_and_checked_again(wallet, status):
    withdrawal, other = make_posted(wallet), make_posted(wallet)
    apply(withdrawal, status, provider_id="7" * 45, complete_message=LONG)
    assert status_of(withdrawal) == "Processing"
    assert provider_columns(withdrawal) == ("7" * 40, status, LONG[:500], "")
    assert not_found(withdrawal) == (0, None, None)
    assert claim_of(withdrawal) == ("", None)
    assert (read_payout(withdrawal).status_checks, time_to_next_step(withdrawal)) == (
        4,
        timedelta(seconds=40),
    )
    assert read_payout(withdrawal).settled_at is None
    assert is_unchanged(other)
    assert open_alerts() == {}


@pytest.mark.parametrize(
    ("fee", "charge"),
    [("0", "0"), ("0.004", "0"), ("0.006", "0.01"), ("100", "100"), ("-0.5", "0"), ("-5", "0")],
)
@pytest.mark.one_in(3)
def test_a_successful_transfer_posts_the_payout_the_fee_and_the_charge(wallet, fee, charge):
    withdrawal, other = make_posted(wallet), make_posted(wallet)
    for kind in ("payout_unknown", "payout_differs"):
        raise_alert(kind, subject=withdrawal.reference, message="open")
        raise_alert(kind, subject=other.reference, message="open")
    apply(withdrawal, TransferStatus.SUCCESSFUL, fee=Decimal(fee))
    assert (status_of(withdrawal), status_of(other)) == ("Completed", "Processing")
    payout = read_payout(withdrawal)
    assert payout.settled_at is not None
    assert (payout.provider_fee, payout.status_checks) == (Decimal(charge), 4)
    assert time_to_next_step(withdrawal) == HALF_DAY
    assert payout.monitor_until == payout.settled_at + timedelta(days=30)
    assert is_unchanged(other)
    assert open_alerts() == {
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
def test_a_failed_transfer_releases_the_money_and_records_the_reason(wallet, message, reason):
    withdrawal, other = make_posted(wallet), make_posted(wallet)
    apply(withdrawal, TransferStatus.FAILED, complete_message=message)
    assert (status_of(withdrawal), status_of(other)) == ("Failed", "Processing")
    assert Withdrawal.objects.get(pk=withdrawal.pk).reason == reason
    assert provider_columns(withdrawal) == ("77", "FAILED", message[:500], "")
    assert (read_payout(withdrawal).next_step_at, read_payout(withdrawal).settled_at) == (
        None,
        None,
    )
    given_back = Transfer.objects.get(kind=TransferKind.WITHDRAWAL_RELEASE)
    assert given_back.memo == f"failed: {message or 'declined by the bank'}"[:300]
    assert is_unchanged(other)
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
@pytest.mark.one_in(5)
def test_a_mismatched_record_settles_nothing_and_raises_an_alert(wallet, changes, words, status):
    withdrawal, other = make_posted(wallet), make_posted(wallet)
    words = words.format(reference=withdrawal.reference)
    apply(withdrawal, status, provider_id="7" * 45, **changes)
    assert (status_of(withdrawal), status_of(other)) == ("Unknown", "Processing")
    difference = f"provider record mismatch: {words}"[:300]
    assert provider_columns(withdrawal) == ("7" * 40, "", "", difference)
    assert not_found(withdrawal) == (0, None, None)
    assert read_payout(withdrawal).leased_until is None
    assert (read_payout(withdrawal).status_checks, time_to_next_step(withdrawal)) == (
        4,
        timedelta(seconds=40),
    )
    message = f"The provider's record of {withdrawal.reference} does not match: {words}"[:500]
    assert open_alerts() == {"payout_differs": (withdrawal.reference, message)}
    assert is_unchanged(other)
    # A second mismatch changes nothing, and the right record still settles.
    apply(withdrawal, status, **changes)
    assert status_of(withdrawal) == "Unknown"
    apply(withdrawal, TransferStatus.SUCCESSFUL)
    assert (status_of(withdrawal), open_alerts()) == ("Completed", {})


def test_a_record_without_an_account_matches(wallet):
    withdrawal = make_posted(wallet)
    apply(withdrawal, TransferStatus.SUCCESSFUL, account_number="")
    assert (status_of(withdrawal), open_alerts()) == ("Completed", {})


@pytest.mark.parametrize("status", TransferStatus)
def test_only_a_returned_completed_payout_raises_an_alert(wallet, status):
    withdrawal, other = make_posted(wallet), make_posted(wallet)
    apply(withdrawal, TransferStatus.SUCCESSFUL)
    apply(withdrawal, status, complete_message="No such account")
    assert is_unchanged(other)
    assert status_of(withdrawal) == "Completed"
    assert provider_columns(withdrawal) == ("77", status, "No such account", "")
    assert (read_payout(withdrawal).status_checks, time_to_next_step(withdrawal)) == (5, HALF_DAY)
    message = (
        f"The bank returned {withdrawal.reference}: No such account."
        " Reversal requires dual approval."
    )
    came_back = {"payout_returned": (withdrawal.reference, message)}
    assert open_alerts() == (came_back if status is TransferStatus.FAILED else {})


@pytest.mark.parametrize("status", TransferStatus)
def test_a_failed_payout_that_the_provider_paid_raises_an_alert(wallet, status):
    withdrawal, other = make_posted(wallet), make_posted(wallet)
    apply(withdrawal, TransferStatus.FAILED)
    assert is_unchanged(other)
    Payout.objects.filter(withdrawal=withdrawal).update(
        monitor_until=timezone.now() + timedelta(days=1)
    )
    apply(withdrawal, status)
    assert status_of(withdrawal) == "Failed"
    assert provider_columns(withdrawal) == ("77", status, "", "")
    assert time_to_next_step(withdrawal) == HALF_DAY
    message = (
        f"{withdrawal.reference} is Failed and its amount was released, but the provider"
        f" reports {status}"
    )
    paid = {"paid_after_failure": (withdrawal.reference, message)}
    assert open_alerts() == ({} if status is TransferStatus.FAILED else paid)


@pytest.mark.parametrize(
    ("watched", "wait"),
    [(timedelta(minutes=1), HALF_DAY), (-timedelta(seconds=1), None), (None, None)],
    ids=["still", "no longer", "never"],
)
def test_a_closed_payout_is_checked_again_while_it_is_monitored(wallet, watched, wait):
    withdrawal, other = make_posted(wallet), make_posted(wallet)
    apply(withdrawal, TransferStatus.SUCCESSFUL)
    until = None if watched is None else timezone.now() + watched
    Payout.objects.filter(withdrawal=withdrawal).update(monitor_until=until)
    settlement.continue_monitoring(withdrawal.id, expected_status=Status.FAILED)
    assert (read_payout(withdrawal).status_checks, time_to_next_step(withdrawal)) == (4, HALF_DAY)
    settlement.continue_monitoring(withdrawal.id, expected_status=Status.COMPLETED)
    assert (read_payout(withdrawal).status_checks, time_to_next_step(withdrawal)) == (5, wait)
    apply(withdrawal, TransferStatus.SUCCESSFUL)
    assert (read_payout(withdrawal).status_checks, time_to_next_step(withdrawal)) == (6, wait)
    assert is_unchanged(other)


def test_an_unknown_payout_raises_one_alert_and_is_checked_again(wallet):
    withdrawal, other = make_posted(wallet), make_posted(wallet)
    settlement.mark_unknown(withdrawal.id, error=LONG, not_found=False)
    assert (status_of(withdrawal), status_of(other)) == ("Unknown", "Processing")
    assert provider_columns(withdrawal) == ("", "", "", LONG[:300])
    assert read_payout(withdrawal).leased_until is None
    assert read_payout(withdrawal).not_found_count == 2
    assert (read_payout(withdrawal).status_checks, time_to_next_step(withdrawal)) == (
        4,
        timedelta(seconds=40),
    )
    message = f"The outcome of {withdrawal.reference} is unknown: {LONG}"[:500]
    assert open_alerts() == {"payout_unknown": (withdrawal.reference, message)}
    settlement.mark_unknown(withdrawal.id, error="again", not_found=False)
    assert Alert.objects.get().occurrences == 1
    assert (read_payout(withdrawal).status_checks, read_payout(withdrawal).last_error) == (
        5,
        "again",
    )
    assert time_to_next_step(withdrawal) == timedelta(seconds=60)
    assert is_unchanged(other)


@pytest.mark.parametrize("not_found_there", [True, False])
def test_only_a_response_of_the_provider_counts_as_not_found(wallet, not_found_there):
    withdrawal = make_posted(wallet)
    Payout.objects.update(not_found_count=0, first_not_found_at=None, last_not_found_at=None)
    settlement.mark_unknown(withdrawal.id, error="silence", not_found=not_found_there)
    at = read_payout(withdrawal).updated_at if not_found_there else None
    assert not_found(withdrawal) == (int(not_found_there), at, at)


def test_a_closed_payout_does_not_become_unknown_or_failed(wallet):
    completed, failed, waiting = (
        make_posted(wallet),
        make_posted(wallet),
        make_approved_withdrawal(wallet),
    )
    apply(completed, TransferStatus.SUCCESSFUL)
    apply(failed, TransferStatus.FAILED)
    for withdrawal in (completed, failed, waiting):
        before = status_of(withdrawal), Payout.objects.filter(withdrawal=withdrawal).values().get()
        settlement.mark_unknown(withdrawal.id, error="late", not_found=True)
        settlement.fail_payout(withdrawal.id, reason="late", actor=SYSTEM)
        after = status_of(withdrawal), Payout.objects.filter(withdrawal=withdrawal).values().get()
        assert after == before
    assert open_alerts() == {}
    assert_books_hold()


@pytest.mark.parametrize("unknown", [False, True], ids=["Processing", "Unknown"])
def test_a_declined_payout_fails_and_has_no_next_step(wallet, unknown):
    withdrawal, other = make_posted(wallet), make_posted(wallet)
    if unknown:
        settlement.mark_unknown(withdrawal.id, error="silence", not_found=False)
    settlement.fail_payout(withdrawal.id, reason="blacklisted", actor=SYSTEM)
    assert (status_of(withdrawal), status_of(other)) == ("Failed", "Processing")
    assert Withdrawal.objects.get(pk=withdrawal.pk).reason == "blacklisted"
    assert (read_payout(withdrawal).leased_until, read_payout(withdrawal).next_step_at) == (
        None,
        None,
    )
    assert read_payout(other).leased_until is not None
    assert (open_alerts(), is_unchanged(other)) == ({}, True)
    assert wallet.kes == (Decimal(4500), Decimal(500))
    assert_books_hold()


def test_a_payout_counts_as_not_found_again_after_half_an_hour():
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


def test_a_failed_status_check_counts_unless_the_status_changed(wallet):
    withdrawal, other = make_posted(wallet), make_posted(wallet)
    settlement.record_inconclusive_check(
        withdrawal.id, expected_status=Status.UNKNOWN, error="late"
    )
    assert is_unchanged(withdrawal)
    settlement.record_inconclusive_check(
        withdrawal.id, expected_status=Status.PROCESSING, error=LONG
    )
    assert provider_columns(withdrawal) == ("", "", "", LONG[:300])
    assert (read_payout(withdrawal).status_checks, time_to_next_step(withdrawal)) == (
        4,
        timedelta(seconds=40),
    )
    assert read_payout(withdrawal).leased_until is not None
    settlement.record_inconclusive_check(withdrawal.id, expected_status=Status.PROCESSING)
    assert read_payout(withdrawal).last_error == ""
    assert (status_of(withdrawal), is_unchanged(other), open_alerts()) == ("Processing", True, {})
