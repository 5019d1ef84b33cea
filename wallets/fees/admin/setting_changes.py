"""Settings changes in the admin: proposed and effective values, and the second person's decision.

`confirmations` builds the page of each decision.
"""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from exchange.admin.base import PendingDecision, Section, Tool, staff_of
from exchange.admin.columns import column
from exchange.admin.confirmation import Confirmation, ConfirmedAction
from exchange.admin.display import format_time, record_link, status_badge
from exchange.admin.fields import ReasonForm
from exchange.admin.list_filters import ChoiceFilter, ListFilters, day_range
from exchange.staff.admin.pending import (
    VIEW_ONLY,
    Queue,
    QueueFilter,
    describe_approvers,
)
from exchange.staff.admin.proposals import ProposalAdmin, Step
from exchange.staff.models import StaffUser
from wallets.fees import services
from wallets.fees.admin import confirmations
from wallets.fees.admin.confirmations import new_value
from wallets.fees.definitions import describe_value, name_setting
from wallets.fees.models import SettingChange, SettingChangeStatus

_ACTIONS = (
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
class SettingChangeAdmin(ProposalAdmin):
    confirmed_actions = _ACTIONS
    approval = services.SETTING_CHANGES
    approve_step = Step(
        "approve",
        "change_id",
        services.approve,
        lambda made: (
            f"Approved. {name_setting(made.configuration_id)} is {new_value(made)} from"
            f" {made.effective_at:%Y-%m-%d %H:%M:%S} UTC."
        ),
    )
    reject_step = Step(
        "reject",
        "change_id",
        services.reject,
        "Rejected. The effective value stays unchanged.",
        ReasonForm,
    )
    cancel_step = Step(
        "cancel",
        "change_id",
        services.cancel_proposal,
        "Proposal cancelled. The effective value stays unchanged.",
        permission=services.PROPOSE,
    )
    filters = SettingChangeFilters
    list_display = (
        "key_display", "value_display", "state_display", "effective_from_display", "proposed_by",
        "proposed_time", "decided_by",
    )  # fmt: skip
    list_select_related = (
        "configuration", "proposed_by", "decided_by", "cancellation_requested_by", "cancelled_by",
    )  # fmt: skip
    search_fields = ("configuration__key",)
    search_help_text = "Key, value or ID"
    amount_fields = ("value",)
    ordering = ()
    fields = (
        ("link_display", "state_display"), ("value_display", "effective_from_display"), "reason",
        ("proposed_by", "proposed_time"), ("decided_by", "decided_time"), "decision_note",
        "approval_reason",
        ("cancellation_requested_by", "cancelled_by"), "cancellation_reason",
    )  # fmt: skip

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
        if confirmations.is_upcoming(obj) and obj.cancellation_requested_by_id is not None:
            return self._cancellation_decision(staff_of(request), obj)
        return super().decision(request, obj)

    def _cancellation_decision(self, user: StaffUser, obj: SettingChange) -> PendingDecision:
        """Return the decision on a cancellation request."""
        may = user.has_perm(services.DECIDE)
        own = obj.cancellation_requested_by_id == user.pk
        agree = Tool("Confirm cancellation", self.address("confirm_cancellation", obj.pk))
        dismiss = Tool("Keep the change", self.address("dismiss_cancellation", obj.pk))
        blocker = confirmations.cancellation(obj, user).blocker if may or own else VIEW_ONLY
        return PendingDecision(
            proposal=f"Cancel the change: {self.describe(obj)}",
            facts=[("Reason", obj.cancellation_reason)],
            summary=f"{obj.cancellation_requested_by} requested cancellation.",
            eligible=describe_approvers(services.DECIDE, obj.cancellation_requested_by_id),
            approve=None if blocker else agree,
            other_tools=[dismiss] if may or own else [],
            blocker=blocker,
        )

    def sections(self, request: HttpRequest, obj: SettingChange) -> list[Section]:
        if obj.status != SettingChangeStatus.PENDING and not confirmations.is_upcoming(obj):
            return []
        return [confirmations.change_section(obj)]

    def expected(self, step: Step, proposal: SettingChange) -> dict[str, Any]:
        """Return the effective value that the approval replaces."""
        if step != self.approve_step:
            return {}
        return {"expected_value": confirmations.current_value(proposal)}

    def describe(self, proposal: SettingChange) -> str:
        """Return the change: `Minimum withdrawal, KES from 50.00 KES to 75.00 KES`."""
        key = proposal.configuration_id
        now = describe_value(key, confirmations.current_value(proposal))
        return f"{name_setting(key)} from {now} to {new_value(proposal)}"

    def panel_facts(self, proposal: SettingChange) -> list[tuple[str, object]]:
        return [("Reason", proposal.reason)]

    def facts(self, proposal: SettingChange) -> list[tuple[str, object]]:
        return confirmations.change_facts(proposal)

    def find_notices(self, proposal: SettingChange) -> list[str]:
        return confirmations.find_change_notices(proposal)

    def ask_approval(self, proposal: SettingChange) -> Confirmation:
        return Confirmation(
            title=f"Approve {self.heading(proposal)}?",
            text=confirmations.describe_effect(proposal.configuration_id),
            submit=f"Approve {new_value(proposal)}",
        )

    def ask_rejection(self, proposal: SettingChange, *, own: bool) -> Confirmation:
        return Confirmation(
            title=f"Reject {self.heading(proposal)}?",
            text="The effective value stays unchanged.",
            submit=f"Reject {new_value(proposal)}",
            final=True,
        )

    def ask_cancellation(self, proposal: SettingChange) -> Confirmation:
        return Confirmation(
            title=f"Cancel the proposal of {self.heading(proposal)}?",
            text="The effective value stays unchanged.",
            submit="Cancel proposal",
        )
