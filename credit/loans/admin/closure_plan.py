"""Closure of a loan, planned or executed: sections of the plan, and blockers."""

from datetime import datetime
from decimal import Decimal

from django.utils import timezone

from credit.loans.models import ClosureAction, ClosureProposal, ClosureStatus, Loan
from credit.loans.services import closures
from credit.loans.services.valuation import amount_owed, open_collateral, principal_owed
from exchange.admin.base import Section
from exchange.admin.display import format_time, record_link
from exchange.core.currencies import format_money
from exchange.core.errors import Conflict, StateConflict
from exchange.core.numbers import format_grouped, format_units
from exchange.staff.models import StaffUser


def draft_closure(loan: Loan, action: ClosureAction) -> ClosureProposal:
    """Return the unsaved proposal that could be made now.

    Raises as the service does: `StateConflict`, `Conflict` while another proposal is pending,
    `Rejected` (`price_unavailable`).
    """
    closures.require_closable(loan, action)
    if loan.closure_proposals.filter(status=ClosureStatus.PENDING).exists():
        raise Conflict("Another proposal for this loan is pending", code="proposal_pending")
    owing = closures.amount_to_cover(loan)
    return ClosureProposal(
        loan=loan, action=action, owed=owing, **closures.plan_closure(loan, action, owing)
    )


def build_plan_sections(
    loan: Loan, proposal: ClosureProposal, *, closed: bool = False
) -> list[Section]:
    """Return the movements of a draft, of a pending proposal with its current amounts
    (`set_final_plan`), or of an executed closure.
    """
    if proposal.action == ClosureAction.WRITE_OFF:
        return _write_off_sections(loan)
    final = proposal.final_plan
    is_pending = final is not None and not closed
    leaves = _leaves_units(proposal)
    title = "Liquidation: units transferred" if closed else "Liquidation: units to transfer"
    headings = [
        "Token", "Price", "Quoted (UTC)", "Units pledged",
        *(["Maximum, as proposed"] if final is not None else []),
        "To lender" if closed else "To lender now" if is_pending else "To lender",
        *(["Left in lien"] if leaves else []),
        "Returned to borrower",
        "Value to lender",
    ]  # fmt: skip
    rows = _unit_rows(loan, proposal, closed=closed)
    right = tuple(n for n in range(1, len(headings)) if n != 2)
    return [
        Section(title, tuple(headings), rows, right=right, empty="No collateral pledged."),
        _coverage_section(proposal, loan.currency_id, closed=closed),
    ]


def _leaves_units(proposal: ClosureProposal) -> bool:
    plan = proposal.final_plan or proposal.plan
    return any(closures.units_left(step) for step in plan)


def _unit_rows(loan: Loan, proposal: ClosureProposal, *, closed: bool) -> list[tuple[object, ...]]:
    code, final = loan.currency_id, proposal.final_plan
    leaves = _leaves_units(proposal)
    steps = {step["token_id"]: step for step in proposal.plan}
    passing = {step["token_id"]: step for step in final or proposal.plan}
    rows: list[tuple[object, ...]] = []
    pledged = [(token, units) for _row, token, units in closures.units_in_lien(loan)]
    if closed:
        pledged = [(token, row.quantity) for row, token in open_collateral(loan)]
        if loan.closed_at and proposal.created_at > loan.closed_at:
            pledged = [
                (token, Decimal(steps[str(token.id)]["quantity"]))
                for token, _units in pledged
                if str(token.id) in steps
            ]
    for token, units in pledged:
        key = str(token.id)
        step = passing.get(key)
        passed = Decimal(step["passed"]) if step else Decimal(0)
        left = closures.units_left(step) if step else Decimal(0)
        quoted = step["quoted_at"] if step else None
        most = (format_units(Decimal(steps[key]["passed"])) if step else "added later",)
        rows.append(
            (
                record_link(token, token.symbol),
                format_money(Decimal(step["price"]), code) if step else "-",
                format_time(datetime.fromisoformat(quoted)) if quoted else "-",
                format_units(units),
                *(most if final is not None else ()),
                format_units(passed),
                *((format_units(left),) if leaves else ()),
                format_units(units - passed - left),
                format_money(Decimal(step["value"]) if step else Decimal(0), code),
            )
        )
    return rows


def _coverage_section(proposal: ClosureProposal, code: str, *, closed: bool) -> Section:
    """Return the coverage as proposed, and now or at closure."""
    lines = (
        ("Owed", proposal.owed, proposal.final_owed),
        ("Cash to lender", proposal.cash_passed, proposal.final_cash),
        ("Value to lender", proposal.value_passed, proposal.final_value),
        ("Deficiency", proposal.deficiency, proposal.final_deficiency),
    )
    title = "Liquidation: coverage"
    if proposal.final_owed is None:
        rows = [(item, format_money(amount, code)) for item, amount, _ in lines]
        return Section(title, ("Item", "Amount"), rows, right=(1,))
    both = [(item, format_money(then, code), format_money(now, code)) for item, then, now in lines]
    headings = ("Item", "As proposed", "At closure" if closed else "Now")
    return Section(title, headings, both, right=(1, 2))


def describe_changes(loan: Loan, proposal: ClosureProposal) -> list[str]:
    """Describe the changes since the proposal; they do not block its confirmation."""
    code = loan.currency_id
    found = []
    owing = closures.amount_to_cover(loan)
    paid = proposal.owed - owing
    if paid:
        found.append(
            f"{format_money(paid, code)} repaid since the proposal; "
            f"{format_money(owing, code)} outstanding. The amounts below are"
            " recalculated and never exceed the proposal."
        )
    if proposal.action == ClosureAction.LIQUIDATE:
        planned = {step["token_id"]: Decimal(step["quantity"]) for step in proposal.plan}
        added = [
            f"{format_grouped(more)} {token.symbol}"
            for _row, token, units in closures.units_in_lien(loan)
            if (more := units - planned.get(str(token.id), Decimal(0))) > 0
        ]
        if added:
            found.append(
                f"Collateral added since the proposal will be returned: {', '.join(added)}."
                " To include it, decline and propose again."
            )
    return found


def describe_blockers(user: StaffUser, loan: Loan, proposal: ClosureProposal) -> list[str]:
    """Describe why `user` cannot confirm the proposal now."""
    blocker = closures.CLOSURES.describe_blocker(proposal, user)
    found = [f"{blocker}."] if blocker else []
    try:
        closures.require_closable(loan, ClosureAction(proposal.action))
    except StateConflict as error:
        found.append(f"{error.message}.")
    if proposal.action == ClosureAction.LIQUIDATE:
        if timezone.now() - proposal.created_at > closures.PRICE_VALIDITY:
            found.append("The proposed prices are older than 24 hours.")
        if closures.exceeds_pledged(loan, proposal):
            found.append("Fewer units are pledged than proposed.")
        if changed := closures.changed_proceeds(loan, proposal):
            found.append(f"{changed}.")
    return found


def _write_off_sections(loan: Loan) -> list[Section]:
    code = loan.currency_id
    principal = principal_owed(loan)
    rows = [
        (record_link(token, token.symbol), format_units(row.quantity))
        for row, token in open_collateral(loan)
    ]
    sums = [
        ("Written off", format_money(amount_owed(loan), code)),
        ("Principal (loss of the creditor)", format_money(principal, code)),
        ("Interest", format_money(amount_owed(loan) - principal, code)),
        ("Cash returned to borrower", format_money(loan.cash_collateral, code)),
    ]
    return [
        Section("Write-off: amounts", ("Item", "Amount"), sums, right=(1,)),
        Section("Write-off: units returned to borrower", ("Token", "Units"), rows, right=(1,)),
    ]
