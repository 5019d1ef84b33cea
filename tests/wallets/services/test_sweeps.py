"""What a hint of the provider does to the next look at a payout."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.factories.wallets import approved, know_banks, make_wallet
from wallets.models import Payout, WithdrawalStatus
from wallets.services import sweeps

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("planned", "due"),
    [(HOUR, True), (-HOUR, True), (None, False)],
    ids=["later", "due already", "never"],
)
def test_a_hint_brings_a_look_forward_and_never_puts_it_off(planned, due):
    know_banks()
    withdrawal = approved(make_wallet(1000))
    at = None if planned is None else timezone.now() + planned
    Payout.objects.filter(withdrawal_id=withdrawal.id).update(next_step_at=at)
    before = timezone.now()
    assert sweeps.bring_forward(withdrawal.reference) == withdrawal.id
    found = Payout.objects.get(withdrawal_id=withdrawal.id).next_step_at
    if planned == HOUR:
        assert found is not None
        assert before <= found <= timezone.now()
    else:
        assert found == at
    assert sweeps.claim_step(withdrawal.id, WithdrawalStatus.APPROVED) is due


def test_a_payout_put_back_to_approved_meanwhile_is_not_planned_for_later():
    know_banks()
    withdrawal = approved(make_wallet(1000))
    now = timezone.now()
    Payout.objects.filter(withdrawal_id=withdrawal.id).update(next_step_at=now)
    # Another worker had claimed it when this one read its status, and has put it back since.
    assert not sweeps.claim_step(withdrawal.id, WithdrawalStatus.PROCESSING)
    assert Payout.objects.get(withdrawal_id=withdrawal.id).next_step_at == now
