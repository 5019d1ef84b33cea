"""Filters of lists by the name of somebody related: one text field, however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from exchange.models import Organisation

_LONGEST_NAME = 200


class OrganisationFilter(admin.ListFilter):
    """Rows whose organisation has a name with these letters in it."""

    template = "admin/range_filter.html"
    title = "organisation"
    column = "organisation"

    def __init__(
        self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any
    ) -> None:
        super().__init__(request, params, model, model_admin)
        self.name = f"{self.column}_name"
        given = params.pop(self.name, [""])[-1].strip()
        self.used_parameters = {self.name: given} if given else {}
        self.others = {
            key: value for key, value in request.GET.items() if key not in {self.name, "p", "e"}
        }
        self.form = forms.Form({self.name: given})
        self.form.fields[self.name] = forms.CharField(
            label="Name contains", required=False, max_length=_LONGEST_NAME
        )
        self.valid = self.form.is_valid()

    def has_output(self) -> bool:
        """Always to be seen."""
        return True

    def expected_parameters(self) -> list[str | None]:
        """The name of the field."""
        return [self.name]

    def choices(self, changelist: Any) -> Iterator[dict[str, Any]]:
        """One: the form."""
        yield {"form": self.form, "others": self.others, "valid": self.valid, "name": self.name}

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows of organisations so named; none when the name cannot be one."""
        if not self.used_parameters:
            return queryset
        if not self.valid:
            return queryset.none()
        named = Organisation.objects.filter(name__icontains=self.form.cleaned_data[self.name])
        return queryset.filter(**{f"{self.column}__in": named.order_by().values("pk")})


class CreditorFilter(OrganisationFilter):
    """The same of a column `creditor`."""

    title = "creditor"
    column = "creditor"


class IssuerFilter(OrganisationFilter):
    """The same of a column `issuer`."""

    title = "issuer"
    column = "issuer"
