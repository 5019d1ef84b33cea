"""Settings changes in the admin: proposed and effective values, and the second person's decision.

`confirmations` builds the page of each decision.
"""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.utils import flatten
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from exchange.admin.base import PendingDecision, Section, Tool, staff_of
from exchange.admin.columns import column
from exchange.admin.confirmation import ConfirmationAdmin, ConfirmedAction
from exchange.admin.display import format_time, record_link, status_badge
from exchange.admin.fields import ReasonForm
from exchange.admin.list_filters import ChoiceFilter, ListFilters, day_range
from exchange.staff.admin.pending import (
    VIEW_ONLY,
    Queue,
    QueueFilter,
    describe_approvers,
    pending_decision,
)
from exchange.staff.models import StaffUser
from wallets.fees import services
from wallets.fees.admin import confirmations
from wallets.fees.admin.confirmations import new_value
from wallets.fees.definitions import describe_value, name_setting
from wallets.fees.models import SettingChange, SettingChangeStatus

_ACTIONS = (
    ConfirmedAction(
        "reject",
        "change_id",
        (services.DECIDE,),
        confirmations.rejection,
        services.reject,
        "Rejected. The effective value stays unchanged.",
        form=ReasonForm,
    ),
    ConfirmedAction(
        "cancel",
        "change_id",
        (services.PROPOSE,),
        confirmations.proposal_cancellation,
        services.cancel_proposal,
        "Proposal cancelled. The effective value stays unchanged.",
    ),
    ConfirmedAction(
        "request_cancellation",
        "change_id",
        (services.PROPOSE, services.DECIDE),
        confirmations.cancellation_request,
        services.request_cancellation,
        "Cancellation requested. The change takes effect unless a second person confirms in time.",
        form=ReasonForm,
    ),
    ConfirmedAction(
        "dismiss_cancellation",
        "change_id",
        (services.PROPOSE, services.DECIDE),
        confirmations.cancellation_dismissal,
        services.dismiss_cancellation,
        "Kept. The change takes effect as approved.",
    ),
    ConfirmedAction(
        "confirm_cancellation",
        "change_id",
        (services.DECIDE,),
        confirmations.cancellation,
        services.confirm_cancellation,
        "Cancelled. The change does not take effect.",
    ),
)


class SettingChangeFilters(ListFilters):
    decision = QueueFilter(
        Queue(
            "Settings changes",
            services.DECIDE,
            services.pending_approval,
            services.proposed_by_user,
        )
    )
    status__exact = ChoiceFilter("status", SettingChangeStatus.choices, title="status")
    day_from, day_to = day_range(id_column="")


@admin.register(SettingChange)
class SettingChangeAdmin(ConfirmationAdmin):
    filters = SettingChangeFilters
    list_display = (
        "key_display", "value_display", "state_display", "effective_from_display", "proposed_by",
        "proposed", "decided_by",
    )  # fmt: skip
    list_select_related = (
        "configuration", "proposed_by", "decided_by", "cancellation_requested_by", "cancelled_by",
    )  # fmt: skip
    search_fields = ("configuration__key",)
    search_help_text = "Key, value or ID"
    amount_fields = ("value",)
    fields = (
        ("link_display", "state_display"), ("value_display", "effective_from_display"), "reason",
        ("proposed_by", "proposed"), ("decided_by", "decided_display"), "decision_note",
        "approval_reason",
        ("cancellation_requested_by", "cancelled_by"), "cancellation_reason",
    )  # fmt: skip
    readonly_fields = flatten(fields)

    def heading(self, obj: SettingChange) -> str:
        return f"{name_setting(obj.configuration_id)}: {new_value(obj)}"

    key_display = column(
        "setting", lambda change: name_setting(change.configuration_id), ordering="configuration"
    )
    link_display = column(
        "setting",
        lambda change: record_link(change.configuration, name_setting(change.configuration_id)),
    )
    value_display = column("new value", new_value, ordering="value")
    state_display = column(
        "status", lambda change: status_badge(change.get_status_display()), ordering="status"
    )

    @admin.display(description="effective (UTC)", ordering="effective_at")
    def effective_from_display(self, change: SettingChange) -> str:
        when = change.effective_at or change.effective_from
        return format_time(when) if when else "On approval"

    proposed = column(
        "proposed (UTC)", lambda change: format_time(change.created_at), ordering="created_at"
    )
    decided_display = column(
        "decided (UTC)", lambda change: format_time(change.decided_at) if change.decided_at else "-"
    )

    def get_urls(self) -> list[URLPattern]:
        one = "<uuid:object_id>"
        return [
            self.action_url(f"{one}/approve/", "approve", self.approve, only_post=False),
            *self.confirmed_action_urls(_ACTIONS),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: SettingChange) -> list[Tool]:
        may = self.may(request, services.PROPOSE) or self.may(request, services.DECIDE)
        if (
            not may
            or not confirmations.is_upcoming(obj)
            or obj.cancellation_requested_by_id is not None
        ):
            return []
        return [Tool("Request cancellation", self.address("request_cancellation", obj.pk))]

    def decision(self, request: HttpRequest, obj: SettingChange) -> PendingDecision | None:
        user = staff_of(request)
        if confirmations.is_upcoming(obj) and obj.cancellation_requested_by_id is not None:
            return self._cancellation_decision(user, obj)
        own = obj.proposed_by_id == user.pk and self.may(request, services.PROPOSE)
        return pending_decision(
            obj,
            user,
            services.SETTING_CHANGES,
            proposal=_describe(obj),
            facts=[("Reason", obj.reason)],
            proposer=obj.proposed_by,
            approve=Tool(f"Approve {new_value(obj)}", self.address("approve", obj.pk)),
            reject=Tool("Reject", self.address("reject", obj.pk)),
            cancel=Tool("Cancel proposal", self.address("cancel", obj.pk)) if own else None,
        )

    def _cancellation_decision(self, user: StaffUser, obj: SettingChange) -> PendingDecision:
        """Return the decision on a cancellation request."""
        may = user.has_perm(services.DECIDE)
        own = obj.cancellation_requested_by_id == user.pk
        agree = Tool("Confirm cancellation", self.address("confirm_cancellation", obj.pk))
        dismiss = Tool("Keep the change", self.address("dismiss_cancellation", obj.pk))
        blocker = confirmations.cancellation(obj, user).blocker if may or own else VIEW_ONLY
        return PendingDecision(
            proposal=f"Cancel the change: {_describe(obj)}",
            facts=[("Reason", obj.cancellation_reason)],
            summary=f"{obj.cancellation_requested_by} requested cancellation.",
            eligible=describe_approvers(services.DECIDE, obj.cancellation_requested_by_id),
            approve=None if blocker else agree,
            other_tools=[dismiss] if may or own else [],
            blocker=blocker,
        )

    def warnings(self, obj: SettingChange) -> list[str]:
        pending = obj.status == SettingChangeStatus.PENDING
        return confirmations.find_change_notices(obj) if pending else []

    def sections(self, request: HttpRequest, obj: SettingChange) -> list[Section]:
        if obj.status != SettingChangeStatus.PENDING and not confirmations.is_upcoming(obj):
            return []
        return [confirmations.change_section(obj)]

    def approve(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Approve as the second person, against the effective value that the page showed."""
        change: SettingChange = self.record(request, object_id, services.DECIDE)
        user, expected_value = staff_of(request), confirmations.current_value(change)
        return self.confirm_page(
            request,
            change,
            confirmations.approval(change, user),
            partial(
                services.approve, change_id=change.pk, expected_value=expected_value, user=user
            ),
            lambda made: (
                f"Approved. {name_setting(made.configuration_id)} is {new_value(made)} from "
                f"{made.effective_at:%Y-%m-%d %H:%M:%S} UTC."
            ),
        )


def _describe(change: SettingChange) -> str:
    """Return the proposed change: `Minimum withdrawal, KES from 50.00 KES to 75.00 KES`."""
    key = change.configuration_id
    now = describe_value(key, confirmations.current_value(change))
    return f"{name_setting(key)} from {now} to {new_value(change)}"
