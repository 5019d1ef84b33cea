"""The OpenAPI document that the service serves."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema_rs
from django.test import Client

_REFERENCE = re.compile(r'"\$ref": "#/components/schemas/([^"]+)"')


@cache
def document() -> dict[str, Any]:
    """Return the document at `/v1/schema`."""
    return _served("/v1/schema")


@cache
def webhooks() -> dict[str, Any]:
    """Return the `webhooks` of the document at `/v1/schema/webhooks`."""
    found: dict[str, Any] = _served("/v1/schema/webhooks")["webhooks"]
    return found


@cache
def document_with_events() -> dict[str, Any]:
    """Return the document with the `webhooks` and their components, which are served apart."""
    events = _served("/v1/schema/webhooks")
    schemas = {**events["components"]["schemas"], **document()["components"]["schemas"]}
    components = {**document()["components"], "schemas": schemas}
    return {**document(), "webhooks": events["webhooks"], "components": components}


def _served(address: str) -> dict[str, Any]:
    served = Client().get(address)
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


def allowed_values(schema: dict[str, Any]) -> list[str]:
    """Return the values of the named enumerations that `schema` refers to."""
    schema = resolve_reference(schema)
    parts = [*schema.get("allOf", []), *schema.get("anyOf", [])]
    return [*schema.get("enum", []), *(value for part in parts for value in allowed_values(part))]


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
    errors = _validator(json.dumps(schema)).iter_errors(value)
    return [f"{list(e.instance_path)}: {e.message}" for e in errors]


@cache
def _validator(schema: str) -> jsonschema_rs.Draft202012Validator:
    """Return the validator of a schema, written as JSON, with the schemas that it refers to."""
    known, unread = _restricted_schemas(), [schema]
    found: dict[str, Any] = {}
    while unread:
        for name in set(_REFERENCE.findall(unread.pop())) - found.keys():
            found[name] = json.loads(known[name])
            unread.append(known[name])
    whole = {**restrict(json.loads(schema)), "components": {"schemas": found}}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


@cache
def _restricted_schemas() -> dict[str, str]:
    """Return the named schemas of the document, restricted, as JSON."""
    schemas = document()["components"]["schemas"]
    return {name: json.dumps(restrict(schema)) for name, schema in schemas.items()}


def restrict(schema: Any) -> Any:
    """Return `schema` with the values and decimals of this release as keywords of JSON Schema."""
    if isinstance(schema, list):
        return [restrict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: restrict(value) for key, value in schema.items()}
    if isinstance(values := found.pop("x-extensible-enum", None), list):
        found["enum"] = [*values, None] if "null" in found["type"] else values
    if isinstance(places := found.pop("x-decimals", None), int):
        found["multipleOf"] = 10**-places
    return found
