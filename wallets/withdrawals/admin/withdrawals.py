"""Withdrawals admin: the list and the review page.

The page posts the version shown; a decision on another version is rejected with the changes since,
so that of two concurrent decisions one wins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import Field
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html

from exchange.admin.base import staff_of
from exchange.admin.columns import column, money_column
from exchange.admin.display import age
from exchange.admin.paging import COUNT_LIMIT
from exchange.admin.saved_views import SavedView
from exchange.core.currencies import format_money
from exchange.core.errors import Conflict
from exchange.exports.admin import Exportable
from exchange.questions.admin import WaitingList
from exchange.staff.models import StaffUser
from wallets.banks.payout_details import (
    PAYOUT_DETAILS,
    PayoutDetails,
    missing_fields,
    required_fields,
)
from wallets.withdrawals.admin.bulk_rows import describe_outdated
from wallets.withdrawals.admin.decision_pages import DecisionPages
from wallets.withdrawals.admin.list_filters import WithdrawalListFilters, is_oldest_first
from wallets.withdrawals.admin.review import attach_flags
from wallets.withdrawals.admin.saved_views import QUEUE, SAVED_VIEWS, count_by_view
from wallets.withdrawals.admin.show import is_returned, risk_badges, withdrawal_badge
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus
from wallets.withdrawals.selectors.search import withdrawal_search
from wallets.withdrawals.services import decisions
from wallets.withdrawals.services.decisions import DECIDE

_AWAITING = {
    WithdrawalStatus.APPROVED: "Sending to provider",
    WithdrawalStatus.PROCESSING: "Provider",
    WithdrawalStatus.UNKNOWN: "Status check or dual approval",
}


class PayoutDetailsForm(forms.Form):
    """Payout details that the currency requires."""

    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)

    def __init__(self, currency: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        needed = required_fields(currency)
        for detail in PAYOUT_DETAILS:
            if detail.name in needed:
                label = needed[detail.name][0].upper() + needed[detail.name][1:]
                self.fields[detail.name] = _detail_field(detail, label)


def _detail_field(detail: Field[Any], label: str) -> forms.CharField:
    if detail.metadata["kind"] == "email":
        return forms.EmailField(label=label)
    phone = (
        "Include the country code, for example +27 82 123 4567"
        if detail.metadata["kind"] == "phone"
        else ""
    )
    return forms.CharField(label=label, max_length=detail.metadata["max_length"], help_text=phone)


class FlaggedList(WaitingList):
    """List whose rows have their flags as `flags`."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list = list(self.result_list)
        attach_flags(self.result_list)


class WithdrawalAdmin(Exportable, DecisionPages):
    """Withdrawals; `wallets.payouts.admin.withdrawals` adds payouts and registers the admin."""

    linked_columns = ("bank_id",)
    record_pages = (*DecisionPages.record_pages, "details")
    list_display = (
        "waiting", "owner", "amount_display", "payee", "risk_display", "state_display", "awaiting",
        "reference",
    )  # fmt: skip
    list_display_links = ("amount_display",)
    filters = WithdrawalListFilters
    saved_views = SAVED_VIEWS
    list_select_related = (
        "organisation", "member", "bank", "payout", "first_approver", "second_approver",
    )  # fmt: skip
    search_fields = ("reference",)
    queue = QUEUE
    queue_query = {"view": "awaiting_my_approval"}
    change_list_template = "admin/wallets/withdrawal/change_list.html"

    class Media:
        css = {"all": ("wallets/withdrawals.css",)}

    def heading(self, obj: Withdrawal) -> str:
        amount = format_money(obj.amount, obj.currency_id)
        return f"{amount} to {obj.bank.account_name}"

    # --- the list ---

    def counts(self, user: StaffUser, views: Sequence[SavedView]) -> list[int]:
        """Return the number of records of each saved view, from two queries."""
        found = count_by_view(user)
        return [min(found[view.query["view"]], COUNT_LIMIT) for view in views]

    waiting = column("age", lambda row: age(row.waiting_since), ordering="-created_at")

    @admin.display(description="owner")
    def owner(self, withdrawal: Withdrawal) -> str:
        if withdrawal.member is None:
            return str(withdrawal.organisation)
        return format_html("{}<br>{}", withdrawal.member, withdrawal.organisation)

    amount_display = money_column("amount", "amount", ordering="amount")

    @admin.display(description="payee")
    def payee(self, withdrawal: Withdrawal) -> str:
        bank = withdrawal.bank
        return format_html("{}<br>{}<br>{}", bank.account_name, bank.name, bank.account_number)

    state_display = column("status", withdrawal_badge, ordering="status")
    risk_display = column("flags", lambda withdrawal: risk_badges(withdrawal.flags))

    @admin.display(description="awaiting")
    def awaiting(self, withdrawal: Any) -> str:
        if is_returned(withdrawal):
            return "Reversal"
        if withdrawal.status != WithdrawalStatus.PENDING:
            return _AWAITING.get(withdrawal.status, "-")
        missing = missing_fields(withdrawal.currency_id, withdrawal.bank)
        if missing:
            return f"Missing: {missing[0] if len(missing) == 1 else f'{len(missing)} details'}"
        if withdrawal.first_approver is not None:
            return f"Second approval, after {withdrawal.first_approver}"
        return "First approval" if withdrawal.approvals_needed == 1 else "Two approvals"

    def default_order(self, query: Mapping[str, str]) -> tuple[str, ...]:
        """Sort queues oldest first and all other lists newest first. Ids grow with time."""
        return ("created_at", "id") if is_oldest_first(query) else ("-id",)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[FlaggedList]:
        return FlaggedList

    def search(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        """Search by reference, account number, payee or owner; all terms must match."""
        return rows.filter(withdrawal_search(term))

    # --- the review page ---

    def details(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Edit the payout details that the currency requires."""
        withdrawal: Withdrawal = self.record(request, object_id, DECIDE)
        bank = withdrawal.bank
        known = {detail.name: getattr(bank, detail.name) for detail in PAYOUT_DETAILS}

        def act(data: dict[str, Any]) -> HttpResponse:
            version = data.pop("version")
            try:
                decisions.complete_payout_details(
                    withdrawal_id=object_id,
                    version=version,
                    # Details that the currency does not require stay unchanged.
                    corridor=PayoutDetails(**{**known, **data}),
                    approver=staff_of(request),
                )
            except Conflict as error:
                words = describe_outdated(object_id, version, error.message)
                messages.error(request, f"Payout details not saved: {words}")
            else:
                messages.success(request, "Payout details saved.")
            return self.redirect_to_record(object_id)

        if not required_fields(withdrawal.currency_id):
            messages.info(
                request, f"{withdrawal.currency_id} payouts require no additional details."
            )
            return self.redirect_to_record(object_id)

        form = PayoutDetailsForm(
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
