"""Adjusting entries in the admin: one person proposes, another confirms."""

from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern

from exchange.admin.base import SafeAdmin, Section, Tool, staff_of
from exchange.admin.columns import column
from exchange.admin.display import record_link, record_url
from exchange.admin.fields import MoneyField, ReasonField, ReasonForm, set_currency
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import ChoiceFilter, ListFilters, currency_filter, day_range
from exchange.admin.panels import Panel
from exchange.core.models import Currency
from exchange.staff.admin.pending import approval_filters
from exchange.staff.admin.proposals import Step
from wallets.adjustments import services as adjustments
from wallets.adjustments.models import AdjustedAccount, AdjustingEntry, AdjustmentKind, Direction
from wallets.adjustments.services import AdjustmentTerms
from wallets.ledger.admin.posting_pages import PostingAdmin, amount_of
from wallets.reconciliation.models import ReconciliationBreak

_PROPOSED = "Entry proposed. A second person must confirm it."
_NOTE = "Nothing is posted until a second person confirms. The entry is dated when it is posted."


class BreakEntryForm(forms.Form):
    """How an explained break is booked."""

    account = forms.ChoiceField(
        choices=AdjustedAccount.choices,
        help_text="Expenses: a charge or loss. Fees: income. Treasury: the exchange's own money",
    )
    amount = MoneyField(help_text="At most what is left of the break")
    note = ReasonField(
        max_length=300, label="Reason", help_text="What happened, and where to verify it"
    )


class EntryForm(forms.Form):
    """An adjusting entry that is about no break."""

    kind = forms.ChoiceField(
        choices=[
            (kind.value, kind.label)
            for kind in AdjustmentKind
            if kind != AdjustmentKind.EXPLAINED_BREAK
        ],
        help_text="An explained break is booked on its own page",
    )
    currency = forms.ModelChoiceField(queryset=Currency.objects.all())
    direction = forms.ChoiceField(choices=Direction.choices, label="The payment provider holds")
    account = forms.ChoiceField(
        choices=AdjustedAccount.choices, help_text="A bank charge is an expense"
    )
    amount = MoneyField()
    note = ReasonField(
        max_length=300, label="Reason", help_text="What happened, and where to verify it"
    )


class EntryFilters(ListFilters):
    decision, status__exact = approval_filters(
        "Adjusting entries to confirm", adjustments.ADJUSTMENTS
    )
    kind__exact = ChoiceFilter("kind", AdjustmentKind.choices, title="kind")
    currency__code__exact = currency_filter()
    day_from, day_to = day_range()


@admin.register(AdjustingEntry)
class AdjustingEntryAdmin(PostingAdmin):
    approval = adjustments.ADJUSTMENTS
    approve_step = Step(
        "confirm",
        "entry_id",
        adjustments.confirm_adjustment,
        lambda row: f"Confirmed. {amount_of(row)} posted.",
    )
    reject_step = Step(
        "reject",
        "entry_id",
        adjustments.reject_adjustment,
        "Proposal closed. Nothing was posted.",
        ReasonForm,
    )
    add_permission = adjustments.ADJUST
    filters = EntryFilters
    list_select_related = ("proposed_by", "decided_by", "settles")
    list_display = (
        "kind_display", "state_display", "amount_display", "direction_display", "account_display",
        "break_display", "proposed_by", "decided_by", "proposed_age",
    )  # fmt: skip
    list_display_links = ("kind_display",)
    search_fields = ("note",)
    search_help_text = "Reason, amount or ID"
    amount_fields = ("amount",)
    fields = (
        "kind_display", "state_display", "amount_display", "direction_display", "account_display",
        "break_display", "note", "proposed_by", "created_at", "decided_by", "decided_at", "reason",
        "approval_reason",
    )  # fmt: skip
    fact_fields = (
        "kind_display", "amount_display", "direction_display", "account_display", "break_display",
        "note", "proposed_by",
    )  # fmt: skip

    direction_display = column("provider holds", lambda row: row.get_direction_display())
    account_display = column("account", lambda row: row.get_account_display())
    break_display = column(
        "break",
        lambda row: record_link(row.settles, f"Break of {row.settles.day}") if row.settles else "-",
    )

    def describe_posting(self, proposal: AdjustingEntry) -> str:
        moves = "falls" if proposal.direction == Direction.LESS else "rises"
        return (
            f"Clearing {moves} to what the payment provider holds, against"
            f" {proposal.get_account_display().lower()}. Check the amount against the provider's"
            " statement first."
        )

    def find_notices(self, proposal: AdjustingEntry) -> list[str]:
        return adjustments.notices_of(proposal)

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Propose a bank charge or a correction, which a second person must confirm."""
        return self.form_page(
            request,
            bind_form(request, EntryForm, direction=Direction.LESS),
            lambda data: adjustments.propose_adjustment(
                terms=entry_terms(data), user=staff_of(request)
            ),
            title="Propose an adjusting entry",
            submit="Propose",
            done=_PROPOSED,
            note=_NOTE,
            find_notices=lambda data: adjustments.find_adjustment_notices(entry_terms(data)),
        )


def entry_terms(data: dict[str, Any]) -> AdjustmentTerms:
    return AdjustmentTerms(
        kind=AdjustmentKind(data["kind"]),
        currency=data["currency"].code,
        account=AdjustedAccount(data["account"]),
        direction=Direction(data["direction"]),
        amount=data["amount"],
        note=data["note"],
    )


def _break_terms(found: ReconciliationBreak, data: dict[str, Any]) -> AdjustmentTerms:
    return AdjustmentTerms(
        kind=AdjustmentKind.EXPLAINED_BREAK,
        currency=found.currency_id or "",
        account=AdjustedAccount(data["account"]),
        direction=Direction.LESS if (found.difference or 0) < 0 else Direction.MORE,
        amount=data["amount"],
        note=data["note"],
        settles=found,
    )


class AdjustmentsPanel(Panel):
    """What adjusting entries booked of a break, and the page that proposes one."""

    def tools(self, page: SafeAdmin, request: HttpRequest, record: Any) -> list[Tool]:
        """Return the link to the page while something is left to be booked."""
        if not page.may(request, adjustments.ADJUST) or not adjustments.amount_left(record):
            return []
        return [Tool("Propose adjusting entry", page.address("adjust", record.pk))]

    def sections(self, page: SafeAdmin, request: HttpRequest, record: Any) -> list[Section]:
        """Return the entries of the break, if any."""
        rows = [
            (record_link(each), each.get_account_display(), amount_of(each), each.status)
            for each in record.adjustments.all()
        ]
        if not rows or not page.may(request, "wallets.view_adjustingentry"):
            return []
        headings = ("Entry", "Account", "Amount", "Status")
        return [Section("Adjusting entries", headings, rows, right=(2,))]

    def urls(self, page: SafeAdmin) -> list[URLPattern]:
        """Return the URL of the page."""
        view = partial(self._adjust, page)
        return [page.action_url("<uuid:object_id>/adjust/", "adjust", view, only_post=False)]

    def _adjust(self, page: SafeAdmin, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Propose to book what is left of the break, or a part of it."""
        found = page.record(request, object_id, adjustments.ADJUST)

        def act(data: dict[str, Any]) -> HttpResponse:
            terms = _break_terms(found, data)
            made = adjustments.propose_adjustment(terms=terms, user=staff_of(request))
            messages.success(request, _PROPOSED)
            return HttpResponseRedirect(record_url(made))

        form = bind_form(request, BreakEntryForm, amount=adjustments.amount_left(found))
        if found.currency_id:
            set_currency(form.fields["amount"], found.currency_id)
        return page.form_page(
            request,
            form,
            act,
            title="Propose an adjusting entry",
            submit="Propose",
            record=found,
            note=_NOTE,
            find_notices=lambda data: adjustments.find_adjustment_notices(
                _break_terms(found, data)
            ),
        )
