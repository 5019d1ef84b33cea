"""A loan in UGX, which has no decimals, against half a unit: values fit the smallest unit."""

from decimal import Decimal

import pytest
from django.db import transaction

from credit.configurations.models import Access
from credit.loans.models import ClosureAction, Loan, Shortfall
from credit.loans.services.assessing import assess
from credit.loans.services.closures import confirm_closure, propose_closure
from credit.loans.services.pledging import release_collateral
from credit.loans.services.shortfalls import revalue_collateral
from credit.loans.services.valuation import Pledge
from exchange.core.errors import Rejected
from tests.factories.api_clients import TESTER
from tests.factories.lending import Lending
from tests.factories.loan_configurations import make_configuration
from tests.factories.loans import make_defaulted_loan
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import (
    assert_books_hold,
    balance_of,
    make_member_wallet,
    make_staff,
    make_wallet,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lending() -> Lending:
    """A lender of UGX, and a borrower with units of a token priced 1,003 UGX."""
    creditor = make_wallet(10_000, currency="UGX")
    borrower = make_member_wallet(100, currency="UGX")
    token = make_token(currency="UGX", price_buy=Decimal(1003), price_sell=Decimal(1003))
    give_units(token, borrower, 10)
    offer = make_configuration(
        creditor.organisation, access=Access.PUBLIC, max_amount={"UGX": Decimal(10_000)}
    )
    return Lending(creditor, borrower, offer, token)


def lend(lending: Lending, amount: int, units: str) -> Loan:
    return lending.lend(currency="UGX", amount=amount, units=units)


def test_a_quote_tells_whole_values_and_never_more_than_can_be_lent(lending):
    request = lending.request(currency="UGX", amount=400, units="0.5")
    found = assess(request, organisation_id=lending.borrower.organisation.id, quote=True)
    # 501.5 half to even, and 80 % of 501.5 rounded down.
    assert (found.collateral_value, found.max_amount) == (Decimal(502), Decimal(401))
    request = lending.request(currency="UGX", amount=402, units="0.5")
    found = assess(request, organisation_id=lending.borrower.organisation.id, quote=True)
    assert [error.message for error in found.errors] == [
        "The collateral is worth 502 UGX, enough for a loan of at most 401 UGX"
    ]


def test_a_shortfall_states_a_whole_value(lending):
    loan = lend(lending, 400, "0.5")
    lending.set_price(901)
    with transaction.atomic():
        revalue_collateral(loan)
    # 450.5 half to even.
    assert Shortfall.objects.get().value == 450


def test_a_refused_release_states_a_whole_value(lending):
    loan = lend(lending, 1600, "2.5")
    with pytest.raises(Rejected) as refused:
        release_collateral(
            loan_id=loan.id,
            organisation_id=loan.organisation_id,
            pledges=(Pledge(lending.token.id, Decimal(1)),),
            actor=TESTER,
        )
    # 1,504.5 half to even.
    assert refused.value.message == (
        "The remaining collateral would be worth 1504 UGX, too little for the 1600 owed"
        " at a collateral ratio of 0.8"
    )
    assert balance_of(lending.borrower.owner_id, lending.token, "lien") == Decimal("2.5")


def test_a_liquidation_passes_whole_values_and_records_a_whole_deficiency(lending):
    loan = make_defaulted_loan(lending, currency="UGX", amount=400, units="0.5")
    proposal = propose_closure(
        loan_id=loan.id, action=ClosureAction.LIQUIDATE, note="why", user=make_staff("close_loan")
    )
    confirmed = confirm_closure(proposal_id=proposal.id, user=make_staff("close_loan"))
    # 400 with interest of 360; half a unit is worth 501.5, 502 of what is owed.
    assert [step["value"] for step in confirmed.final_plan or []] == ["502"]
    assert confirmed.final_deficiency == 258
    assert_books_hold()
