"""The URLs of the loan pages, and proposals made there."""

from django.test import Client

from credit.loans.models import ClosureAction, ClosureProposal, Loan
from tests.factories.back_office import messages_of, page, submit_confirmation

LIQUIDATE = ClosureAction.LIQUIDATE.value
NOTE = "No answer, checked with the bank"


def propose(
    client: Client, loan: Loan, action: str = LIQUIDATE, *, note: str = NOTE
) -> ClosureProposal:
    """Open the plan and propose it."""
    response = submit_confirmation(client, page(loan, action), note=note)
    assert messages_of(response) == ["Proposed. Nothing moves until a second person confirms."]
    return ClosureProposal.objects.get(loan=loan, status="Pending")
