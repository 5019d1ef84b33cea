"""Closure of defaulted loans under dual control, as worked examples with exact amounts."""

from decimal import Decimal
from functools import partial

import pytest

from credit.loans.models import ClosureAction, ClosureProposal, Loan, LoanStatus, Shortfall
from credit.loans.services import servicing
from credit.loans.services.closures import confirm_closure, decline_closure, propose_closure
from credit.loans.services.pledging import add_collateral, release_collateral
from credit.loans.services.valuation import Pledge
from exchange.core.errors import Conflict, Forbidden, Rejected, StateConflict
from exchange.events.models import Event
from exchange.staff.models import StaffUser
from tests.factories.api_clients import TESTER
from tests.factories.loans import (
    backdate_loan,
    backdate_proposal,
    loan_event_types,
    make_defaulted_loan,
    repay_loan,
)
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import assert_books_hold, balance_of, make_staff

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def officers() -> tuple[StaffUser, StaffUser]:
    return make_staff("close_loan"), make_staff("close_loan")


def test_liquidation_passes_units_up_to_what_is_owed_and_returns_the_rest(lending, officers):
    first, second = officers
    loan = make_defaulted_loan(lending, units=300)  # worth 3,000,000, owed 1,596,000
    lending.set_price(7_000)
    proposal = propose_closure(
        loan_id=loan.id, action=ClosureAction.LIQUIDATE, note="no answer", user=first
    )
    lending.set_price(1)  # the proposal's prices are frozen
    confirm_closure(proposal_id=proposal.id, user=second)
    loan.refresh_from_db()
    proposal.refresh_from_db()
    assert loan.status == LoanStatus.LIQUIDATED
    assert proposal.plan[0]["passed"] == "228"  # 1,596,000 / 7,000
    assert proposal.value_passed == 1_596_000
    assert proposal.deficiency == 0
    assert balance_of(lending.creditor.owner_id, lending.token.id) == 228
    assert balance_of(loan.borrower_id, lending.token.id) == 700 + 72
    assert balance_of(loan.borrower_id, lending.token.id, "lien") == 0
    assert balance_of(lending.creditor.owner_id, "NGN", "principal") == 0
    assert loan_event_types(loan)[-1] == "loan.liquidated"
    assert_books_hold()


def test_units_are_rounded_up_to_the_last_decimal(lending, officers):
    loan = make_defaulted_loan(lending, units=300)
    lending.set_price(7_001)
    proposal = propose_closure(
        loan_id=loan.id, action=ClosureAction.LIQUIDATE, note="no answer", user=officers[0]
    )
    assert proposal.plan[0]["passed"] == "227.96743323"  # 227.967433223…, up
    assert proposal.value_passed == 1_596_000
    assert proposal.deficiency == 0


def test_units_rounded_up_never_pass_more_value_than_is_owed(lending, officers):
    """0.22799997 units, rounded up, would be worth 1,596,000.02 of 1,596,000 owed."""
    loan = make_defaulted_loan(lending, units=300)
    lending.set_price(7_000_001)
    proposal = propose_closure(
        loan_id=loan.id, action=ClosureAction.LIQUIDATE, note="no answer", user=officers[0]
    )
    assert (proposal.plan[0]["passed"], proposal.plan[0]["value"]) == ("0.22799997", "1596000")
    assert proposal.value_passed == 1_596_000
    assert proposal.deficiency == 0
    confirm_closure(proposal_id=proposal.id, user=officers[1])
    proposal.refresh_from_db()
    assert proposal.final_owed == proposal.final_value == 1_596_000
    assert proposal.final_deficiency == 0
    assert balance_of(lending.creditor.owner_id, lending.token.id) == Decimal("0.22799997")
    for event in Event.objects.filter(subject_id=loan.id, type="loan.liquidated"):
        assert '"owed":1596000,"value_passed":1596000,"deficiency":0}' in event.body
    assert_books_hold()


def test_what_the_collateral_does_not_cover_is_a_deficiency(lending, officers):
    loan = make_defaulted_loan(lending)  # 105 units
    proposal = propose_closure(
        loan_id=loan.id, action=ClosureAction.LIQUIDATE, note="no answer", user=officers[0]
    )
    confirm_closure(proposal_id=proposal.id, user=officers[1])
    proposal.refresh_from_db()
    assert proposal.value_passed == 1_050_000
    assert proposal.deficiency == 546_000
    assert balance_of(lending.creditor.owner_id, lending.token.id) == 105
    assert_books_hold()


def test_a_write_off_gives_up_what_is_owed_and_gives_the_units_back(lending, officers):
    loan = make_defaulted_loan(lending)
    proposal = propose_closure(
        loan_id=loan.id, action=ClosureAction.WRITE_OFF, note="worthless", user=officers[0]
    )
    confirm_closure(proposal_id=proposal.id, user=officers[1])
    loan.refresh_from_db()
    assert loan.status == LoanStatus.WRITTEN_OFF
    assert balance_of(loan.borrower_id, lending.token.id) == 1000
    assert balance_of(lending.creditor.owner_id, "NGN", "principal") == 0
    assert_books_hold()


def test_closure_takes_two_people_a_defaulted_loan_and_fresh_prices(lending, officers):
    loan = lending.lend()
    write_off = partial(
        propose_closure, loan_id=loan.id, action=ClosureAction.WRITE_OFF, note="why"
    )
    with pytest.raises(StateConflict):
        write_off(user=officers[0])
    with pytest.raises(Forbidden):
        write_off(user=make_staff("propose_quote"))
    backdate_loan(loan, days=30)
    servicing.age_loans()
    proposal = propose_closure(
        loan_id=loan.id, action=ClosureAction.LIQUIDATE, note="why", user=officers[0]
    )
    with pytest.raises(Conflict):
        write_off(user=officers[1])
    with pytest.raises(Rejected) as refused:
        confirm_closure(proposal_id=proposal.id, user=officers[0])
    assert refused.value.code == "approver_not_independent"
    backdate_proposal(proposal)
    with pytest.raises(Rejected) as refused:
        confirm_closure(proposal_id=proposal.id, user=officers[1])
    assert refused.value.code == "prices_expired"
    decline_closure(proposal_id=proposal.id, user=officers[0])
    with pytest.raises(StateConflict):
        confirm_closure(proposal_id=proposal.id, user=officers[1])


def liquidation(loan: Loan, officers: tuple[StaffUser, StaffUser]) -> ClosureProposal:
    """A liquidation proposed by the first officer."""
    return propose_closure(
        loan_id=loan.id, action=ClosureAction.LIQUIDATE, note="why", user=officers[0]
    )


def test_payments_and_added_collateral_do_not_block_a_liquidation(lending, officers):
    """300 units at 7,001: 227.96743323 for 1,596,000 owed; 227.96743181 when 0.01 is paid."""
    loan = make_defaulted_loan(lending, units=300)
    other = make_token(price_sell=Decimal(10))
    give_units(other, lending.borrower, 1)
    lending.set_price(7_001)
    proposal = liquidation(loan, officers)
    repay_loan(loan, "0.01")
    add_collateral(
        loan_id=loan.id,
        organisation_id=loan.organisation_id,
        pledges=(Pledge(lending.token.id, Decimal("0.00000001")), Pledge(other.id, Decimal(1))),
        actor=TESTER,
    )
    confirm_closure(proposal_id=proposal.id, user=officers[1])
    proposal.refresh_from_db()
    assert proposal.plan[0]["passed"] == "227.96743323"
    assert [step["passed"] for step in proposal.final_plan or []] == ["227.9674318"]
    assert proposal.owed == 1_596_000
    assert proposal.final_owed == proposal.final_value == Decimal("1595999.99")
    assert proposal.final_deficiency == 0
    assert balance_of(lending.creditor.owner_id, lending.token.id) == Decimal("227.9674318")
    assert balance_of(loan.borrower_id, lending.token.id) == 1000 - Decimal("227.9674318")
    assert (
        balance_of(lending.creditor.owner_id, other.id),
        balance_of(loan.borrower_id, other.id),
    ) == (0, 1)
    events = Event.objects.filter(subject_id=loan.id, type="loan.liquidated")
    for event in events:
        assert '"owed":1595999.99,"value_passed":1595999.99,"deficiency":0}' in event.body
    assert_books_hold()


def test_a_proposal_is_the_maximum_whatever_is_added(lending, officers):
    loan = make_defaulted_loan(lending)  # 105 units, worth 1,050,000
    proposal = liquidation(loan, officers)
    add_collateral(
        loan_id=loan.id,
        organisation_id=loan.organisation_id,
        pledges=(Pledge(lending.token.id, Decimal(500)),),
        actor=TESTER,
    )
    confirm_closure(proposal_id=proposal.id, user=officers[1])
    proposal.refresh_from_db()
    assert balance_of(lending.creditor.owner_id, lending.token.id) == 105
    assert balance_of(loan.borrower_id, lending.token.id) == 895
    assert proposal.final_deficiency == 546_000
    assert_books_hold()


def test_no_release_while_a_liquidation_is_pending(lending, officers):
    loan = make_defaulted_loan(lending, units=300)
    release_one = partial(
        release_collateral,
        loan_id=loan.id,
        organisation_id=loan.organisation_id,
        pledges=(Pledge(lending.token.id, Decimal(1)),),
        actor=TESTER,
    )
    proposal = liquidation(loan, officers)
    with pytest.raises(StateConflict, match="A liquidation of this loan is pending"):
        release_one()
    assert balance_of(loan.borrower_id, lending.token.id, "lien") == 300
    decline_closure(proposal_id=proposal.id, user=officers[1])
    release_one()
    assert balance_of(loan.borrower_id, lending.token.id, "lien") == 299
    assert_books_hold()


def test_full_repayment_lapses_pending_proposals(lending, officers):
    loan = make_defaulted_loan(lending)
    proposal = liquidation(loan, officers)
    lending.borrower.fund(1_000_000, "NGN")
    assert repay_loan(loan, 1_596_000).status == LoanStatus.COMPLETED
    proposal.refresh_from_db()
    assert (proposal.status, proposal.decided_by) == ("Lapsed", None)
    with pytest.raises(StateConflict, match="Already lapsed"):
        confirm_closure(proposal_id=proposal.id, user=officers[1])
    assert balance_of(lending.creditor.owner_id, lending.token.id) == 0
    assert_books_hold()


def test_a_write_off_gives_up_what_is_owed_when_it_is_confirmed(lending, officers):
    loan = make_defaulted_loan(lending)
    proposal = propose_closure(
        loan_id=loan.id, action=ClosureAction.WRITE_OFF, note="why", user=officers[0]
    )
    repay_loan(loan, 1000)
    confirm_closure(proposal_id=proposal.id, user=officers[1])
    proposal.refresh_from_db()
    assert proposal.owed == 1_596_000
    assert proposal.final_owed == proposal.final_deficiency == 1_595_000
    assert_books_hold()


def test_no_operation_reopens_a_closed_loan(lending, officers):
    loan = make_defaulted_loan(lending)
    proposal = propose_closure(
        loan_id=loan.id, action=ClosureAction.WRITE_OFF, note="why", user=officers[0]
    )
    confirm_closure(proposal_id=proposal.id, user=officers[1])
    servicing.age_loans()
    servicing.revalue_loans(force=True)
    with pytest.raises(StateConflict):
        repay_loan(loan, 1)
    loan.refresh_from_db()
    assert loan.status == LoanStatus.WRITTEN_OFF
    assert not Shortfall.objects.filter(cured_at__isnull=True).exists()
