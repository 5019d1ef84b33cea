"""`client_reference` and `metadata` of request bodies and filters."""

import json
from functools import partial
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from rest_framework import serializers

from exchange.api.references import (
    OwnReferencesSerializer,
    client_reference_filter,
    pop_references,
)
from exchange.core.references import OwnReferences
from tests.assertions.inputs import assert_rejected, body_error


class Body(OwnReferencesSerializer):
    """A body with a field of its own."""

    name = serializers.CharField()


def references(**sent: Any) -> OwnReferences:
    body = Body(data={"name": "x", **sent})
    body.is_valid(raise_exception=True)
    return pop_references(body.validated_data)


def test_the_references_follow_the_fields_of_the_body():
    assert list(Body().fields) == ["name", "client_reference", "metadata"]


def test_references_are_kept_as_they_were_sent():
    metadata = {f"{n:040}": "é" * 500 for n in range(20)}
    reference = "é é" * 21
    assert references(client_reference=f"{reference} ", metadata=metadata) == OwnReferences(
        client_reference=reference, metadata=metadata
    )
    assert references(metadata={}) == OwnReferences(metadata={})
    assert references(metadata={"a": ""}) == OwnReferences(metadata={"a": ""})
    assert references(client_reference=None, metadata=None) == references()
    assert references() == OwnReferences(client_reference=None, metadata=None)


def test_bad_references_are_rejected():
    cases: list[tuple[dict[str, Any], str]] = [
        ({"client_reference": "x" * 65}, "client_reference must have at most 64 characters"),
        ({"client_reference": 17}, "client_reference must be a string"),
        ({"client_reference": ""}, "client_reference must not be blank"),
        ({"client_reference": "  "}, "client_reference must not be blank"),
        ({"client_reference": "a\tb"}, "client_reference must not contain control characters"),
        ({"client_reference": "a\x85"}, "client_reference must not contain control characters"),
        ({"metadata": "a"}, "metadata must be an object"),
        ({"metadata": ["a"]}, "metadata must be an object"),
        ({"metadata": {str(n): "" for n in range(21)}}, "metadata must have at most 20 keys"),
        ({"metadata": {"k" * 41: ""}}, "metadata keys must have 1 to 40 characters"),
        ({"metadata": {"": ""}}, "metadata keys must have 1 to 40 characters"),
        ({"metadata": {"a\n": ""}}, "metadata keys must not contain control characters"),
        ({"metadata": {"a": 1}}, "metadata.a must be a string"),
        ({"metadata": {"a": None}}, "metadata.a must be a string"),
        ({"metadata": {"a": True}}, "metadata.a must be a string"),
        ({"metadata": {"a": {"b": "c"}}}, "metadata.a must be a string"),
        ({"metadata": {"a": ["b"]}}, "metadata.a must be a string"),
        ({"metadata": {"a": "v" * 501}}, "metadata.a must have at most 500 characters"),
        ({"metadata": {"a": "b\x7f"}}, "metadata.a must not contain control characters"),
        (
            {"client_reference": "", "metadata": {"a": 1, "b": "ok", "c": "\n"}},
            "client_reference must not be blank; metadata.a must be a string; "
            "metadata.c must not contain control characters",
        ),
    ]
    texts = [(json.dumps({"name": "x", **sent}), message) for sent, message in cases]
    assert_rejected(partial(body_error, Body), texts)


def test_the_filter_takes_a_reference_as_it_was_sent():
    field = client_reference_filter().field
    assert field.clean(" a ") == " a "
    assert field.clean("é" * 64) == "é" * 64
    with pytest.raises(ValidationError, match="must have at most 64 characters"):
        field.clean("x" * 65)
