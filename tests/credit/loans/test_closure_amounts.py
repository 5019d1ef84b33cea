"""Amounts of loan closures, token by token, and errors where closure is not possible."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from credit.loans.errors import LoanNotFound
from credit.loans.models import (
    ClosureAction,
    ClosureProposal,
    Collateral,
    Loan,
    LoanStatus,
    Shortfall,
)
from credit.loans.services import servicing
from credit.loans.services.closures import (
    confirm_closure,
    decline_closure,
    exceeds_pledged,
    plan_value,
    propose_closure,
    set_final_plan,
)
from credit.loans.services.valuation import Pledge
from exchange.core.errors import DomainError
from exchange.core.ids import uuid7
from exchange.events.models import Event
from exchange.staff.models import StaffUser
from exchange.tokens.models import Token
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.lending import Lending
from tests.factories.lifecycle import set_flags
from tests.factories.loans import make_defaulted_loan, update_without_guard
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import assert_books_hold, balance_of, make_staff
from wallets.ledger.models import Transfer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def officers() -> tuple[StaffUser, StaffUser]:
    return make_staff("close_loan"), make_staff("close_loan")


def on_tokens(lending: Lending, *priced: tuple[str, str]) -> tuple[Loan, list[Token]]:
    """Make a defaulted loan on the lending's 105 units and further tokens with price and units."""
    tokens = [make_token(price_sell=Decimal(price)) for price, _units in priced]
    for token in tokens:
        give_units(token, lending.borrower, 900)
    pledges = [
        Pledge(token.id, Decimal(units))
        for token, (_price, units) in zip(tokens, priced, strict=True)
    ]
    loan = make_defaulted_loan(
        lending, collaterals=(Pledge(lending.token.id, Decimal(105)), *pledges)
    )
    return loan, [lending.token, *tokens]


def propose(
    loan: Loan, user: StaffUser, action: ClosureAction = ClosureAction.LIQUIDATE
) -> ClosureProposal:
    return propose_closure(loan_id=loan.id, action=action, note="why", user=user)


def steps(plan: list[dict[str, Any]] | None) -> list[tuple[str, ...]]:
    """Return price, quantity, transferred units and their value, of each step."""
    names = ("price", "quantity", "passed", "value")
    return [tuple(step[name] for name in names) for step in plan or []]


def test_units_are_transferred_in_pledge_order_up_to_the_amount_owed(lending, officers):
    """1,596,000 are owed; 0.8 and 1 are prices on both sides of one."""
    loan, tokens = on_tokens(lending, ("0.8", "500"), ("1", "3"), ("7000", "100"), ("50", "10"))
    set_flags(tokens[2], exited=True)
    proposal = propose(loan, officers[0])
    plan = [
        ("10000", "105", "105", "1050000"),
        ("0.8", "500", "500", "400"),
        ("0", "3", "0", "0"),
        ("7000", "100", "77.94285715", "545600"),
        ("50", "10", "0", "0"),
    ]
    assert steps(proposal.plan) == plan
    lending.token.refresh_from_db()
    assert lending.token.quoted_at is not None
    assert proposal.plan[0]["quoted_at"] == lending.token.quoted_at.isoformat()
    assert proposal.owed == proposal.value_passed == 1_596_000
    assert proposal.deficiency == 0
    confirm_closure(proposal_id=proposal.id, user=officers[1])
    proposal.refresh_from_db()
    loan.refresh_from_db()
    assert steps(proposal.final_plan) == plan
    passed = [Decimal(units) for units in ("105", "500", "0", "77.94285715", "0")]
    assert [balance_of(lending.creditor.owner_id, token.id) for token in tokens] == passed
    kept = [1000, 900, 900, 900, 900]
    for token, before, gone in zip(tokens, kept, passed, strict=True):
        assert balance_of(loan.borrower_id, token.id) == before - gone
        assert balance_of(loan.borrower_id, token.id, "lien") == 0
    assert not Shortfall.objects.filter(loan=loan, cured_at__isnull=True).exists()
    assert loan.closed_at is not None
    assert '"status":"LIQUIDATED"' in loan.document
    event = Event.objects.filter(subject_id=loan.id, type="loan.liquidated")[0]
    assert '"status":"LIQUIDATED"' in event.body
    assert_books_hold()


def test_amounts_below_one_are_covered_with_units(lending, officers):
    loan, _tokens = on_tokens(lending, ("545999.5", "1"), ("50", "10"))
    proposal = propose(loan, officers[0])
    assert steps(proposal.plan)[1:] == [
        ("545999.5", "1", "1", "545999.5"),
        ("50", "10", "0.01", "0.5"),
    ]
    assert proposal.deficiency == 0


def test_events_and_plan_report_the_deficiency(lending, officers):
    loan, _tokens = on_tokens(lending, ("0.5", "3"))
    lending.set_price(1)
    set_flags(lending.token, exited=True)
    servicing.revalue_loans(force=True)
    assert Shortfall.objects.filter(loan=loan, cured_at__isnull=True).exists()
    proposal = propose(loan, officers[0])
    assert steps(proposal.plan) == [("0", "105", "0", "0"), ("0.5", "3", "3", "1.5")]
    assert (proposal.value_passed, proposal.deficiency) == (Decimal("1.5"), Decimal("1595998.5"))
    confirm_closure(proposal_id=proposal.id, user=officers[1])
    events = Event.objects.filter(subject_id=loan.id, type="loan.liquidated")
    for event in events:
        assert '"owed":1596000,"value_passed":1.5,"deficiency":1595998.5}' in event.body
    assert events.count() == 2
    assert not Shortfall.objects.filter(loan=loan, cured_at__isnull=True).exists()
    assert_books_hold()


def test_an_unusable_price_blocks_liquidation_but_not_write_off(lending, officers):
    loan, _tokens = on_tokens(lending)
    Token.objects.filter(id=lending.token.id).update(quoted_at=None)
    with assert_nothing_changes(), pytest.raises(DomainError) as refused:
        propose(loan, officers[0])
    assert refused.value.message == f"{lending.token.symbol} has no price"
    proposal = propose(loan, officers[0], ClosureAction.WRITE_OFF)
    assert (proposal.plan, proposal.value_passed) == ([], Decimal(0))
    assert proposal.deficiency == 1_596_000


def test_the_prices_of_a_liquidation_hold_a_day_and_a_write_off_has_none(lending, officers):
    def made_before(proposal: ClosureProposal, **past: int) -> ClosureProposal:
        at = timezone.now() - timedelta(**past)
        update_without_guard(
            "credit_closureproposal", "approval_guard", "created_at = %s", at, proposal.id
        )
        return proposal

    loans = [make_defaulted_loan(lending, amount=1000, units=1) for _ in range(3)]
    old = made_before(propose(loans[0], officers[0]), hours=24, seconds=2)
    young = made_before(propose(loans[1], officers[0]), hours=23, minutes=59)
    off = made_before(propose(loans[2], officers[0], ClosureAction.WRITE_OFF), days=9)
    with assert_nothing_changes(), pytest.raises(DomainError) as refused:
        confirm_closure(proposal_id=old.id, user=officers[1])
    assert refused.value.message == ("The proposed prices are older than 24 hours; propose again")
    for proposal in (young, off):
        confirm_closure(proposal_id=proposal.id, user=officers[1])
    for loan in loans:
        loan.refresh_from_db()
    assert [loan.status for loan in loans] == [
        LoanStatus.DEFAULTED, LoanStatus.LIQUIDATED, LoanStatus.WRITTEN_OFF,
    ]  # fmt: skip


def test_a_closure_changes_only_its_loan_and_keeps_the_note(lending, officers):
    loans = [make_defaulted_loan(lending, amount=1000, units=1) for _ in range(2)]
    note = "".join(chr(ord("a") + number % 26) for number in range(400))
    for loan in loans:
        proposal = propose_closure(
            loan_id=loan.id, action=ClosureAction.WRITE_OFF, note=note, user=officers[0]
        )
        assert proposal.loan_id == loan.id
        confirm_closure(proposal_id=proposal.id, user=officers[1])
        assert Transfer.objects.get(reference=f"loan:{loan.id}:end").memo == note[:300]
    with pytest.raises(LoanNotFound):
        propose_closure(
            loan_id=uuid7(), action=ClosureAction.WRITE_OFF, note="x", user=officers[0]
        )  # fmt: skip
    with pytest.raises(DomainError) as refused:
        propose(loans[0], officers[0])
    assert refused.value.message == "Only a DEFAULTED loan can be closed: it is WRITTEN_OFF"


def test_closure_requires_the_permission(lending, officers):
    loan = make_defaulted_loan(lending, amount=1000, units=1)
    stranger = make_staff("propose_quote")
    proposal = propose(loan, officers[0])
    for act in (
        lambda: propose(loan, stranger),
        lambda: confirm_closure(proposal_id=proposal.id, user=stranger),
        lambda: decline_closure(proposal_id=proposal.id, user=stranger),
    ):
        with assert_nothing_changes(), pytest.raises(DomainError) as refused:
            act()
        assert refused.value.message == "You may not close loans"
    with assert_nothing_changes(), pytest.raises(DomainError) as refused:
        propose_closure(loan_id=loan.id, action=ClosureAction.LIQUIDATE, note=" ", user=officers[0])
    assert refused.value.message == "Enter a note that explains the proposal"


def test_a_plan_exceeds_the_pledge_if_one_token_does(lending, officers):
    """Nothing is released while a liquidation is pending, so the rows are changed in memory."""
    loan, tokens = on_tokens(lending, ("10", "3"))
    proposal = propose(loan, officers[0])
    assert plan_value(proposal.plan) == 1_050_030
    assert plan_value([]) == 0
    assert not exceeds_pledged(loan, proposal)
    for passed, expected in (("3", False), ("3.00000001", True), ("0", False)):
        proposal.plan[1]["passed"] = passed
        assert exceeds_pledged(loan, proposal) is expected, passed
    proposal.plan[1] |= {"token_id": str(uuid7()), "passed": "0.5"}
    assert exceeds_pledged(loan, proposal)
    proposal.plan[1]["passed"] = "0"
    assert not exceeds_pledged(loan, proposal)
    assert Collateral.objects.filter(loan=loan, token=tokens[1]).get().quantity == 3
    final = set_final_plan(proposal, loan)
    assert final.final_owed == 1_596_000
    assert final.final_value == 1_050_000
    assert final.final_deficiency == 546_000
