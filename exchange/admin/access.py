"""API keys in the admin: issue, issue a long-lived token, revoke. Secrets are shown once.

The page that shows a secret is the answer to the POST that made it: the secret is in no session,
no cookie, no address and no message, and the browser is told not to keep the page.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils import timezone

from exchange.admin.base import SafeAdmin, Tool, actor_of, bind
from exchange.admin.participants import OrganisationChoice
from exchange.admin.show import state
from exchange.errors import Conflict
from exchange.models import ApiKey
from exchange.services.access import issue_access_token, issue_api_key, revoke_api_key

_LONGEST_TOKEN_DAYS = 3650


class KeyForm(forms.Form):
    """A new API key."""

    organisation = OrganisationChoice()
    name = forms.CharField(max_length=200, help_text="What the key is for")
    scopes = forms.MultipleChoiceField(
        choices=[(scope, f"{scope}: {words}") for scope, words in settings.SCOPES.items()],
        widget=forms.CheckboxSelectMultiple,
    )
    expires_at = forms.SplitDateTimeField(
        label="Ends",
        required=False,
        widget=forms.SplitDateTimeWidget(
            date_attrs={"type": "date", "aria-label": "Date"},
            time_attrs={"type": "time", "aria-label": "Time"},
        ),
        help_text="UTC; empty: never",
    )


class TokenForm(forms.Form):
    """How long an access token is to live."""

    days = forms.IntegerField(min_value=1, max_value=_LONGEST_TOKEN_DAYS, initial=365)


@admin.register(ApiKey)
class ApiKeyAdmin(SafeAdmin):
    list_display = ("name", "organisation", "client_id", "shown_state", "created", "last_used_at")
    list_filter = ("organisation", ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("organisation",)
    search_fields = ("name", "=client_id", "organisation__name")
    fields = (
        "name", "organisation", "client_id", "scopes", "shown_state", "created", "expires_at",
        "revoked_at", "last_used_at",
    )  # fmt: skip
    readonly_fields = fields

    @admin.display(description="state")
    def shown_state(self, key: ApiKey) -> str:
        if key.revoked_at is not None:
            return state("Revoked")
        if key.expires_at is not None and key.expires_at <= timezone.now():
            return state("Expired")
        return state("Active" if key.organisation.active else "Inactive")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "exchange.add_apikey")

    def get_urls(self) -> list[URLPattern]:
        return [
            self.action_url("<uuid:object_id>/token/", "token", self.token, only_post=False),
            self.action_url("<uuid:object_id>/revoke/", "revoke", self.revoke),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: ApiKey) -> list[Tool]:
        shown = []
        if obj.usable and self.may(request, "exchange.add_apikey"):
            shown.append(Tool("Issue an access token", self.address("token", obj.pk)))
        if obj.revoked_at is None and self.may(request, "exchange.change_apikey"):
            shown.append(Tool("Revoke", self.address("revoke", obj.pk), post=True))
        return shown

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Issues a key and shows its secret."""
        if not self.has_add_permission(request):
            raise PermissionDenied

        def act(data: dict[str, Any]) -> HttpResponse:
            # Sending the form again (a double click, a reload) must not issue a second key.
            if ApiKey.objects.filter(
                organisation=data["organisation"], name=data["name"], revoked_at=None
            ).exists():
                raise Conflict(f"{data['organisation']} has a key of this name already")
            key, secret = issue_api_key(**data, actor=actor_of(request))
            return self._shown_once(
                request,
                key,
                [
                    ("Organisation", key.organisation),
                    ("Client id", key.client_id),
                    ("Client secret", secret),
                ],
            )

        return self.form_page(
            request, bind(request, KeyForm), act, title="Issue an API key", submit="Issue"
        )

    def token(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Issues a long-lived access token of the key and shows it."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        key: ApiKey = self.record(request, object_id)

        def act(data: dict[str, Any]) -> HttpResponse:
            lifetime = timedelta(days=data["days"])
            token = issue_access_token(key=key, lifetime=lifetime, actor=actor_of(request))
            return self._shown_once(
                request,
                key,
                [
                    ("Organisation", key.organisation),
                    ("Access token", token),
                    ("Ends", f"in {data['days']} days, or when the key is revoked"),
                ],
            )

        return self.form_page(
            request,
            bind(request, TokenForm),
            act,
            title="Issue an access token",
            submit="Issue",
            record=key,
            note="For clients that cannot get a token themselves. It has all scopes of the key.",
        )

    def revoke(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Ends the key and its tokens."""
        if not self.may(request, "exchange.change_apikey"):
            raise PermissionDenied
        key: ApiKey = self.record(request, object_id)
        self.attempt(
            request,
            lambda: revoke_api_key(key_id=key.pk, actor=actor_of(request)),
            f"{key.name} was revoked: it and its tokens stopped working.",
        )
        return self.back_to(key.pk)

    def _shown_once(
        self, request: HttpRequest, key: ApiKey, shown: list[tuple[str, object]]
    ) -> HttpResponse:
        return self.page(
            request,
            "admin/secret.html",
            "Shown once",
            record=key,
            shown=shown,
            next=self.address("change", key.pk),
        )
