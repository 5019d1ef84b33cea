"""Filters of lists by the name of somebody related: one text field, however many there are."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet

from exchange.admin.form_filters import FormFilter
from exchange.participants.models import Organisation

_LONGEST_NAME = 200


class OrganisationFilter(FormFilter):
    """Rows whose organisation has a name with these letters in it."""

    title = "organisation"
    column = "organisation"

    def __init__(self, *args: Any) -> None:
        self.name = f"{self.column}_name"
        super().__init__(*args)

    def fields(self) -> dict[str, forms.Field]:
        """One: a part of the name."""
        field = forms.CharField(label="Name contains", required=False, max_length=_LONGEST_NAME)
        return {self.name: field}

    def narrow(self, queryset: QuerySet[Any], values: dict[str, Any]) -> QuerySet[Any]:
        """The rows of organisations so named."""
        named = Organisation.objects.filter(name__icontains=values[self.name])
        return queryset.filter(**{f"{self.column}__in": named.order_by().values("pk")})


class CreditorFilter(OrganisationFilter):
    """The same of a column `creditor`."""

    title = "creditor"
    column = "creditor"


class IssuerFilter(OrganisationFilter):
    """The same of a column `issuer`."""

    title = "issuer"
    column = "issuer"
