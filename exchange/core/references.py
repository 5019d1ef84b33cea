"""A client's own references on its records: `client_reference` and `metadata`.

A request may carry both, and its record shows each where it was sent. A `client_reference` names
one record of its type within an organisation.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import Q

from exchange.core.commands import column
from exchange.core.documents import WireField, text
from exchange.core.errors import Conflict

REFERENCE_LENGTH = 64
METADATA_KEYS = 20
METADATA_KEY_LENGTH = 40
METADATA_VALUE_LENGTH = 500


class ClientReferenceTaken(Conflict):
    """The organisation has used this `client_reference` for another record of this type."""

    code = "client_reference_taken"

    def __init__(self, client_reference: str, record: str) -> None:
        """Name the `record` with its article: `a withdrawal`."""
        message = f"There is {record} with client_reference {client_reference} already"
        super().__init__(message, fields={"client_reference": message})


def same_ids(text: str) -> list[str]:
    """Return the IDs that `text` finds: trimmed, and as it is, since earlier ones were kept so."""
    return [text.strip(), text]


@dataclass(frozen=True, kw_only=True)
class OwnReferences:
    """The references of a request; None for one that was not sent. Also the base of commands."""

    client_reference: str | None = column(f"varchar({REFERENCE_LENGTH})", default=None)
    metadata: Mapping[str, str] | None = column("jsonb", default=None)


class ReferencedModel(models.Model):
    """Base of records with own references. Each also declares `reference_once`."""

    client_reference = models.CharField(  # noqa: DJ001 - null where it was not sent
        max_length=REFERENCE_LENGTH,
        null=True,
        blank=True,
        help_text="The organisation's own reference",
    )
    metadata = models.JSONField(null=True, blank=True, help_text="The organisation's own data")

    class Meta:
        abstract = True


def reference_once(name: str, organisation: str = "organisation") -> models.UniqueConstraint:
    """Return the constraint that an organisation uses a `client_reference` once."""
    return models.UniqueConstraint(
        # The reference first: the back office searches it in all organisations.
        fields=["client_reference", organisation],
        condition=Q(client_reference__isnull=False),
        name=name,
    )


_METADATA_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "Your own data, where it was sent",
    "additionalProperties": {"type": "string"},
}
# The last fields of a document; absent from records that were requested without them.
OWN_REFERENCES = (
    text("client_reference", "Your own reference, where it was sent", optional=True),
    WireField("metadata", "{r}.metadata", _METADATA_SCHEMA, optional=True),
)
