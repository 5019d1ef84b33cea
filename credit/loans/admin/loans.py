"""Admin pages of loans, and the closure of defaulted loans under dual control.

A proposal is confirmed or declined by its id, with the amounts it froze, so a stale page cannot
confirm anything else than it shows.
"""

from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse
from django.utils.html import format_html

from credit.configurations.admin.terms import format_rate
from credit.loans.admin.closure_confirmations import (
    build_closure_confirmation,
    build_proposal_confirmation,
    list_closure_facts,
)
from credit.loans.admin.loan_book import loan_book_page
from credit.loans.admin.loan_lists import LoanListFilters
from credit.loans.admin.loan_page import (
    build_review,
    days_overdue,
    format_ratio,
    is_open,
    loan_state,
)
from credit.loans.models import (
    ClosureAction,
    ClosureProposal,
    ClosureStatus,
    Loan,
    Shortfall,
    Valuation,
)
from credit.loans.services import closures
from credit.loans.services.valuation import amount_owed
from exchange.admin.base import Tool, staff_of
from exchange.admin.columns import column, money_column
from exchange.admin.confirmation import Confirmation
from exchange.admin.custom_pages import CustomPageAdmin
from exchange.admin.display import age, status_badge
from exchange.admin.fields import ReasonField
from exchange.admin.forms import bind_form
from exchange.core.currencies import format_money
from exchange.exports.admin import Exportable
from exchange.staff.admin.proposals import ApprovalPages, Step, ask_to_close
from exchange.staff.models import StaffUser

_PENDING = ClosureStatus.PENDING
_NOT_VALUED = "not valued"


def loans_link(party: Any) -> Tool:
    """Link to the loans of a member, or of an organisation as creditor or of its members."""
    address = reverse("admin:credit_loan_changelist")
    return Tool("Loans", f"{address}?q={party.pk}")


class ClosureNoteForm(forms.Form):
    """Note to a closure proposal."""

    note = ReasonField(
        max_length=500, help_text="Shown to the person who confirms; stored with the proposal"
    )


_CONFIRMED_MESSAGES = {
    ClosureAction.LIQUIDATE: "Confirmed. The loan is liquidated.",
    ClosureAction.WRITE_OFF: "Confirmed. The loan is written off.",
}


@admin.register(Loan)
class LoanAdmin(Exportable, CustomPageAdmin, ApprovalPages):
    reports = {"book": loan_book_page}
    approval = closures.CLOSURES
    proposals = "closure_proposals"
    step_route = "<uuid:object_id>/proposals/<uuid:proposal_id>/{}/"
    approve_step = Step(
        "confirm",
        "proposal_id",
        closures.confirm_closure,
        lambda done: _CONFIRMED_MESSAGES[ClosureAction(done.action)],
    )
    reject_step = Step(
        "decline", "proposal_id", closures.decline_closure, "Rejected. Nothing moved."
    )
    list_display = (
        "state_display", "borrower_display", "creditor", "amount_display", "balance_display", "due",
        "value_display", "shortfall", "closure",
    )  # fmt: skip
    list_display_links = ("state_display", "borrower_display")
    filters = LoanListFilters
    list_select_related = (
        "borrower", "organisation", "creditor", "valuation", "configuration", "version",
    )  # fmt: skip
    search_fields = ("borrower__name", "borrower__email")
    id_fields = ("pk", "borrower_id", "organisation_id", "creditor_id", "configuration_id")
    text_fields = ("client_reference",)
    search_help_text = (
        "Borrower name or email, principal, total repayment, client reference, or any ID"
    )
    amount_fields = ("amount", "repayment_amount")
    # Ids grow with time and are indexed.
    ordering = ("-pk",)

    def heading(self, obj: Loan) -> str:
        return f"Loan of {format_money(obj.amount, obj.currency_id)} to {obj.borrower.name}"

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        return (
            super()
            .rows(user)
            .prefetch_related(
                Prefetch("shortfalls", Shortfall.objects.filter(cured_at=None), "open_shortfalls"),
                Prefetch(
                    "closure_proposals",
                    ClosureProposal.objects.filter(status=_PENDING),
                    "pending_closures",
                ),
            )
        )

    state_display = column("status", loan_state, ordering="status")

    borrower_display = column(
        "borrower",
        lambda obj: format_html("{}<br>{}", obj.borrower.name, obj.organisation),
        ordering="borrower__name",
    )
    amount_display = money_column("principal", "amount", ordering="amount")

    balance_display = column(
        "outstanding",
        lambda obj: format_money(amount_owed(obj), obj.currency_id) if is_open(obj) else "-",
    )

    @admin.display(description="due (UTC)", ordering="repayment_date")
    def due(self, obj: Loan) -> str:
        late = days_overdue(obj)
        return format_html(
            '<span class="nowrap">{}</span>{}',
            f"{obj.repayment_date:%Y-%m-%d}{',' if late else ''}",
            f" {late:,} d overdue" if late else "",
        )

    @admin.display(description="loan to value", ordering="valuation__loan_to_value")
    def value_display(self, obj: Loan) -> str:
        valuation: Valuation | None = getattr(obj, "valuation", None)
        if valuation is None or not is_open(obj):
            return "-"
        if valuation.problem:
            return format_html('<span title="{}">{}</span>', valuation.problem, _NOT_VALUED)
        return format_html(
            '<span class="nowrap">{},</span> <span class="nowrap">maximum {}</span>',
            format_ratio(valuation.loan_to_value),
            format_rate(obj.collateral_ratio),
        )

    @admin.display(description="margin call")
    def shortfall(self, obj: Loan) -> str:
        found: list[Shortfall] = getattr(obj, "open_shortfalls", [])
        if not found:
            return "-"
        missing = format_money(found[0].required - found[0].value, obj.currency_id)
        return format_html("{} {} for {}", status_badge("Open"), missing, age(found[0].opened_at))

    @admin.display(description="proposal")
    def closure(self, obj: Loan) -> str:
        found: list[ClosureProposal] = getattr(obj, "pending_closures", [])
        return found[0].get_action_display() if found else "-"

    def get_urls(self) -> list[URLPattern]:
        one = "<uuid:object_id>"
        return [
            *(
                self.action_url(
                    f"{one}/{action.value}/",
                    action.value,
                    partial(self.propose, action=action),
                    only_post=False,
                )
                for action in ClosureAction
            ),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: Loan) -> list[Tool]:
        is_pending = obj.closure_proposals.filter(status=_PENDING).exists()
        actions = [] if is_pending else closures.list_actions(obj)
        if not self.may(request, closures.PERMISSION):
            return []
        return [
            Tool(f"Propose {action.noun}", self.address(action.value, obj.pk)) for action in actions
        ]

    def record_page(self, request: HttpRequest, obj: Loan, /) -> HttpResponse:
        """Show the loan, with a pending closure proposal on top."""
        return self.page(
            request,
            "admin/credit/loan/page.html",
            self.heading(obj),
            record=obj,
            tools=self.tools(request, obj),
            **build_review(staff_of(request), obj),
        )

    # --- closure of a defaulted loan ---

    def propose(
        self, request: HttpRequest, object_id: UUID, *, action: ClosureAction
    ) -> HttpResponse:
        """Propose a closure, after confirmation."""
        loan: Loan = self.record(request, object_id, closures.PERMISSION)
        return self.confirm_page(
            request,
            loan,
            build_proposal_confirmation(loan, action),
            partial(
                closures.propose_closure, loan_id=loan.pk, action=action, user=staff_of(request)
            ),
            "Proposed. Nothing moves until a second person confirms.",
            form=bind_form(request, ClosureNoteForm),
        )

    def approval_page(self, proposal: ClosureProposal, user: StaffUser) -> Confirmation:
        return build_closure_confirmation(proposal, user)

    def ask_rejection(self, proposal: ClosureProposal, *, own: bool) -> Confirmation:
        return ask_to_close(
            f"the proposed {ClosureAction(proposal.action).noun}",
            "Nothing moves and the loan stays in default. A new proposal can be made.",
            own=own,
        )

    def facts(self, proposal: ClosureProposal) -> list[tuple[str, object]]:
        return list_closure_facts(proposal)
