"""Form fields shared by back-office pages."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import lazy

from exchange.core.currencies import currencies
from exchange.core.numbers import (
    MAX_NUMBER,
    TOKEN_DECIMALS,
    count_decimals,
    describe_decimals,
    format_grouped,
    parse_typed_number,
)
from exchange.core.text import REASON_RULE, is_reason, unify_line_breaks

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
    """A multi-line reason whose help text states its audience.

    A required one has at least 15 letters and two words, and is not the person's last one again
    (`exchange.admin.reasons`); without `required` it is a note.
    """

    def __init__(self, *, audience: str = INTERNAL, help_text: str = "", **kwargs: Any) -> None:
        super().__init__(help_text=audience_help(audience, help_text), **kwargs)

    def clean(self, value: Any) -> str:
        """Return the reason. Raises `ValidationError` unless it is one."""
        reason: str = super().clean(value)
        if self.required and not is_reason(reason):
            raise ValidationError(REASON_RULE)
        return reason


class AmountInput(forms.Field):
    """A number from 0 as people write it: `12,500.50`. Plain digits only, no exponent or sign.

    `decimals` is their maximum, `unit` what stands behind the number, and `per_unit` how much of
    the stored number is one of it; the limits are in units. `empty` is the value of an optional
    field left empty. A script shows the number grouped while it is typed.
    """

    widget = forms.TextInput

    def __init__(
        self,
        *,
        decimals: int = TOKEN_DECIMALS,
        unit: str = "",
        minimum: Decimal = Decimal(0),
        maximum: Decimal = MAX_NUMBER,
        per_unit: Decimal = Decimal(1),
        empty: Decimal | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.decimals, self.minimum, self.maximum = decimals, minimum, maximum
        self.per_unit, self.empty = per_unit, empty
        limits = f"From {format_grouped(minimum)} to {format_grouped(maximum)} {unit}".strip()
        self.error_messages.setdefault("range", limits)
        self.widget.attrs |= {"inputmode": "decimal", "autocomplete": "off", "data-amount": unit}

    def clean(self, value: Any) -> Decimal | None:
        """Return the stored number. Raises `ValidationError`."""
        text = "" if value is None else str(value).strip()
        if not text:
            super().clean("")
            return self.empty
        number = parse_typed_number(text)
        if number is None:
            raise ValidationError("Enter a number such as 12,500.50")
        if not self.minimum <= number <= self.maximum:
            raise ValidationError(self.error_messages["range"])
        if count_decimals(number) > self.decimals:
            raise ValidationError(describe_decimals(self.decimals))
        return number * self.per_unit

    def prepare_value(self, value: Any) -> Any:
        """Show a stored number as the pages do; what was typed stays as it is."""
        if not isinstance(value, Decimal):
            return value
        return format_grouped(value / self.per_unit)


class MoneyField(AmountInput):
    """An amount in the currency that the form asks for, or in that of `set_currency`.

    The help text states the decimals.
    """

    def __init__(self, *, help_text: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.purpose = help_text
        say: Callable[..., Any] = lazy(_describe_money, str)
        self.help_text = say("", help_text)


def set_currency(field: forms.Field, currency: str) -> None:
    """Make a `MoneyField` of a form one of `currency`."""
    if not isinstance(field, MoneyField):
        raise TypeError(f"{type(field).__name__} is no amount of money")
    field.decimals = currencies()[currency].decimals
    field.help_text = _describe_money(currency, field.purpose)
    field.widget.attrs["data-amount"] = currency
    if field.label and currency not in field.label:
        field.label = f"{field.label} ({currency})"


def _describe_money(currency: str, help_text: str) -> str:
    """Return the help text with the decimals of the currency, or of every currency."""
    found = currencies()
    if currency:
        decimals = f"{describe_decimals(found[currency].decimals)} in {currency}"
    else:
        most = max(facts.decimals for facts in found.values())
        fewer = [
            f"{describe_decimals(facts.decimals).lower()} in {code}"
            for code, facts in found.items()
            if facts.decimals < most
        ]
        decimals = ", ".join([describe_decimals(most), *fewer])
    return f"{help_text}. {decimals}" if help_text else decimals


class PercentField(AmountInput):
    """A percentage, stored as a fraction of 1 unless `per_unit` says otherwise."""

    def __init__(
        self, *, decimals: int = 6, maximum: int = 100, per_unit: str = "0.01", **kwargs: Any
    ) -> None:
        super().__init__(
            decimals=decimals,
            unit="%",
            maximum=Decimal(maximum),
            per_unit=Decimal(per_unit),
            **kwargs,
        )


class ReasonForm(forms.Form):
    """An internal reason, of a rejection or a cancellation."""

    reason = ReasonField(max_length=300)


class ApprovalReasonForm(forms.Form):
    """Why something beyond what is usual is approved."""

    reason = ReasonField(
        label="Reason of the approval",
        max_length=300,
        help_text="Say what you checked: the notice above is shown because this is not usual",
    )


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
