"""Events about loans, for the borrower's organisation and the creditor."""

import msgspec

from credit.loans.models import Loan
from exchange.core.database import fetch_one
from exchange.events.services.outbox import emit

CREATED = "loan.created"
PARTIALLY_REPAID = "loan.partially_repaid"
REPAID = "loan.repaid"
OVERDUE = "loan.overdue"
DEFAULTED = "loan.defaulted"
LIQUIDATED = "loan.liquidated"
WRITTEN_OFF = "loan.written_off"
COLLATERAL_ADDED = "loan.collateral_added"
COLLATERAL_RELEASED = "loan.collateral_released"
SHORTFALL = "loan.shortfall"


def own_document(loan: Loan) -> str:
    """Return the loan as the organisation that requested it sees it, as JSON."""
    if loan.client_reference is None and loan.metadata is None:
        return loan.document
    metadata = None if loan.metadata is None else msgspec.json.encode(loan.metadata).decode()
    values = [loan.document, loan.client_reference, metadata]
    row = fetch_one("SELECT with_references(%s, %s, %s::jsonb)", values)
    if row is None:
        raise RuntimeError("with_references returned no row")
    text: str = row[0]
    return text


def emit_loan_event(loan: Loan, event_type: str, extra: str = "") -> None:
    """Emit the event to both parties. `loan` must be read after its last change.

    `extra` is JSON text of further fields, with a leading comma.
    """
    member = loan.borrower
    user = msgspec.json.encode(
        {"_id": str(member.id), "name": member.name, "email": member.email}
    ).decode()
    data = f'{{"loan":{own_document(loan)},"user":{user}{extra}}}'
    for organisation_id in sorted({loan.organisation_id, loan.creditor_id}):
        # Only the borrower's organisation may see the borrower and its own references.
        body = (
            data
            if organisation_id == loan.organisation_id
            else (f'{{"loan":{loan.document},"user":null{extra}}}')
        )
        emit(
            organisation_id=organisation_id,
            event_type=event_type,
            subject_id=loan.id,
            data=body,
        )
