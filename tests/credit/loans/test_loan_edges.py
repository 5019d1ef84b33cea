"""Edge cases of loans: collateral that is nearly worthless, invisible, foreign or huge."""

from decimal import Decimal

import pytest

from credit.loans.models import ClosureAction, Loan, LoanStatus, Shortfall, Valuation
from credit.loans.services import servicing
from credit.loans.services.assessing import assess
from credit.loans.services.closures import confirm_closure, propose_closure
from credit.loans.services.repaying import repay
from credit.loans.services.valuation import Pledge
from tests.factories.api_clients import TESTER
from tests.factories.lifecycle import set_flags
from tests.factories.loans import backdate_loan
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import assert_books_hold, make_staff

pytestmark = pytest.mark.django_db(transaction=True)


def test_collateral_worth_next_to_nothing_holds_up_no_payment_shortfall_or_end(lending):
    """250 units exit; what is left covers 0.0000004 of 2,000,000 owed."""
    other = make_token(price_sell=Decimal(100))
    give_units(other, lending.borrower, 1)
    dust = Pledge(other.id, Decimal("0.00000001"))
    loan: Loan = lending.lend(
        amount=2_000_000, collaterals=(Pledge(lending.token.id, Decimal(250)), dust)
    )
    set_flags(lending.token, exited=True)
    assert servicing.revalue_loans(force=True) == 1
    assert Shortfall.objects.get().cured_at is None
    assert Valuation.objects.get().loan_to_value is None
    repay(loan_id=loan.id, organisation_id=loan.organisation_id, amount=Decimal(1), actor=TESTER)
    backdate_loan(loan, days=30)
    servicing.age_loans()
    proposal = propose_closure(
        loan_id=loan.id, action=ClosureAction.LIQUIDATE, note="why", user=make_staff("close_loan")
    )
    confirm_closure(proposal_id=proposal.id, user=make_staff("close_loan"))
    loan.refresh_from_db()
    assert loan.status == LoanStatus.LIQUIDATED
    assert_books_hold()


def test_a_quote_reveals_nothing_about_an_invisible_token(lending):
    hidden = make_token(deal_access="Private", price_sell=Decimal(12_345))
    pledges = (Pledge(hidden.id, Decimal(1)),)
    found = assess(
        lending.request(collaterals=pledges), organisation_id=lending.borrower.organisation.id
    )
    assert [refusal.code for refusal in found.errors] == ["token_not_found"]
    assert (found.collateral_value, found.max_amount, found.tokens) == (None, None, {})
    both = (*pledges, Pledge(lending.token.id, Decimal(105)))
    found = assess(
        lending.request(collaterals=both), organisation_id=lending.borrower.organisation.id
    )
    assert found.collateral_value == 1_050_000
    assert found.max_amount == 840_000


def test_units_priced_in_another_currency_are_worth_nothing_in_this_one(lending):
    foreign = make_token(currency="KES", price_sell=Decimal(10_000))
    pledges = (Pledge(foreign.id, Decimal(105)), Pledge(lending.token.id, Decimal(1)))
    found = assess(
        lending.request(collaterals=pledges), organisation_id=lending.borrower.organisation.id
    )
    assert found.collateral_value == 10_000
    assert found.max_amount == 8_000


def test_the_largest_price_times_the_most_units_is_quoted_to_the_last_decimal(lending):
    lending.set_price("999999999999999.99")
    pledges = (Pledge(lending.token.id, Decimal("999999999999999.99999999")),)
    found = assess(
        lending.request(collaterals=pledges), organisation_id=lending.borrower.organisation.id
    )
    # 10^30 - 10^13 - 10^7 + 10^-10 is worth it, of which 0.8 may be lent.
    assert found.collateral_value == Decimal("999999999999999989999990000000.00")
    assert found.max_amount == Decimal("799999999999999991999992000000.00")
