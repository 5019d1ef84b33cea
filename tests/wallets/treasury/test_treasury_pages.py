"""Treasury movements in the back office."""

import pytest
from django.urls import reverse

from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import (
    messages_of,
    page,
    submit_confirmation,
    text_of,
)
from tests.factories.treasury import system_balance
from wallets.treasury.models import TreasuryMovement

pytestmark = pytest.mark.django_db

ADD = "admin:wallets_treasurymovement_add"


def body(**changes: str) -> dict[str, str]:
    values = {"kind": "top_up", "currency": "NGN", "amount": "1000.50", "charge": "0.5"}
    return values | {
        "reference": "BANK-1",
        "note": "Monday's payouts, checked with the bank",
        **changes,
    }


def test_one_person_proposes_and_another_one_confirms(maker, checker):
    response = maker.post(reverse(ADD), body())
    movement = TreasuryMovement.objects.get()
    assert messages_of(response) == ["Movement proposed. A second person must confirm it."]
    assert "Eligible approvers: checker." in text_of(maker.get(page(movement, "change")))
    asked = text_of(checker.get(page(movement, "confirm")))
    assert "Confirm float top-up of 1,000.50 NGN?" in asked
    assert "Own money in NGN 0.00 NGN" in asked
    refused = submit_confirmation(maker, page(movement, "confirm"))
    assert messages_of(refused)[-1] == (
        "Someone other than the proposer must approve this. No changes were made."
    )
    assert system_balance("treasury", "NGN") == 0
    done = submit_confirmation(checker, page(movement, "confirm"))
    assert messages_of(done)[-1] == "Confirmed. 1,000.50 NGN posted."
    assert str(system_balance("clearing", "NGN")) == "-1000.00000000"
    assert "Treasury movement" in text_of(checker.get(page(movement, "change")))


def test_a_position_shows_its_loss(maker, checker):
    maker.post(
        reverse(ADD),
        body(kind="position_close", charge="", bought_currency="USD", bought_amount="99.5",
             closed_amount="100"),
    )  # fmt: skip
    movement = TreasuryMovement.objects.get()
    asked = text_of(checker.get(page(movement, "confirm")))
    assert "Bought 99.50 USD Position closed 100.00 USD Loss 0.50 USD" in asked
    with assert_no_table_changes():
        done = submit_confirmation(checker, page(movement, "confirm"))
    assert "The position in NGN is 0.00 NGN" in messages_of(done)[-1]


def test_errors_stay_in_the_form(finance):
    shown = text_of(finance.post(reverse(ADD), body(charge="2000")))
    assert "The charge leaves nothing of the top-up" in shown
    assert not TreasuryMovement.objects.exists()


def test_a_rejected_movement_posts_nothing(maker, checker):
    maker.post(reverse(ADD), body())
    movement = TreasuryMovement.objects.get()
    submit_confirmation(checker, page(movement, "reject"), reason="Not on the statement")
    movement.refresh_from_db()
    assert (movement.status, movement.reason) == ("Rejected", "Not on the statement")
    assert system_balance("clearing", "NGN") == 0
