"""Lifecycle proposals of tokens in the admin: one person proposes on the token's page, another one
confirms here.
"""

from dataclasses import replace

from django.contrib import admin

from exchange.admin.base import Section
from exchange.admin.columns import column, link_column
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import format_time, record_link, status_badge
from exchange.admin.fields import ReasonForm
from exchange.admin.list_filters import ChoiceFilter, ListFilters, day_range
from exchange.staff.admin.pending import approval_filters
from exchange.staff.admin.proposals import ProposalAdmin, Step, ask_to_close
from exchange.tokens.models import Token
from orders.listings.admin.lifecycle import ACTIONS_BY_NAME, LifecycleAction
from orders.listings.models import TokenAction, TokenProposal
from orders.listings.services import proposals

_DONE = {
    TokenAction.COMPLETE: "Raise completed. Proceeds and unsold units transferred to the issuer.",
    TokenAction.SECONDARIES: "Secondary trading opened.",
    TokenAction.RESUME: "Trading goes on with the orders in the book.",
    TokenAction.EXIT: "Token exited. Trading has ended; holders keep their units.",
    TokenAction.CANCEL: "Token cancelled. Buyers of an open raise are refunded.",
}


def _action(proposal: TokenProposal) -> LifecycleAction:
    return ACTIONS_BY_NAME[proposal.action]


class TokenProposalFilters(ListFilters):
    decision, status__exact = approval_filters("Token proposals to confirm", proposals.PROPOSALS)
    action__exact = ChoiceFilter("action", TokenAction.choices, title="action")
    day_from, day_to = day_range()


@admin.register(TokenProposal)
class TokenProposalAdmin(ProposalAdmin):
    approval = proposals.PROPOSALS
    approve_step = Step(
        "confirm",
        "proposal_id",
        proposals.confirm_token_action,
        lambda done: _DONE[TokenAction(done.action)],
    )
    reject_step = Step(
        "reject",
        "proposal_id",
        proposals.reject_token_action,
        "Proposal closed. The token stays as it is.",
        ReasonForm,
    )
    filters = TokenProposalFilters
    list_display = (
        "proposed_time", "token_display", "action_display", "state_display", "proposed_by",
        "explanation", "decided_by", "proposed_age",
    )  # fmt: skip
    list_select_related = ("token__issuer", "proposed_by", "decided_by")
    search_fields = ("token__symbol", "token__name", "token__issuer__name")
    search_help_text = "Token, issuer or ID"
    id_fields = ("pk", "token_id")
    fields = (
        ("token_display", "issuer_display"), ("action_display", "state_display"), "explanation",
        ("proposed_by", "created_at"), ("decided_by", "decided_at"), "reason",
    )  # fmt: skip
    fact_fields = ("token_display", "action_display", "explanation", "proposed_by")

    def heading(self, obj: TokenProposal) -> str:
        return self.describe(obj)

    token_display = link_column("token", "token")
    issuer_display = link_column("issuer", "token.issuer")
    action_display = column("action", lambda proposal: _action(proposal).label)

    def describe(self, proposal: TokenProposal) -> str:
        return f"{_action(proposal).label}: {proposal.token}"

    def label_approval(self, proposal: TokenProposal) -> str:
        return _action(proposal).label

    def ask_approval(self, proposal: TokenProposal) -> Confirmation:
        page = _action(proposal).build_execution(proposal.token)
        own = self.field_facts(proposal, "explanation", "proposed_by")
        return replace(page, facts=[*page.facts, *own])

    def ask_rejection(self, proposal: TokenProposal, *, own: bool) -> Confirmation:
        return ask_to_close("the proposal", "The token stays as it is. No money moves.", own=own)


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
