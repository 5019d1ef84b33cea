"""Edge cases of repayments: error messages, and the state before the final payment."""

import json
from decimal import Decimal
from typing import Any

import pytest

from credit.loans.errors import LoanNotFound
from credit.loans.models import ClosureAction, Loan, LoanStatus, Repayment, Valuation
from credit.loans.services.closures import decline_closure, propose_closure
from credit.loans.services.lending import lien_legs
from credit.loans.services.repaying import repay
from credit.loans.services.valuation import Pledge
from exchange.core.errors import DomainError
from exchange.events.models import Event
from exchange.participants.models import Member
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.lending import make_lending
from tests.factories.loans import loan_event_types, make_defaulted_loan, repay_loan
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import balance_of, make_staff
from wallets.ledger.models import AccountKind
from wallets.ledger.posting import open_account

pytestmark = pytest.mark.django_db


def test_a_payment_is_refused_beyond_its_edges_and_taken_up_to_them(lending):
    loan = lending.lend()
    lending.borrower.fund(1_000_000, "NGN")
    cases = {
        "0": "amount must be above 0",
        "-0.01": "amount must be above 0",
        "0.001": "amount must not have more than 2 decimals",
        "1596000.01": "amount must not be above 1596000, the amount due",
    }
    for amount, message in cases.items():
        with assert_nothing_changes(), pytest.raises(DomainError) as refused:
            repay_loan(loan, amount)
        assert refused.value.message == message, amount
    loan = repay_loan(loan, "0.01")
    with pytest.raises(DomainError, match=r"above 1595999\.99, the amount due"):
        repay_loan(loan, "1596000")
    assert repay_loan(loan, "1595999.99").status == LoanStatus.COMPLETED


def test_a_currency_without_decimals_is_repaid_without():
    lending = make_lending(max_amount={"UGX": Decimal(1000)})
    lending.creditor.fund(1000, "UGX")
    token = make_token(currency="UGX", price_sell=Decimal(10))
    give_units(token, lending.borrower, 50)
    pledge = (Pledge(token.id, Decimal(50)),)
    loan = lending.lend(amount=100, currency="UGX", collaterals=pledge)
    with assert_nothing_changes(), pytest.raises(DomainError) as refused:
        repay_loan(loan, "1.5")
    assert refused.value.message == "amount must not have decimals"
    repay_loan(loan, 1)


def body_of(loan: Loan, event_type: str) -> dict[str, Any]:
    """Return the event data sent to the borrower's organisation."""
    event = Event.objects.get(
        subject_id=loan.id, type=event_type, organisation_id=loan.organisation_id
    )
    found: dict[str, Any] = json.loads(event.body)["data"]
    return found


def test_all_but_the_last_unit_leaves_the_loan_its_collateral_and_its_proposal(lending):
    officer = make_staff("close_loan")
    loan, other = make_defaulted_loan(lending), make_defaulted_loan(lending, amount=10_000, units=2)
    proposals = []
    for each in (loan, other):
        refused = propose_closure(
            loan_id=each.id, action=ClosureAction.WRITE_OFF, note="a", user=officer
        )
        decline_closure(proposal_id=refused.id, user=officer)
        proposals.append(refused)
        proposals.append(
            propose_closure(loan_id=each.id, action=ClosureAction.WRITE_OFF, note="b", user=officer)
        )

    def states() -> list[str]:
        for proposal in proposals:
            proposal.refresh_from_db()
        return [proposal.status for proposal in proposals]

    lending.borrower.fund(2_000_000, "NGN")
    loan = repay_loan(loan, 1_595_999)
    assert (loan.status, loan.closed_at) == (LoanStatus.DEFAULTED, None)
    assert balance_of(loan.borrower_id, lending.token.id, "lien") == 107
    assert states() == ["Rejected", "Pending", "Rejected", "Pending"]
    assert "loan.repaid" not in loan_event_types(loan)
    assert Valuation.objects.get(loan=loan).loan_to_value == Decimal("0.00000095")
    assert json.loads(loan.document)["status"] == "DEFAULTED"
    loan = repay_loan(loan, 1)
    assert loan.status == LoanStatus.COMPLETED
    assert loan.closed_at is not None
    assert balance_of(loan.borrower_id, lending.token.id, "lien") == 2
    assert states() == ["Rejected", "Lapsed", "Rejected", "Pending"]
    assert loan_event_types(loan)[-1] == "loan.repaid"
    assert body_of(loan, "loan.repaid")["loan"] == json.loads(loan.document)
    assert json.loads(loan.document)["status"] == "COMPLETED"
    assert proposals[1].decided_at is not None


def test_a_payment_is_for_the_loan_that_is_named_and_by_its_borrower(lending):
    first, second = lending.lend(amount=10_000, units=2), lending.lend(amount=20_000, units=3)
    for loan, amount in ((first, 500), (second, 700)):
        repay_loan(loan, amount)
        payments = Repayment.objects.filter(loan=loan).values_list("amount", flat=True)
        assert list(payments) == [amount]
    for organisation in (lending.creditor.organisation, make_organisation()):
        with assert_nothing_changes(), pytest.raises(LoanNotFound):
            repay(
                loan_id=first.id, organisation_id=organisation.id, amount=Decimal(1), actor=TESTER
            )


def test_units_go_into_lien_unless_they_are_released(lending):
    member = Member.objects.get(id=lending.borrower.member_id)
    pledge = Pledge(lending.token.id, Decimal("2.5"))
    available, lien = (
        open_account(
            str(lending.token.id),
            kind,
            organisation_id=member.organisation_id,
            member_id=member.id,
        )
        for kind in (AccountKind.AVAILABLE, AccountKind.LIEN)
    )
    into, back = lien_legs(member, (pledge,)), lien_legs(member, (pledge,), release=True)
    taken = Decimal("2.5")
    assert [(leg.account_id, leg.amount) for leg in into] == [(available, -taken), (lien, taken)]
    assert [(leg.account_id, leg.amount) for leg in back] == [(available, taken), (lien, -taken)]


def test_a_new_loan_is_a_row_like_any_other(lending):
    loan = lending.lend()
    stored = Loan.objects.get(id=loan.id)
    assert not loan._state.adding
    assert loan.document == stored.document
    for field in Loan._meta.concrete_fields:
        assert getattr(loan, field.attname) == getattr(stored, field.attname), field.name
