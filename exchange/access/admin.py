"""Pages of access proposals: confirm, reject, cancel, and collect the secret.

Proposals are made on the pages of users, API keys and organisations. A secret appears only in the
response to the POST that collects it.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.utils import flatten
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse
from django.utils.dateparse import parse_datetime

from exchange.access.services import decisions
from exchange.access.services.decisions import is_collectable
from exchange.admin.base import PendingDecision, Tool, staff_of
from exchange.admin.confirmation import Confirmation, ConfirmationAdmin
from exchange.admin.display import expiry, format_time, record_link, status_badge
from exchange.admin.fields import ReasonForm
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import ChoiceFilter, ListFilters, day_range
from exchange.staff.admin.pending import QueueFilter, approval_queue, pending_decision
from exchange.staff.models import AccessKind, AccessProposal, AccessProposalStatus, StaffUser
from exchange.staff.services.proposals import APPROVAL, DECIDE

_LABELS = {
    "username": "Username",
    "role": "Role",
    "seen": "Current role",
    "name": "Key",
    "scopes": "Scopes",
    "expires_at": "Expiry",
    "overlap_hours": "Old key valid for (hours)",
    "days": "Token lifetime (days)",
    "keys": "Keys with write access",
    "first_name": "First name",
    "last_name": "Last name",
    "email": "Email",
}


class AccessProposalFilters(ListFilters):
    decision = QueueFilter(approval_queue("Access proposals", APPROVAL))
    status__exact = ChoiceFilter("status", AccessProposalStatus.choices, title="status")
    kind__exact = ChoiceFilter("kind", AccessKind.choices, title="kind")
    break_glass__exact = ChoiceFilter(
        "break_glass", [("1", "Yes"), ("0", "No")], title="break glass"
    )
    day_from, day_to = day_range()


@admin.register(AccessProposal)
class AccessProposalAdmin(ConfirmationAdmin):
    filters = AccessProposalFilters
    list_display = (
        "created", "kind", "about", "state_display", "proposer_display", "decided_by", "decided",
    )  # fmt: skip
    list_display_links = ("created",)
    list_select_related = ("person", "organisation", "key", "proposed_by", "decided_by")
    search_fields = ("person__username", "organisation__name")
    id_fields = ("pk", "person_id", "organisation_id", "key_id")
    search_help_text = "Username, organisation, or the ID of either"
    ordering = ("-pk",)
    fields = (
        ("kind", "state_display"), ("about", "details"), "note",
        ("proposer_display", "created_at"), ("decided_by", "decided_at"), "reason",
        "collected_at",
    )  # fmt: skip
    readonly_fields = flatten(fields)

    def heading(self, obj: AccessProposal) -> str:
        return f"{obj.get_kind_display()}: {_subject_label(obj)}"

    @admin.display(description="proposed (UTC)", ordering="created_at")
    def created(self, proposal: AccessProposal) -> str:
        return format_time(proposal.created_at)

    @admin.display(description="decided (UTC)", ordering="decided_at")
    def decided(self, proposal: AccessProposal) -> str:
        return format_time(proposal.decided_at) if proposal.decided_at else "-"

    @admin.display(description="about")
    def about(self, proposal: AccessProposal) -> str:
        return _subject_label(proposal)

    @admin.display(description="details")
    def details(self, proposal: AccessProposal) -> str:
        return "; ".join(f"{name}: {value}" for name, value in _describe_payload(proposal)) or "-"

    @admin.display(description="status", ordering="status")
    def state_display(self, proposal: AccessProposal) -> str:
        if proposal.break_glass:
            return status_badge("Break-glass", "bad")
        approved = proposal.status == AccessProposalStatus.APPROVED
        return status_badge(proposal.get_status_display(), "good" if approved else "")

    @admin.display(description="proposed by", ordering="proposed_by__username")
    def proposer_display(self, proposal: AccessProposal) -> str:
        return str(proposal.proposed_by or "command line")

    def get_urls(self) -> list[URLPattern]:
        pages = (
            ("confirm", self.confirm),
            ("reject", self.reject),
            ("cancel", self.cancel),
            ("collect", self.collect),
        )
        own = [
            self.action_url(f"<uuid:object_id>/{name}/", name, page, only_post=False)
            for name, page in pages
        ]
        return [*own, *super().get_urls()]

    def tools(self, request: HttpRequest, obj: AccessProposal) -> list[Tool]:
        own = obj.proposed_by_id == staff_of(request).pk
        if not own or not is_collectable(obj) or not self.may(request, DECIDE):
            return []
        return [Tool("Collect the secret", self.address("collect", obj.pk))]

    def decision(self, request: HttpRequest, obj: AccessProposal) -> PendingDecision | None:
        me = staff_of(request)
        own = obj.proposed_by_id == me.pk
        confirm = "Confirm" if obj.proposed_by_id else "Adopt"
        cancel = Tool("Cancel proposal", self.address("cancel", obj.pk))
        return pending_decision(
            obj,
            me,
            APPROVAL,
            proposal=f"{obj.get_kind_display()}: {_subject_label(obj)}",
            proposer=self.proposer_display(obj),
            approve=Tool(confirm, self.address("confirm", obj.pk)),
            reject=Tool("Reject", self.address("reject", obj.pk)),
            cancel=cancel if own and self.may(request, DECIDE) else None,
        )

    # --- pages ---

    def confirm(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Confirm a proposal, or adopt one filed by a command."""
        proposal, me = self._get_proposal(request, object_id)
        act = partial(decisions.confirm, proposal_id=proposal.pk, by=me)
        return self.confirm_page(
            request, proposal, _confirmation(proposal, me), act, _confirmed_message
        )

    def reject(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Reject a proposal."""
        proposal, me = self._get_proposal(request, object_id)
        return self.confirm_page(
            request,
            proposal,
            _closing_confirmation(proposal, "Reject"),
            partial(decisions.reject, proposal_id=proposal.pk, by=me),
            "Proposal rejected. No changes were made.",
            form=bind_form(request, ReasonForm),
        )

    def cancel(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Cancel the user's own proposal."""
        proposal, me = self._get_proposal(request, object_id)
        act = partial(decisions.cancel, proposal_id=proposal.pk, by=me)
        confirmation = _closing_confirmation(proposal, "Cancel proposal")
        return self.confirm_page(
            request, proposal, confirmation, act, "Proposal cancelled. No changes were made."
        )

    def collect(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Create the secret and show it to the proposer, once."""
        proposal, me = self._get_proposal(request, object_id)

        def act(_: dict[str, Any]) -> HttpResponse:
            found = decisions.collect(proposal_id=proposal.pk, by=me)
            shown: list[tuple[str, object]] = [("For", _subject_label(proposal)), *found.secrets]
            if found.address:
                address = reverse("admin:welcome", args=list(found.address))
                hours = settings.PASSWORD_RESET_TIMEOUT // 3600
                shown += [
                    ("Invitation link", request.build_absolute_uri(address)),
                    ("Expires after", f"{hours} hours"),
                ]
            return self.page(
                request,
                "admin/secret.html",
                "Save the secret",
                record=proposal,
                shown=shown,
                next=self.address("change", proposal.pk),
            )

        return self.form_page(
            request,
            bind_form(request, forms.Form),
            act,
            title="Collect the secret",
            submit="Show secret",
            record=proposal,
            note="The next page shows the secret, once. Send it only to the person or organisation"
            " it is for.",
        )

    def _get_proposal(
        self, request: HttpRequest, object_id: UUID
    ) -> tuple[AccessProposal, StaffUser]:
        return self.record(request, object_id, DECIDE), staff_of(request)


def _subject_label(proposal: AccessProposal) -> str:
    payload = proposal.payload
    if proposal.kind == AccessKind.INVITE_PERSON:
        return str(payload["username"])
    if proposal.person:
        return proposal.person.username
    name = proposal.key.name if proposal.key else payload.get("name")
    return f"{name} of {proposal.organisation}" if name else str(proposal.organisation)


def _describe_payload(proposal: AccessProposal) -> list[tuple[str, str]]:
    """Return the proposal's payload as labels and values."""
    payload = {**proposal.payload, **proposal.payload.get("details", {})}
    payload.pop("details", None)
    if proposal.kind in {AccessKind.ROTATE_KEY, AccessKind.ISSUE_TOKEN} and proposal.key:
        payload["scopes"] = proposal.key.scopes
    if "expires_at" in payload:
        payload["expires_at"] = expiry(parse_datetime(payload["expires_at"] or ""))
    return [
        (_LABELS.get(name, name), ", ".join(value) if isinstance(value, list) else str(value))
        for name, value in payload.items()
        if value not in ("", None)
    ]


def _facts(proposal: AccessProposal) -> list[tuple[str, object]]:
    facts: list[tuple[str, object]] = [("Proposal", proposal.get_kind_display())]
    if proposal.person:
        facts.append(("Person", record_link(proposal.person)))
    if proposal.organisation:
        facts.append(("Organisation", record_link(proposal.organisation)))
    if proposal.key:
        facts.append(("Key", record_link(proposal.key)))
    return [
        *facts,
        *_describe_payload(proposal),
        ("Proposed by", proposal.proposed_by or "command line"),
        ("Proposed (UTC)", format_time(proposal.created_at)),
        ("Note", proposal.note or "Not provided"),
    ]


def _confirmation(proposal: AccessProposal, me: StaffUser) -> Confirmation:
    blocker = APPROVAL.describe_blocker(proposal, me)
    kind = proposal.get_kind_display()
    if proposal.proposed_by_id is None:
        return Confirmation(
            title=f"Adopt: {kind}?",
            facts=_facts(proposal),
            text="This proposal was filed by a command. You become its proposer, and a second"
            " person must confirm it.",
            submit="Adopt",
            blocker=blocker,
        )
    return Confirmation(
        title=f"{re.sub(' an? ', ' this ', kind)}?",
        facts=_facts(proposal),
        text="Verify the request with the person or organisation concerned, not through the"
        " proposer. It grants privileged access. Only the proposer sees the resulting secret.",
        submit=re.sub(" an? ", " ", kind),
        blocker=blocker,
        final=True,
    )


def _closing_confirmation(proposal: AccessProposal, word: str) -> Confirmation:
    return Confirmation(
        title=f"{word}: {proposal.get_kind_display()}?",
        facts=_facts(proposal),
        text="No changes are made.",
        submit=word,
        blocker=APPROVAL.describe_closed(proposal),
    )


def _confirmed_message(proposal: AccessProposal) -> str:
    if proposal.status == AccessProposalStatus.PENDING:
        return "Adopted. A second person must confirm it."
    if is_collectable(proposal):
        return f"Confirmed. {proposal.proposed_by} can now collect the secret, once."
    return "Confirmed and effective."
