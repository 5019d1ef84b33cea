"""Claims of creditors: liquidations while final distributions pay for a part of the collateral.

Unless a test says otherwise, 1,596,000 NGN are owed against 105 units of a token of which a
redemption or exit is to come, and 30 of another one at 10,000, which a liquidation passes:
1,296,000 are left.
"""

from decimal import Decimal

import msgspec
import pytest

from credit.distributions.models import DistributionAction, Income
from credit.distributions.services import paying, recording
from credit.loans.models import ClosureAction
from credit.loans.services.closures import decline_closure
from exchange.core.errors import Rejected, StateConflict
from exchange.events.models import Event
from exchange.tokens.errors import RecordPending
from exchange.tokens.services.quotes import Prices
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.owner import without_guards
from tests.factories.claims import (
    Pledged,
    confirm,
    covered,
    liquidate,
    make_pledged,
    officer,
    pay_exit,
    propose_closing,
    redeem,
    steps,
)
from tests.factories.distributions import (
    approve,
    decide_step,
    make_distribution,
    make_due,
    make_terms,
    owe,
    propose,
    redemption_terms,
)
from tests.factories.lending import make_lending
from tests.factories.lifecycle import set_flags
from tests.factories.pledged_income import close, default, pay
from tests.factories.quotes import set_effective_quote
from tests.factories.tax_rates import make_rate, set_tax_facts
from tests.factories.wallets import (
    assert_books_hold,
    balance_of,
)

pytestmark = pytest.mark.django_db(transaction=True)


# --- a redemption ------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["Recorded", "Funded"])
def test_a_liquidation_leaves_units_that_are_redeemed_in_lien(status):
    made = make_pledged()
    redeem(made.held, status=status)
    done = liquidate(made)
    assert steps(done) == [("0", "105"), ("30", "0")]
    assert covered(done) == (1_596_000, 300_000, 1_296_000)
    assert made.claim() == 1_296_000
    assert made.loan.status == "LIQUIDATED"
    assert made.units() == (0, 0, 105)
    assert made.units(made.other) == (30, 0, 0)
    assert made.pledge() == (105, 105)
    assert_books_hold()


@pytest.mark.parametrize(
    ("amount", "to_creditor", "to_borrower", "left"),
    [
        ("10000", "1050000", "0", "246000"),
        ("12342.857", "1295999.98", "0", "0.02"),
        # 105 times this is 1,296,000 exactly, and the next one is 0.01 more.
        ("12342.857142858", "1296000", "0", "0"),
        ("12342.8572381", "1296000", "0.01", "0"),
        ("20000", "1296000", "804000", "0"),
    ],
)
@pytest.mark.one_in(3)
def test_the_proceeds_go_to_the_creditor_up_to_its_claim(amount, to_creditor, to_borrower, left):
    made = make_pledged()
    paid = redeem(made.held, amount)
    liquidate(made)
    before = made.money()
    paying.pay(paid.pk)
    assert made.received(before) == (Decimal(to_creditor), Decimal(to_borrower))
    assert made.claim() == Decimal(left)
    assert made.units() == (0, 0, 0)
    income = Income.objects.get(distribution=paid)
    assert (income.loan_id, income.owner_id) == (made.loan.pk, made.lending.borrower.owner_id)
    assert (income.status, income.paid_to) == ("Paid", "loan")
    assert income.to_creditor == Decimal(to_creditor)
    assert made.pledge() == (105, 0)
    paid.refresh_from_db()
    assert paid.status == "Paid"
    assert_books_hold()


def test_what_paid_the_claim_of_another_loan_leaves_the_claim():
    first, second = make_pledged(), make_pledged()
    paid = redeem(first.held)
    redeem(second.held)
    liquidate(first)
    paying.pay(paid.pk)
    assert first.claim() == 246_000
    liquidate(second)
    assert second.claim() == 1_296_000


def test_cash_collateral_is_passed_first():
    """63,000 of cash and 30 units at 10,000: 1,233,000 are left."""
    made = make_pledged()
    pay(made.lending, 600)
    redeem(made.held)
    done = liquidate(made)
    assert done.final_cash == 63_000
    assert done.final_value == 363_000
    assert made.claim() == 1_233_000
    assert_books_hold()


def test_without_other_collateral_all_that_is_owed_is_the_claim():
    lending = make_lending()
    loan = lending.lend()
    default(loan)
    paid = redeem(lending.token)
    made = Pledged(lending, loan, lending.token)
    liquidate(made)
    assert made.claim() == 1_596_000
    assert made.units() == (0, 895, 105)
    before = made.money()
    paying.pay(paid.pk)
    # 895 units of its own are the borrower's.
    assert made.received(before) == (1_050_000, 8_950_000)
    assert made.claim() == 546_000
    assert_books_hold()


def test_units_are_returned_where_the_others_cover_all():
    """190,000 are owed, and 30 units at 10,000 are more: nothing is left to claim."""
    made = make_pledged(amount=100_000)
    paid = redeem(made.held)
    done = liquidate(made)
    assert steps(done) == [("0", "0"), ("19", "0")]
    assert made.claim() == 0
    assert made.units() == (0, 105, 0)
    before = made.money()
    paying.pay(paid.pk)
    assert made.received(before) == (0, 1_050_000)
    assert made.units() == (0, 0, 0)
    assert_books_hold()


def test_a_price_that_nothing_is_sold_at_may_be_missing():
    made = make_pledged()
    redeem(made.held, status="Recorded")
    with without_guards() as cursor:
        cursor.execute("UPDATE exchange_token SET quoted_at = NULL WHERE id = %s", [made.held.pk])
    liquidate(made)
    assert made.claim() == 1_296_000


def test_what_other_units_are_still_to_pay_is_waited_for():
    made = make_pledged()
    redeem(made.held)
    dividend = make_distribution(made.other, "Funded", make_terms(made.other, amount=Decimal(600)))
    proposal, second = propose_closing(made, officer()), officer()
    with assert_nothing_changes(), pytest.raises(StateConflict) as refusal:
        confirm(proposal, second)
    assert "about to pay" in refusal.value.message
    paying.pay(dividend.pk)
    assert confirm(proposal, second).final_cash == 18_000
    assert_books_hold()


def test_a_record_that_is_due_is_waited_for():
    made = make_pledged()
    announced = approve(propose(made.held, redemption_terms(made.held, amount=Decimal(10_000))))
    proposal, second = propose_closing(made, officer()), officer()
    make_due(announced)
    with assert_nothing_changes(), pytest.raises(RecordPending):
        confirm(proposal, second)
    assert recording.record(announced.pk)
    # The plan passes units that are to be left, and might pass too few of the others for it.
    with assert_nothing_changes(), pytest.raises(StateConflict) as refusal:
        confirm(proposal, second)
    assert refusal.value.message == (
        f"A final distribution of {made.held.symbol} was recorded or ended; propose again"
    )
    decline_closure(proposal_id=proposal.pk, user=second)
    assert steps(liquidate(made)) == [("0", "105"), ("30", "0")]
    assert_books_hold()


def test_units_that_were_paid_for_since_the_proposal_are_proposed_again():
    """What they paid is cash collateral of the loan."""
    made = make_pledged()
    proposal, second = propose_closing(made, officer()), officer()
    redeem(made.held, status="Paid")
    with assert_nothing_changes(), pytest.raises(StateConflict) as refusal:
        confirm(proposal, second)
    assert refusal.value.message == "Fewer units are pledged than proposed; propose again"
    decline_closure(proposal_id=proposal.pk, user=second)
    assert covered(liquidate(made)) == (1_596_000, 1_350_000, 246_000)
    assert made.claim() == 0
    assert_books_hold()


def test_an_announced_redemption_changes_nothing():
    made = make_pledged()
    approve(propose(made.held, redemption_terms(made.held, amount=Decimal(10_000))))
    done = liquidate(made)
    assert steps(done) == [("105", "0"), ("30", "0")]
    assert covered(done) == (1_596_000, 1_350_000, 246_000)
    assert made.claim() == 0
    assert_books_hold()


def test_a_write_off_returns_units_that_are_redeemed():
    made = make_pledged()
    paid = redeem(made.held)
    close(made.loan, ClosureAction.WRITE_OFF)
    assert made.claim() == 0
    assert made.units() == (0, 105, 0)
    before = made.money()
    paying.pay(paid.pk)
    assert made.received(before) == (0, 1_050_000)
    assert_books_hold()


@pytest.mark.parametrize(("debt", "left"), [(4_000, 0), (900_000, 96_000)])
def test_the_borrower_repays_what_it_owes_the_exchange_of_the_rest_only(debt, left):
    """Of 2,100,000 the claim is paid, and of 804,000 that are left a debt."""
    made = make_pledged()
    owe(made.lending.borrower, debt)
    paid = redeem(made.held, 20_000)
    liquidate(made)
    before = made.money()
    paying.pay(paid.pk)
    assert made.received(before) == (1_296_000, 804_000 - debt + left)
    assert balance_of(made.lending.borrower.owner_id, "NGN", "receivable") == -left


def test_tax_is_withheld_of_the_proceeds_before_the_claim():
    """105 units at 4,000 are 420,000, of which 10 % is tax."""
    made = make_pledged()
    set_flags(made.held, exited=True)
    set_tax_facts(made.held.issuer, tax_residence="NG")
    make_rate(10, type="Exit")
    liquidate(made)
    before = made.money()
    pay_exit(made.held, 4_000)
    assert made.received(before) == (378_000, 0)
    assert made.claim() == 918_000
    assert_books_hold()


# --- cancellations -----------------------------------------------------------------------------


def cancelled(status: str = "Funded") -> Pledged:
    """Make a liquidated loan with a claim on 105 units whose redemption was cancelled."""
    made = make_pledged()
    redemption = redeem(made.held, status=status)
    liquidate(made)
    decide_step(redemption, DistributionAction.CANCEL)
    return made


@pytest.mark.parametrize("status", ["Recorded", "Funded"])
@pytest.mark.one_in(2)
def test_a_cancelled_redemption_lets_the_units_be_liquidated(status):
    """1,296,000 at 13,000 are 99.6923… units, rounded up."""
    made = cancelled(status)
    assert made.claim() == 1_296_000
    assert made.units() == (0, 0, 105)
    assert_books_hold()
    made.lending.set_price(13_000)
    before = made.money()
    done = liquidate(made)
    passed = Decimal("99.69230770")
    assert steps(done) == [("99.6923077", "0")]
    assert covered(done) == (1_296_000, 1_296_000, 0)
    assert made.units() == (passed, 105 - passed, 0)
    assert made.units(made.other) == (30, 0, 0)
    assert made.received(before) == (0, 0)
    assert made.claim() == 0
    assert made.loan.status == "LIQUIDATED"
    found = Event.objects.filter(subject_id=made.loan.pk, type="loan.liquidated")
    amounts = [msgspec.json.decode(each.body)["data"]["liquidation"] for each in found]
    first = {"owed": 1_596_000, "value_passed": 300_000, "deficiency": 1_296_000}
    again = {"owed": 1_296_000, "value_passed": 1_296_000, "deficiency": 0}
    assert sorted(amounts, key=str) == [again, again, first, first]
    assert_books_hold()


@pytest.mark.slow
def test_what_the_second_liquidation_does_not_cover_is_no_claim_on_anything():
    made = cancelled()
    done = liquidate(made)
    assert covered(done) == (1_296_000, 1_050_000, 246_000)
    assert made.units() == (105, 0, 0)
    assert made.claim() == 246_000
    user = officer()
    with assert_nothing_changes(), pytest.raises(StateConflict) as refusal:
        propose_closing(made, user)
    assert refusal.value.message == "Only a DEFAULTED loan can be closed: it is LIQUIDATED"
    # The units are the creditor's now, and pay to it.
    before = made.money()
    redeem(made.held, status="Paid")
    assert made.received(before) == (1_050_000, 0)
    assert made.claim() == 246_000
    assert_books_hold()


def test_a_second_liquidation_needs_a_price_two_people_and_a_lifted_claim():
    made = make_pledged()
    redemption = redeem(made.held, status="Recorded")
    liquidate(made)
    user = officer()
    for action in ClosureAction:
        with assert_nothing_changes(), pytest.raises(StateConflict):
            propose_closing(made, user, action)
    decide_step(redemption, DistributionAction.CANCEL)
    with assert_nothing_changes(), pytest.raises(StateConflict):
        propose_closing(made, user, ClosureAction.WRITE_OFF)
    with without_guards() as cursor:
        cursor.execute("UPDATE exchange_token SET quoted_at = NULL WHERE id = %s", [made.held.pk])
    with assert_nothing_changes(), pytest.raises(Rejected) as refusal:
        propose_closing(made, user)
    assert refusal.value.code == "price_unavailable"
    made.lending.set_price(10_000)
    proposal = propose_closing(made, user)
    with assert_nothing_changes(), pytest.raises(Rejected) as refusal:
        confirm(proposal, user)
    assert refusal.value.code == "approver_not_independent"


def test_a_plan_that_leaves_units_is_not_confirmed_once_they_are_paid_for_no_more():
    """They would go back to the borrower without being passed."""
    made = make_pledged()
    redemption = redeem(made.held, status="Recorded")
    proposal, second = propose_closing(made, officer()), officer()
    decide_step(redemption, DistributionAction.CANCEL)
    with assert_nothing_changes(), pytest.raises(StateConflict) as refusal:
        confirm(proposal, second)
    assert refusal.value.message == (
        f"A final distribution of {made.held.symbol} was recorded or ended; propose again"
    )


def test_a_second_redemption_pays_the_claim_as_well():
    made = cancelled()
    again = redeem(made.held)
    user = officer()
    with assert_nothing_changes(), pytest.raises(StateConflict):
        propose_closing(made, user)
    before = made.money()
    paying.pay(again.pk)
    assert made.received(before) == (1_050_000, 0)
    assert_books_hold()


def test_one_cancelled_redemption_of_two_lifts_the_claim_on_its_units():
    """40 units of 105 at 10,000 are liquidated, and the others stay for what is then left."""
    made = make_pledged(units=105, others=40)
    first, second = redeem(made.held), redeem(made.other, status="Recorded")
    done = liquidate(made)
    assert steps(done) == [("0", "105"), ("0", "40")]
    assert made.claim() == 1_596_000
    decide_step(second, DistributionAction.CANCEL)
    set_effective_quote(
        token_id=made.other.pk, prices=Prices(Decimal(10_000), Decimal(10_000)), note="test"
    )
    done = liquidate(made)
    assert steps(done) == [("0", "105"), ("40", "0")]
    assert made.claim() == 1_196_000
    assert made.units() == (0, 0, 105)
    assert made.units(made.other) == (40, 0, 0)
    assert_books_hold()
    before = made.money()
    paying.pay(first.pk)
    assert made.received(before) == (1_050_000, 0)
    assert made.claim() == 146_000
    assert_books_hold()
