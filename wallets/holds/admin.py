"""Freezes in the admin: the list, and lifting one by two people.

The page that freezes an owner also cancels orders, so it is in `orders.holds.admin`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.html import format_html

from exchange.admin.base import PendingDecision, SafeAdmin, Section, Tool, staff_of
from exchange.admin.confirmation import Confirmation, ConfirmationAdmin
from exchange.admin.display import age, format_time, record_link, status_badge
from exchange.admin.fields import ReasonField, ReasonForm
from exchange.admin.forms import bind_form
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
from exchange.staff.admin.pending import Queue, QueueFilter, pending_decision
from exchange.staff.models import ApprovalStatus
from wallets.holds.models import Freeze, FreezeLift
from wallets.holds.services import LIFT, LIFTS, confirm_lift, propose_lift, reject_lift
from wallets.ledger.models import Account

_ACTIVE, _LIFTED = "active", "lifted"
_EFFECT = (
    "Withdrawals, orders, transfers and pledges are accepted again, and payouts that waited are"
    " sent. Cancelled orders stay cancelled."
)


class ExplanationForm(forms.Form):
    """Why a freeze is to be lifted."""

    explanation = ReasonField(max_length=500)


def _with_pending_lift(condition: Q) -> Q:
    lifts = FreezeLift.objects.filter(condition, status=ApprovalStatus.PENDING)
    return Q(pk__in=lifts.values("freeze_id"))


class FreezeFilters(ListFilters):
    decision = QueueFilter(
        Queue(
            "Freezes to lift",
            LIFT,
            lambda rows: rows.filter(_with_pending_lift(Q())),
            lambda user: _with_pending_lift(LIFTS.proposed_by(user)),
        )
    )
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
class FreezeAdmin(Exportable, ConfirmationAdmin, OwnedRecordAdmin):
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
    readonly_fields = fields

    @admin.display(description="age", ordering="pk")
    def frozen(self, freeze: Freeze) -> str:
        return age(freeze.created_at)

    @admin.display(description="status")
    def state_display(self, freeze: Freeze) -> str:
        return _state_badge(freeze)

    @admin.display(description="owner")
    def owned_by(self, freeze: Freeze) -> str:
        if freeze.member is None:
            return record_link(freeze.organisation)
        return format_html("{}<br>{}", record_link(freeze.member), freeze.organisation)

    @admin.display(description="owner")
    def owner(self, freeze: Freeze) -> str:
        return record_link(freeze.member or freeze.organisation)

    @admin.display(description="organisation")
    def organisation_display(self, freeze: Freeze) -> str:
        return record_link(freeze.organisation)

    @admin.display(description="frozen")
    def scope_display(self, freeze: Freeze) -> str:
        return freeze.scope

    def heading(self, obj: Freeze) -> str:
        return f"Freeze of {obj.member or obj.organisation}"

    def get_urls(self) -> list[URLPattern]:
        return [
            *(
                self.action_url(f"<uuid:object_id>/{name}/", name, view, only_post=False)
                for name, view in (
                    ("lift", self.propose),
                    ("confirm", self.confirm),
                    ("reject", self.reject),
                )
            ),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: Freeze) -> list[Tool]:
        if obj.lifted_at is not None or not self.may(request, LIFT) or _pending_lift(obj):
            return []
        return [Tool("Propose to lift", self.address("lift", obj.pk))]

    def decision(self, request: HttpRequest, obj: Freeze) -> PendingDecision | None:
        lift = _pending_lift(obj)
        if lift is None:
            return None
        return pending_decision(
            lift,
            staff_of(request),
            LIFTS,
            proposal=f"Lift the {obj}",
            facts=[("Explanation", lift.explanation)],
            proposer=lift.proposed_by,
            approve=Tool("Lift the freeze", self.address("confirm", obj.pk)),
            reject=Tool("Reject", self.address("reject", obj.pk)),
        )

    def sections(self, request: HttpRequest, obj: Freeze) -> list[Section]:
        lifts = obj.lifts.select_related("proposed_by", "decided_by")
        rows = [
            (
                format_time(lift.created_at),
                lift.proposed_by,
                lift.explanation,
                status_badge(lift.status),
                lift.decided_by or "",
                lift.reason,
            )
            for lift in lifts
        ]
        headings = ("Proposed (UTC)", "By", "Explanation", "Status", "Decided by", "Reason")
        return [Section("Proposals to lift it", headings, rows, empty="No proposals.")]

    def propose(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Confirm and propose to lift the freeze."""
        freeze: Freeze = self.record(request, object_id, LIFT)
        blocker = (
            "A proposal to lift this freeze is pending already" if _pending_lift(freeze) else ""
        )
        confirmation = Confirmation(
            title=f"Propose to lift the {freeze}?",
            facts=_facts(freeze),
            text=f"A second person must confirm it. {_EFFECT}",
            submit="Propose to lift",
            blocker="The freeze is lifted already" if freeze.lifted_at else blocker,
        )
        act = partial(propose_lift, freeze_id=freeze.pk, user=staff_of(request))
        return self.confirm_page(
            request,
            freeze,
            confirmation,
            act,
            "Proposed. A second person must confirm it.",
            form=bind_form(request, ExplanationForm),
        )

    def confirm(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Confirm and lift the freeze, as the second person."""
        return self._decide(
            request,
            object_id,
            title="Lift the {}?",
            text=_EFFECT,
            submit="Lift the freeze",
            find_blocker=LIFTS.describe_blocker,
            act=confirm_lift,
            done="Freeze lifted.",
        )

    def reject(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Confirm and reject the proposal."""
        return self._decide(
            request,
            object_id,
            title="Keep the {}?",
            text="The proposal is rejected and the freeze stays.",
            submit="Reject",
            find_blocker=lambda lift, _: LIFTS.describe_closed(lift),
            act=reject_lift,
            done="Proposal closed. The freeze stays.",
            form=bind_form(request, ReasonForm),
        )

    def _decide(
        self,
        request: HttpRequest,
        object_id: UUID,
        *,
        title: str,
        text: str,
        submit: str,
        find_blocker: Any,
        act: Any,
        done: str,
        form: forms.Form | None = None,
    ) -> HttpResponse:
        freeze: Freeze = self.record(request, object_id, LIFT)
        lift, user = _pending_lift(freeze), staff_of(request)
        confirmation = Confirmation(
            title=title.format(freeze),
            facts=[*_facts(freeze), *(_proposal_facts(lift) if lift else ())],
            text=text,
            submit=submit,
            blocker=find_blocker(lift, user) if lift else "No proposal to lift it is pending",
        )
        act = partial(act, lift_id=lift.pk if lift else None, user=user)
        return self.confirm_page(request, freeze, confirmation, act, done, form=form)


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


def _state_badge(freeze: Freeze) -> str:
    return status_badge(freeze.state, "bad" if freeze.lifted_at is None else "calm")


def _pending_lift(freeze: Freeze) -> FreezeLift | None:
    pending = freeze.lifts.filter(status=ApprovalStatus.PENDING)
    return pending.select_related("proposed_by", "decided_by").first()


def _facts(freeze: Freeze) -> list[tuple[str, object]]:
    return [
        ("Owner", record_link(freeze.member or freeze.organisation)),
        ("Organisation", record_link(freeze.organisation)),
        ("Frozen", freeze.scope),
        ("Reason", freeze.reason),
        ("Frozen by", freeze.placed_by),
        ("Since (UTC)", f"{freeze.created_at:%Y-%m-%d %H:%M:%S}"),
    ]


def _proposal_facts(lift: FreezeLift) -> list[tuple[str, object]]:
    return [("Proposed by", lift.proposed_by), ("Explanation", lift.explanation)]
