"""Loans in the admin: found, read, and, once defaulted, ended by two people.

A proposal is confirmed or declined by its own id, with the figures that it froze: a page that has
gone stale decides about nothing else than what it shows.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Prefetch, QuerySet
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
)
from django.urls import URLPattern, reverse
from django.utils.html import format_html

from credit.admin.export_columns import LOANS
from credit.admin.loan_lists import DueFilter, EndingFilter, ShortfallFilter
from credit.admin.loan_page import days_late, is_open, loan_state, ratio, review
from credit.admin.loan_plan import drafted, ending_question, fingerprint, plan_sections
from credit.admin.terms import share
from credit.models import (
    EndingAction,
    EndingProposal,
    EndingStatus,
    Loan,
    LoanStatus,
    Shortfall,
    Valuation,
)
from credit.services import endings
from credit.services.valuation import owed
from exchange.admin.base import Tool, bind, extra_tools, staff_of
from exchange.admin.confirming import Confirming
from exchange.admin.exports import Exportable
from exchange.admin.named import CreditorFilter
from exchange.admin.show import age, state
from exchange.errors import DomainError
from exchange.models import Member, Organisation
from wallets.admin.show import money

_PENDING = EndingStatus.PENDING
_NOT_VALUED = "cannot be valued"


def loans_about(party: Any) -> Tool:
    """The loans of a member, or those that an organisation made or whose members it has."""
    address = reverse("admin:credit_loan_changelist")
    return Tool("Loans", f"{address}?q={party.pk}")


extra_tools.setdefault(Organisation, []).append(loans_about)
extra_tools.setdefault(Member, []).append(loans_about)


class NoteForm(forms.Form):
    """Why a loan is ended, and the plan as the person saw it."""

    note = forms.CharField(
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Whoever confirms reads it; it stays with the proposal",
    )
    seen = forms.CharField(max_length=100, widget=forms.HiddenInput)


_WORDS = {
    EndingAction.LIQUIDATE: "Units pass to the creditor at the prices shown, up to what is owed; "
    "the rest returns to the borrower, and what is not covered is recorded as deficiency. Somebody "
    "else must confirm it within 24 hours; until then nothing moves.",
    EndingAction.WRITE_OFF: "The creditor gives up what is owed and all units return to the "
    "borrower. Somebody else must confirm it; until then nothing moves.",
}
_DONE = {
    EndingAction.LIQUIDATE: "Confirmed: the loan is liquidated.",
    EndingAction.WRITE_OFF: "Confirmed: the loan is written off.",
}


@admin.register(Loan)
class LoanAdmin(Exportable, Confirming):
    export_columns = LOANS
    list_display = (
        "shown_state", "shown_borrower", "creditor", "shown_amount", "shown_balance", "due",
        "shown_value", "shortfall", "ending",
    )  # fmt: skip
    list_display_links = ("shown_state", "shown_borrower")
    list_filter = (
        "status", ShortfallFilter, EndingFilter, DueFilter, "currency", CreditorFilter,
    )  # fmt: skip
    list_select_related = ("borrower", "organisation", "creditor", "valuation")
    search_fields = ("borrower__name", "borrower__email")
    id_fields = ("pk", "borrower_id", "organisation_id", "creditor_id", "configuration_id")
    search_help_text = "Borrower's name or e-mail, or any id"
    # Ids grow with time, and have an index.
    ordering = ("-pk",)

    def heading(self, obj: Loan) -> str:
        return f"Loan of {money(obj.amount, obj.currency_id)} to {obj.borrower.name}"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return (
            super()
            .get_queryset(request)
            .select_related(*self.list_select_related, "configuration", "version")
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
        return money(obj.amount, obj.currency_id)

    @admin.display(description="outstanding")
    def shown_balance(self, obj: Loan) -> str:
        return money(owed(obj), obj.currency_id) if is_open(obj) else "-"

    @admin.display(description="due (UTC)", ordering="repayment_date")
    def due(self, obj: Loan) -> str:
        late = days_late(obj)
        return f"{obj.repayment_date:%Y-%m-%d}" + (f", {late:,} d late" if late else "")

    @admin.display(description="loan to value", ordering="valuation__loan_to_value")
    def shown_value(self, obj: Loan) -> str:
        valuation: Valuation | None = getattr(obj, "valuation", None)
        if valuation is None or not is_open(obj):
            return "-"
        if valuation.problem:
            return format_html('<span title="{}">{}</span>', valuation.problem, _NOT_VALUED)
        return f"{ratio(valuation.loan_to_value)}, at most {share(obj.collateral_ratio)}"

    @admin.display(description="shortfall")
    def shortfall(self, obj: Loan) -> str:
        found: list[Shortfall] = getattr(obj, "open_shortfalls", [])
        if not found:
            return "-"
        missing = money(found[0].required - found[0].value, obj.currency_id)
        return format_html("{} {} for {}", state("Open"), missing, age(found[0].opened_at))

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
            self.action_url(f"{proposal}/decline/", "decline", self.decline),
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

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        """The loan, to read; what waits stands above the tables with its decision."""
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        obj: Loan = self.record(request, object_id)
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
        self._needs_permission(request)
        loan: Loan = self.record(request, object_id)
        try:
            draft = drafted(loan, action)
        except DomainError as error:
            messages.error(request, error.message)
            return self.back_to(loan.pk)
        now = fingerprint(draft)

        def act(data: dict[str, Any]) -> HttpResponse:
            if data["seen"] != now:
                messages.error(
                    request,
                    "Prices, collateral or what is owed have changed since you opened the page. "
                    "Nothing was proposed: look again.",
                )
                return HttpResponseRedirect(self.address(action.value, loan.pk))
            endings.propose_ending(
                loan_id=loan.pk, action=action, note=data["note"], user=staff_of(request)
            )
            messages.success(request, "Proposed. Nothing moves until somebody else confirms it.")
            return self.back_to(loan.pk)

        return self.form_page(
            request,
            bind(request, NoteForm, seen=now),
            act,
            title=f"Propose: {action.label.lower()}",
            submit=f"Propose to {action.label.lower()}",
            record=loan,
            note=_WORDS[action],
            sections=plan_sections(loan, draft),
            back=self.address("change", loan.pk),
            final=True,
        )

    def confirm(self, request: HttpRequest, object_id: UUID, proposal_id: UUID) -> HttpResponse:
        """The second pair of eyes: asks, and ends the loan by the plan as it was frozen."""
        loan, proposal = self._proposal(request, object_id, proposal_id)
        return self.confirm_page(
            request,
            loan,
            ending_question(loan, proposal, staff_of(request)),
            lambda: endings.confirm_ending(proposal_id=proposal_id, user=staff_of(request)),
            _DONE[EndingAction(proposal.action)],
        )

    def decline(self, request: HttpRequest, object_id: UUID, proposal_id: UUID) -> HttpResponse:
        """Closes a proposal, one's own too; nothing moves."""
        self._proposal(request, object_id, proposal_id)
        self.attempt(
            request,
            lambda: endings.decline_ending(proposal_id=proposal_id, user=staff_of(request)),
            "Declined: nothing moved.",
        )
        return self.back_to(object_id)

    def _proposal(
        self, request: HttpRequest, object_id: UUID, proposal_id: UUID
    ) -> tuple[Loan, EndingProposal]:
        self._needs_permission(request)
        loan: Loan = self.record(request, object_id)
        found = (
            EndingProposal.objects.filter(pk=proposal_id, loan_id=object_id)
            .select_related("proposed_by", "decided_by")
            .first()
        )
        if found is None:
            raise Http404
        return loan, found

    def _needs_permission(self, request: HttpRequest) -> None:
        if not self.may(request, endings.PERMISSION):
            raise PermissionDenied
