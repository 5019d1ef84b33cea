"""Filters of a list that are a small form: what they share. Which rows they leave is theirs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest


class FormFilter(admin.ListFilter, ABC):
    """A filter whose fields are `fields()`, by their names in the address.

    What cannot be read leaves no row, and the form says why.
    """

    template = "admin/range_filter.html"
    name = ""

    def __init__(
        self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any
    ) -> None:
        super().__init__(request, params, model, model_admin)
        fields = self.fields()
        given = {key: params.pop(key)[-1].strip() for key in fields if key in params}
        self.used_parameters = {key: value for key, value in given.items() if value}
        self.others = {
            key: value
            for key, value in request.GET.items()
            if key not in fields and key not in {"p", "e"}
        }
        self.form = forms.Form(given)
        self.form.fields.update(fields)
        self.valid = self.form.is_valid()

    @abstractmethod
    def fields(self) -> dict[str, forms.Field]:
        """The form's fields."""

    @abstractmethod
    def narrow(self, queryset: QuerySet[Any], values: dict[str, Any]) -> QuerySet[Any]:
        """The rows that the form's `values` leave."""

    def has_output(self) -> bool:
        """Always to be seen."""
        return True

    def expected_parameters(self) -> list[str | None]:
        """The names of the fields."""
        return [*self.fields()]

    def choices(self, changelist: Any) -> Iterator[dict[str, Any]]:
        """One: the form."""
        yield {"form": self.form, "others": self.others, "valid": self.valid, "name": self.name}

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """All rows while nothing is filled in."""
        if not self.used_parameters:
            return queryset
        return self.narrow(queryset, self.form.cleaned_data) if self.valid else queryset.none()
