"""What ending a loan would do or has done: the plan in tables, and what stands in its way."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from django.utils import timezone

from credit.loans.models import ClosureAction, ClosureProposal, ClosureStatus, Loan, LoanStatus
from credit.loans.services import closures
from credit.loans.services.valuation import amount_owed, open_collateral, principal_owed
from exchange.admin.base import Section
from exchange.admin.display import format_time, record_link
from exchange.core.currencies import format_money
from exchange.core.errors import Conflict, StateConflict
from exchange.core.numbers import format_units
from exchange.staff.models import StaffUser


def draft_closure(loan: Loan, action: ClosureAction) -> ClosureProposal:
    """What would be proposed now; not saved.

    Raises what the service would: `StateConflict` for a loan that is not DEFAULTED, `Conflict`
    while another proposal waits, `Rejected` (`price_unavailable`).
    """
    if loan.status != LoanStatus.DEFAULTED:
        raise StateConflict(f"Only a DEFAULTED loan can be ended: it is {loan.status}")
    if loan.closure_proposals.filter(status=ClosureStatus.PENDING).exists():
        raise Conflict("Another proposal for this loan waits", code="proposal_pending")
    owing = amount_owed(loan)
    plan = closures.liquidation_plan(loan, owing) if action == ClosureAction.LIQUIDATE else []
    passed = closures.plan_value(plan)
    return ClosureProposal(
        loan=loan,
        action=action,
        plan=plan,
        owed=owing,
        value_passed=passed,
        deficiency=max(owing - passed, Decimal(0)),
    )


def build_plan_sections(
    loan: Loan, proposal: ClosureProposal, *, ended: bool = False
) -> list[Section]:
    """What moves: of a draft, of a proposal that waits with what it comes to now (`made_final`),
    or of what was done.
    """
    if proposal.action == ClosureAction.WRITE_OFF:
        return _write_off_sections(loan, ended=ended)
    final = proposal.final_plan
    waits = final is not None and not ended
    title = "Liquidation: units that passed" if ended else "Liquidation: units that would pass"
    headings = [
        "Token", "Price", "Since (UTC)", "Units pledged",
        *(["At most, as proposed"] if final is not None else []),
        "Passed to the creditor" if ended else "Pass now" if waits else "Pass to the creditor",
        "Returned to the borrower" if ended else "Return to the borrower",
        "Value that passed" if ended else "Value that passes",
    ]  # fmt: skip
    rows = _unit_rows(loan, proposal)
    right = tuple(n for n in range(1, len(headings)) if n != 2)
    return [
        Section(title, tuple(headings), rows, right=right, empty="Nothing is pledged."),
        _coverage_section(proposal, loan.currency_id, ended=ended),
    ]


def _unit_rows(loan: Loan, proposal: ClosureProposal) -> list[tuple[object, ...]]:
    code, final = loan.currency_id, proposal.final_plan
    steps = {step["token_id"]: step for step in proposal.plan}
    passing = {step["token_id"]: step for step in final or proposal.plan}
    rows: list[tuple[object, ...]] = []
    for row, token in open_collateral(loan):
        key = str(token.id)
        step = passing.get(key)
        passed = Decimal(step["passed"]) if step else Decimal(0)
        quoted = step["quoted_at"] if step else None
        most = (format_units(Decimal(steps[key]["passed"])) if step else "added since",)
        rows.append(
            (
                record_link(token, token.symbol),
                format_money(Decimal(step["price"]), code) if step else "-",
                format_time(datetime.fromisoformat(quoted)) if quoted else "-",
                format_units(row.quantity),
                *(most if final is not None else ()),
                format_units(passed),
                format_units(row.quantity - passed),
                format_money(Decimal(step["value"]) if step else Decimal(0), code),
            )
        )
    return rows


def _coverage_section(proposal: ClosureProposal, code: str, *, ended: bool) -> Section:
    """What it covers: as proposed, and as it is now or was in the end."""
    lines = (
        ("Owed", proposal.owed, proposal.final_owed),
        ("Value of the units that pass", proposal.value_passed, proposal.final_value),
        ("Deficiency: owed and not covered", proposal.deficiency, proposal.final_deficiency),
    )
    title = "Liquidation: what it covers"
    if proposal.final_owed is None:
        rows = [(what, format_money(amount, code)) for what, amount, _ in lines]
        return Section(title, ("What", "How much"), rows, right=(1,))
    both = [(what, format_money(then, code), format_money(now, code)) for what, then, now in lines]
    headings = ("What", "As proposed", "In the end" if ended else "Now")
    return Section(title, headings, both, right=(1, 2))


def describe_changes(loan: Loan, proposal: ClosureProposal) -> list[str]:
    """What has changed since somebody proposed it, in words: it can be confirmed all the same."""
    code = loan.currency_id
    found = []
    paid = proposal.owed - amount_owed(loan)
    if paid:
        found.append(
            f"{format_money(paid, code)} was paid since the proposal: "
            f"{format_money(amount_owed(loan), code)} is"
            " owed now. The figures below are"
            " worked out anew; no more passes than was proposed."
        )
    if proposal.action == ClosureAction.LIQUIDATE:
        planned = {step["token_id"]: Decimal(step["quantity"]) for step in proposal.plan}
        added = [
            f"{format_units(row.quantity - planned.get(str(token.id), Decimal(0)))} {token.symbol}"
            for row, token in open_collateral(loan)
            if row.quantity > planned.get(str(token.id), Decimal(0))
        ]
        if added:
            found.append(
                f"Collateral was added since the proposal and would return: {', '.join(added)}."
                " To take it as well, decline and propose again."
            )
    return found


def describe_blockers(user: StaffUser, loan: Loan, proposal: ClosureProposal) -> list[str]:
    """Why `user` could not confirm it now, in words."""
    blocker = closures.CLOSURES.describe_blocker(proposal, user)
    found = [f"{blocker}."] if blocker else []
    if loan.status != LoanStatus.DEFAULTED:
        found.append(f"The loan is {loan.status}: only a DEFAULTED one can be ended.")
    if proposal.action == ClosureAction.LIQUIDATE:
        if timezone.now() - proposal.created_at > closures.PRICE_VALIDITY:
            found.append("Its prices are older than 24 hours.")
        if closures.exceeds_pledged(loan, proposal):
            found.append("Less is pledged than would pass.")
    return found


def _write_off_sections(loan: Loan, *, ended: bool) -> list[Section]:
    code = loan.currency_id
    principal = principal_owed(loan)
    rows = [
        (record_link(token, token.symbol), format_units(row.quantity))
        for row, token in open_collateral(loan)
    ]
    sums = [
        ("Owed, and given up", format_money(amount_owed(loan), code)),
        ("Of it principal, the creditor's loss", format_money(principal, code)),
        ("Of it interest", format_money(amount_owed(loan) - principal, code)),
    ]
    verb = "was given up" if ended else "would be given up"
    back = "returned" if ended else "would return"
    return [
        Section(f"Write-off: what {verb}", ("What", "How much"), sums, right=(1,)),
        Section(
            f"Write-off: units that {back} to the borrower", ("Token", "Units"), rows, right=(1,)
        ),
    ]
