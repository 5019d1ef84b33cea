"""Claims on units of exited tokens, and of other loans, currencies and steps that fail.

The amounts are those of `test_claims`: 1,596,000 NGN are owed, and 1,296,000 are left after the
liquidation.
"""

from decimal import Decimal

import pytest

from credit.distributions.models import DistributionAction, Income
from credit.distributions.services import funding, paying
from credit.loans.models import ClosureAction
from tests.factories.claims import (
    Pledged,
    liquidate,
    make_pledged,
    officer,
    pay_exit,
    propose_closing,
    redeem,
)
from tests.factories.distributions import (
    correct,
    decide_step,
    settle,
)
from tests.factories.lending import Lending, make_lending
from tests.factories.lifecycle import set_flags
from tests.factories.loan_configurations import make_configuration
from tests.factories.loans import repay_loan
from tests.factories.pledged_income import close, default, pay
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


# --- exits -------------------------------------------------------------------------------------


@pytest.mark.slow
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


@pytest.mark.slow
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
@pytest.mark.one_in(3)
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


@pytest.mark.slow
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
