"""The lookups that the address of a list may name: those that the list declares, and no other.

Django's own rule admits every column of the list's model, so a list would tell by its length what
a hidden column such as a password starts with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import get_fields_from_path
from django.http import HttpRequest


class DeclaredLookups(admin.ModelAdmin):  # type: ignore[type-arg] # not generic when it runs
    """ModelAdmin mixin: filter a list that uses Django's `list_filter` by nothing else."""

    # Lookups of links to the list that it does not offer as filters.
    linked_lookups: Sequence[str] = ()

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Return whether the list declares `lookup`: a filter, its date hierarchy, or a link."""
        declared = {*self.linked_lookups, *self._filter_parameters(request)}
        # Of Django's filters of choices; `?operation=UPDATE` means the same.
        return lookup in declared or f"{lookup}__exact" in declared

    def _filter_parameters(self, request: HttpRequest | None) -> Iterator[str | None]:
        if self.date_hierarchy:
            yield from (f"{self.date_hierarchy}__{part}" for part in ("year", "month", "day"))
        for declared in self.list_filter:
            yield from self._make_filter(declared, request).expected_parameters()

    def _make_filter(self, declared: Any, request: Any) -> Any:
        """Return the filter that an entry of `list_filter` stands for, with no value."""
        if callable(declared):
            return declared(request, {}, self.model, self)
        path, make = (
            declared if isinstance(declared, tuple) else (declared, admin.FieldListFilter.create)
        )
        field = get_fields_from_path(self.model, path)[-1]
        return make(field, request, {}, self.model, self, field_path=path)
