"""API key admin: issue, rotate, revoke, and issue long-lived access tokens.

A key with privileged access becomes an access proposal. A secret is shown once, on the response to
the POST that created it: it is in no session, cookie, URL or message, and the page is not cached.
"""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.html import format_html
from django.utils.safestring import SafeString

from exchange.admin.base import Section, Tool, actor_of, staff_of
from exchange.admin.columns import column, link_column, time_column
from exchange.admin.confirmation import ConfirmationAdmin
from exchange.admin.custom_pages import AddFormAdmin
from exchange.admin.display import (
    expiry,
    format_time,
    last_used,
    record_url,
)
from exchange.admin.fields import VISIBLE, DateTimePickerField, NoteForm, audience_help
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import ChoiceFilter, ListFilters, id_filter
from exchange.participants.admin.confirmations import (
    confirm_key_revocation,
    confirm_token_revocation,
    get_live_tokens,
)
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.participants.admin.owner_panels import key_state
from exchange.participants.admin.participants import OrganisationChoiceField
from exchange.participants.models import ApiKey
from exchange.participants.services import proposals
from exchange.participants.services.api_keys import (
    has_privileged_scope,
    issue_access_token,
    issue_api_key,
    revoke_access_token,
    revoke_api_key,
    rotate_api_key,
)
from exchange.staff.models import AccessProposal

_MAX_TOKEN_DAYS = 3650
_TOKEN_LIMIT = 50
_MAX_ID_DIGITS = 19


_PROPOSED_MESSAGE = "Proposed. The key has privileged access: a second person must confirm it."
_APPROVAL_NOTE = " Privileged access is proposed first, and a second person confirms it."


class ApiKeyForm(NoteForm):
    """A new API key."""

    organisation = OrganisationChoiceField()
    name = forms.CharField(max_length=200, help_text=audience_help(VISIBLE, "What the key is for"))
    scopes = forms.MultipleChoiceField(
        choices=[(scope, f"{scope}: {words}") for scope, words in settings.SCOPES.items()],
        widget=forms.CheckboxSelectMultiple,
    )
    expires_at = DateTimePickerField(label="Expires", help_text="UTC. Empty: no expiry")
    field_order = ("organisation", "name", "scopes", "expires_at", "note")


class AccessTokenForm(NoteForm):
    """The lifetime of an access token."""

    days = forms.IntegerField(min_value=1, max_value=_MAX_TOKEN_DAYS, initial=365)
    field_order = ("days", "note")


_NO_OVERLAP = "0"


class KeyRotationForm(NoteForm):
    """The overlap of the old key with the new one, and the expiry of the new one."""

    overlap = forms.ChoiceField(
        label="The old key expires",
        choices=[(_NO_OVERLAP, "immediately"), ("24", "in 24 hours"), ("168", "in 7 days")],
        initial="24",
        widget=forms.RadioSelect,
    )
    expires_at = DateTimePickerField(label="The new key expires", help_text="UTC. Empty: no expiry")
    field_order = ("overlap", "expires_at", "note")


class ApiKeyFilters(ListFilters):
    revoked_at__isempty = ChoiceFilter(
        choices=[("1", "Empty"), ("0", "Not empty")],
        condition=lambda empty: Q(revoked_at__isnull=empty == "1"),
        title="revoked at",
    )
    organisation_name = OrganisationNameFilter()
    organisation = id_filter("organisation")


@admin.register(ApiKey)
class ApiKeyAdmin(AddFormAdmin, ConfirmationAdmin):
    record_pages = ("token", "rotate", "revoke", "revoke_token")
    add_permission = "exchange.add_apikey"
    list_display = (
        "name",
        "organisation",
        "client_id",
        "state_display",
        "created_display",
        "ends",
        "last_used",
    )
    filters = ApiKeyFilters
    list_select_related = ("organisation",)
    search_fields = ("name", "client_id", "organisation__name", "=organisation__email")
    id_fields = ("pk", "organisation_id")
    add_label = "Issue an API key"
    search_help_text = "Name, client ID, organisation, its email, or an ID"
    fields = (
        "name", "organisation_display", "client_id", "scopes_display", "state_display",
        "created_display", "ends", "revoked_display", "rotated_to", "last_used",
    )  # fmt: skip

    def heading(self, obj: ApiKey) -> str:
        return f"{obj.name} of {obj.organisation}"

    organisation_display = link_column("organisation", "organisation")
    scopes_display = column("scopes", lambda key: ", ".join(key.scopes))
    state_display = column("status", lambda key: key_state(key, active=key.organisation.active))
    created_display = time_column("created (UTC)", "created", ordering="created")
    ends = column("expiry", lambda key: expiry(key.expires_at), ordering="expires_at")
    revoked_display = column("revoked", lambda key: last_used(key.revoked_at, "Not revoked"))
    last_used = column(
        "last used", lambda key: last_used(key.last_used_at), ordering="last_used_at"
    )

    def tools(self, request: HttpRequest, obj: ApiKey) -> list[Tool]:
        tools = []
        if obj.usable and self.may(request, "exchange.add_apikey"):
            tools.append(Tool("Rotate", self.address("rotate", obj.pk)))
            tools.append(Tool("Issue an access token", self.address("token", obj.pk)))
        if obj.revoked_at is None and self.may(request, "exchange.change_apikey"):
            tools.append(Tool("Revoke", self.address("revoke", obj.pk)))
        return tools

    def sections(self, request: HttpRequest, obj: ApiKey) -> list[Section]:
        """List the active access tokens; their text is not stored."""
        may_revoke = self.may(request, "exchange.change_apikey")
        tokens = get_live_tokens(obj)
        listed = list(tokens.order_by("-expires", "-pk")[: _TOKEN_LIMIT + 1])
        rows = [
            (
                format_time(token.created),
                format_time(token.expires),
                token.scope.replace(" ", ", "),
                self._revoke_link(request, obj, token) if may_revoke else "",
            )
            for token in listed[:_TOKEN_LIMIT]
        ]
        title = "Active access tokens"
        if not obj.usable:
            title = "Access tokens: none works, as the key is not active"
        elif len(listed) > _TOKEN_LIMIT:
            title = f"Active access tokens: the {_TOKEN_LIMIT} that expire last"
        headings = ("Issued (UTC)", "Expires (UTC)", "Scopes", "")
        return [Section(title, headings, rows, empty="No active access tokens.")]

    def _revoke_link(self, request: HttpRequest, key: ApiKey, token: Any) -> SafeString:
        address = f"{self.address('revoke_token', key.pk)}?token={token.pk}"
        return format_html(
            '<a class="button" href="{}" aria-label="Revoke the token issued {}">Revoke</a>',
            self.preserve_in_url(request, address),
            f"{token.created:%Y-%m-%d %H:%M:%S} UTC",
        )

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Issue a key and show its secret."""

        def act(data: dict[str, Any]) -> HttpResponse:
            note = data.pop("note")
            if has_privileged_scope(data["scopes"]):
                proposal = proposals.propose_key(**data, by=staff_of(request), note=note)
                return self._redirect_to_proposal(request, proposal)
            # A repeated POST (double click, reload) finds the name taken: no second key is issued.
            key, secret = issue_api_key(**data, actor=actor_of(request))
            return self._show_secret(
                request,
                key,
                "API key created",
                [
                    ("Organisation", key.organisation),
                    ("Client ID", key.client_id),
                    ("Client secret", secret),
                ],
            )

        return self.form_page(
            request,
            bind_form(request, ApiKeyForm),
            act,
            title="Issue an API key",
            submit="Issue",
            note="The client secret is shown once." + _APPROVAL_NOTE,
        )

    def token(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Issue a long-lived access token of the key and show it."""
        key: ApiKey = self.record(request, object_id, self.add_permission)

        def act(data: dict[str, Any]) -> HttpResponse:
            if has_privileged_scope(key.scopes):
                proposal = proposals.propose_token(key_id=key.pk, by=staff_of(request), **data)
                return self._redirect_to_proposal(request, proposal)
            lifetime = timedelta(days=data["days"])
            token = issue_access_token(key=key, lifetime=lifetime, actor=actor_of(request))
            return self._show_secret(
                request,
                key,
                "Access token created",
                [
                    ("Organisation", key.organisation),
                    ("Access token", token),
                    ("Expires", f"in {data['days']} days, or when the key is revoked"),
                ],
            )

        return self.form_page(
            request,
            bind_form(request, AccessTokenForm),
            act,
            title="Issue an access token",
            submit="Issue",
            record=key,
            note="For clients that cannot request a token themselves. It has all scopes of the key."
            + _APPROVAL_NOTE,
        )

    def rotate(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Issue a second key with the same scopes, show its secret, and expire the first."""
        self.require(request, "exchange.change_apikey")
        key: ApiKey = self.record(request, object_id, self.add_permission)

        def act(data: dict[str, Any]) -> HttpResponse:
            overlap = timedelta(hours=int(data["overlap"]))
            if has_privileged_scope(key.scopes):
                proposal = proposals.propose_rotation(
                    key_id=key.pk,
                    overlap=overlap,
                    expires_at=data["expires_at"],
                    by=staff_of(request),
                    note=data["note"],
                )
                return self._redirect_to_proposal(request, proposal)
            new_key, secret = rotate_api_key(
                key_id=key.pk,
                overlap=overlap,
                expires_at=data["expires_at"],
                actor=actor_of(request),
            )
            key.refresh_from_db()
            old_key_expiry = "Revoked"
            if key.revoked_at is None and key.expires_at is not None:
                old_key_expiry = expiry(key.expires_at)
            return self._show_secret(
                request,
                new_key,
                "API key rotated",
                [
                    ("Organisation", new_key.organisation),
                    ("New client ID", new_key.client_id),
                    ("New client secret", secret),
                    ("Old key", old_key_expiry),
                ],
            )

        return self.form_page(
            request,
            bind_form(request, KeyRotationForm, expires_at=key.expires_at),
            act,
            title=f"Rotate {key.name}",
            submit="Rotate",
            record=key,
            note="Issues a second key with the same scopes and shows its secret once. The old key "
            "and its access tokens work until the expiry chosen here." + _APPROVAL_NOTE,
        )

    def revoke_token(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Confirm, then revoke the access token that the query string names."""
        key: ApiKey = self.record(request, object_id, "exchange.change_apikey")
        text = request.GET.get("token", "")
        token_id = int(text) if text.isdecimal() and len(text) < _MAX_ID_DIGITS else 0
        return self.confirm_page(
            request,
            key,
            confirm_token_revocation(key, get_live_tokens(key).filter(pk=token_id).first()),
            partial(revoke_access_token, key_id=key.pk, token_id=token_id, actor=actor_of(request)),
            "Access token revoked.",
        )

    def revoke(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Confirm, then revoke the key and its tokens."""
        key: ApiKey = self.record(request, object_id, "exchange.change_apikey")
        return self.confirm_page(
            request,
            key,
            confirm_key_revocation(key),
            partial(revoke_api_key, key_id=key.pk, actor=actor_of(request)),
            f"{key.name} and its access tokens revoked.",
        )

    def _redirect_to_proposal(self, request: HttpRequest, proposal: AccessProposal) -> HttpResponse:
        messages.success(request, _PROPOSED_MESSAGE)
        return HttpResponseRedirect(record_url(proposal))

    def _show_secret(
        self, request: HttpRequest, key: ApiKey, title: str, values: list[tuple[str, object]]
    ) -> HttpResponse:
        return self.page(
            request,
            "admin/secret.html",
            title,
            record=key,
            shown=values,
            next=self.address("change", key.pk),
        )
