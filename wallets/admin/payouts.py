"""Payouts, proposals about them, decisions, bank records and the provider's webhooks: to read.

What people do about a withdrawal they do on its review page (`withdrawals`).
"""

from __future__ import annotations

from django.contrib import admin

from exchange.admin.base import SafeAdmin
from exchange.admin.history import also_in_history
from exchange.admin.named import OrganisationFilter
from exchange.admin.ranges import DayRange
from exchange.admin.show import moment, page_of, state
from wallets.admin.show import money
from wallets.models import BankAccount, Decision, Payout, Proposal, ProviderEvent, Withdrawal

# A payout has the id of its withdrawal; the bank record has one of its own.
also_in_history[Withdrawal] = ("bank_id",)


@admin.register(Payout)
class PayoutAdmin(SafeAdmin):
    list_display = (
        "reference", "shown_state", "provider_id", "provider_status", "attempts", "look_ups",
        "last_error", "next_step_at",
    )  # fmt: skip
    list_display_links = ("shown_state",)
    list_filter = ("withdrawal__status", "provider_status", "created_at")
    list_select_related = ("withdrawal",)
    # Ids grow with time and have an index, here and below.
    ordering = ("-pk",)
    search_fields = ("withdrawal__reference", "=provider_id")
    fields = (
        "reference", "shown_state", "attempts", "posted_at", "provider_id", "provider_status",
        "shown_fee", "provider_message", "last_error", "next_step_at", "leased_until", "look_ups",
        "not_found_count", "first_not_found_at", "last_not_found_at", "settled_at", "watch_until",
        "created_at", "updated_at",
    )  # fmt: skip
    readonly_fields = fields

    @admin.display(description="withdrawal", ordering="withdrawal__reference")
    def reference(self, payout: Payout) -> str:
        return page_of(payout.withdrawal)

    @admin.display(description="state", ordering="withdrawal__status")
    def shown_state(self, payout: Payout) -> str:
        return state(payout.withdrawal.status)

    @admin.display(description="provider's charge")
    def shown_fee(self, payout: Payout) -> str:
        return money(payout.provider_fee, payout.withdrawal.currency_id)


@admin.register(Proposal)
class ProposalAdmin(SafeAdmin):
    list_display = ("shown_withdrawal", "action", "shown_state", "proposed_by", "decided_by")
    list_display_links = ("action",)
    list_filter = ("status", "action")
    list_select_related = ("withdrawal", "proposed_by", "decided_by")
    ordering = ("-pk",)
    search_fields = ("withdrawal__reference",)
    fields = (
        "shown_withdrawal", "action", "reason", "shown_state", "proposed_by", "created_at",
        "decided_by", "decided_at",
    )  # fmt: skip
    readonly_fields = fields

    @admin.display(description="withdrawal")
    def shown_withdrawal(self, proposal: Proposal) -> str:
        return page_of(proposal.withdrawal)

    @admin.display(description="state", ordering="status")
    def shown_state(self, proposal: Proposal) -> str:
        return state(proposal.status)


@admin.register(Decision)
class DecisionAdmin(SafeAdmin):
    list_display = ("shown_at", "verdict", "actor_label", "shown_withdrawal", "reason")
    list_filter = ("verdict", DayRange)
    list_select_related = ("withdrawal",)
    search_fields = ("withdrawal__reference", "actor_label")
    ordering = ("-pk",)
    fields = (
        "shown_at", "verdict", "actor_label", "actor", "shown_withdrawal", "version", "reason",
        "details",
    )  # fmt: skip
    readonly_fields = fields

    @admin.display(description="when (UTC)", ordering="created_at")
    def shown_at(self, decision: Decision) -> str:
        return moment(decision.created_at)

    @admin.display(description="withdrawal")
    def shown_withdrawal(self, decision: Decision) -> str:
        return page_of(decision.withdrawal)


@admin.register(BankAccount)
class BankAccountAdmin(SafeAdmin):
    list_display = ("account_name", "account_number", "name", "currency", "organisation")
    list_filter = ("currency", OrganisationFilter)
    list_select_related = ("organisation", "currency")
    ordering = ("-pk",)
    search_fields = ("=account_number", "account_name", "given_name", "name")
    fields = (
        "id", "organisation", "shown_withdrawal", "name", "code", "account_number", "account_name",
        "given_name", "name_resolved", "currency", "branch_code", "recipient_first_name",
        "recipient_last_name", "recipient_email", "recipient_phone", "recipient_address",
        "created_at",
    )  # fmt: skip
    readonly_fields = fields

    @admin.display(description="withdrawal")
    def shown_withdrawal(self, bank: BankAccount) -> str:
        return page_of(bank.withdrawal)


@admin.register(ProviderEvent)
class ProviderEventAdmin(SafeAdmin):
    list_display = ("shown_at", "reference", "provider_id", "seen")
    ordering = ("-pk",)
    search_fields = ("=reference", "=provider_id")
    fields = ("shown_at", "reference", "provider_id", "seen", "digest", "body")
    readonly_fields = fields

    @admin.display(description="received (UTC)", ordering="received_at")
    def shown_at(self, event: ProviderEvent) -> str:
        return moment(event.received_at)
