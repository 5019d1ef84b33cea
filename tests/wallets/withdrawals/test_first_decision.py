"""Later decisions keep the first approver and the time of the first approval."""

import pytest

from tests.factories.api_clients import TESTER
from tests.factories.wallets import assert_books_hold, make_staff, make_wallet, store_bank_list
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db


@pytest.fixture
def approved_by_one() -> Withdrawal:
    """Make a withdrawal of 500,000 KES with the first of two approvals."""
    store_bank_list()
    withdrawal = make_wallet(600_000).request(500_000)
    once = decisions.approve(
        withdrawal_id=withdrawal.id, version=withdrawal.version, approver=make_staff()
    )
    assert (once.status, once.approvals_needed) == ("Pending", 2)
    assert once.actioned_by
    return once


def test_a_rejection_keeps_the_first_approver_and_time(approved_by_one):
    rejected = decisions.reject(
        withdrawal_id=approved_by_one.id,
        version=approved_by_one.version,
        approver=make_staff(),
        reason="not theirs",
    )
    assert rejected.status == "Rejected"
    assert (rejected.actioned_by, rejected.actioned_on) == (
        approved_by_one.actioned_by,
        approved_by_one.actioned_on,
    )
    assert_books_hold()


def test_a_cancellation_keeps_the_first_approver_and_time(approved_by_one):
    cancelled = decisions.cancel(
        withdrawal_id=approved_by_one.id,
        organisation_id=approved_by_one.organisation_id,
        actor=TESTER,
    )
    assert cancelled.status == "Cancelled"
    assert (cancelled.actioned_by, cancelled.actioned_on) == (
        approved_by_one.actioned_by,
        approved_by_one.actioned_on,
    )
    assert_books_hold()
