"""Telling borrower's organisation and creditor what became of a loan."""

from __future__ import annotations

import msgspec

from credit.loans.models import Loan
from exchange.events.services.outbox import emit

CREATED = "loan.created"
REPAID = "loan.repaid"
OVERDUE = "loan.overdue"
DEFAULTED = "loan.defaulted"
LIQUIDATED = "loan.liquidated"
SHORTFALL = "loan.shortfall"


def emit_loan_event(loan: Loan, event_type: str, more: str = "") -> None:
    """Writes the event for both sides; `loan` was read after its last change.

    `more` is JSON text of further fields, with a comma in front.
    """
    member = loan.borrower
    user = msgspec.json.encode(
        {"_id": str(member.id), "name": member.name, "email": member.email}
    ).decode()
    data = f'{{"loan":{loan.document},"user":{user}{more}}}'
    for organisation_id in sorted({loan.organisation_id, loan.creditor_id}):
        # The borrower is the borrower's organisation's to know.
        body = (
            data
            if organisation_id == loan.organisation_id
            else (f'{{"loan":{loan.document},"user":null{more}}}')
        )
        emit(
            organisation_id=organisation_id,
            event_type=event_type,
            subject_id=loan.id,
            data=body,
        )
