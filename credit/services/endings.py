"""Ending a defaulted loan: one person proposes to liquidate or write off, another confirms.

Liquidation passes pledged units to the creditor, in the listed order, at the prices frozen when it
was proposed, up to what is owed; units are rounded up to the last decimal. The rest goes back to
the borrower, and what is not covered is recorded as deficiency. A write-off gives up what is owed
and gives the collateral back.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import ROUND_UP, Decimal
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from credit.errors import LoanNotFound
from credit.models import (
    EndingAction,
    EndingProposal,
    EndingStatus,
    Loan,
    LoanStatus,
)
from credit.services.lending import lock_tokens
from credit.services.loan_events import LIQUIDATED, tell
from credit.services.shortfalls import review_collateral
from credit.services.valuation import (
    Pledge,
    has_ended,
    open_collateral,
    owed,
    price_problem,
    principal_owed,
)
from exchange.actors import Actor
from exchange.database import constraint_of
from exchange.errors import Conflict, Forbidden, InvalidRequest, NotFound, Refused
from exchange.ids import uuid7
from exchange.models import StaffUser
from exchange.numbers import TOKEN_DECIMALS, plain, round_to
from wallets.errors import StateConflict
from wallets.ledger import Leg, open_account, post_transfer, system_account
from wallets.models import AccountKind, TransferKind
from wallets.selectors.currencies import currencies

PERMISSION = "credit.end_loan"
# A liquidation is confirmed within this time at the prices it was proposed with.
PRICES_HOLD = timedelta(hours=24)
_UNIT = Decimal(1).scaleb(-TOKEN_DECIMALS)


def propose_ending(
    *, loan_id: UUID, action: EndingAction, note: str, user: StaffUser
) -> EndingProposal:
    """Freezes prices and what would move. Nothing moves until another person confirms.

    Raises `Forbidden`, `LoanNotFound`, `StateConflict` for a loan that is not DEFAULTED,
    `Refused` (`price_unavailable`), `InvalidRequest` without a note, `Conflict` while another
    proposal waits.
    """
    _allowed(user)
    if not note.strip():
        raise InvalidRequest("A proposal needs a note that says why")
    with transaction.atomic():
        loan = _defaulted(loan_id)
        owing = owed(loan)
        plan = _plan(loan, owing) if action == EndingAction.LIQUIDATE else []
        passed = sum((Decimal(step["value"]) for step in plan), Decimal(0))
        try:
            with transaction.atomic():
                return EndingProposal.objects.create(
                    id=uuid7(),
                    loan=loan,
                    action=action,
                    note=note,
                    plan=plan,
                    owed=owing,
                    value_passed=passed,
                    deficiency=max(owing - passed, Decimal(0)),
                    proposed_by=user,
                    created_at=timezone.now(),
                )
        except IntegrityError as error:
            if constraint_of(error) == "ending_pending_once":
                raise Conflict(
                    "Another proposal for this loan waits", code="proposal_pending"
                ) from error
            raise


def confirm_ending(*, proposal_id: UUID, user: StaffUser) -> EndingProposal:
    """Another person confirms, and the loan is LIQUIDATED or WRITTEN_OFF.

    Raises `Forbidden`, `NotFound`, `StateConflict` (decided, or the loan changed since),
    `Refused` (`approver_not_independent`, `prices_expired`).
    """
    _allowed(user)
    with transaction.atomic():
        proposal = _pending(proposal_id)
        if proposal.proposed_by_id == user.pk:
            raise Refused(
                "Somebody else must confirm what you proposed", code="approver_not_independent"
            )
        loan = _defaulted(proposal.loan_id)
        proposal = _pending(proposal_id, lock=True)
        if owed(loan) != proposal.owed:
            raise StateConflict("What is owed has changed since the proposal: propose again")
        if proposal.action == EndingAction.LIQUIDATE:
            if timezone.now() - proposal.created_at > PRICES_HOLD:
                raise Refused(
                    "The prices of the proposal are older than 24 hours: propose again",
                    code="prices_expired",
                )
            if _held(loan) != {step["token_id"]: step["quantity"] for step in proposal.plan}:
                raise StateConflict("The collateral has changed since the proposal: propose again")
        _end(loan, proposal, Actor.staff(user.pk, str(user)))
        return _decide(proposal, EndingStatus.CONFIRMED, user)


def decline_ending(*, proposal_id: UUID, user: StaffUser) -> EndingProposal:
    """Closes a proposal without effect; whoever proposed it may do so too."""
    _allowed(user)
    with transaction.atomic():
        return _decide(_pending(proposal_id, lock=True), EndingStatus.DECLINED, user)


def _plan(loan: Loan, owing: Decimal) -> list[dict[str, Any]]:
    """What of each collateral would pass to the creditor at today's prices."""
    steps = []
    left = owing
    for row, token in open_collateral(loan):
        if has_ended(token):
            price = Decimal(0)
        elif problem := price_problem(token):
            raise Refused(problem, code="price_unavailable")
        else:
            price = token.price_sell
        passed = Decimal(0)
        if price > 0 and left > 0:
            needed = (left / price).quantize(_UNIT, rounding=ROUND_UP)
            passed = min(needed, row.quantity)
        value = round_to(passed * price, currencies()[loan.currency_id].decimals)
        value = min(value, left)
        left -= value
        steps.append(
            {
                "token_id": str(token.id),
                "symbol": token.symbol,
                "price": plain(price),
                "quoted_at": token.quoted_at.isoformat() if token.quoted_at else None,
                "quantity": plain(row.quantity),
                "passed": plain(passed),
                "value": plain(value),
            }
        )
    return steps


def _end(loan: Loan, proposal: EndingProposal, actor: Actor) -> None:
    liquidates = proposal.action == EndingAction.LIQUIDATE
    passed = {UUID(step["token_id"]): Decimal(step["passed"]) for step in proposal.plan}
    money = loan.currency_id
    principal = principal_owed(loan)
    legs = [
        Leg(
            open_account(money, AccountKind.PRINCIPAL, organisation_id=loan.creditor_id),
            -principal,
        ),
        Leg(system_account(money, AccountKind.LOANS), principal),
    ]
    borrower = {"organisation_id": loan.organisation_id, "member_id": loan.borrower_id}
    for row, _token in open_collateral(loan):
        asset = str(row.token_id)
        given = passed.get(row.token_id, Decimal(0))
        legs += [
            Leg(open_account(asset, AccountKind.LIEN, **borrower), -row.quantity),
            Leg(open_account(asset, AccountKind.AVAILABLE, **borrower), row.quantity - given),
            Leg(
                open_account(asset, AccountKind.AVAILABLE, organisation_id=loan.creditor_id), given
            ),
        ]
    post_transfer(
        kind=TransferKind.LOAN_LIQUIDATE if liquidates else TransferKind.LOAN_WRITE_OFF,
        reference=f"loan:{loan.id}:end",
        subject_id=loan.id,
        actor=actor,
        memo=proposal.note[:300],
        legs=[leg for leg in legs if leg.amount],
    )
    loan.status = LoanStatus.LIQUIDATED if liquidates else LoanStatus.WRITTEN_OFF
    loan.closed_at = timezone.now()
    loan.save(update_fields=["status", "closed_at"])
    loan.refresh_from_db()
    review_collateral(loan)
    if liquidates:
        tell(
            loan,
            LIQUIDATED,
            f',"liquidation":{{"owed":{plain(proposal.owed)},'
            f'"value_passed":{plain(proposal.value_passed)},'
            f'"deficiency":{plain(proposal.deficiency)}}}',
        )


def _held(loan: Loan) -> dict[str, str]:
    return {str(row.token_id): plain(row.quantity) for row, _token in open_collateral(loan)}


def _defaulted(loan_id: UUID) -> Loan:
    held = Loan.objects.filter(id=loan_id).values_list(
        "collaterals__token_id", "collaterals__quantity"
    )
    lock_tokens(tuple(Pledge(token, quantity) for token, quantity in held if token))
    loan = (
        Loan.objects.select_for_update(of=("self",), no_key=True)
        .select_related("borrower")
        .filter(id=loan_id)
        .first()
    )
    if loan is None:
        raise LoanNotFound
    if loan.status != LoanStatus.DEFAULTED:
        raise StateConflict(f"Only a DEFAULTED loan can be ended: it is {loan.status}")
    return loan


def _pending(proposal_id: UUID, *, lock: bool = False) -> EndingProposal:
    found = EndingProposal.objects.filter(id=proposal_id)
    if lock:
        found = found.select_for_update(of=("self",), no_key=True)
    proposal = found.first()
    if proposal is None:
        raise NotFound("Proposal not found", code="proposal_not_found")
    if proposal.status != EndingStatus.PENDING:
        by = f" by {proposal.decided_by}" if proposal.decided_by else ""
        raise StateConflict(f"The proposal is {proposal.status}{by}, no longer Pending")
    return proposal


def _decide(proposal: EndingProposal, status: EndingStatus, user: StaffUser) -> EndingProposal:
    proposal.status = status
    proposal.decided_by = user
    proposal.decided_at = timezone.now()
    proposal.save(update_fields=["status", "decided_by", "decided_at"])
    return proposal


def _allowed(user: StaffUser) -> None:
    if not (user.is_active and user.is_staff and user.has_perm(PERMISSION)):
        raise Forbidden("You may not decide about loans")
