"""Loans in the state a test needs: paid, due long ago, defaulted, ended, or of any status."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from credit.loans.models import ClosureAction, ClosureProposal, Loan, LoanStatus
from credit.loans.services import servicing
from credit.loans.services.closures import confirm_closure, propose_closure
from credit.loans.services.repaying import repay
from exchange.events.models import Event
from tests.environment.owner import as_owner
from tests.factories.api_clients import TESTER
from tests.factories.lending import Lending
from tests.factories.wallets import make_staff


def repay_loan(loan: Loan, amount: str | int | Decimal) -> Loan:
    """The borrower's organisation pays."""
    return repay(
        loan_id=loan.id,
        organisation_id=loan.organisation_id,
        amount=Decimal(amount),
        actor=TESTER,
    )


def loan_event_types(loan: Loan) -> list[str]:
    """Types of the events about the loan to the borrower's organisation, in order."""
    events = Event.objects.filter(subject_id=loan.id, organisation_id=loan.organisation_id)
    return list(events.order_by("created_at", "id").values_list("type", flat=True))


def update_without_guard(table: str, guard: str, change: str, *values: Any) -> None:
    """Changes what only time itself may: the owner of the tables puts their guard aside."""
    with as_owner() as cursor:
        # What is deferred must be done before a table can be altered.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {guard}")
        cursor.execute(f"UPDATE {table} SET {change} WHERE id = %s", values)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER {guard}")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def backdate_loan(loan: Loan, **past: int) -> None:
    """Makes the loan due that long ago: `days`, `seconds` and what else a timedelta takes."""
    due = timezone.now() - timedelta(**past)
    update_without_guard("credit_loan", "keep_columns", "repayment_date = %s", due, loan.id)
    loan.refresh_from_db()


def backdate_proposal(proposal: ClosureProposal) -> None:
    """Makes the proposal one of more than a day ago."""
    long_ago = timezone.now() - timedelta(hours=25)
    update_without_guard(
        "credit_closureproposal", "approval_guard", "created_at = %s", long_ago, proposal.id
    )


def make_defaulted_loan(lending: Lending, **changes: Any) -> Loan:
    """A DEFAULTED loan, due 30 days ago."""
    loan = lending.lend(**changes)
    backdate_loan(loan, days=30, minutes=1)
    servicing.age_loans()
    loan.refresh_from_db()
    assert loan.status == LoanStatus.DEFAULTED
    return loan


def make_closed_loan(lending: Lending, action: ClosureAction) -> Loan:
    """A loan of which 50 were repaid, ended as two people decided."""
    loan = make_defaulted_loan(lending)
    repay_loan(loan, 50)
    proposal = propose_closure(
        loan_id=loan.id, action=action, note="why", user=make_staff("close_loan")
    )
    confirm_closure(proposal_id=proposal.id, user=make_staff("close_loan"))
    loan.refresh_from_db()
    return loan


def make_completed_loan(lending: Lending) -> Loan:
    """A loan that is repaid in full."""
    loan = lending.lend()
    lending.borrower.fund(1_000_000, "NGN")
    return repay_loan(loan, 1_596_000)


def make_loan_with_status(lending: Lending, status: LoanStatus) -> Loan:
    """A loan that has got there by services."""
    made = {
        LoanStatus.ACTIVE: lending.lend,
        LoanStatus.DEFAULTED: lambda: make_defaulted_loan(lending),
        LoanStatus.COMPLETED: lambda: make_completed_loan(lending),
        LoanStatus.LIQUIDATED: lambda: make_closed_loan(lending, ClosureAction.LIQUIDATE),
        LoanStatus.WRITTEN_OFF: lambda: make_closed_loan(lending, ClosureAction.WRITE_OFF),
    }[status]()
    assert made.status == status
    return made
