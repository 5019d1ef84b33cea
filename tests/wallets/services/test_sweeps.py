"""When a payout is looked at next: by plan, and after a hint of the provider."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.factories.wallets import approved, know_banks, make_wallet
from wallets.models import Payout, WithdrawalStatus
from wallets.services import settlement, sweeps

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def test_looks_come_soon_at_first_and_then_every_ten_minutes():
    know_banks()
    withdrawal = approved(make_wallet(1000))
    steps = (5, 10, 20, 40, 60, 120, 300, 600, 600, 600)
    for look_ups, seconds in enumerate(steps):
        Payout.objects.filter(withdrawal_id=withdrawal.id).update(look_ups=look_ups)
        before = timezone.now()
        found = settlement.next_look(withdrawal.id) - timedelta(seconds=seconds)
        assert before <= found <= timezone.now(), look_ups


def test_a_payout_is_watched_every_twelve_hours_for_thirty_days():
    now = timezone.now()
    assert settlement.watch_from(now) == {
        "next_step_at": now + 12 * HOUR,
        "watch_until": now + timedelta(days=30),
    }


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
