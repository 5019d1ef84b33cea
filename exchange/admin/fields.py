"""Form fields that several pages of the back office share."""

from __future__ import annotations

from typing import Any

from django import forms

VISIBLE = "Visible to the organisation"
INTERNAL = "Internal: not sent to the organisation"


def audience_help(audience: str, help_text: str = "") -> str:
    """Return the help of a text that staff type: first who reads it, `VISIBLE` or `INTERNAL`.

    Every field for a reason or a note says it (`tests/config/test_audiences.py`).
    """
    return f"{audience}. {help_text}" if help_text else audience


class ReasonField(forms.CharField):
    """Why, in a few lines; `audience` says who reads it, and the form says so."""

    def __init__(self, *, audience: str = INTERNAL, help_text: str = "", **kwargs: Any) -> None:
        super().__init__(
            widget=forms.Textarea(attrs={"rows": 3}),
            help_text=audience_help(audience, help_text),
            **kwargs,
        )


class DatePickerField(forms.DateField):
    """A day, by the browser's own picker."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        super().__init__(widget=widget, **kwargs)


class DateTimePickerField(forms.SplitDateTimeField):
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
        label="Why",
        max_length=300,
        required=False,
        help_text=audience_help(INTERNAL, "For the person who confirms it"),
    )
