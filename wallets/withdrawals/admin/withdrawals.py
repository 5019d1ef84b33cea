"""Withdrawals in the admin: the list finance works through, and the page they decide on.

The page carries the version the person saw; a decision on anything else is refused with what has
changed, so that of a double click, or of two people, one decides. The decisions themselves are in
`deciding`, the list's filters in `narrowing`, its saved views in `worklists`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.html import format_html

from exchange.admin.base import staff_of
from exchange.admin.display import age
from exchange.admin.list_filters import FilteredList
from exchange.core.currencies import format_money
from exchange.core.errors import Conflict
from exchange.exports.admin import Exportable
from wallets.withdrawals.admin.bulk_rows import describe_error
from wallets.withdrawals.admin.decision_pages import DecisionPages
from wallets.withdrawals.admin.list_filters import WithdrawalListFilters, is_oldest_first
from wallets.withdrawals.admin.review import attach_flags
from wallets.withdrawals.admin.show import is_returned, risk_badges, withdrawal_badge
from wallets.withdrawals.commands import PAYOUT_DETAILS, PayoutDetails
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus
from wallets.withdrawals.selectors.search import withdrawal_search
from wallets.withdrawals.services import decisions
from wallets.withdrawals.services.payout_details import missing_fields, required_fields

_AWAITING = {
    WithdrawalStatus.APPROVED: "being sent",
    WithdrawalStatus.PROCESSING: "the provider",
    WithdrawalStatus.UNKNOWN: "a look-up, or two people",
}


class PayoutDetailsForm(forms.Form):
    """What a country's payouts need; only the fields of the currency are asked for."""

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
    phone = "With its country code: +27 82 123 4567" if detail.metadata["kind"] == "phone" else ""
    return forms.CharField(label=label, max_length=detail.metadata["max_length"], help_text=phone)


class FlaggedList(FilteredList):
    """The list, whose rows know their flags as `flags`."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list: Any = list(self.result_list)
        attach_flags(self.result_list)


class WithdrawalAdmin(Exportable, DecisionPages):
    """Withdrawals. `wallets.payouts.admin.withdrawals` adds the payouts and registers the page."""

    # A payout has the id of its withdrawal; the bank record has one of its own.
    linked_columns = ("bank_id",)
    list_display = (
        "waiting", "owner", "shown_amount", "payee", "shown_risk", "shown_state", "awaiting",
        "reference",
    )  # fmt: skip
    list_display_links = ("shown_amount",)
    filters = WithdrawalListFilters
    list_select_related = (
        "organisation", "member", "bank", "payout", "first_approver", "second_approver",
    )  # fmt: skip
    search_fields = ("reference",)
    change_list_template = "admin/wallets/withdrawal/change_list.html"

    class Media:
        css = {"all": ("wallets/withdrawals.css",)}

    # --- the list ---

    @admin.display(description="age", ordering="-created_at")
    def waiting(self, withdrawal: Withdrawal) -> str:
        return age(withdrawal.created_at)

    @admin.display(description="owner")
    def owner(self, withdrawal: Withdrawal) -> str:
        if withdrawal.member is None:
            return str(withdrawal.organisation)
        return format_html("{}<br>{}", withdrawal.member, withdrawal.organisation)

    @admin.display(description="amount", ordering="amount")
    def shown_amount(self, withdrawal: Withdrawal) -> str:
        return format_money(withdrawal.amount, withdrawal.currency_id)

    @admin.display(description="payee")
    def payee(self, withdrawal: Withdrawal) -> str:
        bank = withdrawal.bank
        return format_html("{}<br>{}<br>{}", bank.account_name, bank.name, bank.account_number)

    @admin.display(description="state", ordering="status")
    def shown_state(self, withdrawal: Withdrawal) -> str:
        return withdrawal_badge(withdrawal)

    @admin.display(description="risk")
    def shown_risk(self, withdrawal: Any) -> str:
        return risk_badges(withdrawal.flags)

    @admin.display(description="waits for")
    def awaiting(self, withdrawal: Any) -> str:
        if is_returned(withdrawal):
            return "two people, to reverse it"
        if withdrawal.status != WithdrawalStatus.PENDING:
            return _AWAITING.get(withdrawal.status, "-")
        missing = missing_fields(withdrawal.currency_id, withdrawal.bank)
        if missing:
            return f"payout details: {missing[0] if len(missing) == 1 else len(missing)}"
        if withdrawal.first_approver is not None:
            return f"second approval, after {withdrawal.first_approver}"
        return "approval" if withdrawal.approvals_needed == 1 else "two approvals"

    def default_order(self, query: Mapping[str, str]) -> tuple[str, ...]:
        """What waits longest stands first; among all, the newest does. Ids grow with time."""
        return ("created_at", "id") if is_oldest_first(query) else ("-id",)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[FlaggedList]:
        return FlaggedList

    def search(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        """By reference, account number, payee or owner; each word may be in another of them."""
        return rows.filter(withdrawal_search(term))

    def get_urls(self) -> list[URLPattern]:
        details = "<uuid:object_id>/details/"
        return [
            *self.decision_urls(),
            self.action_url(details, "details", self.details, only_post=False),
            *super().get_urls(),
        ]

    # --- the review page ---

    def details(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Fills in what the corridor needs and the client did not give."""
        if not self.may(request, "wallets.decide_withdrawal"):
            raise PermissionDenied
        withdrawal: Withdrawal = self.record(request, object_id)
        bank = withdrawal.bank
        needed = required_fields(withdrawal.currency_id)
        known = {name: getattr(bank, name) for name in needed}

        def act(data: dict[str, Any]) -> HttpResponse:
            version = data.pop("version")
            try:
                decisions.complete_payout_details(
                    withdrawal_id=object_id,
                    version=version,
                    # What this currency does not need stays what the client gave.
                    corridor=PayoutDetails(**{**_current_details(withdrawal), **data}),
                    approver=staff_of(request),
                )
            except Conflict as error:
                messages.error(request, describe_error(object_id, version, error))
            else:
                messages.success(request, "The payout details were saved.")
            return self.redirect_to_record(object_id)

        if not needed:
            messages.info(request, f"{withdrawal.currency_id} payouts need no more details.")
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


def _current_details(withdrawal: Withdrawal) -> dict[str, str]:
    return {detail.name: getattr(withdrawal.bank, detail.name) for detail in PAYOUT_DETAILS}
