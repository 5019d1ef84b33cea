"""What ending a loan would do or has done: the plan in tables, and what stands in its way."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from decimal import Decimal

from django.utils import timezone

from credit.models import EndingAction, EndingProposal, EndingStatus, Loan, LoanStatus
from credit.services import endings
from credit.services.valuation import open_collateral, owed, principal_owed
from exchange.admin.base import Section
from exchange.admin.show import moment, page_of
from exchange.admin.token_page import units
from exchange.errors import Conflict
from exchange.models import StaffUser, Token
from exchange.numbers import plain
from wallets.admin.show import money
from wallets.errors import StateConflict

_PEOPLE_NAMED = 8


def drafted(loan: Loan, action: EndingAction) -> EndingProposal:
    """What would be proposed now; not saved.

    Raises what the service would: `StateConflict` for a loan that is not DEFAULTED, `Conflict`
    while another proposal waits, `Refused` (`price_unavailable`).
    """
    if loan.status != LoanStatus.DEFAULTED:
        raise StateConflict(f"Only a DEFAULTED loan can be ended: it is {loan.status}")
    if loan.endings.filter(status=EndingStatus.PENDING).exists():
        raise Conflict("Another proposal for this loan waits", code="proposal_pending")
    owing = owed(loan)
    # The service's own plan: figures are worked out in one place.
    plan = endings._plan(loan, owing) if action == EndingAction.LIQUIDATE else []
    passed = sum((Decimal(step["value"]) for step in plan), Decimal(0))
    return EndingProposal(
        loan=loan,
        action=action,
        plan=plan,
        owed=owing,
        value_passed=passed,
        deficiency=max(owing - passed, Decimal(0)),
    )


def fingerprint(draft: EndingProposal) -> str:
    """Tells one draft from another with other figures: what somebody saw from what is so now."""
    pledged = [(str(row.token_id), plain(row.quantity)) for row, _ in open_collateral(draft.loan)]
    facts = json.dumps([draft.action, plain(draft.owed), draft.plan, pledged])
    return hashlib.sha256(facts.encode()).hexdigest()


def plan_sections(loan: Loan, proposal: EndingProposal, *, ended: bool = False) -> list[Section]:
    """What moves: of a draft, of a proposal with its frozen prices, or of what was done."""
    if proposal.action == EndingAction.WRITE_OFF:
        return _write_off(loan, proposal, ended=ended)
    code = loan.currency_id
    tokens = Token.objects.in_bulk([step["token_id"] for step in proposal.plan])
    by_id = {str(pk): token for pk, token in tokens.items()}
    rows = []
    for step in proposal.plan:
        quantity, passed = Decimal(step["quantity"]), Decimal(step["passed"])
        quoted = step["quoted_at"]
        rows.append(
            (
                page_of(by_id[step["token_id"]], step["symbol"]),
                money(Decimal(step["price"]), code),
                moment(datetime.fromisoformat(quoted)) if quoted else "-",
                units(quantity),
                units(passed),
                units(quantity - passed),
                money(Decimal(step["value"]), code),
            )
        )
    headings = (
        "Token", "Price", "Since (UTC)", "Units pledged", "Pass to the creditor",
        "Return to the borrower", "Value that passes",
    )  # fmt: skip
    sums = [
        ("Owed", money(proposal.owed, code)),
        ("Value of the units that pass", money(proposal.value_passed, code)),
        ("Deficiency: owed and not covered", money(proposal.deficiency, code)),
    ]
    title = "Liquidation: units that passed" if ended else "Liquidation: units that would pass"
    return [
        Section(title, headings, rows, right=(1, 3, 4, 5, 6), empty="Nothing is pledged."),
        Section("Liquidation: what it covers", ("What", "How much"), sums, right=(1,)),
    ]


def hindrances(user: StaffUser, loan: Loan, proposal: EndingProposal) -> list[str]:
    """Why `user` could not confirm it now, in words."""
    found = []
    if proposal.proposed_by_id == user.pk:
        found.append("Somebody else must confirm what you proposed.")
    if loan.status != LoanStatus.DEFAULTED:
        found.append(f"The loan is {loan.status}: only a DEFAULTED one can be ended.")
    elif owed(loan) != proposal.owed:
        now = money(owed(loan), loan.currency_id)
        found.append(f"What is owed has changed since the proposal: it is {now} now.")
    if proposal.action == EndingAction.LIQUIDATE:
        if timezone.now() - proposal.created_at > endings.PRICES_HOLD:
            found.append("Its prices are older than 24 hours.")
        held = {str(row.token_id): plain(row.quantity) for row, _ in open_collateral(loan)}
        if held != {step["token_id"]: step["quantity"] for step in proposal.plan}:
            found.append("The collateral has changed since the proposal.")
    return found


def others(proposal: EndingProposal) -> str:
    """Who may confirm it, in words."""
    people = StaffUser.objects.with_perm(
        endings.PERMISSION, backend="django.contrib.auth.backends.ModelBackend"
    ).filter(is_staff=True)
    people = people.exclude(pk=proposal.proposed_by_id)
    names = [str(user) for user in people.order_by("username")[: _PEOPLE_NAMED + 1]]
    if not names:
        return "nobody: no other member of staff may end loans"
    more = " and others" if len(names) > _PEOPLE_NAMED else ""
    return ", ".join(names[:_PEOPLE_NAMED]) + more


def _write_off(loan: Loan, proposal: EndingProposal, *, ended: bool) -> list[Section]:
    code = loan.currency_id
    principal = principal_owed(loan)
    rows = [
        (page_of(token, token.symbol), units(row.quantity)) for row, token in open_collateral(loan)
    ]
    sums = [
        ("Owed, and given up", money(proposal.owed, code)),
        ("Of it principal, the creditor's loss", money(principal, code)),
        ("Of it interest", money(owed(loan) - principal, code)),
    ]
    verb = "was given up" if ended else "would be given up"
    back = "returned" if ended else "would return"
    return [
        Section(f"Write-off: what {verb}", ("What", "How much"), sums, right=(1,)),
        Section(
            f"Write-off: units that {back} to the borrower", ("Token", "Units"), rows, right=(1,)
        ),
    ]
