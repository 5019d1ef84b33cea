"""Forms of back-office pages: binding, fieldsets, and errors of services at their fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.admin.widgets import AutocompleteSelect
from django.http import HttpRequest
from django.utils.text import capfirst
from unfold.forms import AdminForm

from exchange.core.errors import DomainError
from exchange.core.ids import parse_id

if TYPE_CHECKING:
    ModelChoice = forms.ModelChoiceField[Any]
else:
    ModelChoice = forms.ModelChoiceField


class RecordSelect(AutocompleteSelect):
    """Django's autocomplete select, tolerant of a posted value that is not an id."""

    def optgroups(self, name: str, value: Sequence[str], attr: Any = None) -> Any:
        return super().optgroups(name, [v for v in value if not v or parse_id(str(v))], attr)


def fieldsets_of(form: forms.Form) -> list[Any]:
    """Return the visible fields as fieldsets; focus the first field with an error.

    A form may define `groups`: titles, each with rows of field names.
    """
    invalid = next((field for field in form.visible_fields() if field.errors), None)
    if invalid is not None:
        invalid.field.widget.attrs["autofocus"] = True
    groups = getattr(form, "groups", [(None, [field.name for field in form.visible_fields()])])
    fields: list[tuple[str | None, Any]] = [
        (heading, {"fields": rows}) for heading, rows in groups if rows
    ]
    return list(AdminForm(form, fields, {}))


def add_form_error(form: forms.Form, error: DomainError) -> None:
    """Attach a service's error to the fields it names, or to the form as a whole.

    The message names fields as programs do. The name of the field that it is about is left out;
    those of others become their labels.
    """
    if not error.fields or error.fields.keys() - form.fields.keys():
        form.add_error(None, error.message)
        return
    for name, message in error.fields.items():
        words = message.removeprefix(f"{name} ")
        words = re.sub(r"^must not have more than ([0-9]+ decimals)$", r"at most \1", words)
        words = re.sub(r"^must not have decimals$", "no decimals", words)
        for other in form:
            if "_" in other.name:
                words = words.replace(other.name, str(other.label).lower())
        form.add_error(name, capfirst(words))


def bind_form(request: HttpRequest, form: Callable[..., forms.Form], **initial: Any) -> forms.Form:
    """Return the form that `form` makes, bound to the POST data, or unbound with `initial`."""
    make = partial(form, initial=initial)
    return make(request.POST) if request.method == "POST" else make()
