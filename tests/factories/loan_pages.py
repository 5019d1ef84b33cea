"""The addresses of the pages of loans, and what is proposed there."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from credit.loans.models import ClosureAction, ClosureProposal, Loan
from tests.factories.back_office import confirm, said

LIQUIDATE = ClosureAction.LIQUIDATE.value


def page(loan: Loan, name: str = "change") -> str:
    return reverse(f"admin:credit_loan_{name}", args=[loan.pk])


def propose(client: Client, loan: Loan, action: str = LIQUIDATE) -> ClosureProposal:
    """Reads the plan and proposes it."""
    response = confirm(client, page(loan, action), note="No answer")
    assert said(response) == ["Proposed. Nothing moves until somebody else confirms it."]
    return ClosureProposal.objects.get(loan=loan, status="Pending")
