"""Terms of a loan configuration in the admin: the form, and their description in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelectMultiple
from django.utils.html import format_html
from django.utils.safestring import SafeString

from credit.configurations.models import Access, ConfigurationVersion, LoanLimit
from credit.configurations.services.terms import (
    MAX_DURATION,
    MAX_GRACE_PERIOD,
    MAX_NAME_LENGTH,
    Terms,
    default_min_amount,
    find_errors,
)
from exchange.admin.display import percent, status_badge
from exchange.admin.fields import INTERNAL, MoneyField, PercentField, audience_help, set_currency
from exchange.core.currencies import currencies, format_money
from exchange.core.ids import parse_id
from exchange.participants.admin.participants import OrganisationChoiceField
from exchange.participants.models import Organisation
from exchange.tokens.models import InvestmentCategory

if TYPE_CHECKING:
    ModelChoices = forms.ModelMultipleChoiceField[Any]
else:
    ModelChoices = forms.ModelMultipleChoiceField

_ACCESS = {
    Access.OWN: "The creditor's own members",
    Access.ORGANISATIONS: "Members of the creditor and of named organisations",
    Access.PUBLIC: "Members of any organisation",
}
_NONE = "-"
# The rules of the terms in words, by field.
_WORDS = {
    "collateral_ratio": "Maximum LTV must be between 0 and 100 %",
    "interest_rate": "Monthly interest rate must be between 0 and 100 %",
    "duration": f"Maximum term must be between 1 and {MAX_DURATION} months",
    "grace_period": f"Grace period must be between 0 and {MAX_GRACE_PERIOD} days",
    "name": "The name must not contain control, invisible or direction-changing characters",
    "organisation_ids": "Name organisations where they decide who may borrow, and only there",
}
# The limits of a currency: label, help, and their rule in words.
_LIMITS = {
    "min_amount": (
        "Minimum per loan",
        "Empty: what earns the smallest unit of interest a month",
        "The minimum must be above 0 and cannot exceed the maximum per loan",
    ),
    "max_amount": (
        "Maximum per loan",
        "Empty: the currency is not lent",
        "The maximum per loan must be above 0",
    ),
    "max_outstanding": (
        "Maximum outstanding",
        "Empty: no limit",
        "The maximum outstanding cannot be below the maximum per loan",
    ),
}


class RecordsSelect(AutocompleteSelectMultiple):
    """Django's autocomplete select that ignores posted values which are no ids."""

    def optgroups(self, name: str, value: Sequence[str], attr: Any = None) -> Any:
        return super().optgroups(name, [v for v in value if parse_id(str(v))], attr)


class OrganisationsChoice(ModelChoices):
    """Multiple choice of organisations, with autocomplete by name."""

    def __init__(self, **kwargs: Any) -> None:
        relation = ConfigurationVersion._meta.get_field("organisations")
        super().__init__(
            queryset=Organisation.objects.all(),
            widget=RecordsSelect(relation, admin.site),
            **kwargs,
        )


class LoanTermsForm(forms.Form):
    """All terms of a configuration; amounts per currency."""

    name = forms.CharField(max_length=MAX_NAME_LENGTH)
    access = forms.ChoiceField(label="Eligible borrowers", choices=list(_ACCESS.items()))
    organisations = OrganisationsChoice(label="Named organisations", required=False)
    investment_categories = forms.MultipleChoiceField(
        label="Eligible collateral",
        choices=InvestmentCategory.choices,
        widget=forms.CheckboxSelectMultiple,
    )
    collateral_ratio = PercentField(
        label="Maximum LTV",
        help_text="Share of the collateral's value that may be lent",
        error_messages={"range": _WORDS["collateral_ratio"]},
    )
    interest_rate = PercentField(
        label="Monthly interest rate",
        help_text="Percent per month",
        error_messages={"range": _WORDS["interest_rate"]},
    )
    duration = forms.IntegerField(
        label="Maximum term", help_text=f"In months, up to {MAX_DURATION}"
    )
    grace_period = forms.IntegerField(
        initial=0, help_text=f"Days from overdue to default, up to {MAX_GRACE_PERIOD}"
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for code in currencies():
            for kind, (label, help_text, _rule) in _LIMITS.items():
                field = MoneyField(label=f"{label}, {code}", required=False, help_text=help_text)
                set_currency(field, code)
                self.fields[f"{kind}_{code}"] = field

    @property
    def groups(self) -> list[tuple[str | None, list[Any]]]:
        """Return the fields in titled groups, the amounts of a currency in one row."""
        amounts = [tuple(f"{kind}_{code}" for kind in _LIMITS) for code in currencies()]
        single = {name for row in amounts for name in row}
        return [
            (None, [name for name in self.fields if name not in single]),
            ("Limits by currency", list(amounts)),
        ]

    def clean(self) -> dict[str, Any]:
        """Mark each field that breaks a rule of the terms, in words."""
        data = super().clean() or {}
        data["organisation_ids"] = [each.pk for each in data.get("organisations", ())]
        whole = {name: data[name] for name in ("access", *_WORDS) if name in data}
        for name in find_errors(whole).keys() & _WORDS.keys():
            self.add_error(name if name in self.fields else "organisations", _WORDS[name])
        if not any(data.get(f"max_amount_{code}") for code in currencies()):
            self.add_error(None, "Enter a maximum per loan in at least one currency")
        for code in currencies():
            kinds = [kind for kind in _LIMITS if data.get(f"{kind}_{code}") is not None]
            limits = {kind: {code: data[f"{kind}_{code}"]} for kind in kinds}
            wrong = find_errors(limits) if "max_amount" in limits else limits
            for kind in wrong:
                self.add_error(f"{kind}_{code}", _LIMITS[kind][-1])
        return data


class ChangedTermsForm(LoanTermsForm):
    """New terms of a configuration, and why."""

    note = forms.CharField(
        max_length=300,
        required=False,
        label="Reason",
        help_text=audience_help(INTERNAL, "Required where a term changes beyond what is usual"),
    )


class ConfigurationForm(LoanTermsForm):
    """A new configuration."""

    creditor = OrganisationChoiceField()
    field_order = ("creditor",)


def read_terms(data: dict[str, Any]) -> Terms:
    """Build terms from a form's cleaned data."""

    def amounts(kind: str) -> dict[str, Decimal]:
        found = {code: data[f"{kind}_{code}"] for code in currencies()}
        return {code: amount for code, amount in found.items() if amount is not None}

    values: dict[str, Any] = {kind: amounts(kind) for kind in _LIMITS}
    values |= {field.name: data[field.name] for field in fields(Terms) if field.name in data}
    return Terms(**values)


def form_values(version: ConfigurationVersion) -> dict[str, Any]:
    """Return a version's terms as initial values of the form."""
    found: dict[str, Any] = forms.model_to_dict(version, list(LoanTermsForm.base_fields))
    for limit in version.limits.all():
        # A default minimum stays a default, so that it follows the rate.
        if limit.min_amount != default_min_amount(
            limit.currency_id, version.interest_rate, limit.max_amount
        ):
            found[f"min_amount_{limit.currency_id}"] = limit.min_amount
        found[f"max_amount_{limit.currency_id}"] = limit.max_amount
        if limit.max_outstanding is not None:
            found[f"max_outstanding_{limit.currency_id}"] = limit.max_outstanding
    return found


@dataclass(frozen=True, slots=True)
class TermComparison:
    """One term: effective and proposed value, and a description of the change."""

    title: str
    effective: str
    proposed: str
    change: str

    @property
    def changed(self) -> bool:
        """Whether the proposal changes the term."""
        return bool(self.change)


def compare_terms(
    effective: ConfigurationVersion | None, proposed: ConfigurationVersion | None
) -> list[TermComparison]:
    """Compare every term of two versions. Changes are described only if both are given."""
    before, after = _describe_terms(effective), _describe_terms(proposed)
    lines = []
    for title in dict.fromkeys([*before, *after]):
        was, will = before.get(title, []), after.get(title, [])
        change = ""
        if effective is not None and proposed is not None and was != will:
            change = _describe_change(was, will)
        lines.append(
            TermComparison(title, ", ".join(was) or _NONE, ", ".join(will) or _NONE, change)
        )
    return lines


def build_difference_rows(lines: list[TermComparison]) -> list[tuple[object, ...]]:
    """Return table rows; changed values are bold and described."""
    return [
        (
            line.title,
            line.effective,
            _strong(line.proposed) if line.changed else line.proposed,
            format_html("{} {}", status_badge("changed"), line.change)
            if line.changed
            else "unchanged",
        )
        for line in lines
    ]


def describe_access(access: str) -> str:
    """Describe who may borrow."""
    return _ACCESS[Access(access)]


def format_rate(rate: Decimal) -> str:
    """Format a rate of 0 to 1 as `80 %`."""
    return percent(rate * 100)


def _strong(text: str) -> SafeString:
    return format_html("<strong>{}</strong>", text)


def _describe_terms(version: ConfigurationVersion | None) -> dict[str, list[str]]:
    """Return the values of each term as text; terms that are lists have several."""
    if version is None:
        return {}
    found = {
        "Name": [version.name],
        "Eligible borrowers": [describe_access(version.access)],
        "Named organisations": _describe_organisations(version),
        "Eligible collateral": list(version.investment_categories),
        "Maximum LTV": [format_rate(version.collateral_ratio)],
        "Monthly interest rate": [format_rate(version.interest_rate)],
        "Maximum term": [f"{version.duration} months"],
        "Grace period": [f"{version.grace_period} days"],
    }
    limits = {limit.currency_id: limit for limit in version.limits.all()}
    for code in currencies():
        for kind, (label, *_words) in _LIMITS.items():
            found[f"{label}, {code}"] = _describe_limit(limits.get(code), kind)
    return {title: values for title, values in found.items() if values}


def _describe_organisations(version: ConfigurationVersion) -> list[str]:
    """Return the named organisations; ids of none are marked for the approvers."""
    known = {organisation.pk: str(organisation) for organisation in version.organisations.all()}
    rows = ConfigurationVersion.organisations.through.objects.filter(
        configurationversion=version
    ).values_list("organisation_id", flat=True)
    unknown = sorted(str(row) for row in rows if row not in known)
    return [*known.values(), *(f"{row} (no such organisation)" for row in unknown)]


def _describe_limit(limit: LoanLimit | None, name: str) -> list[str]:
    if limit is None:
        return []
    amount: Decimal | None = getattr(limit, name)
    return ["no limit"] if amount is None else [format_money(amount, limit.currency_id)]


def _describe_change(was: list[str], will: list[str]) -> str:
    added = [value for value in will if value not in was]
    removed = [value for value in was if value not in will]
    if len(was) <= 1 and len(will) <= 1:
        return f"from {was[0] if was else 'none'} to {will[0] if will else 'none'}"
    parts = []
    if added:
        parts.append(f"added: {', '.join(added)}")
    if removed:
        parts.append(f"removed: {', '.join(removed)}")
    return "; ".join(parts) or "reordered"
