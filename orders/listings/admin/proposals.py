"""Lifecycle proposals of tokens in the admin: one person proposes on the token's page, another one
confirms here.
"""

from __future__ import annotations

from dataclasses import replace

from django.contrib import admin
from django.contrib.admin.utils import flatten
from django.http import HttpRequest
from django.urls import URLPattern

from exchange.admin.base import PendingDecision, Section, Tool, staff_of
from exchange.admin.columns import column
from exchange.admin.confirmation import Confirmation, ConfirmationAdmin, ConfirmedAction
from exchange.admin.display import age, format_time, record_link, status_badge
from exchange.admin.fields import ReasonForm
from exchange.admin.list_filters import ChoiceFilter, ListFilters, day_range
from exchange.staff.admin.pending import QueueFilter, approval_queue, pending_decision
from exchange.staff.models import ApprovalStatus, StaffUser
from exchange.tokens.models import Token
from orders.listings.admin.lifecycle import ACTIONS_BY_NAME, LifecycleAction
from orders.listings.models import TokenAction, TokenProposal
from orders.listings.services import proposals
from orders.listings.services.lifecycle import PERMISSION

_DONE = {
    TokenAction.COMPLETE: "Raise completed. Proceeds and unsold units transferred to the issuer.",
    TokenAction.SECONDARIES: "Secondary trading opened.",
    TokenAction.EXIT: "Token exited. Trading has ended; holders keep their units.",
    TokenAction.CANCEL: "Token cancelled. Buyers of an open raise are refunded.",
}


class TokenProposalFilters(ListFilters):
    decision = QueueFilter(approval_queue("Token proposals to confirm", proposals.PROPOSALS))
    status__exact = ChoiceFilter("status", ApprovalStatus.choices, title="status")
    action__exact = ChoiceFilter("action", TokenAction.choices, title="action")
    day_from, day_to = day_range()


@admin.register(TokenProposal)
class TokenProposalAdmin(ConfirmationAdmin):
    filters = TokenProposalFilters
    list_display = (
        "time_display", "token_display", "action_display", "state_display", "proposed_by",
        "explanation", "decided_by", "age_display",
    )  # fmt: skip
    list_display_links = ("time_display",)
    list_select_related = ("token__issuer", "proposed_by", "decided_by")
    ordering = ("-pk",)
    search_fields = ("token__symbol", "token__name", "token__issuer__name")
    search_help_text = "Token, issuer or ID"
    id_fields = ("pk", "token_id")
    labels = {"created_at": "proposed (UTC)"}
    fields = (
        ("token_display", "issuer_display"), ("action_display", "state_display"), "explanation",
        ("proposed_by", "created_at"), ("decided_by", "decided_at"), "reason",
    )  # fmt: skip
    readonly_fields = flatten(fields)

    def heading(self, obj: TokenProposal) -> str:
        return f"{_action(obj).label}: {obj.token}"

    time_display = column(
        "proposed (UTC)", lambda proposal: format_time(proposal.created_at), ordering="created_at"
    )
    age_display = column("age", lambda proposal: age(proposal.created_at), ordering="created_at")
    token_display = column("token", lambda proposal: record_link(proposal.token))
    issuer_display = column("issuer", lambda proposal: record_link(proposal.token.issuer))
    action_display = column("action", lambda proposal: _action(proposal).label)
    state_display = column(
        "status", lambda proposal: status_badge(proposal.status), ordering="status"
    )

    def get_urls(self) -> list[URLPattern]:
        return [*self.confirmed_action_urls(_ACTIONS), *super().get_urls()]

    def decision(self, request: HttpRequest, obj: TokenProposal) -> PendingDecision | None:
        label = _action(obj).label
        return pending_decision(
            obj,
            staff_of(request),
            proposals.PROPOSALS,
            proposal=f"{label}: {obj.token}",
            proposer=obj.proposed_by,
            approve=Tool(label, self.address("confirm", obj.pk)),
            reject=Tool("Reject", self.address("reject", obj.pk)),
        )


def list_token_proposals(token: Token) -> Section:
    """Return the proposals about a token, the newest first."""
    rows = [
        (
            format_time(each.created_at),
            record_link(each, _action(each).label),
            status_badge(each.status),
            each.proposed_by,
            each.decided_by or "-",
        )
        for each in TokenProposal.objects.filter(token=token).select_related(
            "proposed_by", "decided_by"
        )
    ]
    headings = ("Proposed (UTC)", "Action", "Status", "Proposed by", "Decided by")
    return Section("Lifecycle proposals", headings, rows, empty="None proposed.")


def _action(proposal: TokenProposal) -> LifecycleAction:
    return ACTIONS_BY_NAME[proposal.action]


def _confirmation(proposal: TokenProposal, user: StaffUser) -> Confirmation:
    found = _action(proposal).build_execution(proposal.token)
    return replace(
        found,
        facts=[*found.facts, *_facts(proposal)],
        blocker=proposals.PROPOSALS.describe_blocker(proposal, user) or found.blocker,
    )


def _rejection(proposal: TokenProposal, user: StaffUser) -> Confirmation:
    own = proposal.proposed_by_id == user.pk
    return Confirmation(
        title="Cancel the proposal?" if own else "Reject the proposal?",
        facts=[
            ("Token", record_link(proposal.token)),
            ("Action", _action(proposal).label),
            *_facts(proposal),
        ],
        text="The token stays as it is. No money moves.",
        submit="Cancel proposal" if own else "Reject",
        blocker=proposals.PROPOSALS.describe_closed(proposal),
    )


def _facts(proposal: TokenProposal) -> list[tuple[str, object]]:
    return [("Explanation", proposal.explanation), ("Proposed by", proposal.proposed_by)]


_ACTIONS = (
    ConfirmedAction(
        "confirm",
        "proposal_id",
        (PERMISSION,),
        _confirmation,
        proposals.confirm_token_action,
        lambda done: _DONE[TokenAction(done.action)],
    ),
    ConfirmedAction(
        "reject",
        "proposal_id",
        (PERMISSION,),
        _rejection,
        proposals.reject_token_action,
        "Proposal closed. The token stays as it is.",
        ReasonForm,
    ),
)
