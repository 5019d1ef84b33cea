"""Form fields shared by back-office pages."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from exchange.core.text import unify_line_breaks

VISIBLE = "Visible to the organisation"
INTERNAL = "Internal: not visible to the organisation"


def audience_help(audience: str, help_text: str = "") -> str:
    """Return the help text of a reason or note; it starts with `VISIBLE` or `INTERNAL`.

    Every such field must state its audience (`tests/config/test_audiences.py`).
    """
    return f"{audience}. {help_text}" if help_text else audience


class MultilineField(forms.CharField):
    """A text of several lines. A line break counts once, as in the browser's `maxlength`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": 3}), **kwargs)

    def to_python(self, value: Any) -> str:
        """Return the text with the line breaks that the service stores."""
        return unify_line_breaks(str(super().to_python(value) or ""))


class ReasonField(MultilineField):
    """A multi-line reason whose help text states its audience."""

    def __init__(self, *, audience: str = INTERNAL, help_text: str = "", **kwargs: Any) -> None:
        super().__init__(help_text=audience_help(audience, help_text), **kwargs)


class ReasonForm(forms.Form):
    """An internal reason, of a rejection or a cancellation."""

    reason = ReasonField(max_length=300)


# Days beyond have no neighbour, or no place among ids, which begin in 1970.
FIRST_DAY, LAST_DAY = date(1971, 1, 1), date(9998, 12, 31)


def validate_day(day: date) -> None:
    """Raise `ValidationError` for a day that no record can have."""
    if not FIRST_DAY <= day <= LAST_DAY:
        raise ValidationError("Enter a day of the years 1971 to 9998")


class DatePickerField(forms.DateField):
    """A day with the browser's picker."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"))
        super().__init__(validators=[validate_day], **kwargs)


class DateTimePickerField(forms.SplitDateTimeField):
    """An optional date and time in UTC with the browser's pickers."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.SplitDateTimeWidget(
            date_attrs={"type": "date", "aria-label": "Date"},
            time_attrs={"type": "time", "step": "1", "aria-label": "Time"},
            time_format="%H:%M:%S",
            date_format="%Y-%m-%d",
        )
        super().__init__(required=False, widget=widget, **kwargs)


class NoteForm(forms.Form):
    """A note to the approver of a proposal."""

    note = forms.CharField(
        label="Note",
        max_length=300,
        required=False,
        help_text=audience_help(INTERNAL, "For the approver"),
    )
