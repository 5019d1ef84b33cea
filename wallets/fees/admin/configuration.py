"""The keys of figures that finance sets: in force now, what is coming, and every one before.

A figure changes by a proposal, which `wallets.fees.admin.figures` shows and decides.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse
from django.utils import timezone

from exchange.admin.base import Section, Tool, bind_form, staff_of
from exchange.admin.columns import column
from exchange.admin.confirmation import ConfirmationAdmin
from exchange.admin.display import format_time, record_link, status_badge
from exchange.admin.fields import DateTimePickerField, ReasonField
from exchange.admin.list_filters import ChoiceFilter, ListFilters
from exchange.core.currencies import payout_currencies
from exchange.staff.models import StaffUser
from wallets.fees import services as figures
from wallets.fees.admin import figure_questions as questions
from wallets.fees.admin.figure_questions import number
from wallets.fees.models import Configuration, ConfigurationFigure, FigureStatus
from wallets.fees.selectors import figure_in_force, keys_with_figures

_HISTORY_SHOWN = 100
_KINDS = {
    "fee": ("Withdrawal fees", "_WITHDRAWAL_FEE"),
    "minimum": ("Smallest withdrawals", "MINIMUM_WITHDRAWAL_"),
    "second": ("Second approvals", "SECOND_APPROVAL_ABOVE_"),
    "daily": ("Second approvals, 24 hours", "SECOND_APPROVAL_DAILY_ABOVE_"),
    "sole": ("Approvals by one person, 24 hours", "SOLE_APPROVALS_DAILY_"),
    "rate": ("Rates to USD", "_USD_RATE"),
    "internal": ("Internal fees", "_INTERNAL_FEE"),
}


class FigureForm(forms.Form):
    """A new figure, why, and from when."""

    value = forms.DecimalField(label="New figure", max_digits=30, decimal_places=8)
    effective_from = DateTimePickerField(
        label="In force from", help_text="UTC; empty: from its approval on"
    )
    reason = ReasonField(max_length=300)


class ConfigurationFilters(ListFilters):
    """What keys are narrowed by: what the figure is for, and its currency."""

    kind = ChoiceFilter(
        choices=[(name, words) for name, (words, _) in _KINDS.items()],
        condition=lambda kind: Q(key__contains=_KINDS[kind][1]),
        title="kind",
    )
    currency = ChoiceFilter(
        choices=lambda: [(code, code) for code in payout_currencies()],
        condition=lambda code: Q(key__regex=rf"(^{code}_|_{code}$)"),
        title="currency",
    )


@admin.register(Configuration)
class ConfigurationAdmin(ConfirmationAdmin):
    list_display = (
        "key", "description", "shown_in_force", "since", "shown_coming", "shown_waiting",
    )  # fmt: skip
    filters = ConfigurationFilters
    search_fields = ("key", "description")
    search_help_text = "Key or description"
    list_per_page = 100
    fields = ("key", "description", "shown_in_force", "since")
    readonly_fields = fields

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        return keys_with_figures()

    shown_in_force = column(
        "in force now", lambda row: f"{number(row.in_force)} {_unit(row.key)}".rstrip()
    )
    since = column(
        "since (UTC)", lambda row: format_time(row.since) if row.since else "the beginning"
    )

    @admin.display(description="coming")
    def shown_coming(self, row: Any) -> str:
        if row.coming is None:
            return "-"
        return f"{number(row.coming)} from {_minute(row.coming_from)} UTC"

    shown_waiting = column("waits for approval", lambda row: number(row.waiting))

    def get_urls(self) -> list[URLPattern]:
        return [
            self.action_url("<str:object_id>/propose/", "propose", self.propose, only_post=False),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: Configuration) -> list[Tool]:
        if not self.may(request, figures.PROPOSE):
            return []
        return [Tool("Propose a figure", self.address("propose", obj.pk))]

    def sections(self, request: HttpRequest, obj: Configuration) -> list[Section]:
        found = list(
            obj.figures.select_related("proposed_by", "decided_by", "withdrawn_by").order_by(
                "-created_at"
            )[:_HISTORY_SHOWN]
        )
        now = timezone.now()
        waiting = [row for row in found if row.status == FigureStatus.PENDING]
        ahead = [
            row
            for row in found
            if row.status == FigureStatus.APPROVED and row.in_force_from and row.in_force_from > now
        ]
        before = figure_in_force(obj.pk)
        headings = ("Figure", "State", "In force from (UTC)", "Proposed by", "Approved by", "Why")
        return [
            Section(
                "What is coming",
                headings,
                [
                    (
                        record_link(row, f"{number(before)} → {number(row.value)}"),
                        status_badge(row.status),
                        _from(row),
                        str(row.proposed_by),
                        str(row.decided_by or "nobody yet"),
                        row.reason,
                    )
                    for row in [*waiting, *ahead]
                ],
                empty="Nothing: the figure stays as it is.",
            ),
            _history(obj, found, now),
        ]

    def propose(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Proposes a figure; nothing changes before somebody else approves it."""
        row: Configuration = self.record(request, object_id, figures.PROPOSE)
        return self.confirm_page(
            request,
            row,
            questions.proposal(row),
            partial(figures.propose, key=row.key, user=staff_of(request)),
            "Proposed. Nothing has changed yet: somebody else must approve it.",
            form=bind_form(request, FigureForm),
        )


def _history(obj: Configuration, found: list[ConfigurationFigure], now: datetime) -> Section:
    """Figures that were in force, each with the one before it, and those that never were."""
    effective = sorted(
        (
            row
            for row in found
            if row.status == FigureStatus.APPROVED
            and row.in_force_from
            and row.in_force_from <= now
        ),
        key=lambda row: (row.in_force_from, row.decided_at),
    )
    before, value = {}, obj.value
    for row in effective:
        before[row.pk] = value
        value = row.value
    over = [row for row in found if row.pk in before or row.status in _NEVER_IN_FORCE]
    over.sort(key=lambda row: row.in_force_from or row.created_at, reverse=True)
    rows: list[tuple[object, ...]] = [
        (
            _from(row),
            number(before[row.pk]) if row.pk in before else "-",
            record_link(row, number(row.value)),
            status_badge("In force" if row is effective[-1] else "Was in force")
            if row.pk in before
            else status_badge(row.status),
            str(row.proposed_by),
            str(row.decided_by or "-"),
            row.reason,
        )
        for row in over
    ]
    if len(found) < _HISTORY_SHOWN:
        rows.append(
            ("the beginning", "-", number(obj.value), status_badge("First figure"), "-", "-", "")
        )
    headings = (
        "In force from (UTC)", "Before", "After", "State", "Proposed by", "Decided by", "Why",
    )  # fmt: skip
    every = Tool(
        "All figures of this key",
        f"{reverse('admin:wallets_configurationfigure_changelist')}?q={obj.pk}",
    )
    return Section("Figures so far", headings, rows, right=(1, 2), more=every)


_NEVER_IN_FORCE = {FigureStatus.REJECTED, FigureStatus.TAKEN_BACK, FigureStatus.WITHDRAWN}


def _from(figure: ConfigurationFigure) -> str:
    if figure.status in _NEVER_IN_FORCE:
        return "never"
    when = figure.in_force_from or figure.effective_from
    return format_time(when) if when else "its approval"


def _unit(key: str) -> str:
    """What a figure of `key` counts: `NGN`, `NGN per USD`."""
    code = next(
        (c for c in payout_currencies() if key.startswith(f"{c}_") or key.endswith(f"_{c}")), ""
    )
    return f"{code} per USD" if code and key.endswith(_KINDS["rate"][1]) else code


def _minute(when: datetime) -> str:
    return f"{timezone.localtime(when):%Y-%m-%d %H:%M}"
