"""Contents of a loan's page. Read-only."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from credit.configurations.admin.terms import format_rate
from credit.loans.admin.closure_plan import build_plan_sections, describe_blockers, describe_changes
from credit.loans.models import (
    OPEN,
    ClosureAction,
    ClosureProposal,
    ClosureStatus,
    Loan,
    LoanStatus,
    Shortfall,
    Valuation,
)
from credit.loans.services import closures
from credit.loans.services.valuation import (
    amount_owed,
    principal_owed,
    value_collateral,
    value_loan,
)
from exchange.admin.base import Section, Tool
from exchange.admin.display import age, difference, format_time, record_link, status_badge
from exchange.admin.references import reference_facts
from exchange.core.currencies import currencies, format_money
from exchange.core.numbers import format_units, round_half_even
from exchange.events.models import Event
from exchange.participants.selectors import describe_actors
from exchange.staff.admin.pending import VIEW_ONLY, describe_approvers
from exchange.staff.models import StaffUser
from exchange.tokens.admin.token_page import Facts
from wallets.ledger.admin.legs import transfer_legs_section

_MAX_REPAYMENTS = 100

# CSS class of each status, from `exchange/admin.css`.
_TONES = {
    LoanStatus.ACTIVE: "good",
    LoanStatus.OVERDUE: "waiting",
    LoanStatus.DEFAULTED: "bad",
    LoanStatus.COMPLETED: "good",
    LoanStatus.LIQUIDATED: "calm",
    LoanStatus.WRITTEN_OFF: "calm",
}


def loan_state(loan: Loan) -> SafeString:
    """Return the status as a coloured label."""
    tone = _TONES[LoanStatus(loan.status)]
    return status_badge(loan.get_status_display().capitalize(), tone)


def is_open(loan: Loan) -> bool:
    """Whether the loan has an outstanding balance."""
    return loan.status in OPEN


def days_overdue(loan: Loan) -> int:
    """Return the whole days since an open loan was due; 0 if not overdue or closed."""
    if not is_open(loan):
        return 0
    return max((timezone.now() - loan.repayment_date).days, 0)


def format_ratio(rate: Decimal | None) -> str:
    """Format a loan-to-value as `80.01 %`; a dash without a value."""
    return "-" if rate is None else f"{rate * 100:,.2f} %"


def build_review(user: StaffUser, loan: Loan) -> dict[str, Any]:
    """Build the template context of the page."""
    proposals = list(loan.closure_proposals.select_related("proposed_by", "decided_by"))
    pending = next((p for p in proposals if p.status == ClosureStatus.PENDING), None)
    executed = [p for p in proposals if p.status == ClosureStatus.APPROVED]
    found: dict[str, Any] = {
        "loan": loan,
        "lede": format_html("{} ID {}", loan_state(loan), loan.pk),
        "sheets": [
            ("Parties", _parties(loan)),
            ("Terms", _terms(loan)),
            ("Outstanding balance", _balance(loan)),
            ("Collateral coverage", _coverage(loan)),
            ("Repayment account", _bank(loan)),
        ],
        "may_close": user.has_perm(closures.PERMISSION),
        "view_only": VIEW_ONLY,
        "pending": pending,
        "tabs": [
            ("Collateral", [_collateral(loan), _shortfalls(loan)]),
            (
                "Money",
                [
                    _repayments(loan),
                    *(
                        part
                        for each in executed
                        for part in build_plan_sections(loan, each, closed=True)
                    ),
                    _ledger(loan),
                ],
            ),
            ("History", [_proposals(loan, proposals), _events(loan)]),
        ],
    }
    if pending is not None:
        changes = describe_changes(loan, pending)
        plan = closures.set_final_plan(pending, loan) if changes else pending
        found |= {
            "action": ClosureAction(pending.action).noun,
            "proposed": age(pending.created_at),
            "changes": changes,
            "plan": build_plan_sections(loan, plan),
            "is_own": pending.proposed_by_id == user.pk,
            "blockers": describe_blockers(user, loan, pending),
            "others": describe_approvers(closures.PERMISSION, pending.proposed_by_id),
        }
    return found


def _parties(loan: Loan) -> Facts:
    return (
        ("Borrower", record_link(loan.borrower)),
        ("Email", loan.borrower.email),
        ("Borrower's organisation", record_link(loan.organisation)),
        ("Lender", record_link(loan.creditor)),
        ("Requested by", describe_actors([loan.requested_by])[0]),
        ("Disbursed (UTC)", format_time(loan.created_at)),
        ("Closed (UTC)", _format_moment(loan.closed_at)),
        ("Purpose", loan.reason or "-"),
        *reference_facts(loan),
    )


def _terms(loan: Loan) -> Facts:
    return (
        ("Configuration", record_link(loan.configuration, str(loan.version))),
        ("Principal", format_money(loan.amount, loan.currency_id)),
        ("Monthly interest rate", format_rate(loan.interest_rate)),
        ("Term", f"{loan.duration} months"),
        ("Total repayment", format_money(loan.repayment_amount, loan.currency_id)),
        ("Grace period", f"{loan.grace_period} {loan.grace_period_unit.lower()}"),
        ("Maximum LTV", format_rate(loan.collateral_ratio)),
    )


def _balance(loan: Loan) -> Facts:
    code = loan.currency_id
    interest = loan.repayment_amount - loan.amount
    defaults_at = loan.repayment_date + timedelta(days=loan.grace_period)
    closed = not is_open(loan)
    unpaid = loan.status in {LoanStatus.LIQUIDATED, LoanStatus.WRITTEN_OFF}
    suffix = " at closure" if unpaid else ""
    late = days_overdue(loan)
    return (
        (f"Outstanding{suffix}", format_money(amount_owed(loan), code)),
        (f"Outstanding principal{suffix}", format_money(principal_owed(loan), code)),
        (f"Outstanding interest{suffix}", format_money(interest - loan.interest_repaid, code)),
        *([("Unpaid claim of the lender", format_money(loan.claim, code))] if loan.claim else []),
        ("Principal repaid", format_money(loan.principal_repaid, code)),
        ("Interest repaid", format_money(loan.interest_repaid, code)),
        ("Due (UTC)", format_time(loan.repayment_date)),
        ("Days overdue", "-" if closed else status_badge(f"{late:,}", "bad") if late else "0"),
        ("Default date (UTC)", format_time(defaults_at)),
    )


def _coverage(loan: Loan) -> Facts:
    code = loan.currency_id
    found: list[tuple[str, object]] = []
    if is_open(loan):
        now = value_loan(loan)
        needed = principal_owed(loan) / loan.collateral_ratio
        ltv = principal_owed(loan) / now.value if now.value else None
        found += [
            ("Required value", _format_value(needed, code)),
            (
                "Market value",
                now.problem if now.value is None else _format_value(now.value, code),
            ),
            (
                "LTV",
                f"{format_ratio(ltv)}, maximum {format_rate(loan.collateral_ratio)}",
            ),
            ("Cash collateral, part of the value", format_money(loan.cash_collateral, code)),
        ]
        if now.delisted:
            found.append(("Delisted tokens (no value)", ", ".join(now.delisted)))
    last = Valuation.objects.filter(loan=loan).first()
    if last is None:
        return [*found, ("Last valuation (UTC)", "none")]
    return [
        *found,
        ("Last valuation (UTC)", format_time(last.valued_at)),
        ("Value at last valuation", format_money(last.value, code)),
        ("LTV at last valuation", format_ratio(last.loan_to_value)),
        ("Valuation problem", last.problem or "none"),
    ]


def _bank(loan: Loan) -> Facts:
    return (
        ("Bank", loan.bank_name or "-"),
        ("Bank code", loan.bank_code or "-"),
        ("Account number", loan.account_number or "-"),
    )


def _collateral(loan: Loan) -> Section:
    code = loan.currency_id
    rows = []
    for row in loan.collaterals.select_related("token"):
        token, found = row.token, value_collateral([(row.token, row.quantity)])
        rows.append(
            (
                record_link(token, token.symbol),
                format_units(row.quantity),
                format_money(row.pledged_price, code),
                _format_value(row.pledged_price * row.quantity, code),
                format_money(token.price_sell, code),
                _format_moment(token.quoted_at),
                "-" if found.value is None else _format_value(found.value, code),
                difference(row.pledged_price, token.price_sell),
                "Delisted: no collateral value" if found.delisted else found.problem or "-",
            )
        )
    headings = (
        "Token", "Units", "Price at pledge", "Value at pledge", "Current price", "Quoted (UTC)",
        "Market value", "Change", "Problem",
    )  # fmt: skip
    title = "Collateral" if is_open(loan) else "Collateral at closure"
    return Section(title, headings, rows, right=(1, 2, 3, 4, 6, 7))


def _shortfalls(loan: Loan) -> Section:
    code = loan.currency_id
    rows = [
        (
            format_time(found.opened_at),
            found.cause,
            format_money(found.required, code),
            format_money(found.value, code),
            format_money(found.required - found.value, code),
            format_time(found.cured_at) if found.cured_at else status_badge("Open"),
        )
        for found in Shortfall.objects.filter(loan=loan)
    ]
    headings = ("Opened (UTC)", "Cause", "Required value", "Value", "Shortfall", "Cured (UTC)")
    return Section("Margin calls", headings, rows, right=(2, 3, 4), empty="No margin calls.")


def _repayments(loan: Loan) -> Section:
    found = list(loan.repayments.order_by("-created_at", "-id")[:_MAX_REPAYMENTS])
    payers = describe_actors([payment.paid_by for payment in found])
    code = loan.currency_id
    rows = [
        (
            format_time(payment.created_at),
            format_money(payment.amount, code),
            format_money(payment.interest, code),
            format_money(payment.principal, code),
            format_money(payment.outstanding, code),
            payer,
        )
        for payment, payer in zip(found, payers, strict=True)
    ]
    headings = ("Time (UTC)", "Amount", "Interest", "Principal", "Outstanding after", "By")
    return Section("Repayments", headings, rows, right=(1, 2, 3, 4), empty="No repayments yet.")


def _proposals(loan: Loan, proposals: list[ClosureProposal]) -> Section:
    code = loan.currency_id
    rows = [
        (
            format_time(p.created_at),
            p.get_action_display(),
            status_badge(p.status),
            p.proposed_by,
            p.note,
            format_money(p.owed, code),
            format_money(p.value_passed, code),
            format_money(p.deficiency, code),
            p.decided_by or "-",
            _format_moment(p.decided_at),
        )
        for p in proposals
    ]
    headings = (
        "Proposed (UTC)", "Proposal", "Status", "Proposed by", "Note", "Outstanding",
        "Value to lender", "Deficiency", "Decided by", "Decided (UTC)",
    )  # fmt: skip
    return Section("Closure proposals", headings, rows, right=(5, 6, 7))


def _ledger(loan: Loan) -> Section:
    symbols = {
        str(pk): symbol for pk, symbol in loan.collaterals.values_list("token_id", "token__symbol")
    }
    address = f"{reverse('admin:wallets_transfer_changelist')}?q={loan.pk}"
    every = Tool("All transfers of this loan", address)
    claims = loan.incomes.filter(to_creditor__gt=0).values_list("pk", flat=True)
    return transfer_legs_section([loan.pk, *claims], symbols=symbols, more=every)


def _events(loan: Loan) -> Section:
    events = Event.objects.filter(subject_id=loan.pk).select_related("organisation")
    rows = [
        (
            format_time(e.created_at),
            record_link(e, e.type),
            e.organisation,
            status_badge(e.status),
            e.attempts,
        )
        for e in events.order_by("created_at", "id")
    ]
    headings = ("Time (UTC)", "Event", "Recipient", "Delivery", "Attempts")
    return Section("Webhook events", headings, rows, right=(4,))


def _format_value(value: Decimal, code: str) -> str:
    return format_money(round_half_even(value, currencies()[code].decimals), code)


def _format_moment(when: datetime | None) -> str:
    return format_time(when) if when else "-"
