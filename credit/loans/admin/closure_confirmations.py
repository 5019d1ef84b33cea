"""What is asked before a defaulted loan is ended: of who proposes it, and of who confirms it."""

from __future__ import annotations

from decimal import Decimal

from credit.loans.admin.closure_plan import build_plan_sections, describe_blockers, draft_closure
from credit.loans.models import ClosureAction, ClosureProposal, Loan
from credit.loans.services import closures
from credit.loans.services.valuation import amount_owed, open_collateral
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import record_link
from exchange.core.currencies import format_money
from exchange.core.errors import DomainError
from exchange.core.numbers import format_units
from exchange.staff.models import StaffUser

_EXPLANATIONS = {
    ClosureAction.LIQUIDATE: "Units pass to the creditor at the prices shown, up to what is owed; "
    "the rest returns to the borrower, and what is not covered is recorded as deficiency. Somebody "
    "else must confirm it within 24 hours; until then nothing moves.",
    ClosureAction.WRITE_OFF: "The creditor gives up what is owed and all units return to the "
    "borrower. Somebody else must confirm it; until then nothing moves.",
}


def build_proposal_confirmation(loan: Loan, action: ClosureAction) -> Confirmation:
    """Asked of who proposes: every figure that would be frozen now."""
    title = f"Propose: {action.label.lower()}"
    try:
        draft = draft_closure(loan, action)
    except DomainError as error:
        return Confirmation(title, (), "", "", blocker=error.message)
    facts = [*_parties(loan), *_current_state(loan)]
    code = loan.currency_id
    for step in draft.plan:
        passed, price = Decimal(step["passed"]), Decimal(step["price"])
        would_pass = f"{format_units(passed)} at {format_money(price, code)}"
        facts.append((f"{step['symbol']} that would pass", would_pass))
    if action == ClosureAction.LIQUIDATE:
        facts += [
            ("Value of the units that would pass", format_money(draft.value_passed, code)),
            ("Deficiency: owed and not covered", format_money(draft.deficiency, code)),
        ]
    return Confirmation(
        title=title,
        facts=facts,
        text=_EXPLANATIONS[action],
        submit=f"Propose to {action.label.lower()}",
        sections=build_plan_sections(loan, draft),
        final=True,
    )


def build_closure_confirmation(
    loan: Loan, proposal: ClosureProposal, user: StaffUser
) -> Confirmation:
    """What is asked before `proposal` is carried out: what moves now, and what is given up."""
    facts = [*_parties(loan), *_proposal_facts(proposal)]
    closed = closures.CLOSURES.describe_closed(proposal)
    blocker = closed or " ".join(describe_blockers(user, loan, proposal))
    if blocker:
        return Confirmation("", facts, "", "", blocker=blocker)
    code, action = loan.currency_id, ClosureAction(proposal.action)
    owing = format_money(amount_owed(loan), code)
    facts += _current_state(loan)
    final = closures.set_final_plan(proposal, loan)
    sections = build_plan_sections(loan, final)
    if action == ClosureAction.WRITE_OFF:
        words = (
            f"The creditor gives up {owing} and all units return to the borrower. Final: it "
            "cannot be undone."
        )
        return Confirmation(
            title=f"Write off {owing} of {loan.borrower.name}?",
            facts=facts,
            text=words,
            submit=f"Yes, write off {owing}",
            sections=sections,
            final=True,
        )
    passes = format_money(final.final_value or Decimal(0), code)
    facts += [
        ("Value of the units that pass", passes),
        (
            "Deficiency: owed and not covered",
            format_money(final.final_deficiency or Decimal(0), code),
        ),
    ]
    return Confirmation(
        title=f"Liquidate the loan of {loan.borrower.name}?",
        facts=facts,
        text=f"Units worth {passes} pass to the creditor as shown below, the rest returns to the "
        "borrower. Final: it cannot be undone.",
        submit=f"Yes, liquidate: {passes} of {owing}",
        sections=sections,
        final=True,
    )


def build_decline_confirmation(
    loan: Loan, proposal: ClosureProposal, user: StaffUser
) -> Confirmation:
    """Asked before a proposal is closed without effect, by who made it or by anybody else."""
    own = proposal.proposed_by_id == user.pk
    what = f"the proposal to {proposal.get_action_display().lower()}"
    return Confirmation(
        title=f"Take back {what}?" if own else f"Decline {what}?",
        facts=[*_parties(loan), *_proposal_facts(proposal)],
        text="Nothing moves, and the loan stays in default. It can be proposed again.",
        submit="Yes, take it back" if own else "Yes, decline it",
        blocker=closures.CLOSURES.describe_closed(proposal),
    )


def _parties(loan: Loan) -> list[tuple[str, object]]:
    return [("Borrower", record_link(loan.borrower)), ("Creditor", record_link(loan.creditor))]


def _current_state(loan: Loan) -> list[tuple[str, object]]:
    pledged = [
        f"{format_units(row.quantity)} {token.symbol}" for row, token in open_collateral(loan)
    ]
    return [
        ("Owed now", format_money(amount_owed(loan), loan.currency_id)),
        ("Pledged now", ", ".join(pledged) or "nothing"),
    ]


def _proposal_facts(proposal: ClosureProposal) -> list[tuple[str, object]]:
    return [
        ("Proposed", proposal.get_action_display()),
        ("Proposed by", proposal.proposed_by),
        ("Proposed (UTC)", f"{proposal.created_at:%Y-%m-%d %H:%M:%S}"),
        ("Why", proposal.note),
    ]
