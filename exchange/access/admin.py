"""Pages of access proposals: confirm, reject, cancel, and collect the secret.

Proposals are made on the pages of users, API keys and organisations. A secret appears only in the
response to the POST that collects it.
"""

import re
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.dateparse import parse_datetime

from exchange.access.services import decisions
from exchange.access.services.decisions import is_collectable
from exchange.admin.base import Tool, staff_of
from exchange.admin.columns import column
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import expiry, format_time, record_link, status_badge
from exchange.admin.fields import ReasonForm
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import ChoiceFilter, ListFilters, day_range
from exchange.staff.admin.pending import approval_filters
from exchange.staff.admin.proposals import ProposalAdmin, Step
from exchange.staff.models import AccessKind, AccessProposal, AccessProposalStatus
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


def _ask_to_close(word: str, proposal: AccessProposal) -> Confirmation:
    return Confirmation(
        title=f"{word}: {proposal.get_kind_display()}?", text="No changes are made.", submit=word
    )


def _confirmed_message(proposal: AccessProposal) -> str:
    if proposal.status == AccessProposalStatus.PENDING:
        return "Adopted. A second person must confirm it."
    if is_collectable(proposal):
        return f"Confirmed. {proposal.proposed_by} can now collect the secret, once."
    return "Confirmed and effective."


class AccessProposalFilters(ListFilters):
    decision, status__exact = approval_filters("Access proposals", APPROVAL)
    kind__exact = ChoiceFilter("kind", AccessKind.choices, title="kind")
    break_glass__exact = ChoiceFilter(
        "break_glass", [("1", "Yes"), ("0", "No")], title="break glass"
    )
    day_from, day_to = day_range()


@admin.register(AccessProposal)
class AccessProposalAdmin(ProposalAdmin):
    record_pages = ("collect",)
    approval = APPROVAL
    approve_step = Step(
        "confirm", "proposal_id", decisions.confirm, _confirmed_message, person="by"
    )
    reject_step = Step(
        "reject",
        "proposal_id",
        decisions.reject,
        "Proposal rejected. No changes were made.",
        ReasonForm,
        person="by",
    )
    cancel_step = Step(
        "cancel",
        "proposal_id",
        decisions.cancel,
        "Proposal cancelled. No changes were made.",
        person="by",
    )
    filters = AccessProposalFilters
    list_display = (
        "proposed_time", "kind", "about", "state_display", "proposer_display", "decided_by",
        "decided_time",
    )  # fmt: skip
    list_select_related = ("person", "organisation", "key", "proposed_by", "decided_by")
    search_fields = ("person__username", "organisation__name")
    id_fields = ("pk", "person_id", "organisation_id", "key_id")
    search_help_text = "Username, organisation, or the ID of either"
    labels = MappingProxyType({})
    fields = (
        ("kind", "state_display"), ("about", "details"), "note",
        ("proposer_display", "created_at"), ("decided_by", "decided_at"), "reason",
        "collected_at",
    )  # fmt: skip

    def heading(self, obj: AccessProposal) -> str:
        return self.describe(obj)

    about = column("about", _subject_label)
    details = column(
        "details",
        lambda proposal: (
            "; ".join(f"{name}: {value}" for name, value in _describe_payload(proposal)) or "-"
        ),
    )
    proposer_display = column(
        "proposed by",
        lambda proposal: str(proposal.proposed_by or "command line"),
        ordering="proposed_by__username",
    )

    @admin.display(description="status", ordering="status")
    def state_display(self, proposal: AccessProposal) -> str:
        if proposal.break_glass:
            return status_badge("Break-glass", "bad")
        approved = proposal.status == AccessProposalStatus.APPROVED
        return status_badge(proposal.get_status_display(), "good" if approved else "")

    def tools(self, request: HttpRequest, obj: AccessProposal) -> list[Tool]:
        own = obj.proposed_by_id == staff_of(request).pk
        if not own or not is_collectable(obj) or not self.may(request, DECIDE):
            return []
        return [Tool("Collect the secret", self.address("collect", obj.pk))]

    def proposer_of(self, proposal: AccessProposal) -> object:
        return proposal.proposed_by or "command line"

    def describe(self, proposal: AccessProposal) -> str:
        return f"{proposal.get_kind_display()}: {_subject_label(proposal)}"

    def label_approval(self, proposal: AccessProposal) -> str:
        return "Confirm" if proposal.proposed_by_id else "Adopt"

    def ask_approval(self, proposal: AccessProposal) -> Confirmation:
        kind = proposal.get_kind_display()
        if proposal.proposed_by_id is None:
            return Confirmation(
                title=f"Adopt: {kind}?",
                text="This proposal was filed by a command. You become its proposer, and a second"
                " person must confirm it.",
                submit="Adopt",
            )
        return Confirmation(
            title=f"{re.sub(' an? ', ' this ', kind)}?",
            text="Verify the request with the person or organisation concerned, not through the"
            " proposer. It grants privileged access. Only the proposer sees the resulting secret.",
            submit=re.sub(" an? ", " ", kind),
            final=True,
        )

    def ask_rejection(self, proposal: AccessProposal, *, own: bool) -> Confirmation:
        return _ask_to_close("Reject", proposal)

    def ask_cancellation(self, proposal: AccessProposal) -> Confirmation:
        return _ask_to_close("Cancel proposal", proposal)

    def facts(self, proposal: AccessProposal) -> list[tuple[str, object]]:
        subjects = (
            ("Person", proposal.person),
            ("Organisation", proposal.organisation),
            ("Key", proposal.key),
        )
        return [
            ("Proposal", proposal.get_kind_display()),
            *((name, record_link(subject)) for name, subject in subjects if subject),
            *_describe_payload(proposal),
            ("Proposed by", self.proposer_of(proposal)),
            ("Proposed (UTC)", format_time(proposal.created_at)),
            ("Note", proposal.note or "Not provided"),
        ]

    def collect(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Create the secret and show it to the proposer, once."""
        proposal, me = self.record(request, object_id, DECIDE), staff_of(request)

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
