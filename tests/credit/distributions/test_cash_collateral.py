"""Cash collateral: what the borrower may do with it, and what the creditor receives."""

from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from credit.distributions.services import funding, paying
from credit.loans.models import ClosureAction, Loan
from credit.loans.services.closures import confirm_closure, propose_closure, set_final_plan
from credit.loans.services.valuation import Pledge
from exchange.core.database import violated_constraint
from exchange.core.errors import InvalidRequest, Rejected, StateConflict
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.distributions import make_distribution, make_terms
from tests.factories.lending import make_lending
from tests.factories.loans import make_closed_loan, make_completed_loan, repay_loan
from tests.factories.pledged_income import (
    apply_cash,
    cash,
    close,
    default,
    lien,
    make_cash,
    pay,
    release,
    rows,
    set_cash,
)
from tests.factories.tokens import give_units
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    balance_of,
    make_member_wallet,
    make_staff,
)

pytestmark = pytest.mark.django_db


# --- the borrower ------------------------------------------------------------------------------


def test_cash_collateral_repays_the_loan_in_part():
    lending, loan = make_cash()
    wallet = balance_of(lending.borrower.owner_id, "NGN")
    lender = balance_of(lending.creditor.owner_id, "NGN")
    apply_cash(loan, 60_000)
    assert cash(loan)[0] == 3_000
    assert loan.interest_repaid == 60_000
    assert lien(lending) == 3_000
    assert balance_of(lending.borrower.owner_id, "NGN") == wallet
    assert balance_of(lending.creditor.owner_id, "NGN") == lender + 60_000
    assert_books_hold()


@pytest.mark.parametrize("paid_from", ["wallet", "cash_collateral"])
def test_the_last_repayment_returns_the_cash_collateral(paid_from):
    lending, loan = make_cash()
    lending.borrower.fund(2_000_000, "NGN")
    repay_loan(loan, 1_595_000)
    before = balance_of(lending.borrower.owner_id, "NGN")
    if paid_from == "wallet":
        repay_loan(loan, 1_000)
    else:
        apply_cash(loan, 1_000)
    assert cash(loan)[0] == 0
    assert loan.status == "COMPLETED"
    assert balance_of(lending.borrower.owner_id, "NGN") == before + 62_000
    assert lien(lending) == 0
    assert_books_hold()


def test_pledged_units_are_paid_for_after_those_of_an_owner_without_a_loan():
    first = make_member_wallet(currency="NGN")
    lending = make_lending()
    give_units(lending.token, first, 10)
    loan = lending.lend()
    assert first.owner_id < lending.borrower.owner_id
    make_distribution(lending.token, "Paid", make_terms(lending.token, amount=Decimal(500)))
    assert balance_of(first.owner_id, "NGN") == 5_000
    assert cash(loan)[0] == 105 * 500
    assert_books_hold()


def test_more_than_the_cash_collateral_is_refused():
    _lending, loan = make_cash()
    for attempt in (
        lambda: apply_cash(loan, "63000.01"),
        lambda: release(loan, cash=Decimal("63000.01")),
    ):
        with assert_nothing_changes(), pytest.raises(Rejected) as found:
            attempt()
        assert found.value.code == "insufficient_cash_collateral"


@pytest.mark.parametrize("amount", ["-1", "0.001", "0"])
def test_an_amount_of_cash_that_is_none_is_refused(amount):
    _lending, loan = make_cash()
    with assert_nothing_changes(), pytest.raises(InvalidRequest):
        release(loan, cash=Decimal(amount))


def test_cash_is_released_as_far_as_the_rest_covers():
    """Units of 987,000 and cash of 63,000 cover 840,000 exactly."""
    lending, loan = make_cash()
    with assert_nothing_changes(), pytest.raises(Rejected) as found:
        release(loan, cash=Decimal("0.01"))
    assert found.value.code == "insufficient_collateral"
    lending.set_price(10_000)
    before = balance_of(lending.borrower.owner_id, "NGN")
    release(loan, cash=Decimal(63_000))
    assert cash(loan)[0] == 0
    assert balance_of(lending.borrower.owner_id, "NGN") == before + 63_000
    assert_books_hold()


@pytest.mark.django_db(transaction=True)
def test_cash_lets_units_be_released():
    lending, loan = make_cash()
    lending.set_price(10_000)
    release(loan, pledges=(Pledge(lending.token.pk, Decimal(6)),), cash=Decimal(3_000))
    # 99 units and 60,000 are 1,050,000.
    assert cash(loan)[0] == 60_000
    with assert_nothing_changes(), pytest.raises(Rejected):
        release(loan, cash=Decimal(1))
    assert_books_hold()


# --- the creditor ------------------------------------------------------------------------------


def test_a_liquidation_takes_the_cash_first():
    """1,596,000 owed: 63,000 of cash, then 105 units at 9,400; 546,000 are not covered."""
    lending, loan = make_cash()
    default(loan)
    lender = balance_of(lending.creditor.owner_id, "NGN")
    done = close(loan, ClosureAction.LIQUIDATE)
    assert (done.final_cash, done.final_value, done.final_deficiency) == (
        63_000,
        1_050_000,
        546_000,
    )
    assert balance_of(lending.creditor.owner_id, "NGN") == lender + 63_000
    assert balance_of(lending.creditor.owner_id, lending.token) == 105
    assert lien(lending) == 0
    assert_books_hold()


def test_cash_beyond_what_is_owed_comes_back():
    lending, loan = make_cash(6_000, amount=100_000)
    lending.borrower.fund(90_000, "NGN")
    repay_loan(loan, 90_000)
    default(loan)
    before = balance_of(lending.borrower.owner_id, "NGN")
    # 100,000 of principal and 90,000 of interest, of which the wallet paid 90,000; 630,000 of cash.
    done = close(loan, ClosureAction.LIQUIDATE)
    assert (done.final_cash, done.final_value, done.final_deficiency) == (100_000, 100_000, 0)
    assert balance_of(lending.borrower.owner_id, "NGN") == before + 530_000
    assert balance_of(lending.borrower.owner_id, lending.token) == 1_000
    assert_books_hold()


def test_cash_that_came_after_the_proposal_is_passed_too():
    lending, loan = make_cash()
    default(loan)
    proposal = propose_closure(
        loan_id=loan.pk,
        action=ClosureAction.LIQUIDATE,
        note="No answer",
        user=make_staff("close_loan"),
    )
    pay(lending, 1)
    confirm_closure(proposal_id=proposal.pk, user=make_staff("close_loan"))
    proposal.refresh_from_db()
    assert proposal.cash_passed == 63_000
    assert proposal.final_cash == 63_105
    assert_books_hold()


@pytest.mark.parametrize("status", ["Recorded", "Funded"])
def test_a_liquidation_waits_for_what_the_units_pay(status):
    """9,000 of the 10,000 that a unit is worth: the creditor is to have them, not the wallet."""
    lending = make_lending()
    loan = lending.lend()
    default(loan)
    made = pay(lending, 9_000, status)
    officer, second = make_staff("close_loan"), make_staff("close_loan")
    proposal = propose_closure(
        loan_id=loan.pk, action=ClosureAction.LIQUIDATE, note="No answer", user=officer
    )
    with assert_nothing_changes(), pytest.raises(StateConflict):
        confirm_closure(proposal_id=proposal.pk, user=second)
    loan.refresh_from_db()
    set_final_plan(proposal, loan)
    decided = {"decided_by": second, "decided_at": timezone.now()}
    for name, each in {"status": "Approved", **decided}.items():
        setattr(proposal, name, each)
    with pytest.raises(IntegrityError) as found, transaction.atomic():
        proposal.save()
    assert violated_constraint(found.value) == "closure_after_income"
    if status == "Recorded":
        Wallet(lending.token.issuer).fund(made.gross, "NGN")
        funding.fund_due()
    paying.pay(made.pk)
    lender = balance_of(lending.creditor.owner_id, "NGN")
    confirm_closure(proposal_id=proposal.pk, user=second)
    assert balance_of(lending.creditor.owner_id, "NGN") == lender + 945_000
    assert_books_hold()


def test_a_write_off_returns_the_cash():
    lending, loan = make_cash()
    default(loan)
    before = balance_of(lending.borrower.owner_id, "NGN")
    close(loan, ClosureAction.WRITE_OFF)
    assert balance_of(lending.borrower.owner_id, "NGN") == before + 63_000
    assert cash(loan)[0] == 0
    assert_books_hold()


@pytest.mark.parametrize("state", ["COMPLETED", "LIQUIDATED", "WRITTEN_OFF"])
@pytest.mark.one_in(3)
def test_a_closed_loan_has_no_part_in_a_distribution(state):
    lending = make_lending()
    match state:
        case "COMPLETED":
            make_completed_loan(lending)
        case "LIQUIDATED":
            make_closed_loan(lending, ClosureAction.LIQUIDATE)
        case _:
            make_closed_loan(lending, ClosureAction.WRITE_OFF)
    made = pay(lending, 600)
    assert {loan_id for loan_id, *_ in rows(made)} == {None}
    assert_books_hold()


# --- what PostgreSQL refuses -------------------------------------------------------------------


def test_cash_collateral_changes_only_with_its_money():
    _lending, loan = make_cash()
    with pytest.raises(IntegrityError) as found, transaction.atomic():
        set_cash(loan, 70_000)
    assert violated_constraint(found.value) == "loan_cash_in_account"
    for column in ("cash_funded", "cash_expected"):
        with pytest.raises(IntegrityError), transaction.atomic():
            Loan.objects.filter(pk=loan.pk).update(**{column: Decimal(1)})
