"""The OpenAPI document: what views declare, in the envelope every answer has.

A view declares in `answers` what `data` holds, per method: a `Record`, `Records` (an array),
`PageOf` (a page), or a `Shape` of its own; `Created(…)` when the status is 201. `operations` names
each method's resource, action and message. Failures, headers, security and `Idempotency-Key`
follow from the view's other declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from drf_spectacular.extensions import (
    OpenApiAuthenticationExtension,
    OpenApiSerializerFieldExtension,
)
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import Direction

from exchange.api.schema_parts import (
    FAILURE,
    FAILURES,
    HEADERS,
    IDEMPOTENCY_KEY,
    RATE_LIMIT,
    TAG_OF,
    describe_path_id,
    describe_query,
    parameter,
    unknown_ids,
)
from exchange.documents import Document
from exchange.errors import InvalidCurrency
from exchange.numbers import LARGEST


@dataclass(frozen=True, slots=True)
class Operation:
    """What one method of a view does: `withdrawals`, `cancel`, and the message of its success."""

    resource: str
    action: str
    message: str

    @property
    def id(self) -> str:
        """The operation id: `withdrawals_cancel`."""
        return f"{self.resource}_{self.action}"


@dataclass(frozen=True, slots=True)
class Record:
    """One record."""

    document: Document


@dataclass(frozen=True, slots=True)
class Records:
    """An array of records, not paged."""

    document: Document


@dataclass(frozen=True, slots=True)
class PageOf:
    """A page of records under the name `plural`."""

    document: Document
    plural: str


@dataclass(frozen=True, slots=True)
class Shape:
    """A component of its own: a schema object, which may hold documents, and an example."""

    name: str
    schema: dict[str, Any]
    example: Any


@dataclass(frozen=True, slots=True)
class Created:
    """A creation (201) that answers `shape`; `or_changed`: a change of what exists (200) too."""

    shape: Any
    or_changed: bool = False


class EnvelopeSchema(AutoSchema):
    """Describes a view from its declarations."""

    view: Any

    @property
    def operation(self) -> Operation:
        """What the view declares of the method."""
        declared: Operation = self.view.operations[self.method]
        return declared

    def get_summary(self) -> str | None:
        """The first sentence of the method's docstring."""
        return self.get_description().partition(".")[0] or None

    def get_operation_id(self) -> str:
        """Resource and action: `members_list`."""
        return self.operation.id

    def get_tags(self) -> list[str]:
        """The part of the API that the resource belongs to."""
        return [TAG_OF[self.operation.resource]]

    def get_request_serializer(self) -> Any:
        """The body, for methods that have one."""
        return super().get_request_serializer() if self._has_body() else None

    def get_filter_backends(self) -> list[Any]:
        """Filters and sorting belong to lists."""
        return list(self.view.filter_backends) if self._is_page() else []

    def _is_list_view(self, serializer: Any = None) -> bool:  # noqa: ARG002 - the toolkit's signature
        # What lists look like is declared; the toolkit's own guesses stay out of it.
        return False

    def _get_request_body(self, direction: Direction = "request") -> Any:
        if not self._has_body():
            return None
        return super()._get_request_body(direction)  # type: ignore[no-untyped-call]

    def _get_serializer_field_meta(self, field: Any, direction: Direction) -> Any:
        # A default makes generated types demand the field.
        meta = super()._get_serializer_field_meta(field, direction)  # type: ignore[no-untyped-call]
        meta.pop("default", None)
        return meta

    def _get_parameters(self) -> Any:
        parameters = super()._get_parameters()
        filters = getattr(getattr(self.view, "filterset_class", None), "base_filters", {})
        for found in parameters:
            if found["in"] == "path":
                describe_path_id(found)
            else:
                describe_query(found, filters.get(found["name"]))
        if self._is_page():
            whole = {"type": "integer", "minimum": 1}
            most, usual = settings.API_PAGE_LIMIT_MOST, settings.API_PAGE_LIMIT_DEFAULT
            parameters += [
                parameter("page", "Page, from 1", {**whole, "default": 1}),
                parameter(
                    "limit",
                    f"Records a page; above {most} counts as that",
                    {**whole, "default": usual},
                ),
            ]
        if self._takes_key():
            parameters.append(IDEMPOTENCY_KEY)
        return parameters

    def _get_response_bodies(self, direction: Direction = "response") -> Any:  # noqa: ARG002 - the toolkit's signature
        declared = self.view.answers[self.method]
        statuses, shape = ["200"], declared
        if isinstance(declared, Created):
            statuses, shape = ["200", "201"] if declared.or_changed else ["201"], declared.shape
        success = self._success(shape)
        answers = dict.fromkeys(statuses, success)
        for status in sorted(self._failures()):
            answers[status] = self._failure(status)
        return answers

    def _success(self, shape: Any) -> dict[str, Any]:
        replayed = ("Idempotent-Replayed",) if self._takes_key() else ()
        example: dict[str, Any] = {
            "status": "success",
            "message": self.operation.message,
            "data": _example(shape),
        }
        meta = self._meta()
        if meta is not None:
            example["meta"] = meta.example
        return {
            "description": f"{self.operation.message}.",
            "headers": self._headers(("X-Request-ID", *RATE_LIMIT, *replayed)),
            "content": {
                "application/json": {
                    "schema": self._envelope(shape, meta),
                    "examples": {"success": {"summary": "A success", "value": example}},
                }
            },
        }

    def _failure(self, status: str) -> dict[str, Any]:
        """The shared component, or what the view says of its own: `failures`, status → code →
        message.
        """
        name, description, shared, more = FAILURES[status]
        own = self._own_failures(status)
        messages = own if own and status == "404" else {**shared, **own}
        answer = {
            "description": description,
            "headers": self._headers(("X-Request-ID", "X-Error-Code", *more)),
            "content": {
                "application/json": {
                    "schema": self._component("Failure", FAILURE),
                    "examples": {
                        code: {"value": {"status": "failed", "message": message}}
                        for code, message in messages.items()
                    },
                }
            },
        }
        return answer if own else self._component(name, answer, ResolvedComponent.RESPONSE)

    def _own_failures(self, status: str) -> dict[str, str]:
        """Messages by code: of ids in the path, of a filter by currency, and what is declared."""
        declared = getattr(self.view, "failures", ())
        own = dict(declared.get(status, {})) if isinstance(declared, dict) else {}
        if status == "404":
            return unknown_ids(self.path) | own
        filters = getattr(getattr(self.view, "filterset_class", None), "base_filters", {})
        if status == "400" and self.method == "GET" and "currency" in filters:
            error = InvalidCurrency(filters["currency"].extra["allowed"])
            own[error.code] = error.message
        return own

    def _failures(self) -> set[str]:
        codes = {"400", "401", "403", "429", "500", "503"} | set(getattr(self.view, "failures", ()))
        if "{" in self.path:
            codes.add("404")
        if self._has_body():
            codes |= {"408", "413", "415"}
        if self._takes_key():
            codes |= {"409", "422"}
        return codes

    def _headers(self, names: Iterable[str]) -> dict[str, Any]:
        return {
            name: self._component(name, HEADERS[name], ResolvedComponent.HEADER) for name in names
        }

    def _meta(self) -> Shape | None:
        found: Shape | None = getattr(self.view, "meta_schema", None)
        return found

    def _envelope(self, shape: Any, meta: Shape | None) -> dict[str, Any]:
        properties = {
            "status": {"type": "string", "const": "success", "description": "Always `success`"},
            "message": {"type": "string", "description": "What was done, for people"},
            "data": self._data(shape),
        }
        if meta is not None:
            properties["meta"] = self._data(meta)
        return self._component(f"{_name(shape)}Response", _object(properties))

    def _data(self, shape: Any) -> dict[str, Any]:
        if isinstance(shape, Record):
            return self._component(shape.document.name, self._nested(shape.document.schema()))
        if isinstance(shape, Records):
            return {
                "type": "array",
                "description": "All that match",
                "items": self._data(Record(shape.document)),
            }
        if isinstance(shape, PageOf):
            whole = {"type": "integer", "minimum": 0}
            properties = {
                "page": {"type": "integer", "minimum": 1, "description": "This page, from 1"},
                "pages": {**whole, "description": "Pages of all matches"},
                "count": {**whole, "description": "Records on this page"},
                "total": {**whole, "description": "All matches"},
                shape.plural: {
                    "type": "array",
                    "description": "The records of this page",
                    "items": self._data(Record(shape.document)),
                },
            }
            return self._component(_name(shape), _object(properties))
        if isinstance(shape, Shape):
            return self._component(shape.name, self._nested(shape.schema))
        raise TypeError(f"{shape!r} does not say what an answer holds")

    def _nested(self, schema: dict[str, Any]) -> dict[str, Any]:
        nested: dict[str, Any] = with_references(schema, lambda held: self._data(Record(held)))
        return nested

    def _component(
        self, name: str, schema: dict[str, Any], kind: str = ResolvedComponent.SCHEMA
    ) -> dict[str, Any]:
        component = ResolvedComponent(name=name, type=kind, schema=schema, object=name)  # type: ignore[no-untyped-call]
        self.registry.register_on_missing(component)
        ref: dict[str, Any] = component.ref
        return ref

    def _has_body(self) -> bool:
        return self.method in {"POST", "PUT", "PATCH"} and bool(self.view.serializer_class)

    def _is_page(self) -> bool:
        return self.method == "GET" and isinstance(self.view.answers.get("GET"), PageOf)

    def _takes_key(self) -> bool:
        if self.method in getattr(self.view, "takes_key_on", ()):
            return True
        return self.method == "POST" and (
            self.view.moves_money or getattr(self.view, "takes_idempotency_key", False)
        )


def with_references(value: Any, refer: Callable[[Document], dict[str, Any]]) -> Any:
    """A schema with what `refer` gives in place of each document that it holds."""
    if isinstance(value, Document):
        return refer(value)
    if isinstance(value, dict):
        return {key: with_references(inner, refer) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_references(inner, refer) for inner in value]
    return value


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _name(shape: Any) -> str:
    """The name of the component of `shape`, or what its envelope is named after."""
    if isinstance(shape, Shape):
        return shape.name
    document: Document = shape.document
    return document.name + {Record: "", Records: "List", PageOf: "Page"}[type(shape)]


def _example(shape: Any) -> Any:
    if isinstance(shape, Shape):
        return shape.example
    record = shape.document.example
    if isinstance(shape, Record):
        return record
    if isinstance(shape, Records):
        return [record]
    return {"page": 1, "pages": 1, "count": 1, "total": 1, shape.plural: [record]}


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How a caller authenticates: a bearer token by the client credentials grant."""

    target_class = "exchange.api.authentication.BearerAuthentication"
    name = ["oauth2", "bearer"]

    def get_security_definition(self, auto_schema: AutoSchema) -> Any:  # noqa: ARG002
        """Both ways to say it: the grant, and the header alone (long-lived tokens)."""
        grant = {"tokenUrl": "/v1/oauth/token", "scopes": dict(settings.SCOPES)}
        return [
            {
                "type": "oauth2",
                "description": "An access token by the client credentials grant",
                "flows": {"clientCredentials": grant},
            },
            {
                "type": "http",
                "scheme": "bearer",
                "description": "An access token that you have, such as a long-lived one",
            },
        ]

    def get_security_requirement(self, auto_schema: AutoSchema) -> Any:
        """The scope that the method needs."""
        scope = getattr(auto_schema.view, "required_scopes", {}).get(auto_schema.method)
        return [{"oauth2": [scope] if scope else []}, {"bearer": []}]


class NumberFieldExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """`NumberField` as the schema says it."""

    target_class = "exchange.api.fields.NumberField"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> Any:  # noqa: ARG002
        """A number from 0 to 10^15, with its decimals."""
        schema: dict[str, Any] = {"type": "number", "minimum": 0, "maximum": int(LARGEST)}
        if self.target.decimals is not None:
            schema["multipleOf"] = 10**-self.target.decimals
        return schema


class TextFieldExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """`TextField` and what is made of it, as the schema says them."""

    target_class = "exchange.api.fields.TextField"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> Any:  # noqa: ARG002
        """A string with its lengths and its pattern; "" besides where it may be blank."""
        target = self.target
        schema: dict[str, Any] = {"type": "string", **target.says}
        for name, value in (("minLength", target.min_length), ("maxLength", target.max_length)):
            if value is not None:
                schema[name] = value
        if not target.allow_blank:
            return {"minLength": 1, **schema}
        if "format" in schema:
            return {"anyOf": [schema, {"type": "string", "const": ""}]}
        return {**schema, "pattern": target.blank_pattern}
