"""Serializers that are cheap to make at every request."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from rest_framework import serializers


class LeanSerializer(serializers.Serializer[Any]):
    """A serializer whose fields are made once for its class, not copied for every request.

    The fields keep no state of a request, so threads share them. `check` adds what needs several
    fields: only values that are right by themselves are in `values`.
    """

    def run_validation(self, data: Any = serializers.empty) -> dict[str, Any]:
        """The checked values; raises one error that names every bad field."""
        values: dict[str, Any] = {}
        errors: dict[str, Any] = {}
        given: Mapping[str, Any] = data
        for name, run, default in _validators(type(self)):
            value = given.get(name, serializers.empty)
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
        """Adds to `errors` what is wrong between fields."""


@cache
def _validators(kind: type[LeanSerializer]) -> tuple[tuple[str, Any, Any], ...]:
    """Name, check and default (`empty` when there is none) of each field."""
    fields = kind().fields.items()
    return tuple((name, field.run_validation, field.default) for name, field in fields)
