"""What owners are for tax: proposed on the page of an owner, approved here by a second person."""

from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from credit.tax_rates import services as tax_rates
from credit.tax_rates.models import TaxFactsProposal
from exchange.admin.base import SafeAdmin, Tool, staff_of
from exchange.admin.columns import column
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import record_link
from exchange.admin.fields import ReasonField, ReasonForm
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import ListFilters, day_range, id_filter
from exchange.admin.panels import Panel
from exchange.core.countries import COUNTRIES
from exchange.participants.models import HolderKind, Member, Organisation, TaxFacts
from exchange.staff.admin.pending import approval_filters
from exchange.staff.admin.proposals import ProposalAdmin, Step, ask_to_close


class TaxFactsForm(forms.Form):
    """What tax on an owner's income follows from."""

    holder_kind = forms.ChoiceField(choices=HolderKind.choices, help_text="For tax")
    tax_residence = forms.ChoiceField(
        choices=[("", "Not known"), *((code, code) for code in sorted(COUNTRIES))],
        required=False,
        help_text="Country, by its ISO code",
    )
    tax_id = forms.CharField(
        max_length=50, required=False, label="Tax ID", help_text="Number at its tax authority"
    )
    note = ReasonField(max_length=300, help_text="The certificate or letter that it follows")


class TaxFactsPanel(Panel):
    """The page on which other tax details of an owner are proposed."""

    def tools(self, page: SafeAdmin, request: HttpRequest, record: Any) -> list[Tool]:
        """Return the link to the page."""
        if not page.may(request, tax_rates.PROPOSE):
            return []
        return [Tool("Propose tax details", page.address("tax_details", record.pk))]

    def urls(self, page: SafeAdmin) -> list[URLPattern]:
        """Return the URL of the page."""
        view = partial(_propose, page)
        route = "<uuid:object_id>/tax-details/"
        return [page.action_url(route, "tax_details", view, only_post=False)]


def _propose(page: SafeAdmin, request: HttpRequest, object_id: UUID) -> HttpResponse:
    owner: Organisation | Member = page.record(request, object_id, tax_rates.PROPOSE)
    facts = {field.name: getattr(owner, field.name) for field in TaxFacts._meta.get_fields()}
    return page.form_page(
        request,
        bind_form(request, TaxFactsForm, **facts),
        lambda data: tax_rates.propose_tax_facts(owner=owner, **data, user=staff_of(request)),
        title="Propose tax details",
        submit="Propose",
        done="Proposed. A second person must approve it.",
        record=owner,
        note="Tax is withheld by what the owner is when a payment starts. What is paid stays.",
    )


class TaxFactsFilters(ListFilters):
    decision, status__exact = approval_filters("Tax details to approve", tax_rates.TAX_FACTS)
    day_from, day_to = day_range()
    owner_id = id_filter("owner_id")


@admin.register(TaxFactsProposal)
class TaxFactsProposalAdmin(ProposalAdmin):
    approval = tax_rates.TAX_FACTS
    approve_step = Step(
        "approve",
        "proposal_id",
        tax_rates.approve_tax_facts,
        lambda done: f"Approved. The tax details of {done.owner} are changed.",
    )
    reject_step = Step(
        "reject",
        "proposal_id",
        tax_rates.reject_tax_facts,
        "Proposal closed. The tax details of the owner stay.",
        ReasonForm,
    )
    filters = TaxFactsFilters
    list_display = (
        "proposed_time", "owner_display", "holder_kind", "residence_display", "state_display",
        "proposed_by", "decided_by", "proposed_age",
    )  # fmt: skip
    list_select_related = ("organisation", "member", "proposed_by", "decided_by")
    search_fields = ("organisation__name", "member__name", "note")
    search_help_text = "Owner, note or ID"
    id_fields = ("pk", "owner_id")
    fields = (
        ("owner_display", "state_display"), ("holder_kind", "residence_display"), "tax_id", "note",
        ("proposed_by", "created_at"), ("decided_by", "decided_at"), "reason",
    )  # fmt: skip

    owner_display = column("owner", lambda proposal: record_link(proposal.owner))
    residence_display = column("tax residence", lambda proposal: proposal.tax_residence or "-")

    def heading(self, obj: TaxFactsProposal) -> str:
        return str(obj)

    def ask_approval(self, proposal: TaxFactsProposal) -> Confirmation:
        return Confirmation(
            title=f"Approve the tax details of {proposal.owner}?",
            text="Payments that start from now on withhold tax by them; an issuer's residence"
            " counts for all holders of its tokens. What is paid, or being paid, stays.",
            submit="Approve tax details",
        )

    def ask_rejection(self, proposal: TaxFactsProposal, *, own: bool) -> Confirmation:
        return ask_to_close("the tax details", "Those of the owner stay.", own=own)

    def facts(self, proposal: TaxFactsProposal) -> Sequence[tuple[str, object]]:
        return [
            ("Owner", record_link(proposal.owner)),
            *(
                (label, f"{before} → {after}" if before != after else f"{after}, unchanged")
                for (label, before), (_, after) in zip(
                    _facts(proposal.owner), _facts(proposal), strict=True
                )
            ),
            ("Note", proposal.note),
            ("Proposed by", proposal.proposed_by),
        ]


def _facts(record: TaxFacts) -> list[tuple[str, str]]:
    return [
        ("Holder kind", record.get_holder_kind_display()),
        ("Tax residence", record.tax_residence or "not known"),
        ("Tax ID", record.tax_id or "none"),
    ]
