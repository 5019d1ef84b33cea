"""Form fields that several pages of the back office share."""

from __future__ import annotations

from typing import Any

from django import forms


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
