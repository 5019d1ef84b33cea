"""The OpenAPI document, generated from the declarations of actions.

`WireSchemaExtension` makes components of wire documents and envelopes; failures, headers, security
and `Idempotency-Key` follow from each action's declaration (`exchange.api.operations`).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension, OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import Direction, OpenApiExample

from exchange.api.cursors import InvalidCursor
from exchange.api.fields import TextField
from exchange.api.operations import Envelope, Operation
from exchange.api.schema_parts import (
    FAILURE,
    FAILURES,
    HEADERS,
    IDEMPOTENCY_KEY,
    RATE_LIMIT,
    describe_path_id,
    describe_query,
    not_found_messages,
    path_owner,
)
from exchange.api.serializers import ChangesSerializer
from exchange.core.documents import WireSchema
from exchange.core.errors import InvalidCurrency


class EnvelopeSchema(AutoSchema):
    """Describes an action from its declaration."""

    view: Any

    @property
    def operation(self) -> Operation:
        """The action's declaration."""
        declared: Operation = self.view.operation
        return declared

    def get_summary(self) -> str | None:
        """Return the first sentence of the action's docstring."""
        return self.get_description().partition(".")[0] or None

    def get_description(self) -> str:  # type: ignore[override]
        """Return the docstring, with the owner of the path's records for `{owner}`."""
        text: str = super().get_description()
        return text.replace("{owner}", path_owner(self.path))

    def get_operation_id(self) -> str:
        """Return resource and action: `members_list`."""
        return self.operation.id or f"{self.view.basename}_{self.view.action}"

    def get_tags(self) -> list[str]:
        """Return the part of the API that the resource belongs to."""
        return [self.view.tag]

    def get_request_serializer(self) -> Any:
        """Return the serializer of the body."""
        return self.operation.body

    def get_response_serializers(self) -> Any:
        """Return the envelope by each status of success; binary content for a file."""
        operation = self.operation
        if operation.is_file:
            return {
                (operation.status, file.media_type): OpenApiTypes.BINARY for file in operation.files
            }
        statuses = sorted({operation.status, *operation.other_statuses})
        return dict.fromkeys(statuses, self._envelope())

    def get_override_parameters(self) -> list[Any]:
        """Return the query parameters beyond those of lists, and `Idempotency-Key`."""
        keys = [IDEMPOTENCY_KEY] if self.operation.idempotent else []
        return [*self.operation.query, *keys]

    def get_examples(self) -> list[OpenApiExample]:
        """Return examples of the body."""
        return list(self.operation.examples)

    def _is_list_view(self, serializer: Any = None) -> bool:  # noqa: ARG002 - the toolkit's signature
        # Whether to describe filters, order and pages; the envelope describes the response.
        return self.operation.page is not None

    def _get_serializer_field_meta(self, field: Any, direction: Direction) -> Any:
        # With a default, generated types would require the field.
        meta = super()._get_serializer_field_meta(field, direction)  # type: ignore[no-untyped-call]
        meta.pop("default", None)
        return meta

    def _insert_field_validators(self, field: Any, schema: Any) -> None:
        super()._insert_field_validators(field, schema)  # type: ignore[no-untyped-call]
        if isinstance(field, TextField) and "oneOf" in schema:
            # The toolkit adds "" to a pattern that allows it, and one of two is not both.
            schema.update(schema.pop("oneOf")[0])

    def _get_parameters(self) -> Any:
        parameters = super()._get_parameters()
        for parameter in parameters:
            if parameter["in"] == "path":
                describe_path_id(parameter)
            elif parameter["in"] == "query":
                describe_query(parameter, self._filters().get(parameter["name"]))
        return parameters

    def _get_request_body(self, direction: Direction = "request") -> Any:
        body = super()._get_request_body(direction)  # type: ignore[no-untyped-call]
        serializer = self.operation.body
        if body and serializer is not None and issubclass(serializer, ChangesSerializer):
            # No field is required, but one of them is.
            body["required"] = True
        return body

    def _get_response_bodies(self, direction: Direction = "response") -> Any:
        responses = super()._get_response_bodies(direction)
        operation = self.operation
        for response in responses.values():
            response.update(self._success())
            if not operation.is_file:
                response["content"]["application/json"]["examples"] = {
                    "success": {"summary": "Success", "value": self._envelope().example}
                }
            for file in operation.files:
                response["content"][file.media_type] = {
                    "schema": {
                        "type": "string",
                        **({"format": "binary"} if file.saved else {}),
                        "description": file.description,
                    }
                }
        for status in sorted(self._failures()):
            responses[status] = self._failure(status)
        return responses

    def _envelope(self) -> Envelope:
        operation = self.operation
        response = operation.response_for(self.view.basename)
        return Envelope(response, operation.message, operation.meta)

    def _success(self) -> dict[str, Any]:
        operation = self.operation
        replayed = ("Idempotent-Replayed",) if operation.idempotent else ()
        named = ("Content-Disposition",) if any(file.saved for file in operation.files) else ()
        ignored = ("X-Ignored-Fields",) if operation.body else ()
        return {
            "description": f"{operation.message}.",
            "headers": self._headers(("X-Request-ID", *RATE_LIMIT, *replayed, *named, *ignored)),
        }

    def _failure(self, status: str) -> dict[str, Any]:
        """Return the shared component, or the action's own failures."""
        name, description, shared, more = FAILURES[status]
        own = self._own_failures(status)
        messages = {**shared, **own}
        response = {
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
        return response if own else self._component(name, response, ResolvedComponent.RESPONSE)

    def _own_failures(self, status: str) -> dict[str, str]:
        """Return messages by code: for ids in the path, filters and cursors, and as declared."""
        own = dict(self.operation.failures.get(status, {}))
        if status == "404":
            return not_found_messages(self.path) | own
        if status == "400" and self.operation.filtered:
            for name, found in self._filters().items():
                if name.endswith("currency"):
                    error = InvalidCurrency(found.extra["allowed"])
                    named = "" if name == "currency" else f"{name}: "
                    own.setdefault(error.code, f"{named}{error.message}")
            if self.operation.page and self.view.takes_cursors():
                own[InvalidCursor.code] = InvalidCursor("cursor").message
        return own

    def _failures(self) -> set[str]:
        operation = self.operation
        codes = {"400", "401", "403", "429", "500", "503", *operation.failures}
        if "{" in self.path:
            codes.add("404")
        if operation.body:
            codes |= {"408", "413", "415"}
        if operation.idempotent:
            codes |= {"409", "422"}
        return codes

    def _filters(self) -> Mapping[str, Any]:
        return getattr(self.view.filterset_class, "base_filters", {})

    def _headers(self, names: Iterable[str]) -> dict[str, Any]:
        return {
            name: self._component(name, HEADERS[name], ResolvedComponent.HEADER) for name in names
        }

    def _component(
        self, name: str, schema: dict[str, Any], kind: str = ResolvedComponent.SCHEMA
    ) -> dict[str, Any]:
        component = ResolvedComponent(name=name, type=kind, schema=schema, object=name)  # type: ignore[no-untyped-call]
        self.registry.register_on_missing(component)
        ref: dict[str, Any] = component.ref
        return ref


class WireSchemaExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Makes components of documents, pages and envelopes, with references among them."""

    target_class = WireSchema
    match_subclasses = True

    def get_name(self, auto_schema: AutoSchema, direction: Direction) -> str:  # noqa: ARG002
        """Return the component's name."""
        name: str = self.target.name
        return name

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> Any:
        """Return the schema object."""

        def refer(held: Any) -> dict[str, Any]:
            ref: dict[str, Any] = auto_schema.resolve_serializer(held, direction).ref
            return ref

        return with_references(self.target.schema(), refer)


def with_references(value: Any, refer: Callable[[WireSchema], dict[str, Any]]) -> Any:
    """Return a schema with `refer`'s reference for each schema in it."""
    if isinstance(value, WireSchema):
        return refer(value)
    if isinstance(value, dict):
        return {key: with_references(inner, refer) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_references(inner, refer) for inner in value]
    return value


class ChangesSerializerExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """The schema of a `ChangesSerializer`."""

    target_class = "exchange.api.serializers.ChangesSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> Any:
        """Return the schema of an object with at least one of the fields."""
        schema = auto_schema._map_basic_serializer(self.target, direction)  # type: ignore[no-untyped-call]
        return {**schema, "minProperties": 1}


class TextFieldExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """The schema of `TextField` and its subclasses."""

    target_class = "exchange.api.fields.TextField"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> Any:  # noqa: ARG002
        """Return the schema of a string with its lengths and pattern; also "" if allowed."""
        target = self.target
        schema: dict[str, Any] = {"type": "string", **target.schema_keywords}
        for name, value in (("minLength", target.min_length), ("maxLength", target.max_length)):
            if value is not None:
                schema[name] = value
        if not target.allow_blank:
            return {"minLength": 1, **schema}
        if "format" in schema:
            return {"anyOf": [schema, {"type": "string", "const": ""}]}
        return {**schema, "pattern": target.blank_pattern}
