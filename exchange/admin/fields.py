"""Form fields that several pages of the back office share."""

from __future__ import annotations

from typing import Any

from django import forms


class Reason(forms.CharField):
    """Why, in a few lines."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": 3}), **kwargs)


class DayField(forms.DateField):
    """A day, by the browser's own picker."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        super().__init__(widget=widget, **kwargs)


class InstantField(forms.SplitDateTimeField):
    """A day and a time in UTC, by the browser's own pickers; may be empty."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.SplitDateTimeWidget(
            date_attrs={"type": "date", "aria-label": "Date"},
            time_attrs={"type": "time", "step": "1", "aria-label": "Time"},
            time_format="%H:%M:%S",
            date_format="%Y-%m-%d",
        )
        super().__init__(required=False, widget=widget, **kwargs)


class NoteForm(forms.Form):
    """Why somebody proposes something."""

    note = forms.CharField(
        label="Why", max_length=300, required=False, help_text="For the person who confirms it"
    )
