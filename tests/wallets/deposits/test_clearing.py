"""Clearing of deposits: what is disputed rests on, and the provider is asked before."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.environment.owner import without_guards
from tests.factories.chargebacks import (
    alerts,
    charge_back,
    confirm,
    dispute_of,
    events_of,
    learn_of_chargeback,
    look_up_again,
    pay_in,
    proposal_of,
    reject,
    reverser,
    wallet_of,
)
from tests.factories.deposits import make_due
from tests.factories.wallets import (
    assert_books_hold,
)
from wallets.deposits.models import Payment
from wallets.deposits.services.reversals import propose_reversal
from wallets.deposits.tasks import sweep_deposits

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("money_at_provider")]

FORMS = pytest.mark.parametrize("listed", [False, True], ids=["failed", "listed"])


def test_the_undisputed_part_clears_on_its_day(sandbox, owner):
    deposit = pay_in(sandbox, owner, payment_type="card")
    learn_of_chargeback(sandbox, deposit, "300")
    assert wallet_of(deposit) == (0, 1000, 0)
    make_due(deposit)
    sweep_deposits()
    assert wallet_of(deposit) == (700, 300, 0)
    assert proposal_of(deposit).held == 300
    assert events_of(deposit) == ["completed", "disputed", "cleared"]
    assert_books_hold()
    reject(deposit)
    assert wallet_of(deposit) == (1000, 0, 0)
    assert_books_hold()


def test_what_was_taken_back_before_it_cleared_does_not_clear(sandbox, owner):
    deposit = pay_in(sandbox, owner, payment_type="card")
    learn_of_chargeback(sandbox, deposit, "300")
    confirm(deposit)
    assert wallet_of(deposit) == (0, 700, 0)
    assert_books_hold()
    make_due(deposit)
    sweep_deposits()
    assert wallet_of(deposit) == (700, 0, 0)
    assert_books_hold()


def test_a_rejected_dispute_of_a_resting_deposit_lets_it_clear(sandbox, owner):
    deposit = pay_in(sandbox, owner, payment_type="card")
    learn_of_chargeback(sandbox, deposit)
    reject(deposit)
    assert wallet_of(deposit) == (0, 1000, 0)
    sweep_deposits()
    assert wallet_of(deposit) == (0, 1000, 0)
    make_due(deposit)
    sweep_deposits()
    assert wallet_of(deposit) == (1000, 0, 0)
    assert_books_hold()


def test_a_deposit_that_is_due_and_not_swept_is_taken_from_what_rests(sandbox, owner):
    deposit = pay_in(sandbox, owner, payment_type="card")
    pay_in(sandbox, owner, "400")
    make_due(deposit, hours=5)
    propose_reversal(deposit_id=deposit.pk, explanation="Wrong payer", user=reverser())
    confirm(deposit)
    assert wallet_of(deposit) == (400, 0, 0)
    assert_books_hold()


@FORMS
def test_clearing_asks_the_provider_and_finds_a_chargeback(sandbox, owner, listed):
    deposit = pay_in(sandbox, owner, payment_type="card")
    charge_back(sandbox, deposit, listed=listed)
    make_due(deposit)
    sweep_deposits()
    assert dispute_of(deposit) == ("Completed", 1000, 0)
    assert wallet_of(deposit) == (0, 1000, 0)
    assert "cleared" not in events_of(deposit)
    assert_books_hold()


def test_clearing_waits_without_an_answer_and_alerts_after_a_day(sandbox, owner):
    deposit = pay_in(sandbox, owner, payment_type="card")
    sandbox.stop()
    make_due(deposit, hours=23)
    sweep_deposits()
    assert (wallet_of(deposit), alerts("deposit_clearing")) == ((0, 1000, 0), [])
    payment = Payment.objects.get()
    assert (payment.status, payment.lookups) == ("Credited", 1)
    make_due(deposit, hours=24)
    look_up_again()
    [alert] = alerts("deposit_clearing")
    assert alert.startswith(
        f"Deposit {deposit.reference} is due and has not cleared: the provider does not say whether"
        f" payment {payment.transaction_id} stands ("
    )
    assert wallet_of(deposit) == (0, 1000, 0)
    assert_books_hold()


def test_a_deposit_without_an_answer_delays_no_other(sandbox, owner):
    waiting = pay_in(sandbox, owner, payment_type="card")
    other = pay_in(sandbox, owner, "400", payment_type="card")
    make_due(waiting, hours=2)
    make_due(other, hours=1)
    asked_again_at = timezone.now() + timedelta(hours=1)
    Payment.objects.filter(deposit=waiting).update(next_lookup_at=asked_again_at)
    sweep_deposits()
    assert wallet_of(other) == (400, 1000, 0)
    assert_books_hold()


def test_a_deposit_clears_once_the_provider_says_that_its_payment_stands(sandbox, owner):
    deposit = pay_in(sandbox, owner, payment_type="card")
    deposit.refresh_from_db()
    assert f'"available_on":"{deposit.available_at:%Y-%m-%dT%H:%M}' in deposit.document
    make_due(deposit, hours=25)
    with without_guards() as cursor:
        # The provider does not know it.
        cursor.execute("UPDATE wallets_payment SET transaction_id = transaction_id + 1000")
    sweep_deposits()
    assert len(alerts("deposit_clearing")) == 1
    with without_guards() as cursor:
        cursor.execute("UPDATE wallets_payment SET transaction_id = transaction_id - 1000")
    look_up_again()
    assert (wallet_of(deposit), alerts("deposit_clearing")) == ((1000, 0, 0), [])
    assert events_of(deposit) == ["completed", "cleared"]
    sweep_deposits()
    assert Payment.objects.get().next_lookup_at is None
    assert_books_hold()
