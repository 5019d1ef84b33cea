"""Amounts in forms: the notation of the pages, plain digits only, decimals and unit stated."""

from decimal import Decimal
from typing import Any

import pytest
from django import forms
from django.core.exceptions import ValidationError

from exchange.admin.fields import AmountInput, MoneyField, PercentField, set_currency
from tests.wording.project import ROOT

NUMBER = "Enter a number such as 12,500.50"


@pytest.mark.parametrize(
    ("typed", "amount"),
    [
        ("12,500.50", "12500.5"),
        (" 12500.50\u00a0", "12500.5"),
        ("1,250,000.50000000", "1250000.5"),
        ("0", "0"),
        ("0.00000001", "0.00000001"),
        ("1,000,000,000,000,000", "1000000000000000"),
    ],
)
def test_the_notation_of_the_pages_is_accepted(typed, amount):
    assert AmountInput().clean(typed) == Decimal(amount)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        *(
            (text, NUMBER)
            for text in ("1_000", "1e3", "1E15", "\uff11\uff10", "\u0665", "-5", "+5", "NaN")
        ),
        *((text, NUMBER) for text in ("12,50", "1,2345", "12.500,50", "12 500", "1.", ".5", "007")),
        *((text, NUMBER) for text in ("12\u200b500", "Infinity", "0x10", "9" * 16_384, "\x00")),
        ("1000000000000000.00000001", "From 0 to 1,000,000,000,000,000"),
        ("9" * 60, "From 0 to 1,000,000,000,000,000"),
        ("0.123456789", "At most 8 decimals"),
        ("", "This field is required."),
        ("  ", "This field is required."),
        (None, "This field is required."),
    ],
)
def test_anything_else_is_rejected_with_its_reason(typed, message):
    with pytest.raises(ValidationError) as refused:
        AmountInput().clean(typed)
    assert refused.value.messages == [message]


def test_an_optional_amount_left_empty_has_its_own_value():
    assert AmountInput(required=False).clean(" ") is None
    assert AmountInput(required=False, empty=Decimal(0)).clean("") == 0


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        (Decimal("45000.00000000"), "45,000"),
        (Decimal("4.5E+4"), "45,000"),
        (Decimal("0.10"), "0.1"),
        (Decimal(0), "0"),
    ],
)
def test_a_stored_amount_is_shown_as_pages_show_it(stored, shown):
    assert AmountInput().prepare_value(stored) == shown
    assert AmountInput().clean(shown) == stored


def test_a_percentage_is_typed_and_shown_as_such_and_stored_as_a_fraction():
    field = PercentField(error_messages={"range": "Maximum LTV must be between 0 and 100 %"})
    assert field.clean("2.5") == Decimal("0.025")
    assert field.clean("100") == 1
    assert field.prepare_value(Decimal("0.02500000")) == "2.5"
    for typed, message in (
        ("100.000001", "Maximum LTV must be between 0 and 100 %"),
        ("2.5000001", "At most 6 decimals"),
        ("2.5 %", NUMBER),
    ):
        with pytest.raises(ValidationError) as refused:
            field.clean(typed)
        assert refused.value.messages == [message]
    spread = PercentField(per_unit="100", decimals=2, maximum=50)
    assert spread.clean("1") == 100
    assert spread.prepare_value(Decimal(100)) == "1"


class AmountForm(forms.Form):
    amount = MoneyField(help_text="Per unit")


@pytest.mark.django_db
def test_a_field_states_the_decimals_and_the_currency():
    form = AmountForm()
    field: Any = form.fields["amount"]
    assert str(field.help_text) == "Per unit. At most 2 decimals, no decimals in UGX"
    assert "data-amount" in str(form["amount"])
    set_currency(field, "UGX")
    assert str(field.help_text) == "Per unit. No decimals in UGX"
    with pytest.raises(ValidationError) as refused:
        field.clean("1.5")
    assert refused.value.messages == ["No decimals"]
    shown = str(form["amount"])
    for part in ('type="text"', 'inputmode="decimal"', 'data-amount="UGX"', 'autocomplete="off"'):
        assert part in shown
    # Other forms of the class keep theirs.
    assert "no decimals in UGX" in str(AmountForm().fields["amount"].help_text)


def test_no_form_of_the_back_office_has_another_field_for_amounts():
    """A browser's number field steps with the wheel and shows no groups."""
    offenders = [
        f"{path.relative_to(ROOT)}:{number}"
        for app in ("config", "credit", "exchange", "orders", "wallets")
        for path in sorted((ROOT / app).rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if "forms.DecimalField" in line or "forms.FloatField" in line
    ]
    assert offenders == []
