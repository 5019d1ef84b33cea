"""No text of the framework's reaches a client: every refusal is worded by the service.

Every field, parameter and header of every operation in the OpenAPI document is sent wrong in many
ways (`make requests` in every way), and what is answered is compared with every text that Django
and its toolkit bring along.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core import validators
from django.db.models import fields as model_fields
from django.forms import fields as form_fields
from django.utils.functional import Promise
from rest_framework import exceptions, fields, relations, serializers

from tests.assertions.openapi import document, operations, resolve_reference
from tests.environment.request_sampling import is_sent
from tests.environment.services import Sandbox
from tests.factories.api_clients import ApiCaller
from tests.factories.api_records import ApiRecords, make_api_records

pytestmark = pytest.mark.slow

BAD: list[Any] = [
    None, "", "  ", "x", True, 0, -1, 1.5, 1e15 + 1, 1e300, 0.123456789, [], {}, [[]], [None],
    {"a": 1}, "\u0007", "\u202ex", "a@", "ftp://x", "2020-13-40", "x" * 5000, ["x"] * 300, "NaN",
]  # fmt: skip
BAD_TEXTS = ["", "%20", "x", "-1", "1.5", "%00", "%07", "2020-13-40", "y" * 5000, "1e400", "a@b"]
BODIES = [
    b"", b"[]", b"null", b"1", b'{"a": 1', b'{"a": 1, "a": 2}', b"\xff", b'{"a": NaN}',
    b"{" * 30, b'{"a": "' + b"x" * 70_000 + b'"}', b'{"a": ' * 30 + b"1" + b"}" * 30,
]  # fmt: skip


@pytest.fixture
def api_records(bank_lists: None, provider_sandbox: Sandbox) -> ApiRecords:
    return make_api_records()


def framework_texts() -> dict[str, re.Pattern[str]]:
    """Every message that Django and the toolkit ship, as a pattern of what it becomes."""
    texts: set[str | Promise] = set()
    for module in (fields, relations, serializers, exceptions, validators, form_fields):
        for kind in vars(module).values():
            if not isinstance(kind, type) or kind.__module__.startswith(("exchange", "tests")):
                continue
            for name in ("default_error_messages", "messages"):
                found = getattr(kind, name, None)
                texts |= set(found.values()) if isinstance(found, dict) else set()
            for name in ("message", "default_detail"):
                found = getattr(kind, name, None)
                texts |= {found} if isinstance(found, str | Promise) else set()
    texts |= set(model_fields.Field.default_error_messages.values())
    found = {}
    for text in map(str, texts):
        parts = re.split(r"\{.*?\}|%\(.*?\)[sd]", text)
        if len("".join(parts)) > 10:
            found[text] = re.compile(".*".join(map(re.escape, parts)), re.IGNORECASE)
    return found


def bodies_of(operation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Bodies of an operation that are wrong in one field, with that field's name."""
    content = operation["requestBody"]["content"]["application/json"]
    [good, *_] = [example["value"] for example in content["examples"].values()]
    for name, schema in resolve_reference(content["schema"])["properties"].items():
        yield name, {key: value for key, value in good.items() if key != name}
        for bad in BAD:
            yield name, {**good, name: bad}
        inner = resolve_reference(schema.get("items", schema))
        for part in inner.get("properties", {}):
            for bad in BAD:
                wrong = {part: bad}
                yield name, {**good, name: [wrong] if "items" in schema else wrong}


class Listener:
    """Calls as one caller, and keeps what was refused."""

    def __init__(self, caller: ApiCaller) -> None:
        self.caller = caller
        self.refusals: set[str] = set()
        self.unnamed: set[str] = set()

    def send(self, method: str, path: str, name: str = "", **sent: Any) -> None:
        """One request; a refusal of the form names `name`."""
        headers = {**self.caller.headers, **sent.pop("headers", {})}
        sent.setdefault("content_type", "application/json")
        response = self.caller.client.generic(method.upper(), path, headers=headers, **sent)
        assert response.status_code < 500, (method, path, sent, response.content)
        if response.status_code < 400 or method == "HEAD":
            return
        told = response.json()
        message = told.get("message") or told["error_description"]
        self.refusals.add(message)
        if response.get("X-Error-Code") == "invalid_request" and name not in message:
            self.unnamed.add(f"{method} {path} {name}: {message}")


def send_wrong_calls(listener: Listener, route: str, method: str, path: str) -> None:
    """Methods that the address does not have, and credentials that are none."""
    for other in ("PATCH", "TRACE", "PUT", "DELETE", "POST"):
        if other.lower() not in document()["paths"][route]:
            listener.send(other, path)
    for headers in ({"Authorization": ""}, {"Authorization": "Bearer x y"}):
        listener.send(method, path, headers=headers)


def send_wrong_parameters(listener: Listener, route: str, method: str, path: str) -> None:
    """Every parameter of the operation with bad values, repeated, and misspelt."""
    for found in document()["paths"][route][method].get("parameters", []):
        name = found["name"]
        if found["in"] == "query":
            for text in BAD_TEXTS:
                if is_sent(route, name, text):
                    listener.send(method, f"{path}?{name}={text}", name)
            listener.send(method, f"{path}?{name}=1&{name}=2", name)
            listener.send(method, f"{path}?{name}x=1", name)
        elif found["in"] == "header":
            for text in ("", " ", "é", "x" * 256):
                listener.send(method, path, headers={name: text}, data=b"{}")
        else:
            listener.send(method, route.replace(f"{{{name}}}", "x"), data=b"{}")


def send_wrong_bodies(
    listener: Listener, operation: dict[str, Any], method: str, path: str
) -> None:
    """Bodies that cannot be read, of another type, and with one wrong field."""
    for body in BODIES:
        listener.send(method, path, data=body)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        listener.send(method, path, data=b"a=1", content_type=kind)
    if "application/json" in operation["requestBody"]["content"]:
        for name, wrong in bodies_of(operation):
            if is_sent(operation["operationId"], name, wrong.get(name)):
                listener.send(method, path, name, data=json.dumps(wrong).encode())


def test_every_refusal_has_words_of_our_own_and_names_the_field(api_records: ApiRecords) -> None:
    listener = Listener(api_records.caller)
    for route, method, operation in operations():
        path = api_records.address(route)
        send_wrong_calls(listener, route, method, path)
        send_wrong_parameters(listener, route, method, path)
        if "requestBody" in operation:
            send_wrong_bodies(listener, operation, method, path)
    texts = framework_texts()
    assert len(texts) > 60
    assert len(listener.refusals) > 300
    assert {
        message: text
        for message in listener.refusals
        for text, pattern in texts.items()
        if pattern.search(message)
    } == {}
    assert listener.unnamed == set()
