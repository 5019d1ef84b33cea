"""Pages: units of numbers, time zones, and usual names."""

import pytest
from django.urls import reverse

from tests.factories.back_office import (
    fund,
    make_participants,
    make_withdrawal,
    text_of,
)
from tests.factories.payouts import advance_time
from tests.factories.wallets import make_staff
from wallets.banks.models import BankList
from wallets.payouts.models import ProposalAction
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import resolutions
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db


def test_effective_values_have_their_unit(auditor):
    seen = text_of(auditor.get(reverse("admin:wallets_configuration_changelist")))
    assert "5.00 GHS" in seen
    assert "129 KES per USD" in seen
    assert "5,000,000.00 NGN" in seen
    one = text_of(auditor.get(reverse("admin:wallets_configuration_change", args=["NGN_USD_RATE"])))
    assert "Effective value 1,500 NGN per USD" in one
    assert one.count("All changes") == 1


def test_payouts_banks_and_proposals_have_their_usual_names(provider_sandbox, finance):
    organisation, member = make_participants()
    fund(organisation, member, "KES", "1000")
    withdrawal = make_withdrawal(organisation, member, "KES", "400")
    decisions.approve(withdrawal_id=withdrawal.pk, version=1, approver=make_staff())
    provider_sandbox.fault("error_5xx")
    payouts.send_payout(withdrawal.pk)
    provider_sandbox.reset()
    advance_time(withdrawal, 3600)
    payouts.check_status(withdrawal.pk)
    advance_time(withdrawal, 3600)
    payouts.check_status(withdrawal.pk)
    resolutions.propose(
        withdrawal_id=withdrawal.pk,
        action=ProposalAction.FAIL,
        reason="Never arrived",
        proposer=make_staff(),
    )
    payout = text_of(finance.get(reverse("admin:wallets_payout_change", args=[withdrawal.pk])))
    assert "Payout of 370.00 KES to Ada Obi" in payout
    listed = text_of(finance.get(reverse("admin:wallets_proposal_changelist")))
    assert f"Fail {withdrawal.reference} 400.00 KES Pending" in listed
    assert "Never arrived" in listed
    banks = BankList.objects.get(currency="KES")
    page = text_of(finance.get(reverse("admin:wallets_banklist_change", args=[banks.pk])))
    assert f"KES banks of {banks.fetched_at:%Y-%m-%d %H:%M} UTC" in page
