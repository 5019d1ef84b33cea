"""Serializers that are cheap to create for every request."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from rest_framework import serializers


class LeanSerializer(serializers.Serializer[Any]):
    """A serializer of requests whose fields are created once per class, not for every request.

    Threads share the fields, which have no state. Rules about several fields are in `check`; a
    class that declares something else of DRF's that is not run here cannot be created.
    """

    known_fields: ClassVar[Mapping[str, serializers.Field[Any, Any, Any, Any]]]
    # Name, validator and default (or `empty`) of each field.
    _inputs: ClassVar[Sequence[tuple[str, Any, Any]]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Create the fields; raise `TypeError` for a declaration that would be ignored."""
        super().__init_subclass__(**kwargs)
        shared = cls()
        hooks = ("validate", "to_internal_value")
        ignored = [
            name for name in hooks if getattr(cls, name) is not getattr(LeanSerializer, name)
        ]
        ignored += [
            f"validate_{name}" for name in shared.fields if hasattr(cls, f"validate_{name}")
        ]
        ignored += ["validators"] if shared.validators else []
        for name, field in shared.fields.items():
            ignored += [f"{option} of {name}" for option in _ignored_options(name, field)]
        if ignored:
            raise TypeError(f"{cls.__name__} is lean, which ignores {', '.join(ignored)}")
        cls.known_fields = shared.fields
        cls._inputs = [(name, f.run_validation, f.default) for name, f in shared.fields.items()]

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Return the validated values; raise one error that names every bad field.

        A field that is null counts as absent.
        """
        is_empty, data = self.validate_empty_values(data)
        if is_empty:
            return data
        if not isinstance(data, Mapping):
            raise serializers.ValidationError("must be an object")
        values: dict[str, Any] = {}
        errors: dict[str, Any] = {}
        for name, run, default in self._inputs:
            value = data.get(name)
            if value is None:
                value = serializers.empty
                if default is not serializers.empty:
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


def _ignored_options(name: str, field: serializers.Field[Any, Any, Any, Any]) -> Iterator[str]:
    """Yield the options of a field that a `LeanSerializer` does not follow."""
    if field.source != name:
        yield "source"
    if field.read_only or isinstance(field, serializers.HiddenField):
        yield "read_only or HiddenField"
    elif field.default is not serializers.empty and callable(field.default):
        yield "callable default"
    elif field.default is serializers.empty and not field.required:
        yield "required=False without a default"
    if isinstance(field, LeanSerializer) and field.validators:
        yield "validators"
