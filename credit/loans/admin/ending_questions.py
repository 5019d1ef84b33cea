"""What is asked before a defaulted loan is ended: of who proposes it, and of who confirms it."""

from __future__ import annotations

from decimal import Decimal

from credit.loans.admin.loan_plan import blockers, drafted, plan_sections
from credit.loans.models import EndingAction, EndingProposal, Loan
from credit.loans.services import endings
from credit.loans.services.valuation import open_collateral, owed
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import record_link
from exchange.core.currencies import format_money
from exchange.core.errors import DomainError
from exchange.core.numbers import format_units
from exchange.staff.models import StaffUser

_WORDS = {
    EndingAction.LIQUIDATE: "Units pass to the creditor at the prices shown, up to what is owed; "
    "the rest returns to the borrower, and what is not covered is recorded as deficiency. Somebody "
    "else must confirm it within 24 hours; until then nothing moves.",
    EndingAction.WRITE_OFF: "The creditor gives up what is owed and all units return to the "
    "borrower. Somebody else must confirm it; until then nothing moves.",
}


def proposal_question(loan: Loan, action: EndingAction) -> Confirmation:
    """Asked of who proposes: every figure that would be frozen now."""
    title = f"Propose: {action.label.lower()}"
    try:
        draft = drafted(loan, action)
    except DomainError as error:
        return Confirmation(title, (), "", "", blocker=error.message)
    facts = [*_parties(loan), *_as_it_is(loan)]
    code = loan.currency_id
    for step in draft.plan:
        passed, price = Decimal(step["passed"]), Decimal(step["price"])
        would_pass = f"{format_units(passed)} at {format_money(price, code)}"
        facts.append((f"{step['symbol']} that would pass", would_pass))
    if action == EndingAction.LIQUIDATE:
        facts += [
            ("Value of the units that would pass", format_money(draft.value_passed, code)),
            ("Deficiency: owed and not covered", format_money(draft.deficiency, code)),
        ]
    return Confirmation(
        title=title,
        facts=facts,
        text=_WORDS[action],
        submit=f"Propose to {action.label.lower()}",
        sections=plan_sections(loan, draft),
        final=True,
    )


def ending_question(loan: Loan, proposal: EndingProposal, user: StaffUser) -> Confirmation:
    """What is asked before `proposal` is carried out: what moves now, and what is given up."""
    facts = [*_parties(loan), *_proposed(proposal)]
    closed = endings.ENDINGS.describe_closed(proposal)
    blocker = closed or " ".join(blockers(user, loan, proposal))
    if blocker:
        return Confirmation("", facts, "", "", blocker=blocker)
    code, action = loan.currency_id, EndingAction(proposal.action)
    owing = format_money(owed(loan), code)
    facts += _as_it_is(loan)
    final = endings.made_final(proposal, loan)
    sections = plan_sections(loan, final)
    if action == EndingAction.WRITE_OFF:
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


def declining_question(loan: Loan, proposal: EndingProposal, user: StaffUser) -> Confirmation:
    """Asked before a proposal is closed without effect, by who made it or by anybody else."""
    own = proposal.proposed_by_id == user.pk
    what = f"the proposal to {proposal.get_action_display().lower()}"
    return Confirmation(
        title=f"Take back {what}?" if own else f"Decline {what}?",
        facts=[*_parties(loan), *_proposed(proposal)],
        text="Nothing moves, and the loan stays in default. It can be proposed again.",
        submit="Yes, take it back" if own else "Yes, decline it",
        blocker=endings.ENDINGS.describe_closed(proposal),
    )


def _parties(loan: Loan) -> list[tuple[str, object]]:
    return [("Borrower", record_link(loan.borrower)), ("Creditor", record_link(loan.creditor))]


def _as_it_is(loan: Loan) -> list[tuple[str, object]]:
    pledged = [
        f"{format_units(row.quantity)} {token.symbol}" for row, token in open_collateral(loan)
    ]
    return [
        ("Owed now", format_money(owed(loan), loan.currency_id)),
        ("Pledged now", ", ".join(pledged) or "nothing"),
    ]


def _proposed(proposal: EndingProposal) -> list[tuple[str, object]]:
    return [
        ("Proposed", proposal.get_action_display()),
        ("Proposed by", proposal.proposed_by),
        ("Proposed (UTC)", f"{proposal.created_at:%Y-%m-%d %H:%M:%S}"),
        ("Why", proposal.note),
    ]
