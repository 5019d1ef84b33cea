"""Figures one by one: what is proposed beside what is in force, and the decision of another person.

Every decision is a page that repeats the figure and asks, and a POST.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import flatten
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils import timezone

from exchange.admin.base import SafeAdmin, Section, Tool, bind, staff_of
from exchange.admin.show import difference, moment, page_of, span, state
from exchange.numbers import plain
from wallets.admin.configuration import number
from wallets.models import ConfigurationFigure, FigureStatus
from wallets.selectors.configuration import figure_in_force
from wallets.services import configuration as figures


class ApprovalForm(forms.Form):
    """Nothing to fill in: the figure in force that the person had before them."""

    seen = forms.DecimalField(widget=forms.HiddenInput)


class ConfirmForm(forms.Form):
    """Nothing to fill in."""


class ReasonForm(forms.Form):
    """Why not."""

    reason = forms.CharField(max_length=300, widget=forms.Textarea(attrs={"rows": 3}))


@admin.register(ConfigurationFigure)
class ConfigurationFigureAdmin(SafeAdmin):
    list_display = (
        "shown_key", "shown_value", "shown_state", "shown_from", "proposed_by", "proposed",
        "decided_by",
    )  # fmt: skip
    list_filter = ("status", "created_at")
    list_select_related = ("proposed_by", "decided_by")
    search_fields = ("configuration__key",)
    search_help_text = "Key"
    id_fields = ("pk",)
    date_hierarchy = "created_at"
    fields = (
        ("shown_link", "shown_state"), ("shown_value", "shown_from"), "reason",
        ("proposed_by", "proposed"), ("decided_by", "shown_decided"), "decision_note",
        ("withdrawal_asked_by", "withdrawn_by"), "withdrawal_reason",
    )  # fmt: skip
    readonly_fields = flatten(fields)

    def get_queryset(self, request: HttpRequest) -> Any:
        return (
            super()
            .get_queryset(request)
            .select_related(
                "configuration", "proposed_by", "decided_by", "withdrawal_asked_by", "withdrawn_by"
            )
        )

    def heading(self, obj: ConfigurationFigure) -> str:
        return f"{obj.configuration_id} {number(obj.value)}"

    @admin.display(description="key", ordering="configuration")
    def shown_key(self, figure: ConfigurationFigure) -> str:
        return figure.configuration_id

    @admin.display(description="key")
    def shown_link(self, figure: ConfigurationFigure) -> str:
        return page_of(figure.configuration, figure.configuration_id)

    @admin.display(description="figure", ordering="value")
    def shown_value(self, figure: ConfigurationFigure) -> str:
        return number(figure.value)

    @admin.display(description="state", ordering="status")
    def shown_state(self, figure: ConfigurationFigure) -> str:
        return state(figure.status)

    @admin.display(description="in force from (UTC)", ordering="in_force_from")
    def shown_from(self, figure: ConfigurationFigure) -> str:
        when = figure.in_force_from or figure.effective_from
        return moment(when) if when else "its approval"

    @admin.display(description="proposed (UTC)", ordering="created_at")
    def proposed(self, figure: ConfigurationFigure) -> str:
        return moment(figure.created_at)

    @admin.display(description="decided (UTC)")
    def shown_decided(self, figure: ConfigurationFigure) -> str:
        return moment(figure.decided_at) if figure.decided_at else "-"

    def get_urls(self) -> list[URLPattern]:
        one = "<uuid:object_id>"
        return [
            self.action_url(f"{one}/approve/", "approve", self.approve, only_post=False),
            self.action_url(f"{one}/reject/", "reject", self.reject, only_post=False),
            self.action_url(f"{one}/take-back/", "take_back", self.take_back),
            self.action_url(f"{one}/withdraw/", "withdraw", self.withdraw, only_post=False),
            self.action_url(f"{one}/keep/", "keep", self.keep),
            self.action_url(f"{one}/agree/", "agree", self.agree, only_post=False),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: ConfigurationFigure) -> list[Tool]:
        proposes = self.may(request, figures.PROPOSE)
        decides = self.may(request, figures.DECIDE)
        me = staff_of(request).pk
        shown = []
        if obj.status == FigureStatus.PENDING:
            mine = obj.proposed_by_id == me
            if decides and not mine:
                shown.append(Tool("Approve", self.address("approve", obj.pk)))
            if proposes and mine:
                shown.append(Tool("Take back", self.address("take_back", obj.pk), post=True))
            if decides:
                shown.append(Tool("Reject", self.address("reject", obj.pk)))
        elif _to_come(obj):
            asked_by = obj.withdrawal_asked_by_id
            if asked_by is None and (proposes or decides):
                shown.append(Tool("Ask to withdraw it", self.address("withdraw", obj.pk)))
            if asked_by is not None:
                if decides and asked_by != me:
                    shown.append(Tool("Agree to withdraw it", self.address("agree", obj.pk)))
                if decides or asked_by == me:
                    shown.append(Tool("Keep it", self.address("keep", obj.pk), post=True))
        return shown

    def sections(self, request: HttpRequest, obj: ConfigurationFigure) -> list[Section]:
        if obj.status != FigureStatus.PENDING and not _to_come(obj):
            return []
        return [self._what_changes(obj)]

    def approve(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """The second pair of eyes."""
        figure = self._figure(request, object_id, figures.DECIDE)
        in_force = figure_in_force(figure.configuration_id)

        def act(data: dict[str, Any]) -> HttpResponse:
            made = figures.approve(figure_id=figure.pk, seen=data["seen"], user=staff_of(request))
            messages.success(
                request,
                f"Approved: {made.configuration_id} is {number(made.value)} from "
                f"{made.in_force_from:%Y-%m-%d %H:%M:%S} UTC on.",
            )
            return self.back_to(figure.pk)

        return self.form_page(
            request,
            bind(request, ApprovalForm, seen=plain(in_force) if in_force is not None else ""),
            act,
            title=f"Approve {self.heading(figure)}",
            submit=f"Approve {number(figure.value)}",
            record=figure,
            note=f"{figure.configuration.description}. Proposed by {figure.proposed_by}: "
            f"{figure.reason}",
            sections=[self._what_changes(figure)],
            back=self.address("change", figure.pk),
        )

    def reject(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Closes the proposal; the figure in force stays."""
        figure = self._figure(request, object_id, figures.DECIDE)

        def act(data: dict[str, Any]) -> HttpResponse:
            figures.reject(figure_id=figure.pk, reason=data["reason"], user=staff_of(request))
            messages.success(request, "Rejected. The figure in force stays as it is.")
            return self.back_to(figure.pk)

        return self.form_page(
            request,
            bind(request, ReasonForm),
            act,
            title=f"Reject {self.heading(figure)}",
            submit="Reject the figure",
            record=figure,
            note=f"Proposed by {figure.proposed_by}: {figure.reason}",
            back=self.address("change", figure.pk),
        )

    def withdraw(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """The first of two: asks that it does not take effect."""
        permission = figures.DECIDE if self.may(request, figures.DECIDE) else figures.PROPOSE
        figure = self._figure(request, object_id, permission)

        def act(data: dict[str, Any]) -> HttpResponse:
            figures.ask_to_withdraw(
                figure_id=figure.pk, reason=data["reason"], user=staff_of(request)
            )
            messages.success(
                request, "Asked. It takes effect all the same unless somebody else agrees in time."
            )
            return self.back_to(figure.pk)

        return self.form_page(
            request,
            bind(request, ReasonForm),
            act,
            title=f"Withdraw {self.heading(figure)}",
            submit="Ask to withdraw it",
            record=figure,
            note="Somebody else has to agree before it takes effect.",
            back=self.address("change", figure.pk),
        )

    def agree(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """The second of two: it never takes effect."""
        figure = self._figure(request, object_id, figures.DECIDE)

        def act(_data: dict[str, Any]) -> HttpResponse:
            figures.agree_to_withdraw(figure_id=figure.pk, user=staff_of(request))
            messages.success(request, "Withdrawn: it does not take effect.")
            return self.back_to(figure.pk)

        return self.form_page(
            request,
            bind(request, ConfirmForm),
            act,
            title=f"Withdraw {self.heading(figure)}",
            submit="Withdraw it",
            record=figure,
            note=f"{figure.withdrawal_asked_by} asks: {figure.withdrawal_reason}",
            sections=[self._what_changes(figure)],
            back=self.address("change", figure.pk),
        )

    def take_back(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Whoever proposed it closes it."""
        return self._at_once(request, object_id, figures.PROPOSE, figures.take_back, "Taken back.")

    def keep(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """It takes effect as approved."""
        permission = figures.DECIDE if self.may(request, figures.DECIDE) else figures.PROPOSE
        return self._at_once(
            request, object_id, permission, figures.keep, "Kept: it takes effect as approved."
        )

    def _at_once(
        self,
        request: HttpRequest,
        object_id: UUID,
        permission: str,
        decide: Callable[..., object],
        done: str,
    ) -> HttpResponse:
        figure = self._figure(request, object_id, permission)
        self.attempt(request, lambda: decide(figure_id=figure.pk, user=staff_of(request)), done)
        return self.back_to(figure.pk)

    def _figure(
        self, request: HttpRequest, object_id: UUID, permission: str
    ) -> ConfigurationFigure:
        if not self.may(request, permission):
            raise PermissionDenied
        found: ConfigurationFigure = self.record(request, object_id)
        return found

    def _what_changes(self, figure: ConfigurationFigure) -> Section:
        now = figure_in_force(figure.configuration_id) or figure.configuration.value
        when = figure.in_force_from or figure.effective_from
        if when is None or when <= timezone.now():
            starts = "as soon as it is approved"
        else:
            starts = f"{when:%Y-%m-%d %H:%M:%S} UTC, in {span(when - timezone.now())}"
        headings = ("", "In force now", "Then", "Change", "In force from")
        row = (
            figure.configuration.description,
            number(now),
            number(figure.value),
            difference(now, figure.value),
            starts,
        )
        return Section("What changes", headings, [row], right=(1, 2, 3))


def _to_come(figure: ConfigurationFigure) -> bool:
    return (
        figure.status == FigureStatus.APPROVED
        and figure.in_force_from is not None
        and figure.in_force_from > timezone.now()
    )
