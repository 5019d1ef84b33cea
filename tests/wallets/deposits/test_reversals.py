"""Chargebacks by two people: what is missing is owed, and repaid by what arrives next."""

from decimal import Decimal

import pytest

from exchange.core.errors import Forbidden, InvalidRequest, Rejected, StateConflict
from exchange.events.models import Event
from exchange.staff.models import StaffUser
from orders.freezing.services import confirm_reversal
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.api_clients import TESTER
from tests.factories.deposits import (
    ACTOR,
    Owner,
    arrive,
    make_checkout,
    make_virtual_account,
    transaction_record,
)
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    balance_of,
    make_staff,
    store_bank_list,
)
from wallets.deposits.models import Deposit
from wallets.deposits.services.reversals import propose_reversal, reject_reversal
from wallets.ledger.models import Account
from wallets.receivables.services.repayments import amount_owed, collect_due
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db


def paid(owner: Owner, amount: str = "1000", payment_type: str = "bank_transfer") -> Deposit:
    checkout = make_checkout(owner, amount, "KES")
    arrive(
        transaction_record(checkout.reference, amount, currency="KES", payment_type=payment_type)
    )
    checkout.refresh_from_db()
    return checkout


def reverser() -> StaffUser:
    return make_staff("reverse_deposit")


def reverse(deposit: Deposit) -> Deposit:
    proposal = propose_reversal(
        deposit_id=deposit.pk, explanation="Chargeback FLW-7", user=reverser()
    )
    return confirm_reversal(reversal_id=proposal.pk, user=reverser())


@pytest.mark.parametrize(
    ("payment_type", "kind"), [("bank_transfer", "available"), ("card", "uncleared")]
)
def test_a_reversal_takes_back_what_arrived(owner, payment_type, kind):
    paid(owner, "300", payment_type)
    reversed_deposit = reverse(paid(owner, "1000", payment_type))
    assert reversed_deposit.status == "Reversed"
    assert balance_of(reversed_deposit.owner_id, "KES", kind) == 300
    assert amount_owed(reversed_deposit.owner_id, "KES") == 0
    assert not Account.objects.filter(kind="receivable").exists()
    assert Event.objects.filter(type="deposit.reversed").count() == 1
    assert_books_hold()


def test_what_was_spent_is_owed_and_repaid_by_later_credits(owner):
    deposit = paid(owner)
    store_bank_list()
    Wallet(owner.organisation, owner.member).request(900)
    reverse(deposit)
    assert amount_owed(deposit.owner_id, "KES") == 900
    assert balance_of(deposit.owner_id, "KES") == 0
    account = make_virtual_account(owner, "KES")
    arrive(transaction_record(account.reference, "400", currency="KES"))
    assert amount_owed(deposit.owner_id, "KES") == 500
    assert balance_of(deposit.owner_id, "KES") == 0
    arrive(transaction_record(account.reference, "800", currency="KES"))
    assert amount_owed(deposit.owner_id, "KES") == 0
    assert balance_of(deposit.owner_id, "KES") == 300
    assert_books_hold()


def test_money_that_comes_back_from_elsewhere_is_collected(owner):
    deposit = paid(owner)
    store_bank_list()
    withdrawal = Wallet(owner.organisation, owner.member).request(900)
    reverse(deposit)
    decisions.cancel(
        withdrawal_id=withdrawal.id, organisation_id=owner.organisation.id, actor=TESTER
    )
    assert collect_due(ACTOR) == 1
    assert collect_due(ACTOR) == 0
    assert amount_owed(deposit.owner_id, "KES") == 0
    assert balance_of(deposit.owner_id, "KES") == 0
    assert_books_hold()


def test_a_reversal_takes_two_people_a_reason_and_a_completed_deposit(owner):
    deposit, pending = paid(owner), make_checkout(owner)
    person, stranger = reverser(), make_staff("decide_deposit")
    proposal = propose_reversal(deposit_id=deposit.pk, explanation="Chargeback", user=person)
    with assert_no_table_changes():
        with pytest.raises(Rejected):
            confirm_reversal(reversal_id=proposal.pk, user=person)
        with pytest.raises(Forbidden):
            confirm_reversal(reversal_id=proposal.pk, user=stranger)
        with pytest.raises(Forbidden):
            propose_reversal(deposit_id=deposit.pk, explanation="x", user=stranger)
        with pytest.raises(Forbidden):
            reject_reversal(reversal_id=proposal.pk, reason="x", user=stranger)
        for explanation in (" ", "x" * 501):
            with pytest.raises(InvalidRequest):
                propose_reversal(deposit_id=deposit.pk, explanation=explanation, user=person)
        with pytest.raises(InvalidRequest):
            reject_reversal(reversal_id=proposal.pk, reason=" ", user=person)
        with pytest.raises(StateConflict):
            propose_reversal(deposit_id=pending.pk, explanation="x", user=person)
    reject_reversal(reversal_id=proposal.pk, reason="won", user=reverser())
    longest = propose_reversal(deposit_id=deposit.pk, explanation="x" * 500, user=person)
    reject_reversal(reversal_id=longest.pk, reason="won", user=person)
    deposit.refresh_from_db()
    assert (deposit.status, balance_of(deposit.owner_id, "KES")) == (
        "Completed", Decimal(1000),
    )  # fmt: skip
    reverse(deposit)
    with pytest.raises(StateConflict):
        propose_reversal(deposit_id=deposit.pk, explanation="again", user=person)
    assert_books_hold()
