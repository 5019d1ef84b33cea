"""Model fields of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models.expressions import Combinable

from exchange.core import crypto

if TYPE_CHECKING:
    _TextField = models.TextField[str, str]
else:
    _TextField = models.TextField

# Of money and of units: what a currency or a token has of it is in their tables.
AMOUNT: Any = {"max_digits": 38, "decimal_places": 8}
# A foreign key that SQL holds otherwise, or whose row is never removed: checking each insert would
# lock rows that all of them share. An index for it is made where a query asks for one.
UNCHECKED: Any = {"on_delete": models.PROTECT, "db_index": False, "db_constraint": False}


class EncryptedTextField(_TextField):
    """Text that is encrypted in the database and plain in Python; the empty string stays empty."""

    def get_prep_value(self, value: Any) -> str:
        return crypto.encrypt(str(value)) if value else ""

    def from_db_value(self, value: str | None, *_: object) -> str:
        return crypto.decrypt(value) if value else ""


def choice_field(
    choices: type[models.TextChoices], *, max_length: int, **options: Any
) -> models.CharField[str | Combinable, str]:
    """Return the field of a column that has one of `choices`; in migrations a `CharField`."""
    return models.CharField(max_length=max_length, choices=choices.choices, **options)
