"""Confirmation pages for proposing and confirming loan closures."""

from decimal import Decimal

from credit.loans.admin.closure_plan import build_plan_sections, describe_blockers, draft_closure
from credit.loans.models import ClosureAction, ClosureProposal, Loan
from credit.loans.services import closures
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import record_link
from exchange.core.currencies import format_money
from exchange.core.errors import DomainError
from exchange.core.numbers import format_grouped, format_units
from exchange.staff.models import StaffUser

_EXPLANATIONS = {
    ClosureAction.LIQUIDATE: "Units are transferred to the creditor at the prices shown, up to the "
    "outstanding amount. The rest is returned to the borrower; any uncovered amount is recorded as "
    "deficiency. Units of exited tokens and of tokens being redeemed stay in lien for it: their "
    "proceeds go to the creditor first. A second person must confirm within 24 hours; until then "
    "nothing moves.",
    ClosureAction.WRITE_OFF: "The outstanding amount is written off and all units are returned to "
    "the borrower. A second person must confirm; until then nothing moves.",
}


def build_proposal_confirmation(loan: Loan, action: ClosureAction) -> Confirmation:
    """Build the confirmation of proposing a closure, with every amount it would freeze."""
    title = f"Propose {action.noun}"
    try:
        draft = draft_closure(loan, action)
    except DomainError as error:
        return Confirmation(title, "", "", blocker=error.message)
    facts = [*_parties(loan), *_current_state(loan)]
    code = loan.currency_id
    for step in draft.plan:
        passed, price = Decimal(step["passed"]), Decimal(step["price"])
        transfer = f"{format_units(passed)} at {format_money(price, code)}"
        facts.append((f"{step['symbol']} to transfer", transfer))
    if action == ClosureAction.LIQUIDATE:
        facts += [
            ("Value to lender", format_money(draft.value_passed, code)),
            ("Deficiency", format_money(draft.deficiency, code)),
        ]
    return Confirmation(
        title=title,
        facts=facts,
        text=_EXPLANATIONS[action],
        submit=f"Propose {action.noun}",
        sections=build_plan_sections(loan, draft),
        final=True,
    )


def build_closure_confirmation(proposal: ClosureProposal, user: StaffUser) -> Confirmation:
    """Build the confirmation of executing `proposal`, with its current amounts."""
    loan, facts = proposal.loan, list_closure_facts(proposal)
    closed = closures.CLOSURES.describe_closed(proposal)
    blocker = closed or " ".join(describe_blockers(user, loan, proposal))
    if blocker:
        return Confirmation("", "", "", facts, blocker=blocker)
    code, action = loan.currency_id, ClosureAction(proposal.action)
    owing = format_money(closures.amount_to_cover(loan), code)
    facts += _current_state(loan)
    final = closures.set_final_plan(proposal, loan)
    sections = build_plan_sections(loan, final)
    if action == ClosureAction.WRITE_OFF:
        title = f"Write off {owing} owed by {loan.borrower.name}?"
        text = f"{owing} is written off and all units are returned to the borrower."
        submit = f"Write off {owing}"
    else:
        transferred = format_money(final.final_value or Decimal(0), code)
        deficiency = format_money(final.final_deficiency or Decimal(0), code)
        facts += [("Value to lender", transferred), ("Deficiency", deficiency)]
        title = f"Liquidate the loan of {loan.borrower.name}?"
        text = (
            f"Units worth {transferred} are transferred to the lender as shown below; the rest "
            "is returned to the borrower, unless it is left in lien."
        )
        submit = f"Liquidate {transferred} of {owing}"
    text = f"{text} This cannot be undone."
    return Confirmation(title, text, submit, facts, sections=sections, final=True)


def list_closure_facts(proposal: ClosureProposal) -> list[tuple[str, object]]:
    """Return the parties of the loan, and what is proposed."""
    return [
        *_parties(proposal.loan),
        ("Proposal", proposal.get_action_display()),
        ("Proposed by", proposal.proposed_by),
        ("Proposed (UTC)", f"{proposal.created_at:%Y-%m-%d %H:%M:%S}"),
        ("Note", proposal.note),
    ]


def _parties(loan: Loan) -> list[tuple[str, object]]:
    return [("Borrower", record_link(loan.borrower)), ("Lender", record_link(loan.creditor))]


def _current_state(loan: Loan) -> list[tuple[str, object]]:
    pledged = [
        f"{format_grouped(units)} {token.symbol}"
        for _row, token, units in closures.units_in_lien(loan)
    ]
    return [
        ("Outstanding", format_money(closures.amount_to_cover(loan), loan.currency_id)),
        ("Pledged collateral", ", ".join(pledged) or "none"),
        ("Cash collateral", format_money(loan.cash_collateral, loan.currency_id)),
    ]
