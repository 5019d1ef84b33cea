"""Receivables and write-offs in the admin: who owes, and what two people give up."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html

from exchange.admin.base import SafeAdmin, Section, Tool, staff_of
from exchange.admin.columns import column, money_column, time_column
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import (
    age,
    format_time,
    kind_label,
    record_link,
    record_url,
    status_badge,
)
from exchange.admin.fields import MoneyField, ReasonField, ReasonForm, set_currency
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import ListFilters, currency_filter, id_filter
from exchange.admin.panels import Panel
from exchange.core.currencies import format_money
from exchange.exports.admin import Exportable
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.participants.admin.owner_records import owner_id_of
from exchange.participants.admin.owner_search import OwnedRecordAdmin
from exchange.staff.admin.pending import approval_filters
from exchange.staff.admin.proposals import ProposalAdmin, Step, ask_to_close
from wallets.ledger.admin.posting_pages import amount_of, posting_section
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


@admin.register(Receivable)
class ReceivableAdmin(Exportable, OwnedRecordAdmin):
    record_pages = ("write_off",)
    filters = ReceivableFilters
    # The first column links to the debt: the owner is a link itself.
    list_display = ("owed_display", "owner", "organisation", "age_display", "write_off_display")
    list_select_related = ("organisation", "member")
    search_fields = ("organisation__name", "member__name")
    search_help_text = "Organisation, member, email or ID"
    id_fields = ("pk", "owner_id", "organisation_id")
    ordering = ("-pk",)
    fields = ("owner", "organisation", "owed_display", "since_display", "id")

    def heading(self, obj: Receivable) -> str:
        owner = obj.member or obj.organisation
        return f"{format_money(obj.owed, obj.asset_id)} owed by {owner}"

    owed_display = money_column("outstanding", "owed", "asset_id", ordering="balance")

    age_display = column("since", lambda debt: age(debt.since) if debt.since else "-")
    since_display = time_column("owed since (UTC)", "since")
    write_off_display = column(
        "write-off",
        # Read for the list only.
        lambda debt: (
            record_link(pending[0], "Awaits a second person")
            if (pending := getattr(debt, "pending", None))
            else "-"
        ),
    )

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return the list, with the pending write-offs of all rows read together."""
        found = super().get_changelist_instance(request)
        found.result_list = list(found.result_list)
        pending = Prefetch("write_offs", write_offs.WRITE_OFFS.pending_records(), "pending")
        prefetch_related_objects(found.result_list, pending)
        return found

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

    def write_off(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Propose to write the debt off, or a part of it."""
        debt = self.record(request, object_id, write_offs.WRITE_OFF)

        def act(data: dict[str, Any]) -> HttpResponse:
            made = write_offs.propose_write_off(account_id=debt.pk, user=staff_of(request), **data)
            messages.success(request, "Write-off proposed. A second person must confirm it.")
            return HttpResponseRedirect(record_url(made))

        form = bind_form(request, WriteOffForm, amount=debt.owed)
        set_currency(form.fields["amount"], debt.asset_id)
        return self.form_page(
            request,
            form,
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
        debts: QuerySet[Any] = Receivable.objects.filter(owner_id=owner_id_of(record))
        return [
            format_html(
                "{} since {} UTC. Until it is repaid, withdrawals, transfers, conversions and"
                " purchases in {} are rejected.",
                record_link(debt, f"Owes {format_money(debt.owed, debt.asset_id)}"),
                format_time(debt.since),
                debt.asset_id,
            )
            for debt in debts
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
    decision, status__exact = approval_filters("Write-offs to confirm", write_offs.WRITE_OFFS)
    currency__code__exact = currency_filter("account__asset")


@admin.register(ReceivableWriteOff)
class ReceivableWriteOffAdmin(ProposalAdmin):
    approval = write_offs.WRITE_OFFS
    approve_step = Step(
        "confirm",
        "write_off_id",
        write_offs.confirm_write_off,
        lambda row: f"Written off. {amount_of(row)} is no longer owed.",
    )
    reject_step = Step(
        "reject",
        "write_off_id",
        write_offs.reject_write_off,
        "Proposal closed. The debt stays.",
        ReasonForm,
    )
    filters = WriteOffFilters
    list_display = (
        "amount_display", "state_display", "owned_by", "proposed_by", "decided_by", "proposed_age",
    )  # fmt: skip
    list_select_related = (
        "account__organisation", "account__member", "proposed_by", "decided_by",
    )  # fmt: skip
    search_fields = ("account__organisation__name", "account__member__name", "explanation")
    search_help_text = "Organisation, member, explanation, amount or ID"
    id_fields = ("pk", "account_id", "account__owner_id")
    amount_fields = ("amount",)
    fields = (
        "amount_display", "state_display", "owned_by", "explanation", "proposed_by", "created_at",
        "decided_by", "decided_at", "reason",
    )  # fmt: skip
    fact_fields = ("amount_display", "owned_by", "explanation", "proposed_by")

    def heading(self, obj: ReceivableWriteOff) -> str:
        return f"Write-off of {amount_of(obj)}"

    amount_display = money_column("amount", "amount", ordering="amount")
    owned_by = column("owner", lambda row: _owner_link(row.account))

    def ask_approval(self, proposal: ReceivableWriteOff) -> Confirmation:
        account = proposal.account
        owner = account.member or account.organisation
        return Confirmation(
            title=f"Write off {amount_of(proposal)} owed by {owner}?",
            text="The debt is cancelled and booked as an expense of the exchange. This cannot be"
            " undone.",
            submit=f"Write off {amount_of(proposal)}",
            live_facts=[("Owed now", _owed(account.balance, account.asset_id))],
            final=True,
        )

    def ask_rejection(self, proposal: ReceivableWriteOff, *, own: bool) -> Confirmation:
        return ask_to_close(
            f"the write-off of {amount_of(proposal)}",
            "The debt stays. Later credits of the owner repay it.",
            own=own,
            submit="Reject write-off",
            final=True,
        )

    def sections(self, request: HttpRequest, obj: ReceivableWriteOff) -> list[Section]:
        return [posting_section(obj, "written off")]


def _owner_link(account: Account) -> str:
    owner = account.member or account.organisation
    return record_link(owner) if owner else "-"


def _owed(balance: Decimal | None, currency: str) -> str:
    return format_money(-(balance or Decimal(0)), currency)
