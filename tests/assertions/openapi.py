"""The OpenAPI document that the service serves."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema_rs
from django.test import Client


@cache
def document() -> dict[str, Any]:
    """Return the document at `/v1/schema`."""
    served = Client().get("/v1/schema")
    assert served.status_code == 200, served.content
    found: dict[str, Any] = served.json()
    return found


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield path, method and description of every operation."""
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def resolve_reference(found: dict[str, Any]) -> dict[str, Any]:
    """Return `found`, or the component that it refers to."""
    while "$ref" in found:
        _, _, kind, name = found["$ref"].split("/")
        found = document()["components"][kind][name]
    return found


def documented_response(method: str, path: str, status: str = "200") -> dict[str, Any]:
    """Return the documented response: description, headers, content."""
    return resolve_reference(document()["paths"][path][method]["responses"][status])


def body_schema(described: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of a response or request body."""
    schema: dict[str, Any] = described["content"]["application/json"]["schema"]
    return schema


def data_properties(method: str, path: str, status: str = "200") -> dict[str, Any]:
    """Return the fields of a success envelope."""
    fields: dict[str, Any] = resolve_reference(
        body_schema(documented_response(method, path, status))
    )["properties"]
    return fields


def schema_errors(schema: dict[str, Any], value: Any) -> list[str]:
    """Validate `value` against `schema`, whose references point into the document."""
    whole = {**schema, "components": document()["components"]}
    validator = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
    return [f"{list(e.instance_path)}: {e.message}" for e in validator.iter_errors(value)]
