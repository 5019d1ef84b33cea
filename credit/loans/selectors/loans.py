"""Queries of loans, visible to the borrower's organisation and the creditor."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Q, QuerySet

from credit.loans.errors import LoanNotFound
from credit.loans.models import Loan
from credit.loans.payloads import LISTED_LOAN, LOAN_DETAIL, STATEMENT_LINE
from exchange.core.database import fetch_one, read_cursor


def loans_of(organisation_id: UUID) -> QuerySet[Loan]:
    """Return loans to the organisation's members, and loans it made."""
    return Loan.objects.filter(Q(organisation_id=organisation_id) | Q(creditor_id=organisation_id))


def read_loan_detail(organisation_id: UUID, loan_id: UUID) -> str:
    """Return the loan in detail, as JSON. Raises `LoanNotFound`."""
    row = fetch_one(_DETAIL, [organisation_id, loan_id], retryable=True)
    if row is None:
        raise LoanNotFound
    text: str = row[0]
    return text


_DETAIL = f"""
    SELECT {LOAN_DETAIL.expression("r")}
    FROM (SELECT %s::uuid AS id) caller
    JOIN credit_loan r ON caller.id IN (r.organisation_id, r.creditor_id)
    WHERE r.id = %s
"""  # noqa: S608 - built from a declaration


_LISTED = f"""
    SELECT {LISTED_LOAN.expression("r")}
    FROM (SELECT %s::uuid AS id) caller
    CROSS JOIN unnest(%s::uuid[]) WITH ORDINALITY AS wanted (id, place)
    JOIN credit_loan r ON r.id = wanted.id
    ORDER BY wanted.place
"""  # noqa: S608 - built from a declaration


def read_listed_loans(organisation_id: UUID, loan_ids: Sequence[UUID]) -> list[str]:
    """Return the loans as lists show them to the organisation, as JSON, in the order of
    `loan_ids`.
    """
    with read_cursor() as cursor:
        cursor.execute(_LISTED, [organisation_id, list(loan_ids)])
        return [text for (text,) in cursor.fetchall()]


_STATEMENT = f"""
    SELECT '[' || coalesce(string_agg(
        {STATEMENT_LINE.expression("s")}, ',' ORDER BY s.created_at, s.id), '') || ']'
    FROM (
        SELECT t.id, 'disbursement' AS kind, l.amount, l.amount AS principal, 0 AS interest,
               l.repayment_amount AS outstanding, t.created_at
        FROM credit_loan l JOIN wallets_transfer t
            ON t.subject_id = l.id AND t.kind = 'loan_disburse'
        WHERE l.id = %(loan)s
        UNION ALL
        SELECT p.id, 'repayment', -p.amount, -p.principal, -p.interest, p.outstanding,
               p.created_at
        FROM credit_repayment p WHERE p.loan_id = %(loan)s
        UNION ALL
        SELECT e.id, CASE e.action WHEN 'liquidate' THEN 'liquidation' ELSE 'write_off' END,
               -e.owed, -(l.amount - l.principal_repaid),
               -(l.repayment_amount - l.amount - l.interest_repaid), 0, e.decided_at
        FROM credit_closureproposal e JOIN credit_loan l ON l.id = e.loan_id
        WHERE e.loan_id = %(loan)s AND e.status = 'Approved'
    ) s
"""  # noqa: S608 - built from a declaration


def read_loan_statement(organisation_id: UUID, loan_id: UUID) -> str:
    """Return the loan's statement, oldest first, as JSON. Raises `LoanNotFound`."""
    if not loans_of(organisation_id).filter(id=loan_id).exists():
        raise LoanNotFound
    with read_cursor() as cursor:
        cursor.execute(_STATEMENT, {"loan": loan_id})
        text: str = cursor.fetchone()[0]
    return text
