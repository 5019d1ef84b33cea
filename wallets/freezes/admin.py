"""Freezes in the admin: the list, and lifting one by two people.

The page that freezes an owner also cancels orders, so it is in `orders.freezing.admin`.
"""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.html import format_html

from exchange.admin.base import SafeAdmin, Section, Tool
from exchange.admin.columns import column
from exchange.admin.confirmation import Confirmation, ConfirmedAction
from exchange.admin.display import age, format_time, record_link, status_badge
from exchange.admin.fields import ReasonField, ReasonForm
from exchange.admin.list_filters import (
    ChoiceFilter,
    ListFilters,
    currency_filter,
    day_range,
    id_filter,
)
from exchange.admin.panels import Panel
from exchange.exports.admin import Exportable
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.participants.admin.owner_records import (
    Owner,
    OwnerRecords,
    TimelineColumns,
    owner_id_of,
)
from exchange.participants.admin.owner_search import OwnedRecordAdmin
from exchange.staff.admin.pending import QueueFilter, approval_queue
from exchange.staff.admin.proposals import ApprovalPages, Step
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.freezes.models import Freeze, FreezeLift
from wallets.freezes.services import LIFT, LIFTS, confirm_lift, propose_lift, reject_lift
from wallets.ledger.models import Account

_ACTIVE, _LIFTED = "active", "lifted"
_EFFECT = (
    "Withdrawals, orders, transfers and pledges are accepted again, and payouts that waited are"
    " sent. Cancelled orders stay cancelled."
)


class LiftForm(forms.Form):
    """Why a freeze is to be lifted."""

    explanation = ReasonField(max_length=500)


def _state_badge(freeze: Freeze) -> str:
    return status_badge(freeze.state, "bad" if freeze.lifted_at is None else "calm")


def _ask_to_propose(freeze: Freeze, _user: StaffUser) -> Confirmation:
    pending = "A proposal to lift this freeze is pending already" if _pending_lift(freeze) else ""
    return Confirmation(
        title=f"Propose to lift the {freeze}?",
        text=f"A second person must confirm it. {_EFFECT}",
        submit="Propose to lift",
        facts=_facts(freeze),
        blocker="The freeze is lifted already" if freeze.lifted_at else pending,
    )


_PROPOSE = ConfirmedAction(
    "lift",
    "freeze_id",
    (LIFT,),
    _ask_to_propose,
    propose_lift,
    "Proposed. A second person must confirm it.",
    LiftForm,
)


class FreezeFilters(ListFilters):
    decision = QueueFilter(approval_queue("Freezes to lift", LIFTS, "freeze"))
    state = ChoiceFilter(
        title="status",
        choices=[(_ACTIVE, "Active"), (_LIFTED, "Lifted")],
        condition=lambda chosen: Q(lifted_at__isnull=chosen == _ACTIVE),
    )
    currency__code__exact = currency_filter()
    organisation_name = OrganisationNameFilter()
    day_from, day_to = day_range()
    owner_id = id_filter("owner_id")


@admin.register(Freeze)
class FreezeAdmin(Exportable, ApprovalPages, OwnedRecordAdmin):
    confirmed_actions = (_PROPOSE,)
    approval = LIFTS
    proposals = "lifts"
    approve_step = Step("confirm", "lift_id", confirm_lift, "Freeze lifted.")
    reject_step = Step(
        "reject", "lift_id", reject_lift, "Proposal closed. The freeze stays.", ReasonForm
    )
    filters = FreezeFilters
    list_display = ("frozen", "state_display", "owned_by", "scope_display", "reason", "placed_by")
    list_select_related = ("organisation", "member", "placed_by")
    search_fields = ("organisation__name", "member__name")
    search_help_text = "Organisation, member, email or ID"
    id_fields = ("pk", "owner_id", "organisation_id")
    # Ids grow with time and have an index.
    ordering = ("-pk",)
    fields = (
        "state_display", "owner", "organisation_display", "scope_display", "reason", "placed_by",
        "created_at", "lifted_at", "id",
    )  # fmt: skip
    labels = {"created_at": "frozen (UTC)", "placed_by": "frozen by", "lifted_at": "lifted (UTC)"}

    frozen = column("age", lambda freeze: age(freeze.created_at), ordering="pk")
    state_display = column("status", _state_badge)
    scope_display = column("frozen", lambda freeze: freeze.scope)

    def heading(self, obj: Freeze) -> str:
        return f"Freeze of {obj.member or obj.organisation}"

    def tools(self, request: HttpRequest, obj: Freeze) -> list[Tool]:
        if obj.lifted_at is not None or not self.may(request, LIFT) or _pending_lift(obj):
            return []
        return [Tool("Propose to lift", self.address("lift", obj.pk))]

    def sections(self, request: HttpRequest, obj: Freeze) -> list[Section]:
        return [self.proposals_section(obj, "Proposals to lift it", "No proposals.")]

    def panel_facts(self, proposal: FreezeLift) -> list[tuple[str, object]]:
        return [("Explanation", proposal.explanation)]

    def facts(self, proposal: FreezeLift) -> list[tuple[str, object]]:
        return [
            *_facts(proposal.freeze),
            ("Proposed by", proposal.proposed_by),
            ("Explanation", proposal.explanation),
        ]

    def ask_approval(self, proposal: FreezeLift) -> Confirmation:
        return Confirmation(
            title=f"Lift the {proposal.freeze}?", text=_EFFECT, submit="Lift the freeze"
        )

    def ask_rejection(self, proposal: FreezeLift, *, own: bool) -> Confirmation:
        return Confirmation(
            title=f"Keep the {proposal.freeze}?",
            text="The proposal is rejected and the freeze stays.",
            submit="Reject",
        )


class FrozenPanel(Panel):
    """Who is frozen: a warning on the pages of owners and their accounts, a badge in lists."""

    def warnings(self, page: SafeAdmin, request: HttpRequest, record: Any) -> list[str]:
        """Return a warning for each freeze in effect that concerns `record`."""
        if not page.may(request, "wallets.view_freeze"):
            return []
        asset = record.asset_id if isinstance(record, Account) else None
        found = Freeze.objects.filter(owner_id=owner_id_of(record), lifted_at=None)
        return [
            format_html(
                "{} since {} UTC, by {}: {}",
                record_link(freeze, _frozen_words(freeze)),
                format_time(freeze.created_at),
                freeze.placed_by,
                freeze.reason,
            )
            for freeze in found.select_related("placed_by")
            if asset is None or freeze.currency_id in (None, asset)
        ]

    def badges(self, records: Sequence[Any]) -> dict[Any, list[str]]:
        """Return a badge for each freeze in effect."""
        owners = [record.pk for record in records]
        found: dict[Any, list[str]] = {}
        for freeze in Freeze.objects.filter(owner_id__in=owners, lifted_at=None):
            badge = status_badge(_frozen_words(freeze), "bad")
            found.setdefault(freeze.owner_id, []).append(badge)
        return found


class FreezesPanel(OwnerRecords):
    """The newest freezes of an owner."""

    tab = "Activity"
    model = Freeze
    title = "Freezes"
    headings = ("Frozen (UTC)", "Status", "Frozen", "Reason", "By", "Lifted (UTC)")
    related = ("placed_by",)
    timeline = TimelineColumns("Freeze", text="reason")

    def cells(self, record: Freeze, owner: Owner) -> tuple[object, ...]:
        return (
            record_link(record, f"{record.created_at:%Y-%m-%d %H:%M:%S}"),
            _state_badge(record),
            record.scope,
            record.reason,
            record.placed_by,
            format_time(record.lifted_at) if record.lifted_at else "",
        )


def _frozen_words(freeze: Freeze) -> str:
    return f"Frozen in {freeze.currency_id}" if freeze.currency_id else "Frozen"


def _pending_lift(freeze: Freeze) -> bool:
    return freeze.lifts.filter(status=ApprovalStatus.PENDING).exists()


def _facts(freeze: Freeze) -> list[tuple[str, object]]:
    return [
        ("Owner", record_link(freeze.member or freeze.organisation)),
        ("Organisation", record_link(freeze.organisation)),
        ("Frozen", freeze.scope),
        ("Reason", freeze.reason),
        ("Frozen by", freeze.placed_by),
        ("Since (UTC)", f"{freeze.created_at:%Y-%m-%d %H:%M:%S}"),
    ]
