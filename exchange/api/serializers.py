"""Serializers that are cheap to create for every request."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from rest_framework import serializers


class LeanSerializer(serializers.Serializer[Any]):
    """A serializer whose fields are created once per class, not copied for every request.

    Threads share the fields, which have no state. `check` is for rules about several fields.
    """

    def run_validation(self, data: Any = serializers.empty) -> dict[str, Any]:
        """Return the validated values; raise one error that names every bad field."""
        values: dict[str, Any] = {}
        errors: dict[str, Any] = {}
        body: Mapping[str, Any] = data
        for name, run, default in _validators(type(self)):
            value = body.get(name, serializers.empty)
            if value is serializers.empty and default is not serializers.empty:
                values[name] = default
                continue
            try:
                values[name] = run(value)
            except serializers.ValidationError as error:
                errors[name] = error.detail
        self.check(values, errors)
        if errors:
            raise serializers.ValidationError(errors)
        return values

    def check(self, values: Mapping[str, Any], errors: dict[str, Any]) -> None:
        """Add the `errors` between fields; `values` are the fields valid by themselves."""


class ChangesSerializer(serializers.Serializer[Any]):
    """The body of a PATCH: the fields to change, none of them required, at least one sent."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the changes; reject a body without any."""
        if not attrs:
            names = ", ".join(self.fields)
            raise serializers.ValidationError(f"The body must have at least one of {names}")
        return attrs


@cache
def _validators(kind: type[LeanSerializer]) -> tuple[tuple[str, Any, Any], ...]:
    """Return name, validator and default (or `empty`) of each field."""
    fields = kind().fields.items()
    return tuple((name, field.run_validation, field.default) for name, field in fields)
