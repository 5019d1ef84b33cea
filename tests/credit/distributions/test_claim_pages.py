"""Claims on the pages of loans, and in the API."""

import re

import pytest
from django.urls import reverse

from credit.distributions.models import DistributionAction
from credit.distributions.services import paying
from credit.loans.models import ClosureAction, ClosureProposal
from tests.factories.api_clients import make_caller
from tests.factories.back_office import messages_of, page, submit_confirmation, text_of
from tests.factories.claims import liquidate, make_pledged, redeem
from tests.factories.distributions import decide_step
from tests.factories.loan_pages import LIQUIDATE, propose
from tests.factories.wallets import assert_books_hold

pytestmark = pytest.mark.django_db(transaction=True)


def confirmation(proposal: ClosureProposal) -> str:
    return reverse("admin:credit_loan_confirm", args=[proposal.loan_id, proposal.pk])


@pytest.mark.slow
def test_two_officers_liquidate_what_no_redemption_pays_for_and_then_the_rest(ada, ben):
    made = make_pledged()
    loan, held, other = made.loan, made.held.symbol, made.other.symbol
    redemption = redeem(made.held)
    asked = text_of(ada.get(page(loan, LIQUIDATE)))
    assert "To lender Left in lien Returned to borrower Value to lender" in asked
    assert re.search(rf"{held} 0\.00 NGN \S+ \S+ 105 units 0 units 105 units 0 units 0\.00", asked)
    row = rf"{other} 10,000\.00 NGN \S+ \S+ 30 units 30 units 0 units 0 units 300,000\.00 NGN"
    assert re.search(row, asked)
    assert "Deficiency 1,296,000.00 NGN" in asked
    submit_confirmation(ben, confirmation(propose(ada, loan)))
    after = text_of(ben.get(page(loan)))
    assert "Unpaid claim of the lender 1,296,000.00 NGN" in after
    assert "Propose liquidation" not in after
    assert re.search(r"105 units 0 units 0 units 105 units 0 units 0\.00 NGN", after)
    decide_step(redemption, DistributionAction.CANCEL)
    made.lending.set_price(13_000)
    tools = text_of(ada.get(page(loan)))
    assert "Propose liquidation" in tools
    assert "Propose write-off" not in tools
    again = text_of(ada.get(page(loan, LIQUIDATE)))
    assert "Outstanding 1,296,000.00 NGN" in again
    assert f"Pledged collateral 105 {held}" in again
    assert other not in again
    proposal = propose(ada, loan, note="Its redemption was cancelled")
    assert "Pending approval: liquidation" in text_of(ben.get(page(loan)))
    response = submit_confirmation(ben, confirmation(proposal))
    assert messages_of(response)[-1] == "Confirmed. The loan is liquidated."
    both = text_of(ben.get(page(loan)))
    # The newer one comes first.
    parts = both.split("Liquidation: units transferred")
    assert len(parts) == 3
    assert "105 units 99.6923077 units 99.6923077 units 5.3076923 units" in parts[1]
    assert other not in parts[1].split("Liquidation: coverage")[0]
    assert "105 units 0 units 0 units 105 units 0 units" in parts[2]
    assert "Unpaid claim" not in both
    assert_books_hold()


def test_a_plan_that_leaves_units_is_blocked_once_they_are_paid_for_no_more(ada, ben):
    made = make_pledged()
    redemption = redeem(made.held)
    proposal = propose(ada, made.loan)
    decide_step(redemption, DistributionAction.CANCEL)
    text = text_of(ben.get(page(made.loan)))
    assert f"A final distribution of {made.held.symbol} was recorded or ended." in text
    assert "disabled" in ben.get(page(made.loan)).content.decode()
    response = ben.get(confirmation(proposal))
    assert "was recorded or ended" in messages_of(response)[-1]


def test_the_page_shows_what_paid_the_claim(ada):
    made = make_pledged()
    redemption = redeem(made.held)
    liquidate(made)
    paid = f"Distribution {made.lending.creditor.organisation} Available 1,050,000.00 NGN"
    assert paid not in text_of(ada.get(page(made.loan)))
    paying.pay(redemption.pk)
    text = text_of(ada.get(page(made.loan)))
    assert paid in text
    assert "Unpaid claim of the lender 246,000.00 NGN" in text


def test_a_claim_has_no_write_off(ada):
    made = make_pledged()
    redeem(made.held)
    liquidate(made)
    response = ada.get(page(made.loan, ClosureAction.WRITE_OFF.value))
    message = "Only a DEFAULTED loan can be closed: it is LIQUIDATED. No changes were made."
    assert messages_of(response)[-1] == message


def test_the_parties_read_the_claim_and_where_its_money_went():
    made = make_pledged()
    redemption = redeem(made.held)
    liquidate(made)
    borrower = make_caller(organisation=made.lending.borrower.organisation)
    creditor = make_caller(organisation=made.lending.creditor.organisation)
    for caller in (borrower, creditor):
        detail = caller.get(f"/v1/api/credit/loan/{made.loan.pk}").json()["data"]
        assert (detail["status"], detail["claim"], detail["outstanding"]) == (
            "LIQUIDATED", 1_296_000, 0,
        )  # fmt: skip
    [listed] = borrower.get("/v1/api/credit/loans").json()["data"]["loans"]
    assert "claim" not in listed
    paying.pay(redemption.pk)
    [income] = borrower.get("/v1/api/income").json()["data"]["income"]
    assert (income["net"], income["paid_to"]) == (1_050_000, "loan")
    assert creditor.get("/v1/api/income").json()["data"]["income"] == []
    newest = creditor.get("/v1/api/wallet/transactions").json()["data"]["transactions"][0]
    assert (newest["type"], newest["amount"]) == ("distribution_pay", 1_050_000)
    assert newest["description"].endswith(f", 105 units, claim of loan {made.loan.pk}")
