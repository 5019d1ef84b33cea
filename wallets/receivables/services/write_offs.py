"""Write-offs: two people give a debt up, or a part of it; the exchange bears it."""

from decimal import Decimal
from uuid import UUID

from django.db import IntegrityError, transaction

from exchange.core.actors import Actor
from exchange.core.currencies import currencies, format_money
from exchange.core.database import violated_constraint
from exchange.core.errors import Conflict, InvalidRequest, NotFound, Rejected
from exchange.core.numbers import describe_entry_error
from exchange.core.querysets import get_or_raise
from exchange.core.text import clean_text
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, post_transfer, system_account
from wallets.receivables.models import Receivable, ReceivableWriteOff
from wallets.receivables.services.repayments import OVERPAID

WRITE_OFF = "wallets.write_off_receivable"
WRITE_OFFS = TwoPersonApproval(
    model=ReceivableWriteOff,
    noun="write-off",
    permission=WRITE_OFF,
    unique_constraint="write_off_pending_once",
)
_NOT_ALLOWED = "You may not write debts off"
_MAX_EXPLANATION = 500


def propose_write_off(
    *, account_id: UUID, amount: Decimal, explanation: str, user: StaffUser
) -> ReceivableWriteOff:
    """Propose to give up `amount` of what the owner of a receivable account owes.

    Raises `Forbidden`, `NotFound` for an account on which nothing is owed, `Conflict` while another
    write-off is pending, `InvalidRequest` and `Rejected` (`beyond_debt`).
    """
    authorize_staff(user, WRITE_OFF, _NOT_ALLOWED)
    why = clean_text(explanation, missing="Enter an explanation", max_length=_MAX_EXPLANATION)
    rows = Receivable.objects.filter(pk=account_id)
    debt = get_or_raise(rows, lambda: NotFound("Receivable not found", code="receivable_not_found"))
    if problem := describe_entry_error(amount, currencies()[debt.asset_id].decimals):
        raise InvalidRequest.for_field("amount", problem)
    if amount > debt.owed:
        raise _beyond_debt(debt.asset_id, debt.owed)
    return WRITE_OFFS.propose(
        Conflict("A write-off of this debt is pending already", code="write_off_pending"),
        account_id=debt.pk,
        amount=amount,
        explanation=why,
        proposed_by=user,
    )


def confirm_write_off(*, write_off_id: UUID, user: StaffUser) -> ReceivableWriteOff:
    """Write the debt off, as the second person: expenses pay it.

    Raises `Forbidden`, `NotFound`, `StateConflict`, and `Rejected` (`approver_not_independent`, or
    `beyond_debt` where the owner has repaid meanwhile). An error moves no money.
    """
    actor = authorize_staff(user, WRITE_OFF, _NOT_ALLOWED)
    with transaction.atomic():
        proposal = WRITE_OFFS.get_approvable(write_off_id, user)
        WRITE_OFFS.close(proposal, ApprovalStatus.APPROVED, user)
        _post(proposal, actor)
    return proposal


def reject_write_off(*, write_off_id: UUID, reason: str, user: StaffUser) -> ReceivableWriteOff:
    """Reject a write-off; the debt stays. Open to the proposer too. Raises as `confirm`."""
    authorize_staff(user, WRITE_OFF, _NOT_ALLOWED)
    return WRITE_OFFS.reject(write_off_id, user, reason)


def _post(proposal: ReceivableWriteOff, actor: Actor) -> None:
    currency = proposal.account.asset_id
    try:
        post_transfer(
            kind=TransferKind.RECEIVABLE_WRITE_OFF,
            reference=f"write_off:{proposal.pk}",
            subject_id=proposal.pk,
            actor=actor,
            legs=[
                Leg(system_account(currency, AccountKind.EXPENSES), -proposal.amount),
                Leg(proposal.account_id, proposal.amount),
            ],
        )
    except IntegrityError as error:
        if violated_constraint(error) != OVERPAID:
            raise
        # The savepoint of the posting is rolled back; this reads what is owed now.
        debt = Receivable.objects.filter(pk=proposal.account_id).first()
        raise _beyond_debt(currency, debt.owed if debt else Decimal(0)) from error


def _beyond_debt(currency: str, owed: Decimal) -> Rejected:
    message = f"No more than {format_money(owed, currency)} is owed"
    return Rejected(message, code="beyond_debt", fields={"amount": message})
