"""Read-only lists of payouts and their proposals.

Actions are on the review page of a withdrawal (`withdrawals`).
"""

from dataclasses import replace
from typing import Any

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html

from exchange.admin.base import PendingDecision
from exchange.admin.columns import (
    column,
    link_column,
    money_column,
    status_column,
    time_column,
)
from exchange.admin.display import age, record_link
from exchange.admin.list_filters import ChoiceFilter, ListFilters, day_range
from exchange.admin.paging import COUNT_LIMIT
from exchange.exports.admin import Exportable
from exchange.participants.admin.owner_search import OwnedRecordAdmin
from exchange.staff.admin.pending import approval_filters
from exchange.staff.admin.proposals import decision_of
from wallets.payouts.models import Proposal, ProposalAction
from wallets.payouts.selectors import get_payout_hold
from wallets.payouts.services.resolutions import PROPOSALS, possible_actions
from wallets.providers.base import TransferStatus
from wallets.withdrawals.admin.show import withdrawal_badge
from wallets.withdrawals.models import (
    Payout,
    Withdrawal,
    WithdrawalStatus,
)
from wallets.withdrawals.selectors.search import withdrawal_search

_CURRENCY = "withdrawal.currency_id"


class PayoutFilters(ListFilters):
    """Filters of payouts. Their ids carry the time of the request, not of the approval."""

    withdrawal__status__exact = ChoiceFilter(
        "withdrawal__status", WithdrawalStatus.choices, title="status"
    )
    provider_status = ChoiceFilter(
        "provider_status", [(status, status) for status in TransferStatus], title="provider status"
    )
    day_from, day_to = day_range(id_column="")


@admin.register(Payout)
class PayoutAdmin(Exportable):
    list_display = (
        "time_display", "state_display", "sent_amount", "payee", "to", "reference",
        "provider_status", "attempts", "last_error", "next_step_at",
    )  # fmt: skip
    list_display_links = ("time_display", "state_display", "sent_amount")
    filters = PayoutFilters
    list_select_related = (
        "withdrawal__bank", "withdrawal__organisation", "withdrawal__member",
    )  # fmt: skip
    # Ids grow with time and have an index, here and below.
    ordering = ("-pk",)
    search_fields = ("withdrawal__reference",)
    search_help_text = "Reference (parts: 31 days), account, payee, owner, amount, email, any ID"
    labels = {
        "posted_at": "sent to the provider (UTC)",
        "next_step_at": "next status check (UTC)",
        "not_found_count": "status checks: not found",
    }
    fields = (
        "reference", "state_display", "owner", "amount_display", "sent_amount", "payee", "to",
        "attempts", "posted_at", "provider_id", "provider_status",
        "fee_display", "provider_message", "last_error", "next_step_at", "leased_until",
        "status_checks", "not_found_count", "first_not_found_at", "last_not_found_at", "settled_at",
        "monitor_until", "created_at", "updated_at",
    )  # fmt: skip

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Return the list, with a warning while payouts are on hold."""
        hold = get_payout_hold(at_most=COUNT_LIMIT) if request.method == "GET" else None
        if hold is not None:
            messages.warning(
                request,
                f"Payouts have been on hold for {age(hold.since)}: {hold.reason}."
                f" {hold.queued:,} approved, to be sent {hold.ends}.",
            )
        return super().changelist_view(request, extra_context)

    def search(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        """Search as withdrawals do, or by the provider's id."""
        found = Withdrawal.objects.filter(withdrawal_search(term)).values("pk")
        return rows.filter(Q(provider_id=term) | Q(pk__in=found))

    def heading(self, obj: Payout) -> str:
        return f"Payout of {self.sent_amount(obj)} to {self.payee(obj)}"

    time_display = time_column("approved (UTC)", "created_at", ordering="pk")
    owner = column(
        "owner",
        lambda payout: record_link(payout.withdrawal.member or payout.withdrawal.organisation),
    )
    amount_display = money_column("withdrawal amount", "withdrawal.amount", _CURRENCY)
    sent_amount = money_column(
        "net payout",
        "withdrawal.disburse_amount",
        _CURRENCY,
        ordering="withdrawal__disburse_amount",
    )
    fee_display = money_column("provider charge", "provider_fee", _CURRENCY)
    reference = link_column("withdrawal", "withdrawal", ordering="withdrawal__reference")
    payee = column("payee", lambda payout: payout.withdrawal.bank.account_name)

    @admin.display(description="bank")
    def to(self, payout: Payout) -> str:
        bank = payout.withdrawal.bank
        return format_html("{}<br>{}", bank.name, bank.account_number)

    state_display = column(
        "status", lambda payout: withdrawal_badge(payout.withdrawal), ordering="withdrawal__status"
    )


class ProposalFilters(ListFilters):
    decision, status__exact = approval_filters("Payout proposals to confirm", PROPOSALS)
    action__exact = ChoiceFilter("action", ProposalAction.choices, title="action")


@admin.register(Proposal)
class PayoutProposalAdmin(OwnedRecordAdmin):
    filters = ProposalFilters
    list_display = (
        "time_display", "action", "withdrawal_display", "amount_display", "state_display",
        "proposed_by", "reason", "decided_by",
    )  # fmt: skip
    list_display_links = ("time_display", "action")
    list_select_related = ("withdrawal", "proposed_by", "decided_by")
    ordering = ("-pk",)
    search_fields = ("withdrawal__reference",)
    search_help_text = "Withdrawal reference, amount, owner email, or an ID"
    labels = {"created_at": "proposed (UTC)"}
    id_fields = ("pk", "withdrawal_id")
    amount_fields = ("withdrawal__amount", "withdrawal__disburse_amount")
    owner_prefixes = ("withdrawal__",)
    fields = (
        "withdrawal_display", "amount_display", "action", "reason", "state_display", "proposed_by",
        "created_at", "decided_by", "decided_at",
    )  # fmt: skip

    def heading(self, obj: Proposal) -> str:
        what = f"{obj.action} {self.amount_display(obj)}"
        return f"{what} to {obj.withdrawal.bank.account_name}"

    def decision(self, request: HttpRequest, obj: Proposal) -> PendingDecision | None:
        """Return the panel of the withdrawal's page."""
        found = decision_of(request, obj.withdrawal, obj)
        if found and not found.blocker and obj.action not in possible_actions(obj.withdrawal):
            return replace(found, approve=None, blocker="No longer possible")
        return found

    time_display = time_column("proposed (UTC)", "created_at", ordering="created_at")
    amount_display = money_column("amount", "withdrawal.amount", _CURRENCY)
    withdrawal_display = link_column("withdrawal", "withdrawal")
    state_display = status_column()
