"""Services of settings changes: propose, approve, reject and cancel."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from functools import partial

import pytest
from django.db.models import QuerySet
from django.utils import timezone

from exchange.core.errors import (
    Conflict,
    DomainError,
    Forbidden,
    InvalidRequest,
    Rejected,
    StateConflict,
)
from exchange.staff.models import StaffUser
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.configuration import set_setting
from tests.factories.loans import update_without_guard
from tests.factories.staff import backdate_access, backdate_installation
from tests.factories.wallets import make_staff
from wallets.fees import services as fees
from wallets.fees.definitions import describe_value, name_setting
from wallets.fees.models import SettingChange
from wallets.fees.selectors import effective_setting

pytestmark = pytest.mark.django_db

FEE = "KES_WITHDRAWAL_FEE"
MINIMUM = "MINIMUM_WITHDRAWAL_KES"
RATE = "KES_USD_RATE"
WHY = "Agreed with the bank"


def propose(
    user: StaffUser, key: str = FEE, *, value: int = 40, hours: float | None = None
) -> SettingChange:
    when = None if hours is None else timezone.now() + timedelta(hours=hours)
    return fees.propose(
        key=key, value=Decimal(value), reason=f" {WHY} ", effective_from=when, user=user
    )


def approve(change: SettingChange, user: StaffUser) -> SettingChange:
    seen = effective_setting(change.configuration_id)
    assert seen is not None
    return fees.approve(change_id=change.pk, expected_value=seen, user=user, reason=WHY)


def coming(
    proposer: StaffUser, approver: StaffUser, key: str = FEE, *, hours: float = 5
) -> SettingChange:
    """Return an approved change that takes effect in so many hours."""
    return approve(propose(proposer, key, hours=hours), approver)


def ask(change: SettingChange, user: StaffUser) -> SettingChange:
    return fees.request_cancellation(change_id=change.pk, user=user, reason=" a slip ")


def cancel(change: SettingChange, first: StaffUser, second: StaffUser) -> None:
    ask(change, first)
    fees.confirm_cancellation(change_id=change.pk, user=second)


def pass_hours(change: SettingChange, hours: int) -> None:
    update = f"effective_at = effective_at - interval '{hours} hours'"
    update_without_guard("wallets_settingchange", "USER", update, change.pk)


def refuses(act: Callable[[], object], kind: type[DomainError], message: str) -> None:
    with assert_no_table_changes(), pytest.raises(kind) as refusal:
        act()
    assert refusal.value.message == message


def test_each_decision_needs_its_own_permission(proposer, approver):
    pending, later = propose(proposer), ask(coming(proposer, approver, MINIMUM), approver)
    unasked = coming(proposer, approver, RATE)
    unauthorized = make_staff("decide_withdrawal")
    cases: list[tuple[Callable[..., object], SettingChange | None, StaffUser, str]] = [
        (partial(propose, key="GHS_WITHDRAWAL_FEE"), None, approver, "propose settings changes"),
        (
            partial(fees.approve, expected_value=Decimal(30)),
            pending,
            proposer,
            "approve settings changes",
        ),
        (partial(fees.reject, reason="no"), pending, proposer, "reject settings changes"),
        (fees.cancel_proposal, pending, approver, "cancel settings changes"),
        (
            partial(fees.request_cancellation, reason="a slip"),
            unasked,
            unauthorized,
            "cancel settings changes",
        ),
        (fees.confirm_cancellation, later, proposer, "cancel settings changes"),
        (fees.dismiss_cancellation, later, proposer, "decide on settings changes"),
    ]
    for act, change, person, what in cases:
        which = {} if change is None else {"change_id": change.pk}
        refuses(partial(act, user=person, **which), Forbidden, f"You may not {what}")


def test_a_change_is_proposed_and_decided_once(proposer, approver):
    change = propose(proposer)
    assert (change.status, change.reason, change.proposed_by) == ("Pending", WHY, proposer)
    refuses(
        partial(propose, proposer),
        Conflict,
        "Another change of Withdrawal fee, KES is pending approval",
    )
    other = make_staff("propose_configuration")
    expected = "Only the proposer can cancel this proposal"
    refuses(partial(fees.cancel_proposal, change_id=change.pk, user=other), Forbidden, expected)
    taken = fees.cancel_proposal(change_id=change.pk, user=proposer)
    assert (taken.status, taken.decided_by) == ("Withdrawn", proposer)
    rejected = fees.reject(change_id=propose(proposer).pk, user=approver, reason=" no ")
    assert (rejected.status, rejected.decision_note) == ("Rejected", "no")
    both = make_staff("propose_configuration", "decide_configuration")
    own = propose(both)
    expected = "Someone other than the proposer must approve this"
    refuses(partial(approve, own, both), Rejected, expected)
    assert approve(own, approver).status == "Approved"
    assert effective_setting(FEE) == 40


def test_approval_compares_with_the_effective_value_even_when_it_is_zero(proposer, approver):
    for key, now in ((FEE, "45.5"), ("GHS_WITHDRAWAL_FEE", "0")):
        set_setting(key, now)
        act = partial(fees.approve, change_id=propose(proposer, key).pk, user=approver, reason=WHY)
        value = describe_value(key, Decimal(now))
        expected = f"{name_setting(key)} is now {value}. Review the change again"
        refuses(partial(act, expected_value=Decimal(30)), StateConflict, expected)
        assert act(expected_value=Decimal(now)).status == "Approved"


def test_two_changes_of_one_setting_do_not_take_effect_at_the_same_time(proposer, approver):
    first = coming(proposer, approver)
    same = {"effective_from": first.effective_at, "reason": WHY, "user": proposer}
    again = fees.propose(key=FEE, value=Decimal(41), **same)
    expected = "Another approved change takes effect at the same time"
    refuses(partial(approve, again, approver), Conflict, expected)
    fees.cancel_proposal(change_id=again.pk, user=proposer)
    assert coming(proposer, approver, hours=6).status == "Approved"
    other = approve(fees.propose(key=RATE, value=Decimal(41), **same), approver)
    assert other.effective_at == first.effective_at


def test_an_upcoming_change_is_cancelled_when_another_person_confirms(proposer, approver):
    change = coming(proposer, approver)
    other = make_staff("decide_configuration")
    expected = "Cancellation of this settings change is no longer requested"
    for act in (fees.confirm_cancellation, fees.dismiss_cancellation):
        refuses(partial(act, change_id=change.pk, user=other), StateConflict, expected)
    asked = ask(change, proposer)
    assert (asked.cancellation_requested_by, asked.cancellation_reason) == (proposer, "a slip")
    expected = f"{proposer} already requested cancellation"
    refuses(partial(ask, change, approver), StateConflict, expected)
    for person in (proposer, other):
        kept = fees.dismiss_cancellation(change_id=change.pk, user=person)
        kept.refresh_from_db()
        assert (kept.cancellation_requested_by, kept.cancellation_reason) == (None, "")
        ask(change, proposer)
    fees.confirm_cancellation(change_id=change.pk, user=approver)
    change.refresh_from_db()
    assert (change.status, change.cancelled_by) == ("Cancelled", approver)
    assert change.cancelled_at is not None


def test_only_an_approved_change_that_is_not_effective_is_cancelled(proposer, approver):
    pending = propose(proposer)
    gone, late, now = (
        coming(proposer, approver, key) for key in (MINIMUM, RATE, "KES_INTERNAL_FEE")
    )
    cancel(gone, proposer, approver)
    ask(late, proposer)
    for change in (late, now):
        pass_hours(change, 6)
    for change, expected in (
        (pending, "The settings change is Pending, not Approved"),
        (gone, "The settings change is Cancelled, not Approved"),
        (late, "The settings change is already effective. Propose a new one"),
        (now, "The settings change is already effective. Propose a new one"),
    ):
        refuses(partial(ask, change, proposer), StateConflict, expected)
        agree = partial(fees.confirm_cancellation, change_id=change.pk, user=approver)
        refuses(agree, StateConflict, expected)


def test_the_queue_has_pending_changes_and_requested_cancellations(proposer, approver):
    other = make_staff("propose_configuration")
    keys = (FEE, MINIMUM, RATE, "KES_INTERNAL_FEE", "GHS_WITHDRAWAL_FEE", "GHS_USD_RATE")
    mine, theirs = propose(proposer, keys[0]), propose(other, keys[1])
    asked, passed, gone = (ask(coming(proposer, approver, key), approver) for key in keys[2:5])
    coming(other, approver, keys[5])
    pass_hours(passed, 6)
    fees.confirm_cancellation(change_id=gone.pk, user=make_staff("decide_configuration"))
    every = SettingChange.objects.all()

    def keys_of(rows: QuerySet[SettingChange]) -> set[str]:
        return set(rows.values_list("configuration_id", flat=True))

    assert keys_of(fees.pending_approval(every)) == {
        each.configuration_id for each in (mine, theirs, asked)
    }
    assert keys_of(every.filter(fees.proposed_by_user(proposer))) == {mine.configuration_id}
    assert keys_of(every.filter(fees.proposed_by_user(other))) == {theirs.configuration_id}
    assert keys_of(every.filter(fees.proposed_by_user(approver))) == {
        each.configuration_id for each in (asked, passed)
    }


def test_a_change_is_of_a_known_setting_and_within_its_bounds(proposer):
    for key, value, expected in (
        ("NOBODY_READS_IT", 1, "Unknown setting"),
        (FEE, -1, "From 0.00 KES to 1,000,000,000,000,000.00 KES"),
    ):
        refuses(partial(propose, proposer, key, value=value), InvalidRequest, expected)


def test_reasons_are_required_and_limited_to_300_characters(proposer, approver):
    change, later = propose(proposer), coming(proposer, approver, MINIMUM)
    for act, needed in (
        (
            partial(fees.propose, key=RATE, value=Decimal(9), user=proposer),
            "Enter a reason",
        ),
        (
            partial(fees.reject, change_id=change.pk, user=approver),
            "Enter a reason for the rejection",
        ),
        (
            partial(fees.request_cancellation, change_id=later.pk, user=proposer),
            "Enter a reason for the cancellation",
        ),
    ):
        refuses(partial(act, reason=" "), InvalidRequest, needed)
        expected = "The text must have at most 300 characters, not 301"
        refuses(partial(act, reason=f"x {'x' * 299}"), InvalidRequest, expected)
        act(reason=f"x {'x' * 298}")


def test_one_of_two_who_cancel_has_held_access_for_long(proposer, approver):
    change = ask(coming(proposer, approver), proposer)
    backdate_installation(days=60)
    for person in (proposer, approver):
        backdate_access(person, days=6)
    expected = "One of the two approvers must have had unchanged access for 7 days"
    agree = partial(fees.confirm_cancellation, change_id=change.pk, user=approver)
    refuses(agree, Rejected, expected)
    assert fees.describe_cancellation_blocker(change, approver) == expected
    backdate_access(proposer, days=8)
    assert fees.describe_cancellation_blocker(change, approver) == ""
    assert agree().status == "Cancelled"
