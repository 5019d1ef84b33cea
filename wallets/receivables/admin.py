"""Receivables and write-offs in the admin: who owes, and what two people give up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, reverse
from django.utils.html import format_html

from exchange.admin.base import PendingDecision, SafeAdmin, Section, Tool, staff_of
from exchange.admin.confirmation import Confirmation, ConfirmationAdmin, ConfirmedAction
from exchange.admin.display import age, format_time, kind_label, record_link, status_badge
from exchange.admin.fields import MoneyField, ReasonField, ReasonForm, set_currency
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import ChoiceFilter, ListFilters, currency_filter, id_filter
from exchange.admin.panels import Panel
from exchange.core.currencies import format_money
from exchange.exports.admin import Exportable
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.participants.admin.owner_records import owner_id_of
from exchange.participants.admin.owner_search import OwnedRecordAdmin
from exchange.staff.admin.pending import Queue, QueueFilter, pending_decision
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.ledger.admin.legs import transfer_legs_section
from wallets.ledger.models import Account
from wallets.receivables.models import Receivable, ReceivableWriteOff
from wallets.receivables.services import write_offs

_ENTRIES_SHOWN = 50


class ReceivableFilters(ListFilters):
    currency__code__exact = currency_filter("asset")
    organisation_name = OrganisationNameFilter()
    owner_id = id_filter("owner_id")


class WriteOffForm(forms.Form):
    """A debt, or a part of it, to be given up."""

    amount = MoneyField()
    explanation = ReasonField(
        max_length=500, help_text="Why it will not be paid. Read by the person who confirms it"
    )

    def __init__(self, currency: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_currency(self.fields["amount"], currency)


@admin.register(Receivable)
class ReceivableAdmin(Exportable, OwnedRecordAdmin):
    filters = ReceivableFilters
    # The first column links to the debt: the owner is a link itself.
    list_display = ("owed_display", "owned_by", "organisation", "age_display", "write_off_display")
    list_select_related = ("organisation", "member")
    search_fields = ("organisation__name", "member__name")
    search_help_text = "Organisation, member, email or ID"
    id_fields = ("pk", "owner_id", "organisation_id")
    ordering = ("-pk",)
    fields = ("owned_by", "organisation", "owed_display", "since_display", "id")
    readonly_fields = fields

    def heading(self, obj: Receivable) -> str:
        owner = obj.member or obj.organisation
        return f"{format_money(obj.owed, obj.asset_id)} owed by {owner}"

    @admin.display(description="owner")
    def owned_by(self, debt: Receivable) -> str:
        return _owner_link(debt)

    @admin.display(description="outstanding", ordering="balance")
    def owed_display(self, debt: Receivable) -> str:
        return format_money(debt.owed, debt.asset_id)

    @admin.display(description="since")
    def age_display(self, debt: Receivable) -> str:
        since: datetime | None = getattr(debt, "since", None)
        return age(since) if since else "-"

    @admin.display(description="owed since (UTC)")
    def since_display(self, debt: Receivable) -> str:
        return _since(debt)

    @admin.display(description="write-off")
    def write_off_display(self, debt: Receivable) -> str:
        pending: ReceivableWriteOff | None = getattr(debt, "pending", None)
        return record_link(pending, "Awaits a second person") if pending else "-"

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return the list, with the pending write-offs of all rows read together."""
        found = super().get_changelist_instance(request)
        rows = list(found.result_list)
        pending = write_offs.WRITE_OFFS.pending_records().filter(account__in=[r.pk for r in rows])
        by_account = {each.account_id: each for each in pending}
        for row in rows:
            row.pending = by_account.get(row.pk)
        found.result_list = rows
        return found

    def get_urls(self) -> list[URLPattern]:
        return [
            self.action_url(
                "<uuid:object_id>/write-off/", "write_off", self.write_off_page, only_post=False
            ),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: Receivable) -> list[Tool]:
        account = reverse("admin:wallets_account_change", args=[obj.pk])
        shown = [Tool("Account in the ledger", account)]
        if self.may(request, write_offs.WRITE_OFF):
            shown.append(Tool("Propose write-off", self.address("write_off", obj.pk)))
        return shown

    def sections(self, request: HttpRequest, obj: Receivable) -> list[Section]:
        given_up = [
            (
                record_link(each, format_money(each.amount, obj.asset_id)),
                status_badge(each.status),
                each.proposed_by,
                format_time(each.created_at),
            )
            for each in ReceivableWriteOff.objects.filter(account=obj.pk).select_related(
                "proposed_by"
            )
        ]
        entries = obj.entries.select_related("transfer").order_by("-id")[:_ENTRIES_SHOWN]
        moved = [
            (
                format_time(entry.transfer.created_at),
                record_link(entry.transfer, kind_label(entry.transfer)),
                format_money(-entry.amount, obj.asset_id),
                _owed(entry.balance_after, obj.asset_id),
            )
            for entry in entries
        ]
        return [
            Section(
                "Write-offs",
                ("Amount", "Status", "Proposed by", "Proposed (UTC)"),
                given_up,
                right=(0,),
                empty="None proposed.",
            ),
            Section(
                "Origin",
                ("Time (UTC)", "Type", "Amount", "Owed after"),
                moved,
                right=(2, 3),
                empty="No entries.",
            ),
        ]

    def write_off_page(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Propose to write the debt off, or a part of it."""
        debt = self.record(request, object_id, write_offs.WRITE_OFF)

        def act(data: dict[str, Any]) -> HttpResponse:
            made = write_offs.propose_write_off(account_id=debt.pk, user=staff_of(request), **data)
            messages.success(request, "Write-off proposed. A second person must confirm it.")
            return HttpResponseRedirect(
                reverse("admin:wallets_receivablewriteoff_change", args=[made.pk])
            )

        return self.form_page(
            request,
            bind_form(request, partial(WriteOffForm, debt.asset_id), amount=debt.owed),
            act,
            title="Propose a write-off",
            submit="Propose write-off",
            record=debt,
            note="Once a second person confirms, the debt is cancelled and booked as an expense of"
            " the exchange.",
        )


class DebtsPanel(Panel):
    """Who owes: a warning on the pages of owners and their accounts, a badge in lists."""

    def warnings(self, page: SafeAdmin, request: HttpRequest, record: Any) -> list[str]:
        """Return a warning for each debt that concerns `record`."""
        if not page.may(request, "wallets.view_receivable"):
            return []
        asset = record.asset_id if isinstance(record, Account) else None
        return [
            format_html(
                "{} since {} UTC. Until it is repaid, withdrawals, transfers, conversions and"
                " purchases in {} are rejected.",
                record_link(debt, f"Owes {format_money(debt.owed, debt.asset_id)}"),
                _since(debt),
                debt.asset_id,
            )
            for debt in Receivable.objects.filter(owner_id=owner_id_of(record))
            if asset in (None, debt.asset_id)
        ]

    def badges(self, records: Sequence[Any]) -> dict[Any, list[str]]:
        """Return a badge for each debt."""
        owners = [record.pk for record in records]
        found: dict[Any, list[str]] = {}
        for debt in Receivable.objects.filter(owner_id__in=owners):
            badge = status_badge(f"Owes {format_money(debt.owed, debt.asset_id)}", "bad")
            found.setdefault(debt.owner_id, []).append(badge)
        return found


class WriteOffFilters(ListFilters):
    decision = QueueFilter(
        Queue(
            "Write-offs to confirm",
            write_offs.WRITE_OFF,
            lambda rows: rows.filter(status=ApprovalStatus.PENDING),
            write_offs.WRITE_OFFS.proposed_by,
        )
    )
    status__exact = ChoiceFilter("status", ApprovalStatus.choices, title="status")
    currency__code__exact = currency_filter("account__asset")


@admin.register(ReceivableWriteOff)
class ReceivableWriteOffAdmin(ConfirmationAdmin):
    filters = WriteOffFilters
    list_display = (
        "amount_display", "state_display", "owned_by", "proposed_by", "decided_by", "proposed",
    )  # fmt: skip
    list_select_related = (
        "account__organisation", "account__member", "proposed_by", "decided_by",
    )  # fmt: skip
    search_fields = ("account__organisation__name", "account__member__name", "explanation")
    search_help_text = "Organisation, member, explanation, amount or ID"
    id_fields = ("pk", "account_id", "account__owner_id")
    amount_fields = ("amount",)
    labels = {"created_at": "proposed (UTC)"}
    ordering = ("-pk",)
    fields = (
        "amount_display", "state_display", "owned_by", "explanation", "proposed_by", "created_at",
        "decided_by", "decided_at", "reason",
    )  # fmt: skip
    readonly_fields = fields

    def heading(self, obj: ReceivableWriteOff) -> str:
        return f"Write-off of {self.amount_display(obj)}"

    @admin.display(description="amount", ordering="amount")
    def amount_display(self, write_off: ReceivableWriteOff) -> str:
        return format_money(write_off.amount, write_off.account.asset_id)

    @admin.display(description="status", ordering="status")
    def state_display(self, write_off: ReceivableWriteOff) -> str:
        return status_badge(write_off.status)

    @admin.display(description="owner")
    def owned_by(self, write_off: ReceivableWriteOff) -> str:
        return _owner_link(write_off.account)

    @admin.display(description="age", ordering="created_at")
    def proposed(self, write_off: ReceivableWriteOff) -> str:
        return age(write_off.created_at)

    def get_urls(self) -> list[URLPattern]:
        return [*self.confirmed_action_urls(_ACTIONS), *super().get_urls()]

    def decision(self, request: HttpRequest, obj: ReceivableWriteOff) -> PendingDecision | None:
        return pending_decision(
            obj,
            staff_of(request),
            write_offs.WRITE_OFFS,
            proposal=_title(obj),
            proposer=obj.proposed_by,
            approve=Tool(f"Write off {self.amount_display(obj)}", self.address("confirm", obj.pk)),
            reject=Tool("Reject", self.address("reject", obj.pk)),
        )

    def sections(self, request: HttpRequest, obj: ReceivableWriteOff) -> list[Section]:
        empty = "Nothing was written off."
        if obj.status == ApprovalStatus.PENDING:
            empty = "Not written off yet. A second person must confirm it."
        return [transfer_legs_section([obj.pk], empty=empty)]


def _owner_link(account: Account) -> str:
    owner = account.member or account.organisation
    return record_link(owner) if owner else "-"


def _since(debt: Receivable) -> str:
    since: datetime | None = getattr(debt, "since", None)
    return format_time(since) if since else "-"


def _owed(balance: Decimal | None, currency: str) -> str:
    return format_money(-(balance or Decimal(0)), currency)


def _facts(write_off: ReceivableWriteOff) -> list[tuple[str, object]]:
    account = write_off.account
    return [
        ("Amount", format_money(write_off.amount, account.asset_id)),
        ("Owner", _owner_link(account)),
        ("Explanation", write_off.explanation),
        ("Proposed by", write_off.proposed_by),
    ]


def _title(write_off: ReceivableWriteOff) -> str:
    account = write_off.account
    amount = format_money(write_off.amount, account.asset_id)
    return f"Write off {amount} owed by {account.member or account.organisation}"


def _confirmation(write_off: ReceivableWriteOff, user: StaffUser) -> Confirmation:
    account = write_off.account
    amount = format_money(write_off.amount, account.asset_id)
    return Confirmation(
        title=f"{_title(write_off)}?",
        facts=_facts(write_off),
        live_facts=[("Owed now", _owed(account.balance, account.asset_id))],
        text="The debt is cancelled and booked as an expense of the exchange. This cannot be"
        " undone.",
        submit=f"Write off {amount}",
        blocker=write_offs.WRITE_OFFS.describe_blocker(write_off, user),
        final=True,
    )


def _rejection(write_off: ReceivableWriteOff, user: StaffUser) -> Confirmation:
    amount = format_money(write_off.amount, write_off.account.asset_id)
    own = write_off.proposed_by_id == user.pk
    return Confirmation(
        title=f"{'Cancel' if own else 'Reject'} the write-off of {amount}?",
        facts=_facts(write_off),
        text="The debt stays. Later credits of the owner repay it.",
        submit="Cancel proposal" if own else "Reject write-off",
        blocker=write_offs.WRITE_OFFS.describe_closed(write_off),
        final=True,
    )


_ACTIONS = (
    ConfirmedAction(
        "confirm",
        "write_off_id",
        (write_offs.WRITE_OFF,),
        _confirmation,
        write_offs.confirm_write_off,
        lambda row: (
            f"Written off. {format_money(row.amount, row.account.asset_id)} is no longer owed."
        ),
    ),
    ConfirmedAction(
        "reject",
        "write_off_id",
        (write_offs.WRITE_OFF,),
        _rejection,
        write_offs.reject_write_off,
        "Proposal closed. The debt stays.",
        ReasonForm,
    ),
)
