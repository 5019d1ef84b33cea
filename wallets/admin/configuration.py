"""The figures finance sets: read, change with every change kept, add a known key."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from exchange.admin.base import SafeAdmin, Section, Tool, bind, staff_of
from exchange.admin.show import moment
from exchange.numbers import plain
from exchange.selectors import audit
from wallets.models import Configuration
from wallets.services.configuration import add_figure, change_figure, known_keys

_CHANGES_SHOWN = 100


class FigureForm(forms.Form):
    """A figure's new value, and the one the person had before them."""

    value = forms.DecimalField(max_digits=30, decimal_places=8)
    seen = forms.DecimalField(widget=forms.HiddenInput)


class NewFigureForm(forms.Form):
    """A figure for a key that has none."""

    key = forms.ChoiceField()
    value = forms.DecimalField(max_digits=30, decimal_places=8)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        taken = set(Configuration.objects.values_list("key", flat=True))
        field = self.fields["key"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [
                (key, f"{key}: {facts.description}")
                for key, facts in known_keys().items()
                if key not in taken
            ]


@admin.register(Configuration)
class ConfigurationAdmin(SafeAdmin):
    list_display = ("key", "shown_value", "description", "updated_at")
    search_fields = ("key", "description")
    list_per_page = 100
    fields = ("key", "shown_value", "description", "updated_at")
    readonly_fields = fields

    @admin.display(description="value", ordering="value")
    def shown_value(self, row: Configuration) -> str:
        return f"{Decimal(plain(row.value)):,f}"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "wallets.add_configuration")

    def get_urls(self) -> list[URLPattern]:
        return [
            self.action_url("<str:object_id>/edit/", "edit", self.edit, only_post=False),
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: Configuration) -> list[Tool]:
        if not self.may(request, "wallets.change_configuration"):
            return []
        return [Tool("Change the figure", self.address("edit", obj.pk))]

    def sections(self, request: HttpRequest, obj: Configuration) -> list[Section]:
        found = audit.changes_of(Configuration._meta.db_table, obj.pk, ["value"])
        changes = list(found[:_CHANGES_SHOWN])
        rows = [
            (moment(change.at), person, plain(was) if was is not None else "-", plain(now))
            for change, person in zip(changes, audit.who(changes), strict=True)
            for column, was, now in audit.columns_of(change)
            if column == "value"
        ]
        headings = ("When (UTC)", "Who", "Before", "After")
        return [Section("Changes", headings, rows, right=(2, 3))]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """A figure for a key that has none yet."""
        if not self.has_add_permission(request):
            raise PermissionDenied

        def act(data: dict[str, Any]) -> HttpResponse:
            row = add_figure(**data, user=staff_of(request))
            messages.success(request, f"{row.key} is {plain(row.value)}.")
            return self.back_to(row.pk)

        return self.form_page(
            request, bind(request, NewFigureForm), act, title="New figure", submit="Save"
        )

    def edit(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Changes the figure."""
        if not self.may(request, "wallets.change_configuration"):
            raise PermissionDenied
        row: Configuration = self.record(request, object_id)

        def act(data: dict[str, Any]) -> HttpResponse:
            changed = change_figure(
                key=row.key, value=data["value"], seen=data["seen"], user=staff_of(request)
            )
            messages.success(request, f"{row.key} is now {plain(changed.value)}.")
            return self.back_to(row.pk)

        now = plain(row.value)
        return self.form_page(
            request,
            bind(request, FigureForm, value=now, seen=now),
            act,
            title=f"Change {row.key}",
            submit="Save",
            record=row,
            note=f"{row.description}. Now {now}. Withdrawals that exist keep what they have.",
        )
