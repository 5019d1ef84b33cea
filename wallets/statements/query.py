"""Query parameters of a statement."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from rest_framework import exceptions
from rest_framework.exceptions import ErrorDetail

from exchange.api.filters import ChoiceParameter, CurrencyParameter, TimestampParameter
from exchange.core.currencies import WALLET_CURRENCIES
from wallets.statements.period import Period
from wallets.statements.shapes import FORMATS

_MILLISECOND = timedelta(milliseconds=1)
_TO = TimestampParameter(step=_MILLISECOND, end=False)
_FIELDS: dict[str, forms.Field] = {
    "currency": CurrencyParameter(allowed=WALLET_CURRENCIES),
    "from": TimestampParameter(step=_MILLISECOND, end=False),
    "to": TimestampParameter(step=_MILLISECOND, end=True),
    "format": ChoiceParameter(allowed=FORMATS, required=False),
}


@dataclass(frozen=True, slots=True)
class StatementQuery:
    """What a client asks for."""

    currency: str
    period: Period
    form: str


def read_query(parameters: QueryDict) -> StatementQuery:
    """Return the parsed parameters; raise a 400 that names every bad one."""
    values: dict[str, Any] = {}
    problems: dict[str, list[ErrorDetail]] = {}
    for name, field in _FIELDS.items():
        try:
            values[name] = field.clean(parameters.get(name))
        except ValidationError as error:
            problems[name] = [
                ErrorDetail(str(message), code=each.code or "invalid")
                for each in error.error_list
                for message in each.messages
            ]
    if problems:
        raise exceptions.ValidationError(problems)
    period = Period(values["from"], _TO.clean(parameters["to"]), values["to"])
    return StatementQuery(values["currency"], period, values["format"] or FORMATS[0])
