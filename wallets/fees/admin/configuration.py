"""Settings in the admin: effective value, upcoming and pending changes, history.

A setting changes by a proposal, which `wallets.fees.admin.setting_changes` shows and decides.
"""

from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, reverse
from django.utils import timezone

from exchange.admin.base import Section, Tool, staff_of
from exchange.admin.columns import column
from exchange.admin.confirmation import ConfirmationAdmin
from exchange.admin.display import format_time, record_link, status_badge
from exchange.admin.fields import AmountInput, DateTimePickerField, ReasonField
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import ChoiceFilter, ListFilters
from exchange.core.currencies import currencies
from exchange.core.numbers import describe_decimals
from exchange.staff.models import StaffUser
from wallets.fees import services
from wallets.fees.admin import confirmations
from wallets.fees.admin.by_currency import settings_by_currency_page
from wallets.fees.admin.rates import approve_page, propose_page, rates_page
from wallets.fees.definitions import (
    PAYOUTS_ON_HOLD,
    SettingDefinition,
    describe_value,
    name_setting,
    setting_definitions,
)
from wallets.fees.models import Configuration, SettingChange, SettingChangeStatus
from wallets.fees.selectors import effective_setting, settings_with_values

_HISTORY_SHOWN = 100
_KINDS = {
    "fee": ("Withdrawal fees", "_WITHDRAWAL_FEE"),
    "minimum": ("Minimum withdrawals", "MINIMUM_WITHDRAWAL_"),
    "second": ("Second approvals", "SECOND_APPROVAL_ABOVE_"),
    "daily": ("Second approvals, 24 hours", "SECOND_APPROVAL_DAILY_ABOVE_"),
    "sole": ("Approvals by one person, 24 hours", "SOLE_APPROVALS_DAILY_"),
    "rate": ("Rates to USD", "_USD_RATE"),
    "spread": ("Conversion spreads", "CONVERSION_SPREAD_"),
    "position": ("Position limits", "CONVERSION_POSITION_LIMIT_"),
    "internal": ("Internal fees", "_INTERNAL_FEE"),
    "deposit": ("Deposits", "DEPOSIT_"),
    "hold": ("Payouts on hold", PAYOUTS_ON_HOLD),
}


class SettingChangeForm(forms.Form):
    """New value in the setting's unit, effective date and reason."""

    value = forms.Field()
    effective_from = DateTimePickerField(
        label="Effective from", help_text="UTC. Leave empty to apply on approval"
    )
    reason = ReasonField(max_length=300)

    def __init__(self, key: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["value"] = _value_field(setting_definitions()[key])


def _value_field(facts: SettingDefinition) -> forms.Field:
    """Return the field of a setting's value: a number in its unit, or a choice."""
    if facts.words:
        return forms.TypedChoiceField(
            label="New value", choices=list(enumerate(facts.words)), coerce=Decimal
        )
    unit = f" ({facts.unit})" if facts.unit else ""
    return AmountInput(
        label=f"New value{unit}",
        help_text=describe_decimals(facts.decimals),
        decimals=facts.decimals,
        unit=facts.unit,
        minimum=facts.minimum / facts.per_unit,
        maximum=facts.maximum / facts.per_unit,
        per_unit=facts.per_unit,
    )


class SettingListFilters(ListFilters):
    """Filters by kind of setting and by currency."""

    kind = ChoiceFilter(
        choices=[(name, label) for name, (label, _) in _KINDS.items()],
        condition=lambda kind: Q(key__contains=_KINDS[kind][1]),
        title="kind",
    )
    currency = ChoiceFilter(
        choices=lambda: [(code, code) for code in currencies()],
        condition=lambda code: Q(key__regex=rf"(^{code}_|_{code}$)"),
        title="currency",
    )


@admin.register(Configuration)
class ConfigurationAdmin(ConfirmationAdmin):
    list_display = (
        "name_display", "value_display", "since", "upcoming_display", "pending_display",
        "description_display",
    )  # fmt: skip
    filters = SettingListFilters
    search_fields = ("key",)
    search_help_text = "Name, description or key"
    reports = {"by_currency": settings_by_currency_page, "rates": rates_page}
    list_per_page = 100
    fields = ("name_display", "description_display", "value_display", "since", "key")

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        return settings_with_values()

    def search(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        """Match settings that have every word in what the list shows, or in the key."""
        words = term.casefold().split()
        shown = {
            key: f"{key} {facts.name} {facts.description}".casefold()
            for key, facts in setting_definitions().items()
        }
        return rows.filter(
            key__in=[key for key, text in shown.items() if all(word in text for word in words)]
        )

    def heading(self, obj: Configuration) -> str:
        return name_setting(obj.key)

    name_display = column("setting", lambda row: name_setting(row.key), ordering="key")
    description_display = column("description", confirmations.describe_setting)
    value_display = column(
        "effective value", lambda row: describe_value(row.key, row.effective_value)
    )
    since = column(
        "effective since (UTC)",
        lambda row: format_time(row.since) if row.since else "Initial value",
    )

    @admin.display(description="upcoming")
    def upcoming_display(self, row: Any) -> str:
        if row.upcoming_value is None:
            return "-"
        value = describe_value(row.key, row.upcoming_value)
        return f"{value} from {row.upcoming_at:%Y-%m-%d %H:%M} UTC"

    pending_display = column(
        "pending approval", lambda row: describe_value(row.key, row.pending_value)
    )

    def get_urls(self) -> list[URLPattern]:
        return [
            self.action_url(
                "rates/propose/", "propose_rates", partial(propose_page, self), only_post=False
            ),
            self.action_url(
                "rates/approve/", "approve_rates", partial(approve_page, self), only_post=False
            ),
            self.action_url("<str:object_id>/propose/", "propose", self.propose, only_post=False),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: Configuration) -> list[Tool]:
        if not self.may(request, services.PROPOSE):
            return []
        return [Tool("Propose a change", self.address("propose", obj.pk))]

    def sections(self, request: HttpRequest, obj: Configuration) -> list[Section]:
        found = list(
            obj.changes.select_related("proposed_by", "decided_by", "cancelled_by").order_by(
                "-created_at"
            )[:_HISTORY_SHOWN]
        )
        now = timezone.now()
        pending = [row for row in found if row.status == SettingChangeStatus.PENDING]
        ahead = [
            row
            for row in found
            if row.status == SettingChangeStatus.APPROVED
            and row.effective_at
            and row.effective_at > now
        ]
        before, say = effective_setting(obj.pk), partial(describe_value, obj.pk)
        headings = ("Change", "Status", "Effective (UTC)", "Proposed by", "Approved by", "Reason")
        return [
            Section(
                "Pending and upcoming changes",
                headings,
                [
                    (
                        record_link(row, f"{say(before)} → {say(row.value)}"),
                        status_badge(row.get_status_display()),
                        _effective_label(row),
                        str(row.proposed_by or "Command"),
                        str(row.decided_by or "-"),
                        row.reason,
                    )
                    for row in [*pending, *ahead]
                ],
                empty="No pending or upcoming changes.",
            ),
            _history_section(obj, found, now),
        ]

    def propose(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Propose a change, which takes effect once a second person approves it."""
        row: Configuration = self.record(request, object_id, services.PROPOSE)
        if row.key not in setting_definitions():
            raise Http404
        form = bind_form(request, partial(SettingChangeForm, row.key))
        value = form.cleaned_data["value"] if form.is_valid() else None
        return self.confirm_page(
            request,
            row,
            confirmations.proposal(row, value),
            partial(services.propose, key=row.key, user=staff_of(request)),
            "Change proposed. It requires a second person's approval.",
            form=form,
        )


def _history_section(obj: Configuration, found: list[SettingChange], now: datetime) -> Section:
    """Return the effective changes with the value before each, and the closed proposals."""
    effective = sorted(
        (
            row
            for row in found
            if row.status == SettingChangeStatus.APPROVED
            and row.effective_at
            and row.effective_at <= now
        ),
        key=lambda row: (row.effective_at, row.decided_at),
    )
    before, value, say = {}, obj.value, partial(describe_value, obj.pk)
    for row in effective:
        before[row.pk] = value
        value = row.value
    closed = [row for row in found if row.pk in before or row.status in _NEVER_EFFECTIVE]
    closed.sort(key=lambda row: row.effective_at or row.created_at, reverse=True)
    rows: list[tuple[object, ...]] = [
        (
            _effective_label(row),
            say(before[row.pk]) if row.pk in before else "-",
            record_link(row, say(row.value)),
            status_badge("Effective" if row is effective[-1] else "Superseded")
            if row.pk in before
            else status_badge(row.get_status_display()),
            str(row.proposed_by or "Command"),
            str(row.decided_by or "-"),
            row.reason,
        )
        for row in closed
    ]
    if len(found) < _HISTORY_SHOWN:
        rows.append(("-", "-", say(obj.value), status_badge("Initial value"), "-", "-", ""))
    headings = (
        "Effective (UTC)", "Before", "After", "Status", "Proposed by", "Decided by", "Reason",
    )  # fmt: skip
    every = Tool(
        "All changes",
        f"{reverse('admin:wallets_settingchange_changelist')}?q={obj.pk}",
    )
    return Section("History", headings, rows, right=(1, 2), more=every)


_NEVER_EFFECTIVE = {
    SettingChangeStatus.REJECTED,
    SettingChangeStatus.WITHDRAWN,
    SettingChangeStatus.CANCELLED,
}


def _effective_label(change: SettingChange) -> str:
    if change.status in _NEVER_EFFECTIVE:
        return "-"
    when = change.effective_at or change.effective_from
    return format_time(when) if when else "On approval"
