"""Loans of the state a test needs, and the addresses of their pages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from credit.models import EndingAction, EndingProposal, Loan
from credit.services import servicing
from tests.support.back_office import said
from tests.support.lending import Lending

LIQUIDATE = EndingAction.LIQUIDATE.value


def as_time_does(table: str, guard: str, change: str, *values: Any) -> None:
    """Changes what only time itself may: the owner of the tables puts their guard aside."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE NONE")
        # What is deferred must be done before a table can be altered.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {guard}")
        cursor.execute(f"UPDATE {table} SET {change} WHERE id = %s", values)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER {guard}")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        cursor.execute(f"SET LOCAL ROLE {settings.DATABASE_RUNTIME_ROLE}")


def set_due(loan: Loan, days_ago: int) -> None:
    """Makes the loan due that long ago."""
    due = timezone.now() - timedelta(days=days_ago, minutes=1)
    as_time_does("credit_loan", "loan_guard", "repayment_date = %s", due, loan.pk)


def default(world: Lending, **changes: Any) -> Loan:
    loan = world.lend(**changes)
    set_due(loan, 30)
    servicing.age_loans()
    loan.refresh_from_db()
    assert loan.status == "DEFAULTED"
    return loan


def page(loan: Loan, name: str = "change") -> str:
    return reverse(f"admin:credit_loan_{name}", args=[loan.pk])


def seen_by(client: Client, loan: Loan, action: str) -> str:
    seen: str = client.get(page(loan, action)).context["form"].initial["seen"]
    return seen


def propose(client: Client, loan: Loan, action: str = LIQUIDATE) -> EndingProposal:
    """Reads the plan and proposes it."""
    body = {"note": "No answer", "seen": seen_by(client, loan, action)}
    response = client.post(page(loan, action), body)
    assert said(response) == ["Proposed. Nothing moves until somebody else confirms it."]
    return EndingProposal.objects.get(loan=loan, status="Pending")
