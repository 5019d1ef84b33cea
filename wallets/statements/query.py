"""Query parameters of a statement."""

from dataclasses import dataclass
from datetime import timedelta

from django import forms
from django.http import QueryDict

from exchange.api.filters import ChoiceParameter, CurrencyParameter, TimestampParameter
from exchange.api.parameters import parse_parameters
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
    values = parse_parameters(parameters, _FIELDS)
    period = Period(values["from"], _TO.clean(parameters["to"]), values["to"])
    return StatementQuery(values["currency"], period, values["format"] or FORMATS[0])
