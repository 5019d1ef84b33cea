"""New terms of tokens: proposed on a token's page, approved here by a second person."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import admin

from exchange.admin.base import Section
from exchange.admin.columns import column
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import format_time, percent, record_link, status_badge
from exchange.admin.fields import MoneyField, ReasonField, ReasonForm, set_currency
from exchange.admin.list_filters import ListFilters, day_range
from exchange.core.currencies import format_money
from exchange.staff.admin.pending import approval_filters
from exchange.staff.admin.proposals import ProposalAdmin, Step, ask_to_close
from exchange.tokens.admin.forms import QuantityInput
from exchange.tokens.models import PayoutFrequency, Token
from orders.listings.models import TermsProposal
from orders.listings.selectors import holding_organisations, unknown_terms
from orders.listings.services import terms


class TermsForm(forms.Form):
    """New terms of `token`."""

    issue_price = MoneyField(help_text="Principal of a unit, on which interest is paid")
    interest = QuantityInput(unit="%", help_text="Percent a year")
    payout_frequency = forms.ChoiceField(
        choices=PayoutFrequency.choices, required=False, label="Pays income"
    )
    tenor = forms.IntegerField(
        min_value=0, max_value=terms.MAX_TENOR_DAYS, required=False, help_text="Days; 0: no end"
    )
    completed_on = forms.DateField(
        label="Raise completed on", help_text="Day in UTC from which periods count: 2026-11-20"
    )
    explanation = ReasonField(
        max_length=300, help_text="Read by the second person. Holders see the new terms without it"
    )

    def __init__(self, token: Token, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_currency(self.fields["issue_price"], token.currency_id)
        if not token.completed_raise:
            del self.fields["completed_on"]


def read_terms(data: Mapping[str, Any]) -> terms.NewTerms:
    """Return the terms of the data of a valid `TermsForm`."""
    return terms.NewTerms(
        issue_price=data["issue_price"],
        interest=data["interest"],
        tenor=data["tenor"] or 0,
        payout_frequency=data["payout_frequency"],
        completed_on=data.get("completed_on"),
    )


def initial_terms(token: Token) -> dict[str, Any]:
    """Return what the form of `token` shows first."""
    found = next(iter(unknown_terms(token.pk)), None)
    completed_at = token.completed_at or (found and found.completed_at)
    return {
        "issue_price": token.issue_price or (found and found.issue_price),
        "interest": token.interest,
        "payout_frequency": token.payout_frequency,
        "tenor": token.tenor,
        "completed_on": completed_at and completed_at.date(),
    }


class TermsProposalFilters(ListFilters):
    decision, status__exact = approval_filters("Terms to approve", terms.TERMS_PROPOSALS)
    day_from, day_to = day_range()


@admin.register(TermsProposal)
class TermsProposalAdmin(ProposalAdmin):
    approval = terms.TERMS_PROPOSALS
    approve_step = Step(
        "approve",
        "proposal_id",
        terms.approve_terms,
        lambda done: f"Approved. Version {done.version} of the terms of {done.token.symbol} holds.",
    )
    reject_step = Step(
        "reject",
        "proposal_id",
        terms.reject_terms,
        "Proposal closed. The terms of the token stay.",
        ReasonForm,
        # Its proposer may always cancel it.
        permission="orders.view_termsproposal",
    )
    filters = TermsProposalFilters
    list_display = (
        "proposed_time", "token_display", "version", "state_display", "issue_price_display",
        "interest_display", "proposed_by", "decided_by", "proposed_age",
    )  # fmt: skip
    list_select_related = ("token__issuer", "proposed_by", "decided_by")
    search_fields = ("token__symbol", "token__name", "token__issuer__name")
    search_help_text = "Token, issuer or ID"
    id_fields = ("pk", "token_id")
    fields = (
        ("token_display", "state_display"), ("version", "issue_price_display"),
        ("interest_display", "frequency_display"), ("tenor", "completed_display"), "explanation",
        ("proposed_by", "created_at"), ("decided_by", "decided_at"), "reason",
    )  # fmt: skip

    token_display = column("token", lambda proposal: record_link(proposal.token))
    issue_price_display = column("issue price", lambda each: _values(each)["Issue price"])
    interest_display = column("interest", lambda each: _values(each)["Interest"])
    frequency_display = column("pays income", lambda each: _values(each)["Pays income"])
    completed_display = column(
        "raise completed (UTC)", lambda each: _values(each)["Raise completed (UTC)"]
    )

    def heading(self, obj: TermsProposal) -> str:
        return self.describe(obj)

    def describe(self, proposal: TermsProposal) -> str:
        return f"Version {proposal.version} of the terms of {proposal.token.symbol}"

    def label_approval(self, proposal: TermsProposal) -> str:
        return f"Approve version {proposal.version}"

    def ask_approval(self, proposal: TermsProposal) -> Confirmation:
        informed = len(holding_organisations(proposal.token))
        return Confirmation(
            title=f"Approve version {proposal.version} of the terms of {proposal.token.symbol}?",
            text="Payments that are not announced yet follow from them. Only other terms that two "
            f"people decide replace them. Organisations that are notified: {informed:,}.",
            submit=self.label_approval(proposal),
        )

    def ask_rejection(self, proposal: TermsProposal, *, own: bool) -> Confirmation:
        what = f"the {'proposed ' if own else ''}terms of {proposal.token.symbol}"
        return ask_to_close(what, "The terms of the token stay.", own=own, submit="Reject terms")

    def facts(self, proposal: TermsProposal) -> list[tuple[str, object]]:
        now, then = _values(proposal.token), _values(proposal)
        return [
            ("Token", proposal.token),
            *((name, f"{now[name]} → {then[name]}") for name in then if now[name] != then[name]),
            *((f"{name}, unchanged", then[name]) for name in then if now[name] == then[name]),
            ("Proposed by", self.proposer_of(proposal)),
            ("Explanation", proposal.explanation),
        ]


def list_terms(token: Token) -> Section:
    """Return the terms that were proposed for a token, the newest first."""
    rows = [
        (
            format_time(each.created_at),
            record_link(each, f"Version {each.version}"),
            *_values(each).values(),
            status_badge(each.status),
            each.proposed_by,
            each.decided_by or "-",
        )
        for each in token.terms_proposals.select_related("token", "proposed_by", "decided_by")
    ]
    headings = (
        "Proposed (UTC)", "Terms", "Issue price", "Interest", "Pays income", "Tenor",
        "Raise completed (UTC)", "Status", "Proposed by", "Decided by",
    )  # fmt: skip
    return Section("New terms", headings, rows, empty="None proposed: those of the listing hold.")


def _values(record: Token | TermsProposal) -> dict[str, str]:
    """Return the terms of a token or a proposal, for people."""
    token = record if isinstance(record, Token) else record.token
    return {
        "Issue price": format_money(record.issue_price, token.currency_id),
        "Interest": f"{percent(record.interest)} a year",
        "Pays income": record.get_payout_frequency_display(),
        "Tenor": f"{record.tenor:,} days" if record.tenor else "-",
        "Raise completed (UTC)": format_time(record.completed_at) if record.completed_at else "-",
    }
