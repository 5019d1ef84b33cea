"""Figures one by one: what is proposed beside what is in force, and the decision of another person.

What each decision asks is in `figure_questions`.
"""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import flatten
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from exchange.admin.base import PendingDecision, Section, Tool, staff_of
from exchange.admin.columns import column
from exchange.admin.confirmation import ConfirmationAdmin, ConfirmedAction
from exchange.admin.display import format_time, record_link, status_badge
from exchange.admin.fields import ReasonField
from exchange.admin.list_filters import ChoiceFilter, ListFilters, day_range
from exchange.staff.admin.pending import (
    VIEW_ONLY,
    Queue,
    QueueFilter,
    describe_approvers,
    pending_decision,
)
from exchange.staff.models import StaffUser
from wallets.fees import services as figures
from wallets.fees.admin import figure_questions as questions
from wallets.fees.admin.figure_questions import number
from wallets.fees.models import ConfigurationFigure, FigureStatus


class ReasonForm(forms.Form):
    """Why not."""

    reason = ReasonField(max_length=300)


_STEPS = (
    ConfirmedAction(
        "reject",
        "figure_id",
        (figures.DECIDE,),
        questions.rejection,
        figures.reject,
        "Rejected. The figure in force stays as it is.",
        form=ReasonForm,
    ),
    ConfirmedAction(
        "take_back",
        "figure_id",
        (figures.PROPOSE,),
        questions.taking_back,
        figures.take_back,
        "Taken back.",
    ),
    ConfirmedAction(
        "withdraw",
        "figure_id",
        (figures.PROPOSE, figures.DECIDE),
        questions.withdrawal,
        figures.ask_to_withdraw,
        "Asked. It takes effect all the same unless somebody else agrees in time.",
        form=ReasonForm,
    ),
    ConfirmedAction(
        "keep",
        "figure_id",
        (figures.PROPOSE, figures.DECIDE),
        questions.keeping,
        figures.keep,
        "Kept: it takes effect as approved.",
    ),
    ConfirmedAction(
        "agree",
        "figure_id",
        (figures.DECIDE,),
        questions.agreement,
        figures.agree_to_withdraw,
        "Withdrawn: it does not take effect.",
    ),
)


class FigureFilters(ListFilters):
    decision = QueueFilter(
        Queue("Figures to decide", figures.DECIDE, figures.undecided, figures.own)
    )
    status__exact = ChoiceFilter("status", FigureStatus.choices, title="status")
    day_from, day_to = day_range(id_column="")


@admin.register(ConfigurationFigure)
class ConfigurationFigureAdmin(ConfirmationAdmin):
    filters = FigureFilters
    list_display = (
        "shown_key", "shown_value", "shown_state", "shown_from", "proposed_by", "proposed",
        "decided_by",
    )  # fmt: skip
    list_select_related = (
        "configuration", "proposed_by", "decided_by", "withdrawal_asked_by", "withdrawn_by",
    )  # fmt: skip
    search_fields = ("configuration__key",)
    search_help_text = "Key, value or id"
    amount_fields = ("value",)
    fields = (
        ("shown_link", "shown_state"), ("shown_value", "shown_from"), "reason",
        ("proposed_by", "proposed"), ("decided_by", "shown_decided"), "decision_note",
        ("withdrawal_asked_by", "withdrawn_by"), "withdrawal_reason",
    )  # fmt: skip
    readonly_fields = flatten(fields)

    def heading(self, obj: ConfigurationFigure) -> str:
        return f"{obj.configuration_id} {number(obj.value)}"

    shown_key = column("key", lambda figure: figure.configuration_id, ordering="configuration")
    shown_link = column(
        "key", lambda figure: record_link(figure.configuration, figure.configuration_id)
    )
    shown_value = column("figure", lambda figure: number(figure.value), ordering="value")
    shown_state = column("state", lambda figure: status_badge(figure.status), ordering="status")

    @admin.display(description="in force from (UTC)", ordering="in_force_from")
    def shown_from(self, figure: ConfigurationFigure) -> str:
        when = figure.in_force_from or figure.effective_from
        return format_time(when) if when else "its approval"

    proposed = column(
        "proposed (UTC)", lambda figure: format_time(figure.created_at), ordering="created_at"
    )
    shown_decided = column(
        "decided (UTC)", lambda figure: format_time(figure.decided_at) if figure.decided_at else "-"
    )

    def get_urls(self) -> list[URLPattern]:
        one = "<uuid:object_id>"
        return [
            self.action_url(f"{one}/approve/", "approve", self.approve, only_post=False),
            *self.confirmed_action_urls(_STEPS),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: ConfigurationFigure) -> list[Tool]:
        may = self.may(request, figures.PROPOSE) or self.may(request, figures.DECIDE)
        if not may or not questions.is_to_come(obj) or obj.withdrawal_asked_by_id is not None:
            return []
        return [Tool("Ask to withdraw it", self.address("withdraw", obj.pk))]

    def decision(self, request: HttpRequest, obj: ConfigurationFigure) -> PendingDecision | None:
        user = staff_of(request)
        if questions.is_to_come(obj) and obj.withdrawal_asked_by_id is not None:
            return self._withdrawal_decision(user, obj)
        own = obj.proposed_by_id == user.pk and self.may(request, figures.PROPOSE)
        return pending_decision(
            obj,
            user,
            figures.FIGURES,
            proposer=obj.proposed_by,
            approve=Tool(f"Approve {number(obj.value)}", self.address("approve", obj.pk)),
            reject=Tool("Reject", self.address("reject", obj.pk)),
            take_back=Tool("Take back", self.address("take_back", obj.pk)) if own else None,
        )

    def _withdrawal_decision(self, user: StaffUser, obj: ConfigurationFigure) -> PendingDecision:
        """What two people decide about a figure that one of them does not want in force."""
        may = user.has_perm(figures.DECIDE)
        own = obj.withdrawal_asked_by_id == user.pk
        agree = Tool("Agree to withdraw it", self.address("agree", obj.pk))
        keep = Tool("Keep it", self.address("keep", obj.pk))
        blocker = questions.agreement(obj, user).blocker if may or own else VIEW_ONLY
        return PendingDecision(
            summary=f"{obj.withdrawal_asked_by} asks to withdraw it: {obj.withdrawal_reason}.",
            eligible=describe_approvers(figures.DECIDE, obj.withdrawal_asked_by_id),
            approve=None if blocker else agree,
            other_tools=[keep] if may or own else [],
            blocker=blocker,
        )

    def sections(self, request: HttpRequest, obj: ConfigurationFigure) -> list[Section]:
        if obj.status != FigureStatus.PENDING and not questions.is_to_come(obj):
            return []
        return [questions.what_changes(obj)]

    def approve(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """The second pair of eyes."""
        figure: ConfigurationFigure = self.record(request, object_id, figures.DECIDE)
        user, seen = staff_of(request), questions.in_force_now(figure)
        return self.confirm_page(
            request,
            figure,
            questions.approval(figure, user),
            partial(figures.approve, figure_id=figure.pk, seen=seen, user=user),
            lambda made: (
                f"Approved: {made.configuration_id} is {number(made.value)} from "
                f"{made.in_force_from:%Y-%m-%d %H:%M:%S} UTC on."
            ),
        )
