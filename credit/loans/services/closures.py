"""Closure of a defaulted loan under dual control: liquidation or write-off.

Liquidation passes the cash collateral to the creditor, then pledged units in their listed order, at
the prices frozen in the proposal, up to the amount owed; units are rounded up to the last decimal.
The rest is returned to the borrower, and an uncovered amount is recorded as deficiency. Units that
a final distribution pays for, now or later, stay in lien for the deficiency: the creditor has a
claim on their proceeds (`claims`). Once the distribution is cancelled, another liquidation passes
them. A write-off gives up the amount owed and returns the collateral.

A proposal sets the maximum. Payments and additional collateral do not invalidate it: the plan is
recalculated within it (`final_plan`), and added collateral is returned to the borrower.
"""

from datetime import timedelta
from decimal import ROUND_UP, Context, Decimal
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from credit.loans.models import (
    ClosureAction,
    ClosureProposal,
    ClosureStatus,
    Collateral,
    Loan,
    LoanStatus,
)
from credit.loans.services.lending import (
    borrower_account,
    creditor_account,
    lock_collateral,
    lock_loan,
)
from credit.loans.services.loan_events import LIQUIDATED, WRITTEN_OFF, emit_loan_event
from credit.loans.services.shortfalls import revalue_collateral
from credit.loans.services.valuation import (
    amount_owed,
    awaits_proceeds,
    is_delisted,
    net_price,
    price_problem,
    principal_owed,
)
from exchange.core.actors import Actor
from exchange.core.currencies import currencies
from exchange.core.database import fetch_one, violated_constraint
from exchange.core.errors import Conflict, Rejected, StateConflict
from exchange.core.numbers import TOKEN_DECIMALS, format_plain, round_half_even
from exchange.core.text import clean_text
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import StaffUser
from exchange.tokens.errors import RecordPending
from exchange.tokens.models import Token
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

    Raises `Forbidden`, `LoanNotFound`, `StateConflict` as `require_closable`, `Rejected`
    (`price_unavailable`), `InvalidRequest` without a note, `Conflict` while another proposal is
    pending.
    """
    _require_decider(user)
    note = clean_text(note, missing="Enter a note that explains the proposal")
    with transaction.atomic():
        loan = _lock_closable_loan(loan_id, action)
        owing = amount_to_cover(loan)
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

    Raises `Forbidden`, `NotFound`, `StateConflict` (decided, as `require_closable`, what its units
    pay is still to come, fewer are pledged than proposed, or final distributions of them have
    changed), `Rejected` (`approver_not_independent`, `prices_expired`), `RecordPending`.
    """
    actor = _require_decider(user)
    with transaction.atomic():
        # Lock order: tokens, loan, proposal.
        proposal = CLOSURES.get_approvable(proposal_id, user, lock=False)
        loan = _lock_closable_loan(proposal.loan_id, ClosureAction(proposal.action))
        proposal = CLOSURES.get_pending(proposal_id)
        if proposal.action == ClosureAction.LIQUIDATE:
            tokens = [token for _row, token, _units in units_in_lien(loan)]
            require_recorded(token.id for token in tokens if not token.units_held)
            if fetch_one("SELECT income_awaited(%s)", [loan.pk]) != (False,):
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
            if changed := changed_proceeds(loan, proposal):
                raise StateConflict(f"{changed}; propose again")
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
    for _row, token, units in units_in_lien(loan):
        if awaits_proceeds(token) or is_delisted(token):
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
            "quantity": format_plain(units),
        }
        pledged.append((step, units))
    return _allocate(pledged, owing, loan)


def set_final_plan(proposal: ClosureProposal, loan: Loan) -> ClosureProposal:
    """Set the final amounts on the unsaved proposal: for the amount owed now, at its prices, and
    never more units of a token than in its plan.
    """
    owing, cash = amount_to_cover(loan), Decimal(0)
    if proposal.action == ClosureAction.LIQUIDATE:
        cash = min(loan.cash_collateral, owing)
    most = [(step, Decimal(step["passed"])) for step in proposal.plan]
    proposal.final_plan = _allocate(most, owing - cash, loan)
    proposal.final_owed = owing
    proposal.final_cash = cash
    proposal.final_value = cash + plan_value(proposal.final_plan)
    proposal.final_deficiency = owing - proposal.final_value
    return proposal


def exceeds_pledged(loan: Loan, proposal: ClosureProposal) -> bool:
    """Whether the plan transfers more units of a token than are pledged."""
    held = {str(token.id): units for _row, token, units in units_in_lien(loan)}
    return any(
        held.get(step["token_id"], Decimal(0)) < Decimal(step["passed"]) for step in proposal.plan
    )


def changed_proceeds(loan: Loan, proposal: ClosureProposal) -> str:
    """Return which tokens a final distribution pays for, or pays for no more, since the proposal
    passed, or left, units of theirs; empty if none.
    """
    planned = {step["token_id"]: step for step in proposal.plan}
    found = [
        token.symbol
        for _row, token, _units in units_in_lien(loan)
        if (step := planned.get(str(token.id)))
        and (Decimal(step["passed"]) if awaits_proceeds(token) else units_left(step))
    ]
    return f"A final distribution of {', '.join(found)} was recorded or ended" if found else ""


def units_in_lien(loan: Loan) -> list[tuple[Collateral, Token, Decimal]]:
    """Return the units in lien for the loan, in the order of liquidation.

    Of a closed loan: those that a liquidation left there.
    """
    rows = Collateral.objects.filter(loan=loan).select_related("token").order_by("position")
    found = ((row, row.token, row.claimed if loan.closed_at else row.quantity) for row in rows)
    return [(row, token, units) for row, token, units in found if units]


def amount_to_cover(loan: Loan) -> Decimal:
    """Return the outstanding balance of an open loan, the claim of a liquidated one."""
    return loan.claim if loan.closed_at else amount_owed(loan)


def list_actions(loan: Loan) -> list[ClosureAction]:
    """Return what two people can do: close a loan in default, or liquidate units that a liquidation
    left in lien and no final distribution pays for any more.
    """
    if loan.status == LoanStatus.DEFAULTED:
        return list(ClosureAction)
    is_lifted = not all(awaits_proceeds(token) for _row, token, _units in units_in_lien(loan))
    return [ClosureAction.LIQUIDATE] if loan.claim and is_lifted else []


def require_closable(loan: Loan, action: ClosureAction) -> None:
    """Raise `StateConflict` unless `list_actions` has the action."""
    if action not in list_actions(loan):
        raise StateConflict(f"Only a DEFAULTED loan can be closed: it is {loan.status}")


def plan_value(plan: list[PlanStep]) -> Decimal:
    """Return the total value of the units to transfer."""
    return sum((Decimal(step["value"]) for step in plan), Decimal(0))


def lapse_proposals(loan: Loan) -> None:
    """Close pending proposals of a repaid loan, within the open transaction."""
    ClosureProposal.objects.filter(loan=loan, status=ClosureStatus.PENDING).update(
        status=ClosureStatus.LAPSED, decided_at=timezone.now()
    )


def units_left(step: PlanStep) -> Decimal:
    """Return the units that stay in lien. Plans of earlier versions leave none."""
    return Decimal(step.get("left", 0))


def _allocate(
    pledged: list[tuple[PlanStep, Decimal]], owing: Decimal, loan: Loan
) -> list[PlanStep]:
    """Return the steps with units to transfer: at most those given, up to the amount owed.

    Units that a final distribution pays for are left in lien, unless the others cover all.
    """
    decimals = currencies()[loan.currency_id].decimals
    awaited = {
        str(token.id): units for _row, token, units in units_in_lien(loan) if awaits_proceeds(token)
    }
    steps, left = [], owing
    for step, most in pledged:
        price, passed = Decimal(step["price"]), Decimal(0)
        if price > 0 and left > 0:
            passed = min(_units_for(left, price), most)
        value = min(round_half_even(passed * price, decimals), left)
        left -= value
        steps.append({**step, "passed": format_plain(passed), "value": format_plain(value)})
    for step in steps:
        kept = awaited.get(step["token_id"], Decimal(0)) if left else Decimal(0)
        step["left"] = format_plain(kept)
    return steps


def _units_for(amount: Decimal, price: Decimal) -> Decimal:
    """Return the fewest units worth `amount`, rounded up to the last decimal."""
    return _EXACT.divide(amount, price).quantize(_UNIT, rounding=ROUND_UP, context=_EXACT)


def _close_loan(loan: Loan, proposal: ClosureProposal, actor: Actor) -> None:
    liquidates = proposal.action == ClosureAction.LIQUIDATE
    owing, deficiency = amount_to_cover(loan), proposal.final_deficiency or Decimal(0)
    plan = {step["token_id"]: step for step in proposal.final_plan or []}
    # Its closure has settled the principal.
    is_closed = loan.closed_at is not None
    money = loan.currency_id
    principal = Decimal(0) if is_closed else principal_owed(loan)
    legs = [
        Leg(creditor_account(loan, AccountKind.PRINCIPAL), -principal),
        Leg(system_account(money, AccountKind.LOANS), principal),
    ]
    if cash := loan.cash_collateral:
        given = proposal.final_cash
        legs += [
            Leg(borrower_account(loan, AccountKind.LIEN), -cash),
            Leg(borrower_account(loan, AccountKind.AVAILABLE), cash - given),
            Leg(creditor_account(loan, AccountKind.AVAILABLE), given),
        ]
    borrower = {"organisation_id": loan.organisation_id, "member_id": loan.borrower_id}
    for row, _token, units in units_in_lien(loan):
        asset = str(row.token_id)
        step = plan.get(asset, {})
        if row.claimed != units_left(step):
            row.claimed = units_left(step)
            row.save(update_fields=["claimed"])
        if row.claimed:
            continue
        given = Decimal(step.get("passed", 0))
        legs += [
            Leg(open_account(asset, AccountKind.LIEN, **borrower), -units),
            Leg(open_account(asset, AccountKind.AVAILABLE, **borrower), units - given),
            Leg(
                open_account(asset, AccountKind.AVAILABLE, organisation_id=loan.creditor_id), given
            ),
        ]
    post_transfer(
        kind=TransferKind.LOAN_LIQUIDATE if liquidates else TransferKind.LOAN_WRITE_OFF,
        reference=f"loan:{loan.id}:end" + (f":{proposal.id}" if is_closed else ""),
        subject_id=loan.id,
        actor=actor,
        memo=proposal.note[:300],
        legs=[leg for leg in legs if leg.amount],
    )
    loan.status = LoanStatus.LIQUIDATED if liquidates else LoanStatus.WRITTEN_OFF
    loan.cash_collateral = Decimal(0)
    if is_closed or any(units_left(step) for step in plan.values()):
        loan.claim = deficiency
    loan.closed_at = loan.closed_at or timezone.now()
    loan.save(update_fields=["status", "cash_collateral", "claim", "closed_at"])
    loan.refresh_from_db()
    if not is_closed:
        revalue_collateral(loan)
    if not liquidates:
        emit_loan_event(loan, WRITTEN_OFF, f',"write_off":{{"owed":{format_plain(owing)}}}')
    else:
        emit_loan_event(
            loan,
            LIQUIDATED,
            f',"liquidation":{{"owed":{format_plain(owing)},'
            f'"value_passed":{format_plain(owing - deficiency)},'
            f'"deficiency":{format_plain(deficiency)}}}',
        )


def _lock_closable_loan(loan_id: UUID, action: ClosureAction) -> Loan:
    lock_collateral(loan_id)
    loan = lock_loan(id=loan_id)
    require_closable(loan, action)
    return loan


def _require_decider(user: StaffUser) -> Actor:
    return authorize_staff(user, PERMISSION, "You may not close loans")
