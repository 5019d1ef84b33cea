"""Claims of creditors: liquidations while final distributions pay for a part of the collateral.

Unless a test says otherwise, 1,596,000 NGN are owed against 105 units of a token of which a
redemption or exit is to come, and 30 of another one at 10,000, which a liquidation passes:
1,296,000 are left.
"""

from decimal import Decimal

import msgspec
import pytest

from credit.distributions.models import DistributionAction, Income
from credit.distributions.services import funding, paying, recording
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
    correct,
    decide_step,
    make_distribution,
    make_due,
    make_terms,
    owe,
    propose,
    redemption_terms,
    settle,
)
from tests.factories.lending import Lending, make_lending
from tests.factories.lifecycle import set_flags
from tests.factories.loan_configurations import make_configuration
from tests.factories.loans import repay_loan
from tests.factories.pledged_income import close, default, pay
from tests.factories.quotes import set_effective_quote
from tests.factories.tax_rates import make_rate, set_tax_facts
from tests.factories.tokens import give_units, make_token
from tests.factories.transfers import transfer
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    balance_of,
    make_member_wallet,
    make_wallet,
)
from wallets.ledger.posting import post_transfers

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


# --- exits -------------------------------------------------------------------------------------


def test_an_exit_pays_the_claim_in_parts():
    """Three parts of 420,000, 420,000 and 840,000 of 1,296,000: 384,000 are the borrower's."""
    made = make_pledged()
    set_flags(made.held, exited=True)
    liquidate(made)
    assert made.units() == (0, 0, 105)
    before = made.money()
    pay_exit(made.held, 4_000)
    assert made.received(before) == (420_000, 0)
    assert made.units() == (0, 0, 105)
    assert_books_hold()
    pay_exit(made.held, 4_000)
    assert made.received(before) == (840_000, 0)
    assert made.claim() == 456_000
    pay_exit(made.held, 8_000, final=True)
    assert made.received(before) == (1_296_000, 384_000)
    assert made.units() == (0, 0, 0)
    assert made.claim() == 0
    assert_books_hold()


def test_a_claim_that_a_part_pays_gives_the_units_back():
    made = make_pledged()
    set_flags(made.held, exited=True)
    liquidate(made)
    before = made.money()
    pay_exit(made.held, 13_000)
    assert made.received(before) == (1_296_000, 69_000)
    assert made.claim() == 0
    assert made.units() == (0, 105, 0)
    assert_books_hold()
    final = pay_exit(made.held, 100, final=True)
    assert Income.objects.get(distribution=final).loan_id is None
    assert made.received(before) == (1_296_000, 79_500)
    assert made.units() == (0, 0, 0)
    assert_books_hold()


def test_a_claim_that_one_token_pays_gives_the_units_of_the_other_one_back():
    """The redemption of the other one, recorded for the loan, is then the borrower's."""
    made = make_pledged(others=40)
    first, second = redeem(made.held, 16_000), redeem(made.other)
    liquidate(made)
    before = made.money()
    paying.pay(first.pk)
    assert made.received(before) == (1_596_000, 84_000)
    assert made.units(made.other) == (0, 40, 0)
    assert_books_hold()
    paying.pay(second.pk)
    assert made.received(before) == (1_596_000, 484_000)
    assert Income.objects.get(distribution=second).paid_to == "wallet"
    assert made.units(made.other) == (0, 0, 0)
    assert_books_hold()


def test_a_paid_claim_ends_a_proposal_to_liquidate_more():
    made = make_pledged(others=40)
    first, second = redeem(made.held, 16_000), redeem(made.other)
    liquidate(made)
    decide_step(second, DistributionAction.CANCEL)
    proposal = propose_closing(made, officer())
    paying.pay(first.pk)
    proposal.refresh_from_db()
    assert proposal.status == "Lapsed"
    assert made.units(made.other) == (0, 40, 0)
    assert_books_hold()


def test_units_of_a_final_exit_that_pays_nothing_for_them_leave_the_lien():
    """One unit at 0.001 is nothing in NGN; the issuer's member has 400."""
    made = make_pledged(units=1, others=30, amount=200_000)
    give_units(made.held, make_member_wallet(1, currency="NGN"), 400)
    set_flags(made.held, exited=True)
    liquidate(made)
    before = made.money()
    pay_exit(made.held, "0.001", final=True)
    assert made.received(before) == (0, 0)
    assert made.units() == (0, 0, 0)
    assert made.claim() == 80_000
    assert_books_hold()


def test_small_income_of_units_with_a_claim_pays_it():
    """2 NGN a unit would go to the wallet of a loan that is not in default."""
    made = make_pledged()
    set_flags(made.held, exited=True)
    liquidate(made)
    before = made.money()
    pay(made.lending, 2)
    assert made.received(before) == (210, 0)
    assert made.claim() == 1_295_790
    assert_books_hold()


# --- other loans, currencies and steps that fail -----------------------------------------------


def test_two_loans_on_one_token_each_have_their_own():
    """One is liquidated with a claim, the other one is open: its units become cash collateral.

    200 units: 105 and 60 are pledged, and 35 are neither. The second owes 380,000.
    """
    lending = make_lending(units=200)
    first = lending.lend()
    second = lending.lend(amount=200_000, units=60)
    default(first)
    made = Pledged(lending, first, lending.token)
    paid = redeem(lending.token)
    close(first, ClosureAction.LIQUIDATE)
    assert made.claim() == 1_596_000
    assert made.units() == (0, 35, 165)
    before = made.money()
    paying.pay(paid.pk)
    assert made.received(before) == (1_050_000, 350_000)
    second.refresh_from_db()
    assert second.cash_collateral == 600_000
    assert second.claim == 0
    assert made.claim() == 546_000
    assert made.units() == (0, 0, 0)
    assert_books_hold()


def test_two_claims_on_one_token_are_paid_by_their_own_units():
    """1,596,000 and 380,000 are owed against 105 and 60 units at 10,000."""
    lending = make_lending(units=165)
    first = lending.lend()
    second = lending.lend(amount=200_000, units=60)
    default(first)
    default(second)
    made = Pledged(lending, first, lending.token)
    paid = redeem(lending.token, status="Recorded")
    for loan in (first, second):
        close(loan, ClosureAction.LIQUIDATE)
    Wallet(lending.token.issuer).fund(1_650_000, "NGN")
    funding.fund_due()
    before = made.money()
    paying.pay(paid.pk, batch=1)
    assert made.received(before) == (1_430_000, 220_000)
    second.refresh_from_db()
    assert made.claim() == 546_000
    assert second.claim == 0
    assert made.units() == (0, 0, 0)
    assert_books_hold()


def test_the_claim_of_a_loan_in_whole_shillings():
    """760 UGX are owed; 0.5 of a unit at 1,003 pays 501, and 259 stay a claim."""
    creditor = make_wallet(10_000, currency="UGX")
    borrower = make_member_wallet(100, currency="UGX")
    token = make_token(currency="UGX", price_buy=Decimal(1003), price_sell=Decimal(1003))
    give_units(token, borrower, "0.5")
    offer = make_configuration(
        creditor.organisation, access="public", max_amount={"UGX": Decimal(10_000)}
    )
    lending = Lending(creditor, borrower, offer, token)
    loan = lending.lend(currency="UGX", amount=400, units="0.5")
    default(loan)
    set_flags(token, exited=True)
    close(loan, ClosureAction.LIQUIDATE)
    before = balance_of(creditor.owner_id, "UGX")
    pay_exit(token, 1_003)
    loan.refresh_from_db()
    assert balance_of(creditor.owner_id, "UGX") == before + 501
    assert loan.claim == 259
    own = balance_of(borrower.owner_id, "UGX")
    pay_exit(token, 519, final=True)
    assert balance_of(creditor.owner_id, "UGX") == before + 760
    assert balance_of(borrower.owner_id, "UGX") == own
    assert balance_of(borrower.owner_id, token, "lien") == 0
    assert_books_hold()


@pytest.mark.parametrize("fails_at", [1, 2, 3])
def test_a_killed_payment_goes_on(monkeypatch, fails_at):
    """Three batches: 895 units of the borrower, the claim, and another holder."""
    lending = make_lending()
    give_units(lending.token, make_member_wallet(1, currency="NGN"), 50)
    loan = lending.lend()
    default(loan)
    made = Pledged(lending, loan, lending.token)
    paid = redeem(lending.token)
    liquidate(made)
    before, calls = made.money(), []

    def fail_once(postings):
        calls.append(len(postings))
        if len(calls) == fails_at:
            raise RuntimeError("killed")
        return post_transfers(postings)

    monkeypatch.setattr(paying, "post_transfers", fail_once)
    with pytest.raises(RuntimeError):
        paying.pay(paid.pk, batch=1)
    assert_books_hold()
    assert paying.pay(paid.pk, batch=1) == 4 - fails_at
    assert made.received(before) == (1_050_000, 8_950_000)
    assert made.claim() == 546_000
    assert made.units() == (0, 0, 0)
    assert_books_hold()


def test_a_correction_of_the_proceeds_pays_the_claim():
    """1,000 a unit were missing: 105,000 of the 246,000 that are still claimed."""
    made = make_pledged()
    paid = redeem(made.held)
    liquidate(made)
    paying.pay(paid.pk)
    Wallet(made.held.issuer).fund(105_000, "NGN")
    before = made.money()
    settle(correct(paid, amount=Decimal(11_000)))
    assert made.received(before) == (105_000, 0)
    assert made.claim() == 141_000
    assert_books_hold()


def test_proceeds_of_a_loan_that_was_repaid_are_the_borrowers():
    made = make_pledged()
    paid = redeem(made.held)
    made.lending.borrower.fund(2_000_000, "NGN")
    repay_loan(made.loan, 1_596_000)
    before = made.money()
    paying.pay(paid.pk)
    assert made.received(before) == (0, 1_050_000)
    assert_books_hold()


def test_what_was_paid_too_much_is_recovered_of_the_rest_only():
    """105 NGN are: nothing of 420,000 that are the creditor's, and then of 924,000."""
    lending = make_lending(units=105)
    loan = lending.lend()
    dividend = pay(lending, 2)
    wallet = lending.borrower
    amount = Decimal(balance_of(wallet.owner_id, "NGN"))
    transfer(wallet, Wallet(wallet.organisation), amount, "NGN")
    correction = settle(correct(dividend, amount=Decimal(1)))
    recovered = Income.objects.get(distribution=correction)
    assert recovered.net == -105
    assert recovered.recovered == 0
    default(loan)
    made = Pledged(lending, loan, lending.token)
    set_flags(made.held, exited=True)
    liquidate(made)
    before = made.money()
    pay_exit(made.held, 4_000)
    assert made.received(before) == (420_000, 0)
    pay_exit(made.held, 20_000, final=True)
    assert made.received(before) == (1_596_000, 923_895)
    assert made.claim() == 0
    assert_books_hold()
