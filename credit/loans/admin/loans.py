"""Loans in the admin: found, read, and, once defaulted, ended by two people.

A proposal is confirmed or declined by its own id, with the figures that it froze: a page that has
gone stale decides about nothing else than what it shows.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import Prefetch, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, reverse
from django.utils.html import format_html

from credit.configurations.admin.terms import share
from credit.loans.admin.ending_questions import (
    declining_question,
    ending_question,
    proposal_question,
)
from credit.loans.admin.loan_lists import LoanFilters
from credit.loans.admin.loan_page import days_late, is_open, loan_state, ratio, review
from credit.loans.models import (
    EndingAction,
    EndingProposal,
    EndingStatus,
    Loan,
    LoanStatus,
    Shortfall,
    Valuation,
)
from credit.loans.services import endings
from credit.loans.services.valuation import owed
from exchange.admin.base import CustomPageAdmin, Tool, bind_form, staff_of
from exchange.admin.confirmation import ConfirmationAdmin
from exchange.admin.display import age, status_badge
from exchange.admin.fields import ReasonField
from exchange.core.currencies import format_money
from exchange.exports.admin import Exportable
from exchange.staff.models import StaffUser

_PENDING = EndingStatus.PENDING
_NOT_VALUED = "cannot be valued"


def loans_about(party: Any) -> Tool:
    """The loans of a member, or those that an organisation made or whose members it has."""
    address = reverse("admin:credit_loan_changelist")
    return Tool("Loans", f"{address}?q={party.pk}")


class NoteForm(forms.Form):
    """Why a loan is ended."""

    note = ReasonField(
        max_length=500, help_text="Whoever confirms reads it; it stays with the proposal"
    )


_DONE = {
    EndingAction.LIQUIDATE: "Confirmed: the loan is liquidated.",
    EndingAction.WRITE_OFF: "Confirmed: the loan is written off.",
}


@admin.register(Loan)
class LoanAdmin(Exportable, CustomPageAdmin, ConfirmationAdmin):
    list_display = (
        "shown_state", "shown_borrower", "creditor", "shown_amount", "shown_balance", "due",
        "shown_value", "shortfall", "ending",
    )  # fmt: skip
    list_display_links = ("shown_state", "shown_borrower")
    filters = LoanFilters
    list_select_related = (
        "borrower", "organisation", "creditor", "valuation", "configuration", "version",
    )  # fmt: skip
    search_fields = ("borrower__name", "borrower__email")
    id_fields = ("pk", "borrower_id", "organisation_id", "creditor_id", "configuration_id")
    search_help_text = "Borrower's name or email, amount lent or to be repaid, or any id"
    amount_fields = ("amount", "repayment_amount")
    # Ids grow with time, and have an index.
    ordering = ("-pk",)

    def heading(self, obj: Loan) -> str:
        return f"Loan of {format_money(obj.amount, obj.currency_id)} to {obj.borrower.name}"

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        return (
            super()
            .rows(user)
            .prefetch_related(
                Prefetch("shortfalls", Shortfall.objects.filter(cured_at=None), "open_shortfalls"),
                Prefetch("endings", EndingProposal.objects.filter(status=_PENDING), "waiting"),
            )
        )

    @admin.display(description="state", ordering="status")
    def shown_state(self, obj: Loan) -> str:
        return loan_state(obj)

    @admin.display(description="borrower", ordering="borrower__name")
    def shown_borrower(self, obj: Loan) -> str:
        return format_html("{}<br>{}", obj.borrower.name, obj.organisation)

    @admin.display(description="lent", ordering="amount")
    def shown_amount(self, obj: Loan) -> str:
        return format_money(obj.amount, obj.currency_id)

    @admin.display(description="outstanding")
    def shown_balance(self, obj: Loan) -> str:
        return format_money(owed(obj), obj.currency_id) if is_open(obj) else "-"

    @admin.display(description="due (UTC)", ordering="repayment_date")
    def due(self, obj: Loan) -> str:
        late = days_late(obj)
        return format_html(
            '<span class="nowrap">{}</span>{}',
            f"{obj.repayment_date:%Y-%m-%d}{',' if late else ''}",
            f" {late:,} d late" if late else "",
        )

    @admin.display(description="loan to value", ordering="valuation__loan_to_value")
    def shown_value(self, obj: Loan) -> str:
        valuation: Valuation | None = getattr(obj, "valuation", None)
        if valuation is None or not is_open(obj):
            return "-"
        if valuation.problem:
            return format_html('<span title="{}">{}</span>', valuation.problem, _NOT_VALUED)
        return format_html(
            '<span class="nowrap">{},</span> <span class="nowrap">at most {}</span>',
            ratio(valuation.loan_to_value),
            share(obj.collateral_ratio),
        )

    @admin.display(description="shortfall")
    def shortfall(self, obj: Loan) -> str:
        found: list[Shortfall] = getattr(obj, "open_shortfalls", [])
        if not found:
            return "-"
        missing = format_money(found[0].required - found[0].value, obj.currency_id)
        return format_html("{} {} for {}", status_badge("Open"), missing, age(found[0].opened_at))

    @admin.display(description="proposal")
    def ending(self, obj: Loan) -> str:
        found: list[EndingProposal] = getattr(obj, "waiting", [])
        return found[0].get_action_display() if found else "-"

    def get_urls(self) -> list[URLPattern]:
        one = "<uuid:object_id>"
        proposal = f"{one}/proposals/<uuid:proposal_id>"
        return [
            *(
                self.action_url(
                    f"{one}/{action.value}/",
                    action.value,
                    partial(self.propose, action=action),
                    only_post=False,
                )
                for action in EndingAction
            ),
            self.action_url(f"{proposal}/confirm/", "confirm", self.confirm, only_post=False),
            self.action_url(f"{proposal}/decline/", "decline", self.decline, only_post=False),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: Loan) -> list[Tool]:
        waits = obj.endings.filter(status=_PENDING).exists()
        if obj.status != LoanStatus.DEFAULTED or waits:
            return []
        if not self.may(request, endings.PERMISSION):
            return []
        return [
            Tool(f"Propose: {action.label.lower()}", self.address(action.value, obj.pk))
            for action in EndingAction
        ]

    def record_page(self, request: HttpRequest, obj: Loan, /) -> HttpResponse:
        """The loan, to read; what waits stands above the tables with its decision."""
        return self.page(
            request,
            "admin/credit/loan/page.html",
            self.heading(obj),
            record=obj,
            tools=self.tools(request, obj),
            **review(staff_of(request), obj),
        )

    # --- ending a defaulted one ---

    def propose(
        self, request: HttpRequest, object_id: UUID, *, action: EndingAction
    ) -> HttpResponse:
        """Proposes it, after the person has read what would move."""
        loan: Loan = self.record(request, object_id, endings.PERMISSION)
        return self.confirm_page(
            request,
            loan,
            proposal_question(loan, action),
            partial(endings.propose_ending, loan_id=loan.pk, action=action, user=staff_of(request)),
            "Proposed. Nothing moves until somebody else confirms it.",
            form=bind_form(request, NoteForm),
        )

    def confirm(self, request: HttpRequest, object_id: UUID, proposal_id: UUID) -> HttpResponse:
        """The second pair of eyes: asks, and ends the loan by the plan as it was frozen."""
        loan, proposal = self._proposal(request, object_id, proposal_id)
        return self.confirm_page(
            request,
            loan,
            ending_question(loan, proposal, staff_of(request)),
            partial(endings.confirm_ending, proposal_id=proposal_id, user=staff_of(request)),
            _DONE[EndingAction(proposal.action)],
        )

    def decline(self, request: HttpRequest, object_id: UUID, proposal_id: UUID) -> HttpResponse:
        """Closes a proposal, one's own too; nothing moves."""
        loan, proposal = self._proposal(request, object_id, proposal_id)
        user = staff_of(request)
        return self.confirm_page(
            request,
            loan,
            declining_question(loan, proposal, user),
            partial(endings.decline_ending, proposal_id=proposal_id, user=user),
            "Declined: nothing moved.",
        )

    def _proposal(
        self, request: HttpRequest, object_id: UUID, proposal_id: UUID
    ) -> tuple[Loan, EndingProposal]:
        loan: Loan = self.record(request, object_id, endings.PERMISSION)
        found = (
            EndingProposal.objects.filter(pk=proposal_id, loan_id=object_id)
            .select_related("proposed_by", "decided_by")
            .first()
        )
        if found is None:
            raise Http404
        return loan, found
