"""Notices on the page of an unresolved or returned payout, for every role."""

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


def send_payout() -> Withdrawal:
    """Make an approved withdrawal and send its payout."""
    organisation, member = make_participants()
    fund(organisation, member, "KES", "1000")
    withdrawal = make_withdrawal(organisation, member, "KES", "400")
    decisions.approve(withdrawal_id=withdrawal.pk, version=1, approver=make_staff())
    payouts.send_payout(withdrawal.pk)
    return withdrawal


def page_text(role: str, withdrawal: Withdrawal) -> str:
    address = reverse("admin:wallets_withdrawal_change", args=[withdrawal.pk])
    return text_of(signed_in_client(role).get(address))


def test_a_payout_without_response_is_checked_and_then_unresolved(provider_sandbox):
    provider_sandbox.fault("error_5xx", match=TRANSFERS)
    withdrawal = send_payout()
    waiting = page_text(BACK_OFFICE, withdrawal)
    notice = r"Checking status The outcome is unknown\..* next at \d\d:\d\d:\d\d UTC\."
    assert re.search(notice, waiting)
    assert "Propose a resolution" not in waiting
    advance_time(withdrawal, HALF_AN_HOUR + 1)
    payouts.check_status(withdrawal.pk)
    unresolved = "Unresolved Two status checks did not find this payout."
    auditors, approvers = page_text(AUDITOR, withdrawal), page_text(FINANCE_APPROVER, withdrawal)
    assert unresolved in auditors
    assert "Propose a resolution" not in auditors
    assert approvers.index(unresolved) < approvers.index("Propose a resolution")
    assert approvers.index("Propose a resolution") < approvers.index("Velocity and history")


def test_a_returned_payout_has_a_notice(provider_sandbox):
    withdrawal = send_payout()
    settle_at_bank(provider_sandbox, withdrawal)
    payouts.check_status(withdrawal.pk)
    returned = "Returned Returned by bank. Reversal requires dual approval."
    assert returned not in page_text(AUDITOR, withdrawal)
    return_at_bank(provider_sandbox, withdrawal)
    advance_time(withdrawal, 24 * HALF_AN_HOUR)
    payouts.check_status(withdrawal.pk)
    seen = page_text(FINANCE_APPROVER, withdrawal)
    assert returned in seen
    assert "Propose a resolution Action Reverse Reason" in seen
