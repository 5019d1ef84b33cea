"""Organisations and members in the admin."""

from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html

from exchange.admin.base import Tool, actor_of, staff_of
from exchange.admin.columns import column, link_column
from exchange.admin.confirmation import ConfirmationAdmin
from exchange.admin.custom_pages import AddFormAdmin
from exchange.admin.display import list_url, status_badge
from exchange.admin.fields import MultilineField, NoteForm
from exchange.admin.forms import ModelChoice, RecordSelect, bind_form
from exchange.admin.list_filters import ChoiceFilter, ListFilters, OptionFilter, id_filter
from exchange.admin.panels import badges_of
from exchange.core.text import find_lookalikes
from exchange.participants.admin.confirmations import confirm_organisation_status
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.participants.models import Member, Organisation, Verification
from exchange.participants.services.api_keys import get_privileged_keys
from exchange.participants.services.members import change_member, create_member
from exchange.participants.services.organisations import (
    change_organisation,
    create_organisation,
    set_active,
)
from exchange.participants.services.proposals import propose_organisation_activation


class OrganisationForm(forms.Form):
    """Name and email of an organisation."""

    name = forms.CharField(max_length=200)
    email = forms.EmailField(required=False)


class OrganisationEditForm(OrganisationForm):
    """Corrections to an organisation."""

    redirect_origins = MultilineField(
        required=False,
        max_length=2000,
        label="Redirect addresses",
        help_text="Where a payer may return after a checkout, such as https://example.com, one on "
        "each line",
    )

    verification_required_for_deposits = forms.BooleanField(
        required=False,
        label="Deposits require verified members",
        help_text="A member that is not verified can open no virtual account or checkout",
    )
    verification_required_for_withdrawals = forms.BooleanField(
        required=False,
        label="Withdrawals require verified members",
        help_text="A member that is not verified cannot withdraw",
    )

    def clean_redirect_origins(self) -> list[str]:
        """Return the addresses."""
        text: str = self.cleaned_data["redirect_origins"]
        return [line.strip().rstrip("/").lower() for line in text.splitlines() if line.strip()]


class OrganisationChoiceField(ModelChoice):
    """An organisation, found by typing part of its name."""

    def __init__(self, **kwargs: Any) -> None:
        relation = Member._meta.get_field("organisation")
        super().__init__(
            queryset=Organisation.objects.all(),
            widget=RecordSelect(relation, admin.site),
            **kwargs,
        )


class MemberEditForm(forms.Form):
    """Corrections to a member."""

    name = forms.CharField(max_length=200)
    email = forms.EmailField()
    external_id = forms.CharField(
        max_length=100, required=False, help_text="The organisation's own ID for the person"
    )


class MemberForm(MemberEditForm):
    """A new member."""

    organisation = OrganisationChoiceField()
    field_order = ("organisation",)


class OwnerAdmin(AddFormAdmin, ConfirmationAdmin):
    """Owners of money and units, with badges of what blocks them after their status."""

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return the list, with the badges of all rows read together."""
        found = super().get_changelist_instance(request)
        rows = list(found.result_list)
        badges = badges_of(self.model, rows)
        for row in rows:
            row.badges = badges.get(row.pk, "")
        found.result_list = rows
        return found

    tax_residence_display = column("tax residence", lambda owner: owner.tax_residence or "-")

    def status_with_badges(self, owner: Any, status: str) -> str:
        """Return the status of `owner`, in a list with its badges; its page has warnings."""
        mixed = status_badge("Look-alike letters", "bad") if find_lookalikes(owner.name) else ""
        return format_html("{} {} {}", status_badge(status), mixed, getattr(owner, "badges", ""))


@admin.register(Organisation)
class OrganisationAdmin(OwnerAdmin):
    record_pages = ("edit", "activate", "deactivate")
    add_permission = "exchange.add_organisation"
    list_display = ("name", "email", "state_display", "created_at")
    list_filter = ("active",)
    search_fields = ("name", "email")
    search_help_text = "Name, email or ID"

    id_fields = ("pk",)
    fields = (
        "name", "email", "state_display", "redirect_addresses", "verification_required",
        "holder_kind", "tax_residence_display", "tax_id",
        "created_at", "updated_at", "id",
    )  # fmt: skip

    @admin.display(description="status", ordering="active")
    def state_display(self, organisation: Organisation) -> str:
        return self.status_with_badges(
            organisation, "Active" if organisation.active else "Inactive"
        )

    redirect_addresses = column(
        "redirect addresses", lambda organisation: ", ".join(organisation.redirect_origins) or "-"
    )

    @admin.display(description="verification required for")
    def verification_required(self, organisation: Organisation) -> str:
        required = [
            what
            for what, needed in (
                ("deposits", organisation.verification_required_for_deposits),
                ("withdrawals", organisation.verification_required_for_withdrawals),
            )
            if needed
        ]
        return " and ".join(required).capitalize() or "Nothing"

    def tools(self, request: HttpRequest, obj: Organisation) -> list[Tool]:
        tools = [
            Tool(label, list_url(f"exchange_{name}", organisation=str(obj.pk)))
            for label, name in (("Members", "member"), ("API keys", "apikey"))
        ]
        if self.may(request, "exchange.change_organisation"):
            switch = "deactivate" if obj.active else "activate"
            tools += [
                Tool("Edit", self.address("edit", obj.pk)),
                Tool(switch.capitalize(), self.address(switch, obj.pk)),
            ]
        return tools

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Create an organisation."""
        return self.form_page(
            request,
            bind_form(request, OrganisationForm),
            lambda data: create_organisation(**data, actor=actor_of(request)),
            done="{} created.".format,
            title="Add organisation",
            submit="Create",
        )

    def edit(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Change name, email, redirect addresses, and what requires verified members."""
        obj: Organisation = self.record(request, object_id, "exchange.change_organisation")
        form = bind_form(
            request,
            OrganisationEditForm,
            name=obj.name,
            email=obj.email,
            redirect_origins="\n".join(obj.redirect_origins),
            verification_required_for_deposits=obj.verification_required_for_deposits,
            verification_required_for_withdrawals=obj.verification_required_for_withdrawals,
        )
        return self.form_page(
            request,
            form,
            lambda data: change_organisation(
                organisation_id=obj.pk, **data, actor=actor_of(request)
            ),
            title="Edit",
            submit="Save",
            done="Saved.",
            record=obj,
        )

    def activate(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Confirm and activate; propose it where its keys have privileged access."""
        obj: Organisation = self.record(request, object_id, "exchange.change_organisation")
        if obj.active or not get_privileged_keys(obj).exists():
            return self._switch(request, object_id, active=True)
        return self.confirm_page(
            request,
            obj,
            confirm_organisation_status(obj, active=True),
            partial(propose_organisation_activation, organisation_id=obj.pk, by=staff_of(request)),
            "Proposed. Its API keys have privileged access: a second person must confirm it.",
            form=bind_form(request, NoteForm),
        )

    def deactivate(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Confirm and deactivate: its keys stop working."""
        return self._switch(request, object_id, active=False)

    def _switch(self, request: HttpRequest, object_id: UUID, *, active: bool) -> HttpResponse:
        obj: Organisation = self.record(request, object_id, "exchange.change_organisation")
        return self.confirm_page(
            request,
            obj,
            confirm_organisation_status(obj, active=active),
            partial(set_active, organisation_id=obj.pk, active=active, actor=actor_of(request)),
            f"{obj} activated: its API keys work again."
            if active
            else f"{obj} deactivated: its API keys no longer work.",
        )


class MemberListFilters(ListFilters):
    organisation_name = OrganisationNameFilter()
    organisation = id_filter("organisation")
    status = OptionFilter(
        "status",
        ("active", "Active", lambda rows: rows.filter(closed_at__isnull=True)),
        ("closed", "Closed", lambda rows: rows.filter(closed_at__isnull=False)),
    )
    verification = ChoiceFilter("verification", Verification.choices, title="verification")


@admin.register(Member)
class MemberAdmin(OwnerAdmin):
    record_pages = ("edit",)
    reads_replica = True
    add_permission = "exchange.add_member"
    list_display = (
        "name", "email", "organisation", "external_id", "status_display", "verification",
        "created_at",
    )  # fmt: skip
    filters = MemberListFilters
    list_select_related = ("organisation",)
    search_fields = ("name", "email", "external_id", "organisation__name")
    id_fields = ("pk", "organisation_id")
    search_help_text = "Name, email, external ID, organisation, or an ID"
    ordering = ("-id",)
    fields = (
        "name", "email", "organisation_display", "external_id", "status_display", "verification",
        "holder_kind", "tax_residence_display", "tax_id", "created_at", "updated_at", "id",
    )  # fmt: skip

    @admin.display(description="status", ordering="closed_at")
    def status_display(self, member: Member) -> str:
        return self.status_with_badges(member, member.status.label)

    organisation_display = link_column("organisation", "organisation")

    def choice_label(self, obj: Model) -> str:
        if not isinstance(obj, Member):
            return str(obj)
        return f"{obj.name} <{obj.email}>, {obj.organisation}"

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Create a member."""

        def act(data: dict[str, Any]) -> Member:
            organisation = data.pop("organisation")
            return create_member(organisation_id=organisation.pk, **data, actor=actor_of(request))

        return self.form_page(
            request,
            bind_form(request, MemberForm),
            act,
            title="Add member",
            submit="Create",
            done="{} created.".format,
        )

    def tools(self, request: HttpRequest, obj: Member) -> list[Tool]:
        if not self.may(request, "exchange.change_member"):
            return []
        return [Tool("Edit", self.address("edit", obj.pk))]

    def edit(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Change name, email and external ID."""
        obj: Member = self.record(request, object_id, "exchange.change_member")
        return self.form_page(
            request,
            bind_form(
                request,
                MemberEditForm,
                name=obj.name,
                email=obj.email,
                external_id=obj.external_id,
            ),
            lambda data: change_member(member_id=obj.pk, **data, actor=actor_of(request)),
            title="Edit",
            submit="Save",
            done="Saved.",
            record=obj,
            note="Visible to the organisation. Past events and payouts are unchanged.",
        )
