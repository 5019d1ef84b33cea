"""Pages of back-office users: invitations, roles, second factors, deactivation, access records.

Users choose their own password through an invitation link, shown once to the inviter. Changes that
grant privileged access become access proposals (`exchange.access.admin`).
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html

from exchange.admin.base import SafeAdmin, Section, Tool, staff_of
from exchange.admin.columns import column, time_column
from exchange.admin.custom_pages import AddFormAdmin
from exchange.admin.display import format_time, list_url, record_url, status_badge
from exchange.admin.fields import NoteForm
from exchange.admin.forms import bind_form
from exchange.staff.models import AccessProposal, AccessRecord, StaffUser
from exchange.staff.services import accounts, lockout, proposals, second_factor
from exchange.staff.services.privileged_access import (
    can_manage_staff,
    has_privileged_access,
    is_privileged_role,
)

_RECORDS_SHOWN = 20
_CHANGE_PERMISSION = "exchange.change_staffuser"
_RESTORE_PERMISSION = "exchange.restore_administrator"
_PROPOSED_MESSAGE = "Proposed. Takes effect once a second person confirms it."
_DUAL_CONTROL_NOTE = " For privileged roles a second person must confirm."


class RoleForm(NoteForm):
    """A new role; `expected_role` is the role when the page was opened."""

    role = forms.ModelChoiceField(Group.objects.order_by("name"), required=False)
    expected_role = forms.CharField(required=False, widget=forms.HiddenInput)


class DetailsForm(forms.Form):
    """A user's name and email address."""

    first_name = forms.CharField(max_length=150, required=False)
    last_name = forms.CharField(max_length=150, required=False)
    email = forms.EmailField(required=False)


class InvitationForm(DetailsForm, NoteForm):
    """A new user."""

    username = forms.CharField(max_length=150)
    role = forms.ModelChoiceField(Group.objects.order_by("name"))
    field_order = ("username", "first_name", "last_name", "email", "role", "note")


@admin.register(StaffUser)
class StaffUserAdmin(AddFormAdmin):
    record_pages = ("details", "role", "invitation", "reset", "unlock", "deactivate", "activate")
    list_display = ("username", "name", "email", "role_display", "factor", "access")
    list_filter = ("is_active", "groups")
    list_select_related = ("second_factor",)
    search_fields = ("username", "first_name", "last_name", "email")
    search_help_text = "Username, name, email or public ID"
    add_label = "Invite user"
    fields = (
        "username", "first_name", "last_name", "email", "role_display", "access", "locked_out",
        "factor", "last_sign_in", "created", "public_reference",
    )  # fmt: skip

    last_sign_in = column(
        "last sign-in (UTC)",
        lambda user: format_time(user.last_login) if user.last_login else "Never",
    )
    created = time_column("created (UTC)", "date_joined")
    public_reference = column("public ID", lambda user: user.public_reference)
    name = column("name", lambda user: user.get_full_name() or "-", ordering="last_name")

    @admin.display(description="role")
    def role_display(self, user: StaffUser) -> str:
        named = ", ".join(sorted(group.name for group in user.groups.all()))
        return named or ("Superuser" if user.is_superuser else "None")

    @admin.display(description="second factor")
    def factor(self, user: StaffUser) -> str:
        found = getattr(user, "second_factor", None)
        since = f"Since {format_time(found.set_up_at)} UTC" if found else ""
        keys = len(user.passkeys.all())
        counted = f"{keys} passkey{'s' * (keys != 1)}" if keys else ""
        return ", ".join(filter(None, (since, counted))) or "-"

    access = column("access", lambda user: status_badge("Active" if user.is_active else "Inactive"))

    @admin.display(description="locked out")
    def locked_out(self, user: StaffUser) -> str:
        until = lockout.locked_until(user)
        return format_html("Until {} UTC", format_time(until)) if until else "No"

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        return super().rows(user).prefetch_related("groups", "passkeys")

    def search(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        """Search by public id, else by the search fields."""
        match = re.fullmatch(r"staff_([0-9a-f]{32})", term)
        if match is not None:
            return rows.filter(public_id=UUID(match[1]))
        return super().search(rows, term)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "exchange.add_staffuser") or self.may(request, _RESTORE_PERMISSION)

    def tools(self, request: HttpRequest, obj: StaffUser) -> list[Tool]:
        me = staff_of(request)
        administrator = me.has_perm(_CHANGE_PERMISSION)
        if not self._may_propose(me, obj):
            return []
        shown = [("Change details", "details")] if administrator else []
        if obj.pk != me.pk:
            if administrator:
                shown.append(("Change role", "role"))
            if obj.is_active:
                shown.append(("New invitation", "invitation"))
            else:
                shown.append(("Activate", "activate"))
            if administrator and obj.is_active:
                shown.append(("Deactivate", "deactivate"))
            if second_factor.is_set_up(obj):
                shown.append(("Reset second factor", "reset"))
            if administrator and lockout.locked_until(obj):
                shown.append(("Unlock", "unlock"))
        return [Tool(label, self.address(name, obj.pk)) for label, name in shown]

    def sections(self, request: HttpRequest, obj: StaffUser) -> list[Section]:
        if not self.may(request, "exchange.view_accessrecord"):
            return []
        records = obj.access_records.select_related("by")[:_RECORDS_SHOWN]
        every = list_url("exchange_accessrecord", user=str(obj.pk))
        more = Tool("View all access records", every)
        headings = ("Time (UTC)", "Event", "By", "Address", "Details")
        rows = [
            (
                format_time(row.at),
                row.get_event_display(),
                *(part or "-" for part in (row.by, row.address, row.details)),
            )
            for row in records
        ]
        return [Section("Access records", headings, rows, more=more)]

    # --- pages ---

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Invite a user and show the invitation link."""

        me = staff_of(request)

        def act(data: dict[str, Any]) -> HttpResponse:
            username, role, note = (data.pop(name) for name in ("username", "role", "note"))
            if is_privileged_role(role):
                proposal = proposals.propose_invitation(
                    username=username, role=role, by=me, details=data, note=note
                )
                return self._proposed(request, proposal)
            user = accounts.add_person(username=username, role=role, by=me, details=data)
            return self._invite(request, user)

        return self.form_page(
            request,
            bind_form(request, InvitationForm),
            act,
            title="Invite user",
            submit="Invite",
            note="The next page shows an invitation link, once. Send it only to this person: it"
            " lets them choose a password." + _DUAL_CONTROL_NOTE,
        )

    def details(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Change name and email address."""
        user: StaffUser = self._changeable(request, object_id)
        initial = {name: getattr(user, name) for name in DetailsForm.base_fields}
        form = bind_form(request, DetailsForm, **initial)

        def act(data: dict[str, Any]) -> StaffUser:
            return accounts.change_details(user_id=user.pk, details=data, by=staff_of(request))

        return self._do(request, user, form, act, "Change details", "Details changed.")

    def role(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Change the role."""
        user: StaffUser = self._changeable(request, object_id)
        form = bind_form(
            request, RoleForm, role=user.groups.first(), expected_role=accounts.role_name(user)
        )

        def act(data: dict[str, Any]) -> object:
            me = staff_of(request)
            if is_privileged_role(data["role"]) or has_privileged_access(user):
                return proposals.propose_role_change(user_id=user.pk, **data, by=me)
            del data["note"]
            return accounts.change_role(user_id=user.pk, **data, by=me)

        note = "The person is signed out of all sessions." + _DUAL_CONTROL_NOTE
        return self._do(request, user, form, act, "Change role", "Role changed.", note)

    def reset(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Reset the second factor."""
        return self._restore(
            request,
            object_id,
            proposals.propose_second_factor_reset,
            second_factor.reset,
            "Reset second factor",
            "Second factor reset. A new one is set up at the next sign-in.",
            "Verify that this person made the request. They are signed out, and the next sign-in"
            " with the password sets up a new second factor. Passkeys are removed."
            + _DUAL_CONTROL_NOTE,
        )

    def activate(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Activate a deactivated user."""
        return self._restore(
            request,
            object_id,
            proposals.propose_activation,
            accounts.activate,
            "Activate",
            "{} can sign in again.",
            "They sign in with their previous password and second factor." + _DUAL_CONTROL_NOTE,
        )

    def unlock(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """End a lock-out early."""
        note = "Verify that the failed attempts were their own: an attack may continue."
        words = ("Unlock", "{} unlocked.", note)
        return self._at_once(request, object_id, accounts.unlock, *words)

    def deactivate(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Deactivate a user."""
        note = "They are signed out immediately and can no longer sign in. Their records are kept."
        words = ("Deactivate", "{} deactivated.", note)
        return self._at_once(request, object_id, accounts.deactivate, *words)

    def invitation(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Issue a new invitation link."""
        user: StaffUser = self._changeable(request, object_id, restoring=True)

        def act(data: dict[str, Any]) -> HttpResponse:
            if has_privileged_access(user):
                proposal = proposals.propose_password_reset(
                    user_id=user.pk, by=staff_of(request), **data
                )
                return self._proposed(request, proposal)
            return self._invite(request, user)

        return self.form_page(
            request,
            bind_form(request, NoteForm),
            act,
            title="New invitation",
            submit="Create link",
            record=user,
            note="For a user who never signed in or forgot the password. Verify that this person"
            " made the request, and send the link only to them." + _DUAL_CONTROL_NOTE,
        )

    def _changeable(
        self, request: HttpRequest, object_id: UUID, *, restoring: bool = False
    ) -> StaffUser:
        """Return the user if the request may change their access.

        With `restoring`, the permission to restore an administrator is enough for administrators.
        """
        me = staff_of(request)
        if not (
            me.has_perm(_CHANGE_PERMISSION) or (restoring and me.has_perm(_RESTORE_PERMISSION))
        ):
            raise PermissionDenied
        user: StaffUser = self.record(request, object_id)
        if not self._may_propose(me, user):
            raise PermissionDenied
        return user

    @staticmethod
    def _may_propose(me: StaffUser, user: StaffUser) -> bool:
        if user.is_superuser and not me.is_superuser:
            return False
        return me.has_perm(_CHANGE_PERMISSION) or (
            me.has_perm(_RESTORE_PERMISSION) and can_manage_staff(user)
        )

    def _proposed(self, request: HttpRequest, proposal: AccessProposal) -> HttpResponse:
        self.message_user(request, _PROPOSED_MESSAGE)
        return HttpResponseRedirect(record_url(proposal))

    def _restore(
        self,
        request: HttpRequest,
        object_id: UUID,
        propose: Callable[..., AccessProposal],
        restore: Callable[..., StaffUser],
        *words: str,
    ) -> HttpResponse:
        """Restore access, for privileged users as a proposal."""
        user: StaffUser = self._changeable(request, object_id, restoring=True)

        def act(data: dict[str, Any]) -> object:
            me = staff_of(request)
            if has_privileged_access(user):
                return propose(user_id=user.pk, by=me, **data)
            return restore(user_id=user.pk, by=me)

        return self._do(request, user, bind_form(request, NoteForm), act, *words)

    def _at_once(
        self,
        request: HttpRequest,
        object_id: UUID,
        service: Callable[..., StaffUser],
        *words: str,
    ) -> HttpResponse:
        user: StaffUser = self._changeable(request, object_id)
        act = partial(service, user_id=user.pk, by=staff_of(request))
        return self._do(request, user, bind_form(request, forms.Form), lambda _: act(), *words)

    def _do(
        self,
        request: HttpRequest,
        user: StaffUser,
        form: forms.Form,
        act: Callable[[dict[str, Any]], object],
        *words: str,
    ) -> HttpResponse:
        """Show a form page; `words` are its title, success message and note."""
        title, done, note = (*words, "")[:3]

        def then(data: dict[str, Any]) -> HttpResponse:
            made = act(data)
            if isinstance(made, AccessProposal):
                return self._proposed(request, made)
            self.message_user(request, done.format(user))
            return self.redirect_to_record(user.pk)

        final = title in {"Reset second factor", "Deactivate"}
        return self.form_page(
            request, form, then, title=title, submit=title, record=user, note=note, final=final
        )

    def _invite(self, request: HttpRequest, user: StaffUser) -> HttpResponse:
        uid, token = accounts.create_invitation(user_id=user.pk, by=staff_of(request))
        address = request.build_absolute_uri(reverse("admin:welcome", args=[uid, token]))
        hours = settings.PASSWORD_RESET_TIMEOUT // 3600
        return self.page(
            request,
            "admin/secret.html",
            "Save the invitation link",
            record=user,
            shown=[
                ("For", user),
                ("Invitation link", address),
                ("Expires after", f"{hours} hours"),
            ],
            next=self.address("change", user.pk),
        )


@admin.register(AccessRecord)
class AccessRecordAdmin(SafeAdmin):
    reads_replica = True
    list_display = ("when", "user", "event", "by", "address", "details")
    list_filter = ("event",)
    linked_lookups = ("user",)
    list_select_related = ("user", "by")
    search_fields = ("user__username", "=address")
    search_help_text = "Username, or the whole network address"
    fields = ("when", "user", "event", "by", "address", "details")

    when = time_column("time (UTC)", "at", ordering="at")
