"""Rows inserted past every guard, key and service, to test single SQL functions.

Columns that are left out get a typical value for the model, else NULL where allowed, the default
of the model or the database, or a unique id, number or text.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import count
from typing import Any

from django.db import models
from django.db.models.fields import NOT_PROVIDED

from credit.configurations.models import ConfigurationVersion
from credit.loans.models import Loan
from exchange.core.ids import uuid7
from exchange.core.models import Currency
from wallets.withdrawals.models import Withdrawal

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
_numbers = count(1)
_FILLERS: dict[str, Any] = {
    "ArrayField": [], "BooleanField": False, "DateField": "now", "DateTimeField": "now",
    "JSONField": {},
}  # fmt: skip
_TERMS = {
    "interest_rate": "0.3", "collateral_ratio": "0.8", "grace_period": 7,
    "grace_period_unit": "DAYS",
}  # fmt: skip
# Of 100 NGN for 2 months 160 are to be repaid.
_USUAL: dict[type[models.Model], dict[str, Any]] = {
    ConfigurationVersion: {**_TERMS, "duration": 12},
    Loan: {
        **_TERMS, "currency_id": "NGN", "amount": 100, "repayment_amount": 160, "duration": 2,
    },
    Withdrawal: {"currency_id": "KES", "amount": 1, "fee": 0, "disburse_amount": 1},
}  # fmt: skip


def columns_of(model: type[models.Model], **given: Any) -> dict[str, Any]:
    """Return all columns of a row except those that are not given and have a database default."""
    given = {**_USUAL.get(model, {}), **given}
    found: dict[str, Any] = {}
    for field in model._meta.concrete_fields:
        name = str(field.column)
        if name in given:
            found[name] = given.pop(name)
        elif _is_filled_in(field):
            continue
        elif field.null:
            found[name] = None
        elif isinstance(field, models.ForeignKey):
            found[name] = "NGN" if field.related_model is Currency else uuid7()
        elif isinstance(field, models.UUIDField):
            found[name] = uuid7()
        elif field.has_default():
            found[name] = field.get_default()
        elif isinstance(field, models.CharField | models.TextField):
            found[name] = str(next(_numbers))
        else:
            found[name] = _FILLERS.get(field.get_internal_type(), 1)
    assert not given, f"{model.__name__} has no {', '.join(given)}"
    return found


def _is_filled_in(field: models.Field[Any, Any]) -> bool:
    """Return whether the database fills the column in."""
    own = isinstance(field, models.AutoField | models.GeneratedField)
    return own or field.db_default is not NOT_PROVIDED


def loan_columns(**given: Any) -> dict[str, Any]:
    """Return an open loan of 100 NGN for 2 months, with 160 to repay."""
    return columns_of(Loan, **given)


def as_json(rows: dict[str, Any] | list[dict[str, Any]]) -> str:
    """Return JSON for `jsonb_populate_record` or `jsonb_populate_recordset`."""
    return json.dumps(rows, default=str)


def insert_row(cursor: Any, model: type[models.Model], **given: Any) -> dict[str, Any]:
    """Insert a row of `model` with guards disabled; return its columns."""
    row = columns_of(model, **given)
    table, names = model._meta.db_table, ", ".join(row)
    cursor.execute(
        f"INSERT INTO public.{table} ({names}) SELECT {names}"
        f" FROM jsonb_populate_record(NULL::public.{table}, %s)",
        [as_json(row)],
    )
    return row
