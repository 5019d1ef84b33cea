"""Effective values, and the rules of the services behind the pages."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from exchange.core.errors import InvalidRequest, Rejected, StateConflict
from exchange.core.numbers import MAX_NUMBER
from exchange.staff.models import StaffUser
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.configuration import set_setting
from tests.factories.loans import update_without_guard
from tests.factories.wallets import make_staff, make_wallet, store_bank_list
from wallets.fees import services as fees
from wallets.fees.models import SettingChange
from wallets.fees.selectors import minimum_withdrawal, withdrawal_fee

pytestmark = pytest.mark.django_db

FEE = "KES_WITHDRAWAL_FEE"
WHY = "Compared with the letter"


def propose(value: int, user: StaffUser, hours: int | None = None) -> SettingChange:
    when = None if hours is None else timezone.now() + timedelta(hours=hours)
    return fees.propose(
        key=FEE, value=Decimal(value), reason="Agreed with the bank", effective_from=when, user=user
    )


def coming(value: int, hours: int, proposer: StaffUser, approver: StaffUser) -> SettingChange:
    """Return an approved change that takes effect in so many hours."""
    change = propose(value, proposer, hours)
    return fees.approve(change_id=change.pk, expected_value=Decimal(30), user=approver, reason=WHY)


def pass_hours(change: SettingChange, hours: int) -> None:
    update = f"effective_at = effective_at - interval '{hours} hours'"
    update_without_guard("wallets_settingchange", "USER", update, change.pk)


SHILLINGS_AND_CENTS = [
    ("MINIMUM_WITHDRAWAL_KES", "1", "0.99", "1.001"),
    ("KES_WITHDRAWAL_FEE", "0", "-0.01", "0.001"),
    ("KES_INTERNAL_FEE", "0", "-0.01", "0.001"),
    ("KES_USD_RATE", "0.00000001", "0", "1.000000001"),
    ("SECOND_APPROVAL_ABOVE_KES", "0.01", "0", "0.011"),
    ("SECOND_APPROVAL_DAILY_ABOVE_KES", "0.01", "0", "0.011"),
    ("SOLE_APPROVALS_DAILY_KES", "0", "-0.01", "0.001"),
    ("SECOND_APPROVAL_ABOVE_UGX", "1", "0", "1.5"),
]


@pytest.mark.parametrize(("key", "least", "below", "too_fine"), SHILLINGS_AND_CENTS)
def test_a_value_has_bounds_and_the_decimals_of_its_currency(key, least, below, too_fine):
    facts = fees.check_value(key, Decimal(least))
    assert fees.check_value(key, MAX_NUMBER) == facts
    finest = Decimal(10) ** -facts.decimals
    assert fees.check_value(key, 1 + finest).decimals == facts.decimals
    for value in (Decimal(below), MAX_NUMBER + finest, Decimal("NaN"), Decimal("Infinity")):
        with pytest.raises(InvalidRequest) as refused:
            fees.check_value(key, value)
        assert refused.value.fields == {
            "value": f"From {facts.describe(Decimal(least))} to {facts.describe(MAX_NUMBER)}"
        }
    decimals = {
        "KES_USD_RATE": "At most 8 decimals",
        "SECOND_APPROVAL_ABOVE_UGX": "No decimals",
    }
    with pytest.raises(InvalidRequest) as refused:
        fees.check_value(key, Decimal(too_fine))
    problem = decimals.get(key, "At most 2 decimals")
    assert refused.value.message == problem


def test_a_change_takes_effect_within_the_next_12_months(proposer):
    year, minute = timedelta(days=366), timedelta(minutes=1)
    now = timezone.now()
    with assert_no_table_changes():
        for when in (now, now + year + minute):
            with pytest.raises(InvalidRequest, match="within the next 12 months"):
                fees.propose(
                    key=FEE,
                    value=Decimal(31),
                    reason="Agreed with the bank",
                    effective_from=when,
                    user=proposer,
                )
    fees.propose(
        key=FEE,
        value=Decimal(31),
        reason="Agreed with the bank",
        effective_from=now + year,
        user=proposer,
    )


@pytest.mark.parametrize(("change", "minimum"), [("0.5", 1), (1, 1), ("1.01", "1.01"), (250, 250)])
def test_the_minimum_withdrawal_is_one_unit_or_more(change, minimum):
    set_setting("MINIMUM_WITHDRAWAL_KES", change)
    assert minimum_withdrawal("KES") == Decimal(minimum)


def test_a_currency_without_settings_has_a_minimum_of_one_and_no_fee():
    assert minimum_withdrawal("ZZZ") == 1
    assert withdrawal_fee("ZZZ") == 0


def test_the_change_effective_last_counts_whichever_was_approved_first(proposer, approver):
    store_bank_list()
    later = coming(41, 2, proposer, approver)
    sooner = coming(52, 1, proposer, approver)
    assert sooner.decided_at is not None
    assert later.decided_at is not None
    assert sooner.decided_at > later.decided_at
    for change in (later, sooner):
        pass_hours(change, 3)
    assert withdrawal_fee("KES") == 41
    # Requests read the settings by a function of their own.
    assert make_wallet(1000).request(500).fee == 41


def test_approval_fails_when_the_effective_value_changed_since_the_page(proposer, approver):
    pass_hours(coming(45, 1, proposer, approver), 2)
    change = propose(60, proposer)
    with (
        assert_no_table_changes(),
        pytest.raises(StateConflict, match=r"Withdrawal fee, KES is now 45\.00 KES"),
    ):
        fees.approve(change_id=change.pk, expected_value=Decimal(30), user=approver, reason=WHY)
    fees.approve(change_id=change.pk, expected_value=Decimal(45), user=approver, reason=WHY)
    assert withdrawal_fee("KES") == 60


def test_a_requester_cannot_confirm_their_own_cancellation(proposer, approver):
    change = coming(60, 1, proposer, approver)
    fees.request_cancellation(change_id=change.pk, user=approver, reason="a slip")
    with assert_no_table_changes(), pytest.raises(Rejected) as refused:
        fees.confirm_cancellation(change_id=change.pk, user=approver)
    assert refused.value.code == "approver_not_independent"
    fees.confirm_cancellation(change_id=change.pk, user=make_staff("decide_configuration"))
    change.refresh_from_db()
    assert change.status == "Cancelled"
