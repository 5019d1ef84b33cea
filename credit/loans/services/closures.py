"""Ending a defaulted loan: one person proposes to liquidate or write off, another confirms.

Liquidation passes pledged units to the creditor, in the listed order, at the prices frozen when it
was proposed, up to what is owed; units are rounded up to the last decimal. The rest goes back to
the borrower, and what is not covered is recorded as deficiency. A write-off gives up what is owed
and gives the collateral back.

A proposal is the most that may pass. Payments and more collateral do not make it stale: what is
owed then is worked out anew within it (`final_plan`), and what was added goes back to the borrower.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import ROUND_UP, Context, Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from credit.loans.models import ClosureAction, ClosureProposal, ClosureStatus, Loan, LoanStatus
from credit.loans.services.lending import lock_collateral, lock_loan
from credit.loans.services.loan_events import LIQUIDATED, emit_loan_event
from credit.loans.services.shortfalls import revalue_collateral
from credit.loans.services.valuation import (
    amount_owed,
    is_delisted,
    open_collateral,
    price_problem,
    principal_owed,
)
from exchange.core.actors import Actor
from exchange.core.currencies import currencies
from exchange.core.errors import Conflict, Rejected, StateConflict
from exchange.core.numbers import TOKEN_DECIMALS, format_plain, round_half_even
from exchange.core.text import clean_text
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import StaffUser
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, open_account, post_transfer, system_account

# One collateral in a plan; see `EndingProposal`.
PlanStep = dict[str, Any]
PERMISSION = "credit.end_loan"
CLOSURES = TwoPersonApproval(
    model=ClosureProposal,
    noun="proposal",
    permission=PERMISSION,
    unique_constraint="ending_pending_once",
    independence_message="Somebody else must confirm what you proposed",
)
# A liquidation is confirmed within this time at the prices it was proposed with.
PRICE_VALIDITY = timedelta(hours=24)
_FINAL = ("final_plan", "final_owed", "final_value", "final_deficiency")
# Owed by a price has more digits than the default context keeps.
_EXACT = Context(prec=80)
_UNIT = Decimal(1).scaleb(-TOKEN_DECIMALS)


def propose_closure(
    *, loan_id: UUID, action: ClosureAction, note: str, user: StaffUser
) -> ClosureProposal:
    """Freezes prices and what would move. Nothing moves until another person confirms.

    Raises `Forbidden`, `LoanNotFound`, `StateConflict` for a loan that is not DEFAULTED,
    `Rejected` (`price_unavailable`), `InvalidRequest` without a note, `Conflict` while another
    proposal waits.
    """
    _require_decider(user)
    note = clean_text(note, missing="A proposal needs a note that says why")
    with transaction.atomic():
        loan = _lock_defaulted_loan(loan_id)
        owing = amount_owed(loan)
        plan = liquidation_plan(loan, owing) if action == ClosureAction.LIQUIDATE else []
        passed = plan_value(plan)
        return CLOSURES.propose(
            Conflict("Another proposal for this loan waits", code="proposal_pending"),
            loan=loan,
            action=action,
            note=note,
            plan=plan,
            owed=owing,
            value_passed=passed,
            deficiency=max(owing - passed, Decimal(0)),
            proposed_by=user,
        )


def confirm_closure(*, proposal_id: UUID, user: StaffUser) -> ClosureProposal:
    """Another person confirms, and the loan is LIQUIDATED or WRITTEN_OFF.

    Raises `Forbidden`, `NotFound`, `StateConflict` (decided, the loan is not DEFAULTED any more,
    or less is pledged than would pass), `Rejected` (`approver_not_independent`, `prices_expired`).
    """
    actor = _require_decider(user)
    with transaction.atomic():
        # Tokens and the loan are locked before the proposal.
        proposal = CLOSURES.get_approvable(proposal_id, user, lock=False)
        loan = _lock_defaulted_loan(proposal.loan_id)
        proposal = CLOSURES.get_pending(proposal_id)
        if proposal.action == ClosureAction.LIQUIDATE:
            if timezone.now() - proposal.created_at > PRICE_VALIDITY:
                raise Rejected(
                    "The prices of the proposal are older than 24 hours: propose again",
                    code="prices_expired",
                )
            if exceeds_pledged(loan, proposal):
                raise StateConflict("Less is pledged than would pass: propose again")
        set_final_plan(proposal, loan)
        figures = {name: getattr(proposal, name) for name in _FINAL}
        CLOSURES.close(proposal, ClosureStatus.CONFIRMED, user, **figures)
        _close_loan(loan, proposal, actor)
        return proposal


def decline_closure(*, proposal_id: UUID, user: StaffUser) -> ClosureProposal:
    """Closes a proposal without effect; whoever proposed it may do so too."""
    _require_decider(user)
    with transaction.atomic():
        return CLOSURES.close(CLOSURES.get_pending(proposal_id), ClosureStatus.DECLINED, user)


def liquidation_plan(loan: Loan, owing: Decimal) -> list[PlanStep]:
    """What of each collateral would pass to the creditor at today's prices.

    Raises `Rejected` (`price_unavailable`).
    """
    pledged = []
    for row, token in open_collateral(loan):
        if is_delisted(token):
            price = Decimal(0)
        elif problem := price_problem(token):
            raise Rejected(problem, code="price_unavailable")
        else:
            price = token.price_sell
        step = {
            "token_id": str(token.id),
            "symbol": token.symbol,
            "price": format_plain(price),
            "quoted_at": token.quoted_at.isoformat() if token.quoted_at else None,
            "quantity": format_plain(row.quantity),
        }
        pledged.append((step, row.quantity))
    return _allocate(pledged, owing, loan.currency_id)


def set_final_plan(proposal: ClosureProposal, loan: Loan) -> ClosureProposal:
    """Gives the proposal, unsaved, the figures of its end now: within its plan and at its prices,
    for what is owed now. Never more units of a token than the plan has.
    """
    owing = amount_owed(loan)
    most = [(step, Decimal(step["passed"])) for step in proposal.plan]
    proposal.final_plan = _allocate(most, owing, loan.currency_id)
    proposal.final_owed = owing
    proposal.final_value = plan_value(proposal.final_plan)
    proposal.final_deficiency = owing - proposal.final_value
    return proposal


def exceeds_pledged(loan: Loan, proposal: ClosureProposal) -> bool:
    """Whether less of some token is pledged than the plan would pass."""
    held = {str(row.token_id): row.quantity for row, _token in open_collateral(loan)}
    return any(
        held.get(step["token_id"], Decimal(0)) < Decimal(step["passed"]) for step in proposal.plan
    )


def plan_value(plan: list[PlanStep]) -> Decimal:
    """What the units that pass are worth together."""
    return sum((Decimal(step["value"]) for step in plan), Decimal(0))


def lapse_proposals(loan: Loan) -> None:
    """Closes what waits for a loan that was repaid; part of the open transaction."""
    ClosureProposal.objects.filter(loan=loan, status=ClosureStatus.PENDING).update(
        status=ClosureStatus.LAPSED, decided_at=timezone.now()
    )


def _allocate(
    pledged: list[tuple[PlanStep, Decimal]], owing: Decimal, currency: str
) -> list[PlanStep]:
    """The steps with what passes: at most the units given with each, up to what is owed."""
    decimals = currencies()[currency].decimals
    steps, left = [], owing
    for step, most in pledged:
        price, passed = Decimal(step["price"]), Decimal(0)
        if price > 0 and left > 0:
            passed = min(_units_for(left, price), most)
        value = min(round_half_even(passed * price, decimals), left)
        left -= value
        steps.append({**step, "passed": format_plain(passed), "value": format_plain(value)})
    return steps


def _units_for(amount: Decimal, price: Decimal) -> Decimal:
    """The fewest units worth `amount`, up to the last decimal."""
    return _EXACT.divide(amount, price).quantize(_UNIT, rounding=ROUND_UP, context=_EXACT)


def _close_loan(loan: Loan, proposal: ClosureProposal, actor: Actor) -> None:
    liquidates = proposal.action == ClosureAction.LIQUIDATE
    owing, deficiency = amount_owed(loan), proposal.final_deficiency or Decimal(0)
    passed = {UUID(step["token_id"]): Decimal(step["passed"]) for step in proposal.final_plan or []}
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
    revalue_collateral(loan)
    if liquidates:
        emit_loan_event(
            loan,
            LIQUIDATED,
            f',"liquidation":{{"owed":{format_plain(owing)},'
            f'"value_passed":{format_plain(owing - deficiency)},'
            f'"deficiency":{format_plain(deficiency)}}}',
        )


def _lock_defaulted_loan(loan_id: UUID) -> Loan:
    lock_collateral(loan_id)
    loan = lock_loan(id=loan_id)
    if loan.status != LoanStatus.DEFAULTED:
        raise StateConflict(f"Only a DEFAULTED loan can be ended: it is {loan.status}")
    return loan


def _require_decider(user: StaffUser) -> Actor:
    return authorize_staff(user, PERMISSION, "You may not decide about loans")
