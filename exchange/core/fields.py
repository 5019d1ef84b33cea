"""Model fields and common field options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from exchange.core import crypto

if TYPE_CHECKING:
    _TextField = models.TextField[str, str]
else:
    _TextField = models.TextField

# Columns of money and units; currencies and tokens may allow fewer decimals.
AMOUNT: Any = {"max_digits": 38, "decimal_places": 8}
# A foreign key that other SQL enforces, or whose target is never deleted: a check of each insert
# would lock shared rows. Indexes are declared where a query needs them.
UNCHECKED: Any = {"on_delete": models.PROTECT, "db_index": False, "db_constraint": False}


class EncryptedTextField(_TextField):
    """Text encrypted in the database and plain in Python; the empty string stays empty."""

    def get_prep_value(self, value: Any) -> str:
        return crypto.encrypt(str(value)) if value else ""

    def from_db_value(self, value: str | None, *_: object) -> str:
        return crypto.decrypt(value) if value else ""


def choice_field(
    choices: type[models.TextChoices], *, max_length: int, **options: Any
) -> models.CharField[str | Combinable, str]:
    """Return a field with one of `choices`; migrations see a `CharField`."""
    return models.CharField(max_length=max_length, choices=choices.choices, **options)


def owner_column(member: str = "member", **options: Any) -> models.GeneratedField:
    """Return the column with the id of an owner: `member`, else `organisation` itself."""
    return models.GeneratedField(
        expression=Coalesce(f"{member}_id", "organisation_id"),
        output_field=models.UUIDField(**options),
        db_persist=True,
    )
