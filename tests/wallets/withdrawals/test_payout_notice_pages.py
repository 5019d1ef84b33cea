"""The page of a payout that was lost or came back says where it stands, to whoever looks."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from config.back_office.roles import AUDITOR, BACK_OFFICE, FINANCE_APPROVER
from tests.factories.back_office import (
    fund,
    make_participants,
    make_withdrawal,
    signed_in_client,
    text_of,
)
from tests.factories.payouts import (
    HALF_AN_HOUR,
    TRANSFERS,
    advance_time,
    return_at_bank,
    settle_at_bank,
)
from tests.factories.wallets import make_staff
from wallets.payouts.services import execution as payouts
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db


def paid_out() -> Withdrawal:
    """An approved withdrawal that a worker has taken to the provider."""
    organisation, member = make_participants()
    fund(organisation, member, "KES", "1000")
    withdrawal = make_withdrawal(organisation, member, "KES", "400")
    decisions.approve(withdrawal_id=withdrawal.pk, version=1, approver=make_staff())
    payouts.send_payout(withdrawal.pk)
    return withdrawal


def seen_by(role: str, withdrawal: Withdrawal) -> str:
    address = reverse("admin:wallets_withdrawal_change", args=[withdrawal.pk])
    return text_of(signed_in_client(role).get(address))


def test_a_lost_answer_is_looked_up_then_lost(provider_sandbox):
    provider_sandbox.fault("error_5xx", match=TRANSFERS)
    withdrawal = paid_out()
    waiting = seen_by(BACK_OFFICE, withdrawal)
    reported = r"Checking status The outcome is unknown\..* next at \d\d:\d\d:\d\d UTC\."
    assert re.search(reported, waiting)
    assert "Propose a resolution" not in waiting
    advance_time(withdrawal, HALF_AN_HOUR + 1)
    payouts.check_status(withdrawal.pk)
    lost = "Unresolved Two status checks did not find this payout."
    auditors, approvers = seen_by(AUDITOR, withdrawal), seen_by(FINANCE_APPROVER, withdrawal)
    assert lost in auditors
    assert "Propose a resolution" not in auditors
    assert approvers.index(lost) < approvers.index("Propose a resolution")
    assert approvers.index("Propose a resolution") < approvers.index("Velocity and history")


def test_a_payout_that_came_back_says_so(provider_sandbox):
    withdrawal = paid_out()
    settle_at_bank(provider_sandbox, withdrawal)
    payouts.check_status(withdrawal.pk)
    returned = "Returned Returned by bank. Reversal requires dual approval."
    assert returned not in seen_by(AUDITOR, withdrawal)
    return_at_bank(provider_sandbox, withdrawal)
    advance_time(withdrawal, 24 * HALF_AN_HOUR)
    payouts.check_status(withdrawal.pk)
    seen = seen_by(FINANCE_APPROVER, withdrawal)
    assert returned in seen
    assert "Propose a resolution Action Reverse Reason" in seen
