"""Closure of a defaulted loan under dual control: liquidation or write-off.

Liquidation passes the cash collateral to the creditor, then pledged units in their listed order, at
the prices frozen in the proposal, up to the amount owed; units are rounded up to the last decimal.
The rest is returned to the borrower, and an uncovered amount is recorded as deficiency. A write-off
gives up the amount owed and returns the collateral.

A proposal sets the maximum. Payments and additional collateral do not invalidate it: the plan is
recalculated within it (`final_plan`), and added collateral is returned to the borrower.
"""

from datetime import timedelta
from decimal import ROUND_UP, Context, Decimal
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from credit.loans.models import ClosureAction, ClosureProposal, ClosureStatus, Loan, LoanStatus
from credit.loans.services.lending import borrower_account, lock_collateral, lock_loan
from credit.loans.services.loan_events import LIQUIDATED, emit_loan_event
from credit.loans.services.shortfalls import revalue_collateral
from credit.loans.services.valuation import (
    amount_owed,
    is_delisted,
    net_price,
    open_collateral,
    price_problem,
    principal_owed,
)
from exchange.core.actors import Actor
from exchange.core.currencies import currencies
from exchange.core.database import violated_constraint
from exchange.core.errors import Conflict, Rejected, StateConflict
from exchange.core.numbers import TOKEN_DECIMALS, format_plain, round_half_even
from exchange.core.text import clean_text
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import StaffUser
from exchange.tokens.errors import RecordPending
from exchange.tokens.selectors.tokens import require_recorded
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, open_account, post_transfer, system_account

# One item of collateral in a plan; see `ClosureProposal`.
PlanStep = dict[str, Any]
PERMISSION = "credit.close_loan"
CLOSURES = TwoPersonApproval(
    model=ClosureProposal,
    noun="proposal",
    permission=PERMISSION,
    unique_constraint="closure_pending_once",
    independence_message="Someone other than the proposer must confirm this",
)
# Proposed prices expire after this time.
PRICE_VALIDITY = timedelta(hours=24)
_FINAL = ("final_plan", "final_owed", "final_cash", "final_value", "final_deficiency")
# Amount divided by price needs more digits than the default context has.
_EXACT = Context(prec=80)
_UNIT = Decimal(1).scaleb(-TOKEN_DECIMALS)


def propose_closure(
    *, loan_id: UUID, action: ClosureAction, note: str, user: StaffUser
) -> ClosureProposal:
    """Propose a closure, freezing prices and units. Nothing moves before confirmation.

    Raises `Forbidden`, `LoanNotFound`, `StateConflict` for a loan that is not DEFAULTED,
    `Rejected` (`price_unavailable`), `InvalidRequest` without a note, `Conflict` while another
    proposal is pending.
    """
    _require_decider(user)
    note = clean_text(note, missing="Enter a note that explains the proposal")
    with transaction.atomic():
        loan = _lock_defaulted_loan(loan_id)
        owing = amount_owed(loan)
        return CLOSURES.propose(
            Conflict("Another proposal for this loan is pending", code="proposal_pending"),
            loan=loan,
            action=action,
            note=note,
            owed=owing,
            proposed_by=user,
            **plan_closure(loan, action, owing),
        )


def confirm_closure(*, proposal_id: UUID, user: StaffUser) -> ClosureProposal:
    """Confirm a proposal as the second person: the loan becomes LIQUIDATED or WRITTEN_OFF.

    Raises `Forbidden`, `NotFound`, `StateConflict` (decided, the loan is no longer DEFAULTED, what
    its units pay is still to come, or fewer are pledged than proposed), `Rejected`
    (`approver_not_independent`, `prices_expired`), `RecordPending`, `UnitsHeld`.
    """
    actor = _require_decider(user)
    with transaction.atomic():
        # Lock order: tokens, loan, proposal.
        proposal = CLOSURES.get_approvable(proposal_id, user, lock=False)
        loan = _lock_defaulted_loan(proposal.loan_id)
        proposal = CLOSURES.get_pending(proposal_id)
        if proposal.action == ClosureAction.LIQUIDATE:
            require_recorded(row.token_id for row, _token in open_collateral(loan))
            if loan.cash_funded or loan.cash_expected:
                raise StateConflict(
                    "The pledged units are about to pay to this loan: liquidate once they have"
                )
            if timezone.now() - proposal.created_at > PRICE_VALIDITY:
                raise Rejected(
                    "The proposed prices are older than 24 hours; propose again",
                    code="prices_expired",
                )
            if exceeds_pledged(loan, proposal):
                raise StateConflict("Fewer units are pledged than proposed; propose again")
        set_final_plan(proposal, loan)
        final = {name: getattr(proposal, name) for name in _FINAL}
        try:
            CLOSURES.close(proposal, ClosureStatus.APPROVED, user, **final)
        except IntegrityError as error:
            # The time of a record has come since the check above.
            if violated_constraint(error) == "closure_after_record":
                raise RecordPending from error
            raise
        _close_loan(loan, proposal, actor)
        return proposal


def decline_closure(*, proposal_id: UUID, user: StaffUser) -> ClosureProposal:
    """Reject a proposal; its proposer may do so too."""
    _require_decider(user)
    with transaction.atomic():
        return CLOSURES.close(CLOSURES.get_pending(proposal_id), ClosureStatus.REJECTED, user)


def plan_closure(loan: Loan, action: ClosureAction, owing: Decimal) -> dict[str, Any]:
    """Return what a closure would pass to the creditor now, as columns of its proposal.

    Raises `Rejected` (`price_unavailable`).
    """
    plan: list[PlanStep] = []
    cash = Decimal(0)
    if action == ClosureAction.LIQUIDATE:
        cash = min(loan.cash_collateral, owing)
        plan = liquidation_plan(loan, owing - cash)
    passed = cash + plan_value(plan)
    deficiency = max(owing - passed, Decimal(0))
    return {"plan": plan, "cash_passed": cash, "value_passed": passed, "deficiency": deficiency}


def liquidation_plan(loan: Loan, owing: Decimal) -> list[PlanStep]:
    """Return the units of each collateral to transfer to the creditor at current prices.

    Raises `Rejected` (`price_unavailable`).
    """
    pledged = []
    for row, token in open_collateral(loan):
        if is_delisted(token):
            price = Decimal(0)
        elif problem := price_problem(token):
            raise Rejected(problem, code="price_unavailable")
        else:
            price = net_price(token)
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
    """Set the final amounts on the unsaved proposal: for the amount owed now, at its prices, and
    never more units of a token than in its plan.
    """
    owing, cash = amount_owed(loan), Decimal(0)
    if proposal.action == ClosureAction.LIQUIDATE:
        cash = min(loan.cash_collateral, owing)
    most = [(step, Decimal(step["passed"])) for step in proposal.plan]
    proposal.final_plan = _allocate(most, owing - cash, loan.currency_id)
    proposal.final_owed = owing
    proposal.final_cash = cash
    proposal.final_value = cash + plan_value(proposal.final_plan)
    proposal.final_deficiency = owing - proposal.final_value
    return proposal


def exceeds_pledged(loan: Loan, proposal: ClosureProposal) -> bool:
    """Whether the plan transfers more units of a token than are pledged."""
    held = {str(row.token_id): row.quantity for row, _token in open_collateral(loan)}
    return any(
        held.get(step["token_id"], Decimal(0)) < Decimal(step["passed"]) for step in proposal.plan
    )


def plan_value(plan: list[PlanStep]) -> Decimal:
    """Return the total value of the units to transfer."""
    return sum((Decimal(step["value"]) for step in plan), Decimal(0))


def lapse_proposals(loan: Loan) -> None:
    """Close pending proposals of a repaid loan, within the open transaction."""
    ClosureProposal.objects.filter(loan=loan, status=ClosureStatus.PENDING).update(
        status=ClosureStatus.LAPSED, decided_at=timezone.now()
    )


def _allocate(
    pledged: list[tuple[PlanStep, Decimal]], owing: Decimal, currency: str
) -> list[PlanStep]:
    """Return the steps with units to transfer: at most those given, up to the amount owed."""
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
    """Return the fewest units worth `amount`, rounded up to the last decimal."""
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
    if cash := loan.cash_collateral:
        given = proposal.final_cash
        legs += [
            Leg(borrower_account(loan, AccountKind.LIEN), -cash),
            Leg(borrower_account(loan, AccountKind.AVAILABLE), cash - given),
            Leg(
                open_account(money, AccountKind.AVAILABLE, organisation_id=loan.creditor_id), given
            ),
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
    loan.cash_collateral = Decimal(0)
    loan.closed_at = timezone.now()
    loan.save(update_fields=["status", "cash_collateral", "closed_at"])
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
        raise StateConflict(f"Only a DEFAULTED loan can be closed: it is {loan.status}")
    return loan


def _require_decider(user: StaffUser) -> Actor:
    return authorize_staff(user, PERMISSION, "You may not close loans")
