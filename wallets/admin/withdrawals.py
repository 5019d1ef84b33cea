"""Withdrawals in the admin: the list finance works through, and the page they decide on.

The page carries the version the person saw; a decision on anything else is refused with what has
changed, so that of a double click, or of two people, one decides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.urls import URLPattern
from django.utils.html import format_html

from exchange.admin.base import SafeAdmin, bind, staff_of
from exchange.admin.show import age, state
from exchange.errors import Conflict, DomainError
from wallets.admin.review import changes_since, incomplete, review
from wallets.admin.show import money
from wallets.models import Proposal, ProposalAction, Withdrawal, WithdrawalStatus
from wallets.services import decisions, resolutions
from wallets.services.corridors import needed_fields
from wallets.services.requests import Corridor

EVERY = "all"


class StatusFilter(admin.SimpleListFilter):
    """States; without a choice the Pending ones, unless something is searched for."""

    title = "status"
    parameter_name = "status"

    def __init__(self, request: HttpRequest, *args: Any) -> None:
        self._searching = bool(request.GET.get("q"))
        super().__init__(request, *args)

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(EVERY, "All"), *WithdrawalStatus.choices]

    def chosen(self) -> str:
        """The state in force."""
        return self.value() or (EVERY if self._searching else WithdrawalStatus.PENDING.value)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.chosen()
        return queryset if chosen == EVERY else queryset.filter(status=chosen)

    def choices(self, changelist: Any) -> Any:
        chosen = self.chosen()
        for value, title in self.lookup_choices:
            yield {
                "selected": value == chosen,
                "query_string": changelist.get_query_string({self.parameter_name: value}),
                "display": title,
            }


class OwnerFilter(admin.SimpleListFilter):
    """Whose wallet: the organisation's own or a member's."""

    title = "owner"
    parameter_name = "owner_model"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("organisation", "Organisation"), ("user", "Member")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() in {"organisation", "user"}:
            return queryset.filter(member__isnull=self.value() == "organisation")
        return queryset


class ApprovalsFilter(admin.SimpleListFilter):
    """Large amounts, which two people approve."""

    title = "approvals"
    parameter_name = "approvals"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("two", "Needs two"), ("second", "Waits for the second")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "two":
            return queryset.filter(approvals_needed=2)
        if self.value() == "second":
            return queryset.filter(
                approvals_needed=2, first_approver__isnull=False, second_approver=None
            )
        return queryset


class CorridorFilter(admin.SimpleListFilter):
    """Whether everything is there that payouts to the country need."""

    title = "payout details"
    parameter_name = "details"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("missing", "Something missing"), ("complete", "Complete")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() in {"missing", "complete"}:
            wanted: Q = incomplete() if self.value() == "missing" else ~incomplete()
            return queryset.filter(wanted)
        return queryset


class DecisionForm(forms.Form):
    """A decision about the version the person saw."""

    version = forms.IntegerField(min_value=1)
    reason = forms.CharField(max_length=500, required=False)


class CorridorForm(forms.Form):
    """What a country's payouts need; only the fields of the currency are asked for."""

    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    branch_code = forms.CharField(max_length=40)
    recipient_first_name = forms.CharField(max_length=100)
    recipient_last_name = forms.CharField(max_length=100)
    recipient_email = forms.EmailField()
    recipient_phone = forms.CharField(max_length=30)
    recipient_address = forms.CharField(max_length=300)

    def __init__(self, currency: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        needed = needed_fields(currency)
        for name in set(self.fields) - {"version"}:
            if name in needed:
                self.fields[name].label = needed[name][0].upper() + needed[name][1:]
            else:
                del self.fields[name]


class ProposalForm(forms.Form):
    """What to do about a lost or returned payout, and why."""

    action = forms.ChoiceField(choices=ProposalAction.choices)
    reason = forms.CharField(max_length=500)


@admin.register(Withdrawal)
class WithdrawalAdmin(SafeAdmin):
    list_display = (
        "shown_state", "shown_amount", "waiting", "owner", "organisation", "to", "created",
        "reference",
    )  # fmt: skip
    list_display_links = ("shown_amount", "reference")
    list_filter = (
        StatusFilter, "currency", OwnerFilter, ApprovalsFilter, CorridorFilter, "created_at",
        "organisation",
    )  # fmt: skip
    list_select_related = ("organisation", "member", "bank")
    search_fields = (
        "reference", "organisation__name", "member__name", "bank__account_number",
        "bank__account_name",
    )  # fmt: skip
    search_help_text = "Reference, owner, account number or account name"
    date_hierarchy = "created_at"

    @admin.display(description="status", ordering="status")
    def shown_state(self, withdrawal: Withdrawal) -> str:
        return state(withdrawal.status)

    @admin.display(description="owner")
    def owner(self, withdrawal: Withdrawal) -> str:
        return str(withdrawal.member or withdrawal.organisation)

    @admin.display(description="amount", ordering="amount")
    def shown_amount(self, withdrawal: Withdrawal) -> str:
        return money(withdrawal.amount, withdrawal.currency_id)

    @admin.display(description="bank")
    def to(self, withdrawal: Withdrawal) -> str:
        bank = withdrawal.bank
        return format_html("{}<br>{}", bank.name, bank.account_number)

    @admin.display(description="created (UTC)", ordering="created_at")
    def created(self, withdrawal: Withdrawal) -> str:
        return f"{withdrawal.created_at:%Y-%m-%d %H:%M}"

    @admin.display(description="age", ordering="-created_at")
    def waiting(self, withdrawal: Withdrawal) -> str:
        return age(withdrawal.created_at)

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """What waits longest stands first; among all, the newest does."""
        status = request.GET.get("status") or (None if request.GET.get("q") else "Pending")
        return ("created_at", "id") if status == "Pending" else ("-created_at", "-id")

    def get_urls(self) -> list[URLPattern]:
        one = "<uuid:object_id>"
        proposal = f"{one}/proposals/<uuid:proposal_id>"
        return [
            self.action_url(f"{one}/approve/", "approve", self.approve),
            self.action_url(f"{one}/reject/", "reject", self.reject),
            self.action_url(f"{one}/details/", "details", self.details, only_post=False),
            self.action_url(f"{one}/propose/", "propose", self.propose),
            self.action_url(f"{proposal}/confirm/", "confirm", self.confirm),
            self.action_url(f"{proposal}/decline/", "decline", self.decline),
            *super().get_urls(),
        ]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        """The review page."""
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        withdrawal = self.record(request, object_id)
        return self.page(
            request,
            "admin/wallets/withdrawal/review.html",
            withdrawal.reference,
            record=withdrawal,
            **review(request, withdrawal),
        )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        return rows.select_related("first_approver", "second_approver", *self.list_select_related)

    # --- decisions ---

    def approve(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """One approval of the version seen."""
        return self._decide(request, object_id, decisions.approve, "Approved")

    def reject(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Refuses the version seen; the reason is required."""
        return self._decide(request, object_id, decisions.reject, "Rejected")

    def _decide(
        self,
        request: HttpRequest,
        object_id: UUID,
        service: Callable[..., Withdrawal],
        word: str,
    ) -> HttpResponse:
        form = DecisionForm(request.POST)
        self.record(request, object_id)
        if not form.is_valid():
            messages.error(request, "The form was not complete. Nothing was done.")
            return self.back_to(object_id)
        version = form.cleaned_data["version"]
        try:
            decided = service(
                withdrawal_id=object_id,
                version=version,
                approver=staff_of(request),
                reason=form.cleaned_data["reason"],
            )
        except DomainError as error:
            self._say_refused(request, object_id, version, error)
        else:
            amount = money(decided.amount, decided.currency_id)
            if decided.status == WithdrawalStatus.PENDING:
                text = f"Your approval of {amount} is kept. Another person must approve it too."
            elif decided.status == WithdrawalStatus.REJECTED:
                text = f"{word}: {amount} went back to the wallet."
            else:
                text = f"{word}: {money(decided.disburse_amount, decided.currency_id)} is paid out."
            messages.success(request, text)
        return self.back_to(object_id)

    def details(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Fills in what the corridor needs and the client did not give."""
        if not self.may(request, "wallets.decide_withdrawal"):
            raise PermissionDenied
        withdrawal: Withdrawal = self.record(request, object_id)
        bank = withdrawal.bank
        needed = needed_fields(withdrawal.currency_id)
        known = {name: getattr(bank, name) for name in needed}

        def act(data: dict[str, Any]) -> HttpResponse:
            version = data.pop("version")
            try:
                decisions.fill_in_corridor(
                    withdrawal_id=object_id,
                    version=version,
                    # What this currency does not need stays what the client gave.
                    corridor=Corridor(**{**_corridor_of(withdrawal), **data}),
                    approver=staff_of(request),
                )
            except Conflict as error:
                self._say_refused(request, object_id, version, error)
            else:
                messages.success(request, "The payout details were saved.")
            return self.back_to(object_id)

        if not needed:
            messages.info(request, f"{withdrawal.currency_id} payouts need no more details.")
            return self.back_to(object_id)

        form = CorridorForm(
            withdrawal.currency_id,
            request.POST if request.method == "POST" else None,
            initial={"version": withdrawal.version, **known},
        )
        return self.form_page(
            request,
            form,
            act,
            title="Payout details",
            submit="Save",
            record=withdrawal,
            note=f"{bank.account_name}, {bank.name} {bank.account_number}",
        )

    # --- lost and returned payouts: one proposes, another one decides ---

    def propose(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Opens a proposal."""
        form = bind(request, ProposalForm)
        self.record(request, object_id)
        if not form.is_valid():
            messages.error(request, "A proposal needs an action and a reason. Nothing was done.")
            return self.back_to(object_id)
        self.attempt(
            request,
            lambda: resolutions.propose(
                withdrawal_id=object_id,
                action=ProposalAction(form.cleaned_data["action"]),
                reason=form.cleaned_data["reason"],
                proposer=staff_of(request),
            ),
            "Proposed. Another person must confirm it.",
        )
        return self.back_to(object_id)

    def confirm(self, request: HttpRequest, object_id: UUID, proposal_id: UUID) -> HttpResponse:
        """Carries a proposal out."""
        self._proposal(request, object_id, proposal_id)
        self.attempt(
            request,
            lambda: resolutions.confirm(proposal_id=proposal_id, resolver=staff_of(request)),
            "Confirmed and carried out.",
        )
        return self.back_to(object_id)

    def decline(self, request: HttpRequest, object_id: UUID, proposal_id: UUID) -> HttpResponse:
        """Closes a proposal; nothing else happens."""
        self._proposal(request, object_id, proposal_id)
        self.attempt(
            request,
            lambda: resolutions.decline(
                proposal_id=proposal_id,
                resolver=staff_of(request),
                reason=request.POST.get("reason", "")[:500],
            ),
            "Declined. Nothing else happened.",
        )
        return self.back_to(object_id)

    def _proposal(self, request: HttpRequest, object_id: UUID, proposal_id: UUID) -> None:
        self.record(request, object_id)
        if not Proposal.objects.filter(pk=proposal_id, withdrawal_id=object_id).exists():
            raise PermissionDenied

    def _say_refused(
        self, request: HttpRequest, object_id: UUID, version: int, error: DomainError
    ) -> None:
        text = error.message
        if isinstance(error, Conflict):
            since = changes_since(Withdrawal.objects.get(pk=object_id), version)
            text = f"{text.rstrip('.')}. Nothing was done. {since}".rstrip()
        messages.error(request, text)


def _corridor_of(withdrawal: Withdrawal) -> dict[str, str]:
    return {name: getattr(withdrawal.bank, name) for name in Corridor.__dataclass_fields__}
