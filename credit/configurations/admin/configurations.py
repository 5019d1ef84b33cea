"""Loan configurations in the admin: what waits beside what is in force, and the decision.

Whatever is approved or rejected is named by the id of its version, whose terms never change: a
page that has gone stale decides about nothing else than what it shows.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, reverse

from credit.configurations.admin.confirmations import (
    build_approval_confirmation,
    build_change_confirmation,
    build_rejection_confirmation,
    build_retirement_confirmation,
)
from credit.configurations.admin.review import build_review, displayed_version
from credit.configurations.admin.terms import (
    ConfigurationForm,
    TermsForm,
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
from exchange.admin.base import (
    AddFormAdmin,
    CustomPageAdmin,
    Section,
    Tool,
    actor_of,
    bind_form,
    staff_of,
)
from exchange.admin.confirmation import ConfirmationAdmin
from exchange.admin.display import age, status_badge
from exchange.admin.fields import VISIBLE, ReasonField
from exchange.admin.list_filters import ChoiceFilter, ListFilters, id_filter
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.participants.models import Organisation
from exchange.staff.admin.pending import Queue, QueueFilter
from exchange.staff.models import StaffUser


def configurations_link(organisation: Organisation) -> Tool:
    """The configurations of a creditor."""
    address = reverse("admin:credit_loanconfiguration_changelist")
    return Tool("Loan configurations", f"{address}?creditor__id__exact={organisation.pk}")


def _pending() -> QuerySet[ConfigurationVersion]:
    return configurations.VERSIONS.pending_records().filter(configuration=OuterRef("pk"))


class ReasonForm(forms.Form):
    """Why terms are rejected."""

    reason = ReasonField(
        audience=VISIBLE,
        max_length=configurations.MAX_REASON_LENGTH,
        help_text="The creditor reads it",
    )


class LoanConfigurationFilters(ListFilters):
    decision = QueueFilter(
        Queue(
            "Loan configurations to decide",
            configurations.DECIDE,
            filter_pending=lambda rows: rows.filter(Exists(_pending())),
            proposed_by=lambda user: Q(
                Exists(_pending().filter(configurations.VERSIONS.proposed_by(user)))
            ),
        )
    )
    status__exact = ChoiceFilter("status", ConfigurationStatus.choices, title="status")
    creditor_name = OrganisationNameFilter("creditor")
    creditor__id__exact = id_filter("creditor")


class LoanConfigurationPages(AddFormAdmin, CustomPageAdmin, ConfirmationAdmin):
    """Loan configurations. `credit.loans.admin.configurations` adds what they lent and registers
    the pages.
    """

    add_permission = configurations.PROPOSE
    filters = LoanConfigurationFilters
    list_display = (
        "name", "state_display", "pending_since", "creditor", "borrowers", "lends", "max_ltv",
        "interest", "max_term",
    )  # fmt: skip
    list_select_related = ("creditor",)
    search_fields = ("versions__name", "creditor__name")
    id_fields = ("id",)
    search_help_text = "Name, creditor or id"

    def heading(self, obj: LoanConfiguration) -> str:
        return displayed_version(obj).name

    @admin.display(description="name")
    def name(self, obj: LoanConfiguration) -> str:
        return displayed_version(obj).name

    @admin.display(description="state", ordering="status")
    def state_display(self, obj: LoanConfiguration) -> str:
        # What is approved lends: nothing about it is under way.
        return status_badge(
            obj.status, "good" if obj.status == ConfigurationStatus.APPROVED else ""
        )

    @admin.display(description="waits since")
    def pending_since(self, obj: LoanConfiguration) -> str:
        waiting = [v for v in obj.versions.all() if v.status == VersionStatus.PENDING]
        return age(waiting[0].created_at) if waiting else "-"

    @admin.display(description="who may borrow")
    def borrowers(self, obj: LoanConfiguration) -> str:
        return describe_access(displayed_version(obj).access)

    @admin.display(description="lends")
    def lends(self, obj: LoanConfiguration) -> str:
        return ", ".join(limit.currency_id for limit in displayed_version(obj).limits.all())

    @admin.display(description="share lent")
    def max_ltv(self, obj: LoanConfiguration) -> str:
        return format_rate(displayed_version(obj).collateral_ratio)

    @admin.display(description="interest a month")
    def interest(self, obj: LoanConfiguration) -> str:
        return format_rate(displayed_version(obj).interest_rate)

    @admin.display(description="longest")
    def max_term(self, obj: LoanConfiguration) -> str:
        return f"{displayed_version(obj).duration} months"

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        rows = super().rows(user)
        return rows.prefetch_related("versions__limits", "versions__organisations")

    def get_urls(self) -> list[URLPattern]:
        one = "<uuid:object_id>"
        proposal = f"{one}/proposals/<uuid:proposal_id>"
        return [
            self.action_url(f"{one}/propose/", "propose", self.propose, only_post=False),
            self.action_url(f"{one}/retire/", "retire", self.retire, only_post=False),
            self.action_url(f"{proposal}/approve/", "approve", self.approve, only_post=False),
            self.action_url(f"{proposal}/reject/", "reject", self.reject, only_post=False),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: LoanConfiguration) -> list[Tool]:
        found = []
        waits = any(v.status == VersionStatus.PENDING for v in obj.versions.all())
        approved = obj.status == ConfigurationStatus.APPROVED
        final = obj.status == ConfigurationStatus.RETIRED
        if self.may(request, configurations.PROPOSE) and not final and not (approved and waits):
            found.append(Tool("Propose new terms", self.address("propose", obj.pk)))
        if self.may(request, configurations.DECIDE) and approved:
            found.append(Tool("Retire", self.address("retire", obj.pk)))
        return found

    def record_page(self, request: HttpRequest, obj: LoanConfiguration, /) -> HttpResponse:
        """What is in force, what waits beside it, and the decision."""
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
        """What its loans come to, by currency."""

    # --- proposing ---

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """A new configuration; it lends nothing yet."""

        def act(data: dict[str, Any]) -> HttpResponse:
            made = configurations.propose(
                creditor_id=data["creditor"].pk, terms=read_terms(data), actor=actor_of(request)
            )
            messages.success(
                request, "Proposed. It makes no loans until somebody else has approved it."
            )
            return self.redirect_to_record(made.pk)

        return self.form_page(
            request,
            bind_form(request, ConfigurationForm),
            act,
            title="Propose a loan configuration",
            submit="Propose",
            note="Somebody else must approve it before it makes loans.",
        )

    def propose(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """New terms; what is in force stays so until somebody else approves them."""
        obj: LoanConfiguration = self.record(request, object_id, configurations.PROPOSE)
        return self.confirm_page(
            request,
            obj,
            build_change_confirmation(obj),
            lambda **data: configurations.propose_change(
                configuration_id=obj.pk, terms=read_terms(data), actor=actor_of(request)
            ),
            "Proposed. Nothing changes until somebody else approves it.",
            form=bind_form(request, TermsForm, **form_values(displayed_version(obj))),
        )

    # --- deciding ---

    def approve(self, request: HttpRequest, object_id: UUID, proposal_id: UUID) -> HttpResponse:
        """The second pair of eyes: asks, and puts the terms in force."""
        obj, version = self._proposal(request, object_id, proposal_id)
        return self.confirm_page(
            request,
            obj,
            build_approval_confirmation(staff_of(request), obj, version),
            partial(configurations.approve, version_id=proposal_id, user=staff_of(request)),
            "Approved: these terms are in force.",
        )

    def reject(self, request: HttpRequest, object_id: UUID, proposal_id: UUID) -> HttpResponse:
        """Closes what waits; the reason is required, and the creditor reads it."""
        obj, version = self._proposal(request, object_id, proposal_id)
        return self.confirm_page(
            request,
            obj,
            build_rejection_confirmation(obj, version),
            partial(configurations.reject, version_id=proposal_id, user=staff_of(request)),
            "Rejected. What was in force stays so.",
            form=bind_form(request, ReasonForm),
        )

    def retire(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Ends it, after the person has read what that means."""
        obj: LoanConfiguration = self.record(request, object_id, configurations.DECIDE)
        return self.confirm_page(
            request,
            obj,
            build_retirement_confirmation(obj, self.summarise_lending(obj)),
            partial(configurations.retire, configuration_id=obj.pk, user=staff_of(request)),
            "Retired: it makes no more loans.",
        )

    def _proposal(
        self, request: HttpRequest, object_id: UUID, proposal_id: UUID
    ) -> tuple[LoanConfiguration, ConfigurationVersion]:
        obj: LoanConfiguration = self.record(request, object_id, configurations.DECIDE)
        versions = ConfigurationVersion.objects.select_related("decided_by", "configuration")
        found = versions.filter(pk=proposal_id, configuration_id=object_id).first()
        if found is None:
            raise Http404
        return obj, found
