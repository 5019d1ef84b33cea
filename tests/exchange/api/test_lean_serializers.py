"""Lean serializers: what they validate, and the declarations of DRF that they refuse."""

from typing import Any

import pytest
from rest_framework import serializers
from rest_framework.serializers import CharField

from exchange.api.exceptions import validation_message
from exchange.api.serializers import LeanSerializer


class Person(LeanSerializer):
    """A nested body."""

    name = CharField()


class Body(LeanSerializer):
    """A body with all that is allowed."""

    text = CharField()
    note = CharField(required=False, default="none")
    person = Person(required=False, default=None)
    witness = Person(required=False, default=None, allow_null=True)


def message_for(data: Any) -> str:
    body = Body(data=data)
    assert not body.is_valid()
    return validation_message(body.errors)


def test_absent_fields_have_their_defaults():
    body = Body(data={"text": "a", "unknown": 1})
    assert body.is_valid()
    assert body.validated_data == {"text": "a", "note": "none", "person": None, "witness": None}


def test_every_bad_field_is_named_also_within_a_nested_body():
    assert message_for({"note": None, "person": {}, "witness": []}) == (
        "text is required; person.name is required; witness must be an object"
    )


def test_null_counts_as_absent():
    body = Body(data={"text": "a", "note": None, "person": None, "witness": None})
    assert body.is_valid()
    assert body.validated_data == {"text": "a", "note": "none", "person": None, "witness": None}
    assert message_for({"text": None, "person": {"name": None}}) == (
        "text is required; person.name is required"
    )


@pytest.mark.parametrize(
    ("declared", "ignored"),
    [
        ({"validate": lambda _self, attrs: attrs}, "validate"),
        ({"to_internal_value": lambda _self, data: data}, "to_internal_value"),
        ({"text": CharField(), "validate_text": lambda _self, text: text}, "validate_text"),
        ({"Meta": type("Meta", (), {"validators": [print]})}, "validators"),
        ({"text": CharField(source="other")}, "source of text"),
        ({"text": CharField(source="*")}, "source of text"),
        ({"text": CharField(read_only=True)}, "read_only or HiddenField of text"),
        ({"text": serializers.HiddenField(default=1)}, "read_only or HiddenField of text"),
        ({"text": CharField(required=False)}, "required=False without a default of text"),
        ({"text": CharField(default=lambda: "x")}, "callable default of text"),
        ({"person": Person(validators=[print])}, "validators of person"),
    ],
)
def test_a_declaration_that_would_be_ignored_is_refused(declared: dict[str, Any], ignored: str):
    with pytest.raises(TypeError) as refused:
        type("Refused", (LeanSerializer,), declared)
    assert str(refused.value) == f"Refused is lean, which ignores {ignored}"


def test_fields_of_get_fields_and_of_base_classes_are_refused_too():
    class Added:
        def get_fields(self) -> dict[str, Any]:
            return {"text": CharField(required=False)}

        def validate_text(self, text: str) -> str:
            return text

    with pytest.raises(TypeError, match="ignores validate_text, required=False without a default"):
        type("Refused", (Added, LeanSerializer), {})
