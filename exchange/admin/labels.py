"""Labels of model fields that pages display as they are: times in UTC, and IDs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from types import MappingProxyType
from typing import Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from exchange.admin.display import format_time


class FieldLabels(admin.ModelAdmin):  # type: ignore[type-arg] # not generic when it runs
    """ModelAdmin mixin: `created (UTC)` instead of `created at`, `ID` instead of `id`.

    `labels` gives other labels by field name.
    """

    labels: Mapping[str, str] = MappingProxyType({})

    def get_list_display(self, request: HttpRequest) -> Any:
        labels = {**field_labels(self.model), **self.labels}
        return [
            _field_column(self.opts.get_field(name), labels[name]) if name in labels else name
            for name in super().get_list_display(request)
        ]

    def get_form(
        self, request: HttpRequest, obj: Any | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        options = {"labels": {**field_labels(self.model), **self.labels}, **kwargs}
        return super().get_form(request, obj, change, **options)


def field_label(field: models.Field[Any, Any]) -> str:
    """Return the label of a field: `created (UTC)` of `created_at`, `external ID`."""
    name = str(field.verbose_name)
    if isinstance(field, models.DateTimeField):
        return f"{name.removesuffix(' at')} (UTC)"
    return re.sub(r"\bid$", "ID", name, flags=re.IGNORECASE)


def field_labels(model: type[models.Model]) -> dict[str, str]:
    """Return the labels of the fields of `model` that differ from their verbose names."""
    return {
        field.name: label
        for field in model._meta.fields
        if (label := field_label(field)) != str(field.verbose_name)
    }


@cache
def _field_column(field: models.Field[Any, Any], label: str) -> Callable[[Any], object]:
    @admin.display(description=label, ordering=field.name)
    def shown(record: Any) -> object:
        value = getattr(record, field.name)
        return (
            format_time(value)
            if isinstance(value, datetime)
            else "-"
            if value in {None, ""}
            else value
        )

    shown.__name__ = field.name  # the name of the cell's CSS class
    return shown
