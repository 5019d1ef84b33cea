"""A client's own references in request bodies and filters.

The serializer of a body with `client_reference` and `metadata` is an `OwnReferencesSerializer`;
their values are the fields of `exchange.core.references.OwnReferences`.
"""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from exchange.api.fields import LINE, OwnIdField
from exchange.api.filters import OwnIdFilter
from exchange.api.serializers import LeanSerializer
from exchange.core.references import (
    METADATA_KEY_LENGTH,
    METADATA_KEYS,
    METADATA_VALUE_LENGTH,
    REFERENCE_LENGTH,
    OwnReferences,
)
from exchange.core.text import line_problem


@extend_schema_field(
    {
        "type": "object",
        "maxProperties": METADATA_KEYS,
        "propertyNames": {
            "type": "string",
            "minLength": 1,
            "maxLength": METADATA_KEY_LENGTH,
            "pattern": LINE,
        },
        "additionalProperties": {
            "type": "string",
            "maxLength": METADATA_VALUE_LENGTH,
            "pattern": LINE,
        },
    }
)
class MetadataField(serializers.Field[Any, Any, Any, Any]):
    """An object of texts, each of one line."""

    def to_internal_value(self, data: Any) -> dict[str, str]:
        """Return the metadata; raise one error that names every bad value."""
        if not isinstance(data, Mapping):
            raise serializers.ValidationError("must be an object")
        if len(data) > METADATA_KEYS:
            raise serializers.ValidationError(f"must have at most {METADATA_KEYS} keys")
        for key in data:
            if not 1 <= len(key) <= METADATA_KEY_LENGTH:
                raise serializers.ValidationError(
                    f"keys must have 1 to {METADATA_KEY_LENGTH} characters"
                )
            if hidden := line_problem(key):
                raise serializers.ValidationError(f"keys {hidden}")
        wrong = {key: [problem] for key, value in data.items() if (problem := _problem(value))}
        if wrong:
            raise serializers.ValidationError(wrong)
        return dict(data)


def _problem(value: Any) -> str:
    """Return what is wrong with a value of metadata, or ""."""
    if not isinstance(value, str):
        return "must be a string"
    if len(value) > METADATA_VALUE_LENGTH:
        return f"must have at most {METADATA_VALUE_LENGTH} characters"
    return line_problem(value)


class OwnReferencesSerializer(LeanSerializer):
    """A body that may carry `client_reference` and `metadata`, after its own fields."""

    def get_fields(self) -> dict[str, Any]:
        """Return the declared fields and the references."""
        return {
            **super().get_fields(),
            "client_reference": OwnIdField(
                max_length=REFERENCE_LENGTH,
                required=False,
                default=None,
                help_text="Your own reference, unique within your organisation among the records "
                "of this type; comes back with the record",
            ),
            "metadata": MetadataField(
                required=False,
                default=None,
                help_text=f"Your own data: up to {METADATA_KEYS} keys of up to "
                f"{METADATA_KEY_LENGTH} characters with texts of up to {METADATA_VALUE_LENGTH}; "
                "comes back with the record",
            ),
        }


def pop_references(values: dict[str, Any]) -> OwnReferences:
    """Remove the references from the validated `values` of a body, and return them."""
    return OwnReferences(
        client_reference=values.pop("client_reference"), metadata=values.pop("metadata")
    )


def client_reference_filter(**options: Any) -> OwnIdFilter:
    """Return the filter of a list by `client_reference`."""
    return OwnIdFilter(max_length=REFERENCE_LENGTH, help_text="Your own reference", **options)
