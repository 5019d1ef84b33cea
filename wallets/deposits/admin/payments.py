"""Payments at the provider and virtual accounts in the admin, to read."""

from __future__ import annotations

from django.contrib import admin

from exchange.admin.base import SafeAdmin
from exchange.admin.display import age, record_link, status_badge
from exchange.admin.list_filters import ChoiceFilter, ListFilters, currency_filter, day_range
from exchange.core.currencies import currencies, format_money
from exchange.core.numbers import format_grouped
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.participants.admin.owner_search import OwnedRecordAdmin
from wallets.deposits.models import Payment, PaymentStatus, VirtualAccount


class PaymentFilters(ListFilters):
    status__exact = ChoiceFilter("status", PaymentStatus.choices, title="status")
    day_from, day_to = day_range()


@admin.register(Payment)
class PaymentAdmin(SafeAdmin):
    filters = PaymentFilters
    list_display = (
        "transaction_id", "state_display", "amount_display", "payer_name", "payment_type",
        "deposit_display", "reported",
    )  # fmt: skip
    list_select_related = ("deposit",)
    search_fields = ("tx_ref", "provider_reference", "payer_name")
    search_help_text = "Our or the provider's reference, payer, amount or ID"
    id_fields = ("pk", "deposit_id")
    amount_fields = ("amount",)
    labels = {"created_at": "reported (UTC)"}
    ordering = ("-pk",)
    fields = (
        "transaction_id", "state_display", "amount_display", "fee_display", "payer_name",
        "payment_type", "tx_ref", "provider_reference", "paid_at", "deposit_display", "last_error",
        "lookups", "next_lookup_at", "created_at", "updated_at",
    )  # fmt: skip
    readonly_fields = fields

    @admin.display(description="state", ordering="status")
    def state_display(self, payment: Payment) -> str:
        return status_badge(payment.status)

    @admin.display(description="amount", ordering="amount")
    def amount_display(self, payment: Payment) -> str:
        return _money(payment.amount, payment.currency_code)

    @admin.display(description="provider's charge")
    def fee_display(self, payment: Payment) -> str:
        return _money(payment.provider_fee, payment.currency_code)

    @admin.display(description="deposit")
    def deposit_display(self, payment: Payment) -> str:
        return record_link(payment.deposit) if payment.deposit else "None"

    @admin.display(description="age", ordering="created_at")
    def reported(self, payment: Payment) -> str:
        return age(payment.created_at)


class VirtualAccountFilters(ListFilters):
    currency__code__exact = currency_filter()
    organisation_name = OrganisationNameFilter()


@admin.register(VirtualAccount)
class VirtualAccountAdmin(OwnedRecordAdmin):
    filters = VirtualAccountFilters
    list_display = ("account_number", "bank_name", "owned_by", "currency", "created_at")
    list_select_related = ("organisation", "member", "currency")
    search_fields = ("account_number", "account_name", "reference", "organisation__name")
    search_help_text = "Account number, holder, reference, organisation, email or ID"
    id_fields = ("pk", "owner_id", "organisation_id")
    ordering = ("-pk",)
    fields = (
        "account_number", "bank_name", "account_name", "owned_by", "organisation", "currency",
        "status", "reference", "order_reference", "created_at",
    )  # fmt: skip
    readonly_fields = fields

    @admin.display(description="owner")
    def owned_by(self, account: VirtualAccount) -> str:
        return record_link(account.member or account.organisation)


def _money(amount: object, currency: str) -> str:
    """Format an amount, also in a currency that the exchange does not keep."""
    if amount is None:
        return "Not known"
    if currency in currencies():
        return format_money(amount, currency)  # type: ignore[arg-type]
    return f"{format_grouped(amount, 2)} {currency}"  # type: ignore[arg-type]
