"""The form with the terms of a distribution, and what it proposes."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms

from credit.distributions.models import Distribution, DistributionType, Income
from credit.distributions.schedule import UNIT_AMOUNT_DECIMALS, Basis
from credit.distributions.services.terms import (
    MAX_DAYS,
    MAX_RATE,
    RATE_DECIMALS,
    DistributionTerms,
)
from exchange.admin.fields import (
    AmountInput,
    DatePickerField,
    DateTimePickerField,
    MoneyField,
    ReasonField,
)
from exchange.admin.forms import ModelChoice
from exchange.core.errors import InvalidRequest
from exchange.core.numbers import format_grouped
from exchange.tokens.models import Token
from wallets.deposits.admin.owner_choice import MemberChoice

_OF_INTEREST = ("principal", "rate", "days")


class ExplanationForm(forms.Form):
    """Why two people should do it."""

    explanation = ReasonField(max_length=300, help_text="Read by the second person")


class IncomeChoice(ModelChoice):
    """Income of a distribution that is due to a closed member."""

    def label_from_instance(self, obj: Income) -> str:
        """Return who held the units, and what is due."""
        return f"{obj.member}: {format_grouped(obj.net)}"


class AssignForm(ExplanationForm):
    """Who is paid the income of a closed member."""

    income = IncomeChoice(queryset=Income.objects.none(), label="Income of")
    member = MemberChoice(
        required=False,
        label="Paid to",
        help_text="The member itself, which is reopened, or another one of its organisation; empty:"
        " the organisation's own wallet",
    )

    field_order = ["income", "member", "explanation"]


class TermsForm(ExplanationForm):
    """What is paid for a unit, to whom and when."""

    type = forms.ChoiceField(choices=DistributionType.choices)
    amount_per_unit = AmountInput(
        decimals=UNIT_AMOUNT_DECIMALS,
        required=False,
        help_text="In the currency of the token; of interest leave it empty",
    )
    principal = MoneyField(
        label="Principal per unit", required=False, help_text="What bears interest"
    )
    rate = AmountInput(
        decimals=RATE_DECIMALS,
        unit="%",
        maximum=Decimal(MAX_RATE),
        required=False,
        help_text="Of interest, percent a year",
    )
    days = forms.IntegerField(
        min_value=1, max_value=MAX_DAYS, required=False, help_text="Of interest, by ACT/365"
    )
    final = forms.BooleanField(
        required=False, help_text="Of an exit: the last one, which takes the units back"
    )
    record_at = DateTimePickerField(label="Record (UTC)", help_text="Who holds units then is paid")
    payment_date = DatePickerField(help_text="Paid from the start of this day (UTC)")

    groups = [
        (None, ["type", "amount_per_unit", "final"]),
        ("Interest", ["principal", "rate", "days"]),
        ("Times", ["record_at", "payment_date"]),
        ("Evidence", ["explanation"]),
    ]


class ChangeForm(TermsForm):
    """Other terms of an announced distribution, whose type stays."""

    type = None  # type: ignore[assignment]
    final = None  # type: ignore[assignment]

    def __init__(self, kind: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("amount_per_unit",) if kind == DistributionType.INTEREST else _OF_INTEREST:
            del self.fields[name]
        self.groups = [
            (title, [name for name in names if name in self.fields])
            for title, names in TermsForm.groups
        ]


class CorrectionForm(ChangeForm):
    """The terms that would have been right for a paid distribution, and when the rest is paid."""

    record_at = None  # type: ignore[assignment]

    def __init__(self, kind: str, *args: Any, initial: dict[str, Any], **kwargs: Any) -> None:
        # The date of what is paid is past.
        super().__init__(kind, *args, initial=initial | {"payment_date": None}, **kwargs)


def initial_terms(distribution: Distribution) -> dict[str, Any]:
    """Return the present terms as the values of a form."""
    basis = distribution.basis
    return {
        "amount_per_unit": None if basis else distribution.amount_per_unit,
        "principal": basis and basis.principal_per_unit,
        "rate": basis and basis.rate,
        "days": basis and basis.days,
        "record_at": distribution.record_at,
        "payment_date": distribution.payment_date,
    }


def read_terms(token: Token, kind: str, typed: Mapping[str, Any]) -> DistributionTerms:
    """Return the terms of a valid form. Raises `InvalidRequest` for a part that is missing."""
    if typed["record_at"] is None:
        raise InvalidRequest.for_field("record_at", "Enter the time of the record")
    parts: tuple[Any, ...] = tuple(typed.get(name) for name in _OF_INTEREST)
    if kind == DistributionType.INTEREST and None in parts:
        raise InvalidRequest("Interest needs principal, rate and days")
    if kind != DistributionType.INTEREST and parts != (None, None, None):
        raise InvalidRequest("Only Interest has principal, rate and days")
    return DistributionTerms(
        type=kind,
        currency=token.currency_id,
        amount=typed.get("amount_per_unit"),
        basis=None if None in parts else Basis(*parts),
        final=typed.get("final", False) or kind == DistributionType.REDEMPTION,
        record_at=typed["record_at"],
        payment_date=typed["payment_date"],
    )
