"""Repay a loan from the borrower's wallet or cash collateral: interest first, at most the due."""

from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from credit.loans.models import OPEN, Loan, LoanStatus, Repayment, RepaymentSource
from credit.loans.services.closures import lapse_proposals
from credit.loans.services.lending import (
    borrower_account,
    creditor_account,
    lien_legs,
    lock_loan,
)
from credit.loans.services.loan_events import PARTIALLY_REPAID, REPAID, emit_loan_event
from credit.loans.services.shortfalls import revalue_collateral
from credit.loans.services.valuation import Pledge, amount_owed, open_collateral
from exchange.core.actors import Actor
from exchange.core.currencies import currencies
from exchange.core.errors import InvalidRequest, Rejected, StateConflict
from exchange.core.ids import uuid7
from exchange.core.numbers import decimals_error, format_plain
from wallets.ledger.errors import InsufficientBalance
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import (
    InsufficientFunds,
    Leg,
    post_transfer,
    system_account,
)
from wallets.ledger.selectors.wallets import available_balance


def repay(
    *,
    loan_id: UUID,
    organisation_id: UUID,
    amount: Decimal,
    actor: Actor,
    paid_from: RepaymentSource = RepaymentSource.WALLET,
) -> Loan:
    """Pay `amount` of the balance due. The final payment releases the collateral (COMPLETED).

    Raises `LoanNotFound` (only the borrower's organisation repays), `StateConflict` for a closed
    loan, `InvalidRequest`, `Rejected` (`amount_above_due`, `insufficient_cash_collateral`),
    `InsufficientBalance`.
    """
    with transaction.atomic():
        loan = lock_open_loan(loan_id, organisation_id)
        if amount <= 0:
            raise InvalidRequest("amount must be above 0")
        if problem := decimals_error(amount, currencies()[loan.currency_id].decimals):
            raise InvalidRequest(f"amount {problem}")
        due = amount_owed(loan)
        if amount > due:
            raise Rejected(
                f"amount must not be above {format_plain(due)}, the amount due",
                code="amount_above_due",
            )
        interest = min(amount, loan.repayment_amount - loan.amount - loan.interest_repaid)
        if paid_from == RepaymentSource.CASH_COLLATERAL:
            require_cash(loan, amount)
        return _pay(loan, interest, amount - interest, actor, paid_from)


def require_cash(loan: Loan, amount: Decimal) -> None:
    """Raise `Rejected` (`insufficient_cash_collateral`) unless the loan has that much."""
    if amount > loan.cash_collateral:
        raise Rejected(
            f"The cash collateral is {format_plain(loan.cash_collateral)} {loan.currency_id},"
            f" requested: {format_plain(amount)}",
            code="insufficient_cash_collateral",
        )


def lock_open_loan(loan_id: UUID, organisation_id: UUID) -> Loan:
    """Return an open loan of the organisation's member, locked.

    Raises `LoanNotFound`, or `StateConflict` when it is closed.
    """
    loan = lock_loan(id=loan_id, organisation_id=organisation_id)
    if loan.status not in OPEN:
        raise StateConflict(f"The loan is no longer open: it is {loan.status}")
    return loan


def _pay(
    loan: Loan, interest: Decimal, principal: Decimal, actor: Actor, paid_from: RepaymentSource
) -> Loan:
    amount = interest + principal
    money = loan.currency_id
    left = amount_owed(loan) - amount
    payment = Repayment(
        id=uuid7(),
        loan=loan,
        amount=amount,
        interest=interest,
        principal=principal,
        outstanding=left,
        paid_from=paid_from,
        paid_by=str(actor),
        created_at=timezone.now(),
    )
    from_cash = amount if paid_from == RepaymentSource.CASH_COLLATERAL else Decimal(0)
    released = loan.cash_collateral if left == 0 else from_cash
    legs = [
        Leg(borrower_account(loan, AccountKind.AVAILABLE), released - amount),
        Leg(creditor_account(loan, AccountKind.AVAILABLE), amount),
        Leg(creditor_account(loan, AccountKind.PRINCIPAL), -principal),
        Leg(creditor_account(loan, AccountKind.INTEREST), interest),
        Leg(system_account(money, AccountKind.LOANS), principal - interest),
    ]
    if released:
        legs.append(Leg(borrower_account(loan, AccountKind.LIEN), -released))
    if left == 0:
        pledges = tuple(Pledge(row.token_id, row.quantity) for row, _token in open_collateral(loan))
        legs += lien_legs(loan.borrower, pledges, release=True)
    try:
        post_transfer(
            kind=TransferKind.LOAN_REPAY,
            reference=f"loan:{loan.id}:repay:{payment.id}",
            subject_id=loan.id,
            actor=actor,
            legs=[leg for leg in legs if leg.amount],
        )
    except InsufficientFunds as error:
        raise InsufficientBalance(
            currency=money, available=available_balance(loan.borrower_id, money), requested=amount
        ) from error
    payment.save(force_insert=True)
    loan.interest_repaid += interest
    loan.principal_repaid += principal
    loan.cash_collateral -= released
    if left == 0:
        loan.status = LoanStatus.COMPLETED
        loan.closed_at = timezone.now()
    loan.save(
        update_fields=[
            "interest_repaid",
            "principal_repaid",
            "cash_collateral",
            "status",
            "closed_at",
        ]
    )
    loan.refresh_from_db()
    revalue_collateral(loan)
    if left == 0:
        lapse_proposals(loan)
    emit_loan_event(loan, PARTIALLY_REPAID if left else REPAID, _repayment(payment))
    return loan


def _repayment(payment: Repayment) -> str:
    return (
        f',"repayment":{{"id":"{payment.id}","amount":{format_plain(payment.amount)},'
        f'"interest":{format_plain(payment.interest)},"principal":{format_plain(payment.principal)},'
        f'"outstanding":{format_plain(payment.outstanding)},"paid_from":"{payment.paid_from}"}}'
    )
