"""Admin pages of loan configurations: effective and proposed terms, and their approval.

Approval and rejection address a version by its id. The terms of a version never change, so a stale
page cannot approve other terms than it shows.
"""

from abc import abstractmethod
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from credit.configurations.admin.confirmations import (
    build_change_confirmation,
    build_retirement_confirmation,
    list_proposed_changes,
)
from credit.configurations.admin.review import build_review, displayed_version
from credit.configurations.admin.terms import (
    ChangedTermsForm,
    ConfigurationForm,
    describe_access,
    form_values,
    format_rate,
    read_terms,
)
from credit.configurations.models import (
    ConfigurationStatus,
    ConfigurationVersion,
    LoanConfiguration,
    VersionStatus,
)
from credit.configurations.services import configurations
from credit.configurations.services.plausibility import find_version_notices
from exchange.admin.base import Section, Tool, actor_of, staff_of
from exchange.admin.columns import column
from exchange.admin.confirmation import Confirmation
from exchange.admin.custom_pages import AddFormAdmin, CustomPageAdmin
from exchange.admin.display import age, status_badge
from exchange.admin.fields import VISIBLE, ReasonField
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import ChoiceFilter, ListFilters, id_filter
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.participants.models import Organisation
from exchange.staff.admin.pending import QueueFilter, approval_queue
from exchange.staff.admin.proposals import ApprovalPages, Step
from exchange.staff.models import StaffUser


def configurations_link(organisation: Organisation) -> Tool:
    """Link to the configurations of a creditor."""
    address = reverse("admin:credit_loanconfiguration_changelist")
    return Tool("Loan configurations", f"{address}?creditor__id__exact={organisation.pk}")


class TermsRejectionForm(forms.Form):
    """Reason for rejecting terms."""

    reason = ReasonField(
        audience=VISIBLE,
        max_length=configurations.MAX_REASON_LENGTH,
        help_text="Visible to the lender",
    )


class LoanConfigurationFilters(ListFilters):
    decision = QueueFilter(
        approval_queue(
            "Loan configurations pending approval", configurations.VERSIONS, "configuration"
        )
    )
    status__exact = ChoiceFilter("status", ConfigurationStatus.choices, title="status")
    creditor_name = OrganisationNameFilter("creditor", title="lender")
    creditor__id__exact = id_filter("creditor")


class LoanConfigurationPages(AddFormAdmin, CustomPageAdmin, ApprovalPages):
    """Base of the configuration pages. `credit.loans.admin.configurations` adds their loans and
    registers them.
    """

    record_pages = ("propose", "retire")
    approval = configurations.VERSIONS
    proposals = "versions"
    proposals_related = ("decided_by", "configuration")
    step_route = "<uuid:object_id>/proposals/<uuid:proposal_id>/{}/"
    approve_step = Step(
        "approve",
        "version_id",
        configurations.approve,
        "Approved. These terms are now effective.",
    )
    reject_step = Step(
        "reject",
        "version_id",
        configurations.reject,
        "Rejected. The effective terms are unchanged.",
        TermsRejectionForm,
    )
    add_permission = configurations.PROPOSE
    filters = LoanConfigurationFilters
    list_display = (
        "name", "state_display", "pending_since", "creditor", "borrowers", "lends", "max_ltv",
        "interest", "max_term",
    )  # fmt: skip
    list_select_related = ("creditor",)
    search_fields = ("versions__name", "creditor__name")
    id_fields = ("id",)
    add_label = "Propose loan configuration"
    search_help_text = "Name, creditor or ID"

    def heading(self, obj: LoanConfiguration) -> str:
        return displayed_version(obj).name

    name = column("name", lambda obj: displayed_version(obj).name)

    @admin.display(description="status", ordering="status")
    def state_display(self, obj: LoanConfiguration) -> str:
        # Approved is the final good state here, not work in progress.
        return status_badge(
            obj.status, "good" if obj.status == ConfigurationStatus.APPROVED else ""
        )

    @admin.display(description="pending for")
    def pending_since(self, obj: LoanConfiguration) -> str:
        pending = [v for v in obj.versions.all() if v.status == VersionStatus.PENDING]
        return age(pending[0].created_at) if pending else "-"

    borrowers = column(
        "eligible borrowers", lambda obj: describe_access(displayed_version(obj).access)
    )

    lends = column(
        "currencies",
        lambda obj: ", ".join(limit.currency_id for limit in displayed_version(obj).limits.all()),
    )
    max_ltv = column(
        "maximum LTV", lambda obj: format_rate(displayed_version(obj).collateral_ratio)
    )
    interest = column(
        "monthly interest rate", lambda obj: format_rate(displayed_version(obj).interest_rate)
    )
    max_term = column("maximum term", lambda obj: f"{displayed_version(obj).duration} months")

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        rows = super().rows(user)
        return rows.prefetch_related("versions__limits", "versions__organisations")

    def tools(self, request: HttpRequest, obj: LoanConfiguration) -> list[Tool]:
        found = []
        is_pending = any(v.status == VersionStatus.PENDING for v in obj.versions.all())
        approved = obj.status == ConfigurationStatus.APPROVED
        final = obj.status == ConfigurationStatus.RETIRED
        if (
            self.may(request, configurations.PROPOSE)
            and not final
            and not (approved and is_pending)
        ):
            found.append(Tool("Propose new terms", self.address("propose", obj.pk)))
        if self.may(request, configurations.DECIDE) and approved:
            found.append(Tool("Retire", self.address("retire", obj.pk)))
        return found

    def record_page(self, request: HttpRequest, obj: LoanConfiguration, /) -> HttpResponse:
        """Show effective and proposed terms, and the actions on the proposal."""
        return self.page(
            request,
            "admin/credit/loanconfiguration/review.html",
            self.heading(obj),
            record=obj,
            tools=self.tools(request, obj),
            may_decide=self.may(request, configurations.DECIDE),
            **build_review(staff_of(request), obj, self.summarise_lending(obj)),
        )

    @abstractmethod
    def summarise_lending(self, obj: LoanConfiguration) -> Section:
        """Return principal outstanding and remaining limits by currency."""

    # --- proposing ---

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Propose a new configuration."""
        return self.form_page(
            request,
            bind_form(request, ConfigurationForm),
            lambda data: configurations.propose(
                creditor_id=data["creditor"].pk, terms=read_terms(data), actor=actor_of(request)
            ),
            title="Propose loan configuration",
            submit="Propose",
            done="Loan configuration proposed. It can be used after a second person approves it.",
            note="A second person must approve it before it can be used.",
        )

    def propose(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Propose new terms. The effective terms apply until a second person approves."""
        obj: LoanConfiguration = self.record(request, object_id, configurations.PROPOSE)
        form = bind_form(request, ChangedTermsForm, **form_values(displayed_version(obj)))
        terms = read_terms(form.cleaned_data) if form.is_valid() else None
        return self.confirm_page(
            request,
            obj,
            build_change_confirmation(obj, terms),
            lambda **data: configurations.propose_change(
                configuration_id=obj.pk,
                terms=read_terms(data),
                actor=actor_of(request),
                note=data["note"],
            ),
            "New terms proposed. They take effect after a second person approves them.",
            form=form,
        )

    # --- approval ---

    def proposer_of(self, proposal: ConfigurationVersion) -> str:
        return proposal.proposed_by

    def facts(self, proposal: ConfigurationVersion) -> list[tuple[str, object]]:
        return list_proposed_changes(proposal)

    def find_notices(self, proposal: ConfigurationVersion) -> list[str]:
        return find_version_notices(proposal)

    def ask_approval(self, proposal: ConfigurationVersion) -> Confirmation:
        return Confirmation(
            title=f"Approve version {proposal.number} of {proposal.name}?",
            text="These terms apply to new loans immediately. Existing loans are unaffected.",
            submit=f"Approve version {proposal.number}",
        )

    def ask_rejection(self, proposal: ConfigurationVersion, *, own: bool) -> Confirmation:
        return Confirmation(
            title=f"Reject version {proposal.number} of {proposal.name}?",
            text="The effective terms are unchanged. The creditor is notified, with the reason.",
            submit=f"Reject version {proposal.number}",
            final=True,
        )

    def retire(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Retire the configuration, after confirmation."""
        obj: LoanConfiguration = self.record(request, object_id, configurations.DECIDE)
        return self.confirm_page(
            request,
            obj,
            build_retirement_confirmation(obj, self.summarise_lending(obj)),
            partial(configurations.retire, configuration_id=obj.pk, user=staff_of(request)),
            "Retired. No new loans can be made.",
        )
