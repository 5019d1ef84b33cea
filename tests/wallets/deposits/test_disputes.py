"""Chargebacks at every moment: what is disputed is held at once, and taken or released by people.

The provider is a sandbox over HTTP; it calls a charged back payment failed, or lists the chargeback
of the successful payment.
"""

from decimal import Decimal

import pytest

from exchange.core.errors import Conflict, Forbidden, InvalidRequest, Rejected, StateConflict
from orders.freezing.services import confirm_reversal
from tests.assertions.unchanged import assert_no_table_changes, table_fingerprints
from tests.factories.chargebacks import (
    alerts,
    charge_back,
    confirm,
    dispute_of,
    events_of,
    learn_of_chargeback,
    pay_for,
    pay_in,
    proposal_of,
    reject,
    reverser,
    send_webhook,
    transaction_of,
    wallet_of,
)
from tests.factories.deposits import make_checkout, make_due
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    make_staff,
    store_bank_list,
)
from wallets.alerts.models import Alert
from wallets.deposits.models import Deposit, DepositReversal, Payment, PaymentAction
from wallets.deposits.services.disputes import mark_disputed
from wallets.deposits.services.reversals import propose_reversal
from wallets.deposits.services.unmatched import confirm_resolution, propose_resolution
from wallets.deposits.tasks import find_payments, sweep_deposits
from wallets.ledger.models import Transfer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("money_at_provider")]

FORMS = pytest.mark.parametrize("listed", [False, True], ids=["failed", "listed"])
LIFE = ("deposit", "deposit_charge")


def kinds_of(deposit: Deposit) -> list[str]:
    rows = Transfer.objects.filter(subject_id=deposit.pk).order_by("id")
    return list(rows.values_list("kind", flat=True))


@FORMS
def test_before_it_clears_the_money_goes_on_resting_until_people_decide(sandbox, owner, listed):
    deposit = pay_in(sandbox, owner, payment_type="card")
    other = pay_in(sandbox, owner, "70", payment_type="card")
    learn_of_chargeback(sandbox, deposit, listed=listed)
    assert dispute_of(deposit) == ("Completed", 1000, 0)
    assert deposit.disputed_at is not None
    proposal = proposal_of(deposit)
    assert proposal.proposed_by is None
    assert (proposal.amount, proposal.held) == (Decimal(1000), Decimal(0))
    assert str(transaction_of(deposit)) in proposal.explanation
    assert wallet_of(deposit) == (0, 1070, 0)
    assert alerts() == [
        f"Deposit {deposit.reference} of Ada Obi was charged back: 1,000.00 KES, of which"
        " 1,000.00 KES is held; 0.00 KES is left in the wallet"
    ]
    # Its time comes, and it does not clear; another one does.
    make_due(deposit)
    make_due(other)
    sweep_deposits()
    assert wallet_of(deposit) == (70, 1000, 0)
    assert_books_hold()
    assert confirm(deposit).status == "Reversed"
    assert dispute_of(deposit) == ("Reversed", 1000, 1000)
    assert wallet_of(deposit) == (70, 0, 0)
    assert events_of(deposit) == ["completed", "disputed", "reversed"]
    assert kinds_of(deposit) == [*LIFE, "deposit_reverse"]
    assert alerts() == []
    assert_books_hold()


@FORMS
def test_after_it_cleared_the_amount_is_held(sandbox, owner, listed):
    deposit = pay_in(sandbox, owner)
    pay_in(sandbox, owner, "70")
    learn_of_chargeback(sandbox, deposit, listed=listed)
    assert wallet_of(deposit) == (70, 1000, 0)
    assert proposal_of(deposit).held == 1000
    assert_books_hold()
    confirm(deposit)
    assert wallet_of(deposit) == (70, 0, 0)
    assert kinds_of(deposit) == [*LIFE, "deposit_hold", "deposit_reverse"]
    assert_books_hold()


def test_what_the_owner_moved_on_is_owed_after_what_is_held_and_what_came_since(sandbox, owner):
    deposit = pay_in(sandbox, owner)
    store_bank_list()
    wallet = Wallet(owner.organisation, owner.member)
    wallet.request(900)
    learn_of_chargeback(sandbox, deposit)
    assert wallet_of(deposit) == (0, 100, 0)
    assert alerts() == [
        f"Deposit {deposit.reference} of Ada Obi was charged back: 1,000.00 KES, of which"
        " 100.00 KES is held; 0.00 KES is left in the wallet"
    ]
    wallet.fund(250)
    assert wallet_of(deposit) == (250, 100, 0)
    confirm(deposit)
    assert wallet_of(deposit) == (0, 0, 650)
    assert_books_hold()


def test_with_nothing_left_nothing_is_held_and_everything_is_owed(sandbox, owner):
    deposit = pay_in(sandbox, owner)
    store_bank_list()
    Wallet(owner.organisation, owner.member).request(1000)
    learn_of_chargeback(sandbox, deposit)
    assert dispute_of(deposit) == ("Completed", 1000, 0)
    assert (wallet_of(deposit), kinds_of(deposit)) == ((0, 0, 0), [*LIFE])
    confirm(deposit)
    assert wallet_of(deposit) == (0, 0, 1000)
    assert_books_hold()


def test_after_a_reversal_began_its_proposal_is_kept_and_holds_the_amount(sandbox, owner):
    deposit, maker = pay_in(sandbox, owner), reverser()
    proposal = propose_reversal(deposit_id=deposit.pk, explanation="E-mail 7", user=maker)
    assert wallet_of(deposit) == (1000, 0, 0)
    learn_of_chargeback(sandbox, deposit)
    kept = proposal_of(deposit)
    assert (kept.pk, kept.proposed_by, kept.held) == (proposal.pk, maker, Decimal(1000))
    assert (wallet_of(deposit), dispute_of(deposit)) == ((0, 1000, 0), ("Completed", 1000, 0))
    with pytest.raises(Rejected):
        confirm_reversal(reversal_id=kept.pk, user=maker)
    confirm(deposit)
    assert wallet_of(deposit) == (0, 0, 0)
    assert_books_hold()


def test_after_the_reversal_the_providers_word_is_no_news(sandbox, owner):
    deposit = pay_in(sandbox, owner)
    propose_reversal(deposit_id=deposit.pk, explanation="E-mail 7", user=reverser())
    confirm(deposit)
    learn_of_chargeback(sandbox, deposit)
    assert dispute_of(deposit) == ("Reversed", None, 1000)
    assert events_of(deposit) == ["completed", "reversed"]
    assert DepositReversal.objects.count() == 1
    assert Payment.objects.get().charged_back_amount == 1000
    assert not Alert.objects.exists()
    assert_books_hold()


@FORMS
def test_a_repeated_word_changes_nothing(sandbox, owner, listed):
    deposit = pay_in(sandbox, owner)
    learn_of_chargeback(sandbox, deposit, listed=listed)
    left_out = {"wallets_payment", "wallets_providerevent", "exchange_auditevent"}

    def state() -> dict[str, object]:
        rows = table_fingerprints().items()
        return {key: value for key, value in rows if key not in left_out}

    before = state()
    for _ in range(3):
        send_webhook(sandbox, transaction_of(deposit))
        assert find_payments() == 0
        sweep_deposits()
    assert state() == before
    reject(deposit)
    before = state()
    send_webhook(sandbox, transaction_of(deposit))
    assert find_payments() == 0
    assert state() == before
    assert_books_hold()


def test_a_rejected_dispute_releases_the_money_and_repays_a_debt_first(sandbox, owner):
    deposit, owed = pay_in(sandbox, owner), pay_in(sandbox, owner, "300")
    store_bank_list()
    Wallet(owner.organisation, owner.member).request(300)
    learn_of_chargeback(sandbox, deposit)
    assert wallet_of(deposit) == (0, 1000, 0)
    learn_of_chargeback(sandbox, owed)
    confirm(owed)
    assert wallet_of(deposit) == (0, 1000, 300)
    reject(deposit)
    assert wallet_of(deposit) == (700, 0, 0)
    assert dispute_of(deposit) == ("Completed", None, 0)
    assert deposit.disputed_at is None
    assert events_of(deposit) == ["completed", "disputed", "dispute_closed"]
    assert kinds_of(deposit) == [*LIFE, "deposit_hold", "deposit_release"]
    assert alerts() == []
    assert_books_hold()


def test_for_a_transaction_that_is_not_ours_nothing_moves(sandbox, owner):
    transaction_id = pay_for(sandbox, "elsewhere", "1000")
    sandbox.collection.charge_back(transaction_id)
    send_webhook(sandbox, transaction_id)
    payment = Payment.objects.get()
    assert (payment.status, payment.charged_back_amount) == ("Failed", Decimal(0))
    assert payment.deposit is None
    assert not Transfer.objects.exists()
    assert not DepositReversal.objects.exists()


def test_a_payment_without_an_owner_that_was_charged_back_is_closed_without_a_refund(
    sandbox, owner
):
    transaction_id = pay_for(sandbox, "elsewhere", "1000")
    send_webhook(sandbox, transaction_id)
    payment = Payment.objects.get()
    assert payment.status == "Unmatched"
    sandbox.collection.charge_back(transaction_id)
    send_webhook(sandbox, transaction_id)
    payment.refresh_from_db()
    assert (payment.status, payment.charged_back_amount) == ("Unmatched", Decimal(1000))
    assert alerts("payment_charged_back") == [
        f"1,000.00 KES of payment {transaction_id} was charged back. It is Unmatched, so no"
        " wallet has it"
    ]
    maker, checker = (make_staff("resolve_payment") for _ in range(2))
    with pytest.raises(
        StateConflict, match="of the payment was charged back: it cannot be assigned"
    ):
        propose_resolution(
            payment_id=payment.pk,
            action=PaymentAction.ASSIGN,
            owner=owner.member,
            explanation="x",
            user=maker,
        )
    refund = propose_resolution(
        payment_id=payment.pk, action=PaymentAction.REFUND, explanation="x", user=maker
    )
    requests = len(sandbox.requests.entries())
    assert confirm_resolution(resolution_id=refund.pk, user=checker).status == "Refunded"
    assert len(sandbox.requests.entries()) == requests
    assert alerts("payment_charged_back") == []
    assert_books_hold()


def test_a_forged_webhook_moves_nothing_and_an_authentic_lie_neither(sandbox, owner):
    deposit = pay_in(sandbox, owner)
    charge_back(sandbox, deposit)
    with assert_no_table_changes():
        send_webhook(sandbox, transaction_of(deposit), secret="forged", status=401)
    sound = pay_in(sandbox, owner, "500")
    send_webhook(sandbox, transaction_of(sound))
    assert dispute_of(sound) == ("Completed", None, 0)
    assert Payment.objects.get(deposit=sound).next_lookup_at is None
    assert_books_hold()


@FORMS
def test_a_lost_webhook_is_made_up_for_by_the_list(sandbox, owner, listed):
    deposit = pay_in(sandbox, owner)
    assert find_payments() == 0
    charge_back(sandbox, deposit, listed=listed)
    assert find_payments() == 1
    sweep_deposits()
    assert dispute_of(deposit) == ("Completed", 1000, 0)
    assert find_payments() == 0
    assert_books_hold()


def test_a_part_is_held_taken_back_and_then_the_rest(sandbox, owner):
    deposit = pay_in(sandbox, owner)
    learn_of_chargeback(sandbox, deposit, "300.50")
    assert dispute_of(deposit) == ("Completed", Decimal("300.50"), 0)
    assert wallet_of(deposit) == (Decimal("699.50"), Decimal("300.50"), 0)
    confirm(deposit)
    assert dispute_of(deposit) == ("Completed", Decimal("300.50"), Decimal("300.50"))
    assert wallet_of(deposit) == (Decimal("699.50"), 0, 0)
    assert_books_hold()
    learn_of_chargeback(sandbox, deposit)
    assert dispute_of(deposit) == ("Completed", Decimal("699.50"), Decimal("300.50"))
    confirm(deposit)
    assert dispute_of(deposit) == ("Reversed", Decimal("699.50"), 1000)
    assert wallet_of(deposit) == (0, 0, 0)
    assert events_of(deposit) == ["completed", "disputed", "reversed", "disputed", "reversed"]
    assert_books_hold()


def test_a_larger_demand_replaces_the_open_one(sandbox, owner):
    deposit = pay_in(sandbox, owner)
    learn_of_chargeback(sandbox, deposit, "300")
    first = proposal_of(deposit)
    learn_of_chargeback(sandbox, deposit)
    first.refresh_from_db()
    assert (first.status, first.decided_by) == ("Rejected", None)
    assert first.reason.startswith("Replaced: Charged back at the payment provider")
    assert proposal_of(deposit).amount == 1000
    assert wallet_of(deposit) == (0, 1000, 0)
    assert events_of(deposit) == ["completed", "disputed", "disputed"]
    assert len(alerts()) == 1
    confirm(deposit)
    assert wallet_of(deposit) == (0, 0, 0)
    assert_books_hold()


def test_a_chargeback_that_was_won_is_reported(sandbox, owner):
    deposit = pay_in(sandbox, owner)
    learn_of_chargeback(sandbox, deposit, listed=True)
    sandbox.collection.end_chargeback(1, "won")
    send_webhook(sandbox, transaction_of(deposit))
    # People close the dispute: the provider may have been wrong before.
    assert wallet_of(deposit) == (0, 1000, 0)
    assert alerts("chargeback_withdrawn") == [
        f"1,000.00 KES of payment {transaction_of(deposit)} was charged back, and now 0.00 KES is."
        " Reject the reversal, or credit what was taken back again"
    ]
    reject(deposit)
    assert wallet_of(deposit) == (1000, 0, 0)
    assert_books_hold()


def test_one_person_marks_a_deposit_as_disputed_and_another_decides(sandbox, owner):
    deposit, maker = pay_in(sandbox, owner), reverser()
    proposal = mark_disputed(
        deposit_id=deposit.pk, amount=Decimal("200.25"), explanation="E-mail 7", user=maker
    )
    assert (proposal.proposed_by, proposal.explanation) == (maker, "E-mail 7")
    assert wallet_of(deposit) == (Decimal("799.75"), Decimal("200.25"), 0)
    assert dispute_of(deposit) == ("Completed", Decimal("200.25"), 0)
    with assert_no_table_changes(), pytest.raises(Rejected):
        confirm_reversal(reversal_id=proposal.pk, user=maker)
    confirm(deposit)
    assert wallet_of(deposit) == (Decimal("799.75"), 0, 0)
    assert_books_hold()


def test_a_manual_deposit_can_be_disputed_too(owner):
    wallet = Wallet(owner.organisation, owner.member).fund(400)
    deposit = Deposit.objects.get()
    mark_disputed(deposit_id=deposit.pk, explanation="The bank called", user=reverser())
    assert wallet_of(deposit) == (0, 400, 0)
    confirm(deposit)
    assert dispute_of(deposit) == ("Reversed", 400, 400)
    assert wallet.balance() == 0
    assert_books_hold()


def test_a_dispute_that_may_not_be_opened_moves_nothing(sandbox, owner):
    deposit, person, stranger = pay_in(sandbox, owner), reverser(), make_staff("decide_deposit")
    pending, other = make_checkout(owner), reverser()
    disputed = pay_in(sandbox, owner, "50")
    mark_disputed(deposit_id=disputed.pk, explanation="x", user=person)
    with assert_no_table_changes():
        for amount in ("0", "-1", "1000.01", "0.001", "NaN", "Infinity"):
            with pytest.raises(InvalidRequest):
                mark_disputed(
                    deposit_id=deposit.pk, amount=Decimal(amount), explanation="x", user=person
                )
        for explanation in (" ", "x" * 501):
            with pytest.raises(InvalidRequest):
                mark_disputed(deposit_id=deposit.pk, explanation=explanation, user=person)
        with pytest.raises(Forbidden):
            mark_disputed(deposit_id=deposit.pk, explanation="x", user=stranger)
        with pytest.raises(StateConflict):
            mark_disputed(deposit_id=pending.pk, explanation="x", user=person)
        with pytest.raises(Conflict):
            mark_disputed(deposit_id=disputed.pk, explanation="x", user=other)
    assert_books_hold()
