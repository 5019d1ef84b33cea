"""The OpenAPI document: what views declare, in the envelope every answer has.

A view declares in `answers` what `data` holds, per method: a `Record`, `Records` (an array),
`PageOf` (a page), or an OpenAPI schema object; `Created(…)` when the status is 201. Failures,
headers, security and `Idempotency-Key` follow from the view's other declarations.
"""

from __future__ import annotations

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

from exchange.api.guide import GUIDE
from exchange.documents import Document


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
class Created:
    """A creation (201) that answers `shape`; `or_changed`: a change of what exists (200) too."""

    shape: Any
    or_changed: bool = False


_FAILURES = {
    "400": "The request is not valid, or a rule says no",
    "401": "No access token, or one that does not work (any more)",
    "403": "The token lacks the scope",
    "404": "No such record of yours",
    "408": "The body did not arrive within 10 seconds",
    "409": "The state of the record does not allow this, or it exists already",
    "413": "The body is larger than 64 KiB",
    "415": "The body is not JSON",
    "422": "The idempotency key was used with another body",
    "429": "Too many requests; `Retry-After` says when to go on",
    "500": "A fault on our side",
    "502": "The payment provider did not answer",
    "503": "Not ready; try again shortly",
}


def _header(description: str, kind: str = "string") -> dict[str, Any]:
    return {"description": description, "schema": {"type": kind}}


_REQUEST_ID = {"X-Request-ID": _header("Id of the request: yours when you sent one")}
_RATE_LIMIT = {
    "X-RateLimit-Limit": _header("Requests a minute, when limits are on", "integer"),
    "X-RateLimit-Remaining": _header("Requests left in this minute", "integer"),
    "X-RateLimit-Reset": _header("Seconds until the next minute", "integer"),
}
_ERROR_CODE = {"X-Error-Code": _header("Stable name of the failure, for programs")}
_REPLAYED = {"Idempotent-Replayed": _header("`true` on the first answer given again")}


class EnvelopeSchema(AutoSchema):
    """Describes a view from its declarations."""

    view: Any

    def get_summary(self) -> str | None:
        """The first sentence of the method's docstring."""
        return self.get_description().partition(".")[0] or None

    def get_operation_id(self) -> str:
        """Method and path: `get_api_members_member_id`."""
        words = self.path.removeprefix("/v1/").replace("{", "").replace("}", "")
        return f"{self.method.lower()}_{words.replace('/', '_').replace('-', '_')}"

    def get_tags(self) -> list[str]:
        """The part of the API, from the path."""
        words = [w for w in self.path.split("/") if w and not w.startswith("{")]
        return [words[2] if words[1] == "api" and len(words) > 2 else words[1]]

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

    def _get_parameters(self) -> Any:
        parameters = super()._get_parameters()
        if self._is_page():
            parameters += [
                _parameter("page", "Page, from 1", {"type": "integer", "minimum": 1, "default": 1}),
                _parameter(
                    "limit",
                    f"Records a page; above {settings.API_PAGE_LIMIT_MOST} counts as that",
                    {
                        "type": "integer",
                        "minimum": 1,
                        "default": settings.API_PAGE_LIMIT_DEFAULT,
                    },
                ),
            ]
        if self._takes_key():
            parameters.append(
                _parameter(
                    "Idempotency-Key",
                    "Your own key of this request: sent again within 24 hours, it has no second "
                    "effect and gets the first answer",
                    {"type": "string", "minLength": 1, "maxLength": 255},
                    place="header",
                )
            )
        return parameters

    def _get_response_bodies(self, direction: Direction = "response") -> Any:  # noqa: ARG002 - the toolkit's signature
        declared = self.view.answers[self.method]
        statuses, shape = ["200"], declared
        if isinstance(declared, Created):
            statuses, shape = ["200", "201"] if declared.or_changed else ["201"], declared.shape
        headers = {**_REQUEST_ID, **_RATE_LIMIT, **(_REPLAYED if self._takes_key() else {})}
        success = self._answer("Success", self._envelope(shape), headers)
        answers = dict.fromkeys(statuses, success)
        failed = self._component("Failure", _FAILURE)
        failures = sorted(self._failures())
        for code in failures:
            answers[code] = self._answer(_FAILURES[code], failed, {**_REQUEST_ID, **_ERROR_CODE})
            examples = self._examples_of_failure(code)
            if examples:
                answers[code]["content"]["application/json"]["examples"] = examples
        return answers

    def _examples_of_failure(self, status: str) -> dict[str, Any]:
        """What a view that declares messages (`failures`: status -> code -> message) shows."""
        declared = getattr(self.view, "failures", ())
        messages = declared.get(status, {}) if isinstance(declared, dict) else {}
        return {
            code: {"value": {"status": "failed", "message": message}}
            for code, message in messages.items()
        }

    def _failures(self) -> set[str]:
        codes = {"400", "401", "403", "429", "500", "503"} | set(getattr(self.view, "failures", ()))
        if "{" in self.path:
            codes.add("404")
        if self._has_body():
            codes |= {"408", "409", "413", "415"}
        if self._takes_key():
            codes |= {"409", "422"}
        return codes

    def _answer(
        self, description: str, schema: dict[str, Any], headers: dict[str, Any]
    ) -> dict[str, Any]:
        return {
            "description": description,
            "headers": headers,
            "content": {"application/json": {"schema": schema}},
        }

    def _envelope(self, shape: Any) -> dict[str, Any]:
        properties = {
            "status": {"type": "string", "const": "success"},
            "message": {"type": "string"},
            "data": self._data(shape),
        }
        required = list(properties)
        meta = getattr(self.view, "meta_schema", None)
        if meta is not None:
            properties["meta"] = meta
        return {"type": "object", "properties": properties, "required": required}

    def _data(self, shape: Any) -> dict[str, Any]:
        if isinstance(shape, Record):
            return self._component(shape.document.name, shape.document.schema())
        if isinstance(shape, Records):
            return {"type": "array", "items": self._data(Record(shape.document))}
        if isinstance(shape, PageOf):
            whole = {"type": "integer", "minimum": 0}
            properties = {
                "page": {"type": "integer", "minimum": 1},
                "pages": {**whole, "description": "Pages of all matches"},
                "count": {**whole, "description": "Records on this page"},
                "total": {**whole, "description": "All matches"},
                shape.plural: self._data(Records(shape.document)),
            }
            return {"type": "object", "properties": properties, "required": list(properties)}
        if isinstance(shape, dict):
            # A declared object may hold records: {"properties": {"bank": Record(BANK)}}.
            return {key: self._nested(value) for key, value in shape.items()}
        raise TypeError(f"{shape!r} does not say what an answer holds")

    def _nested(self, value: Any) -> Any:
        if isinstance(value, Record | Records | PageOf):
            return self._data(value)
        if isinstance(value, dict):
            return {key: self._nested(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._nested(inner) for inner in value]
        return value

    def _component(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        component = ResolvedComponent(  # type: ignore[no-untyped-call]
            name=name, type=ResolvedComponent.SCHEMA, schema=schema, object=name
        )
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


_FAILURE = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "const": "failed"},
        "message": {"type": "string", "description": "What is wrong, for people"},
    },
    "required": ["status", "message"],
    "additionalProperties": False,
}


def _parameter(
    name: str, description: str, schema: dict[str, Any], *, place: str = "query"
) -> dict[str, Any]:
    return {
        "name": name,
        "in": place,
        "required": False,
        "description": description,
        "schema": schema,
    }


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How a caller authenticates: a bearer token by the client credentials grant."""

    target_class = "exchange.api.authentication.BearerAuthentication"
    name = ["oauth2", "bearer"]

    def get_security_definition(self, auto_schema: AutoSchema) -> Any:  # noqa: ARG002
        """Both ways to say it: the grant, and the header alone (long-lived tokens)."""
        grant = {"tokenUrl": "/v1/oauth/token", "scopes": dict(settings.SCOPES)}
        return [
            {"type": "oauth2", "flows": {"clientCredentials": grant}},
            {"type": "http", "scheme": "bearer"},
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
        schema: dict[str, Any] = {"type": "number", "minimum": 0, "maximum": 10**15}
        if self.target.decimals is not None:
            schema["multipleOf"] = 10**-self.target.decimals
        return schema


def add_oauth(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Adds the guide, and the two OAuth addresses, which are not views of the toolkit's kind."""
    result["info"]["description"] = GUIDE
    result["paths"] = {**_OAUTH_PATHS, **result["paths"]}
    result["components"]["securitySchemes"]["client"] = {
        "type": "http",
        "scheme": "basic",
        "description": "Client id and secret of an API key; both may be sent in the body instead",
    }
    return result


def _oauth_path(summary: str, fields: dict[str, Any], needed: str, success: Any) -> dict[str, Any]:
    body = {"type": "object", "properties": fields, "required": [needed]}
    error = {
        "type": "object",
        "properties": {"error": {"type": "string"}, "error_description": {"type": "string"}},
        "required": ["error"],
    }
    failed = {"content": {"application/json": {"schema": error}}, "headers": _REQUEST_ID}
    return {
        "post": {
            "operationId": summary.lower().replace(" ", "_"),
            "summary": summary,
            "tags": ["oauth"],
            "security": [{"client": []}, {}],
            "requestBody": {
                "required": True,
                "content": {"application/x-www-form-urlencoded": {"schema": body}},
            },
            "responses": {
                "200": {"description": "Success", "headers": _REQUEST_ID, **success},
                "400": {"description": "The request is not valid (RFC 6749 §5.2)", **failed},
                "401": {"description": "Client id or secret is wrong, or the key ended", **failed},
                "429": {
                    "description": "Too many token requests, or too many wrong secrets",
                    **failed,
                },
            },
        }
    }


_STRING = {"type": "string"}
_CLIENT = {"client_id": _STRING, "client_secret": _STRING}
_TOKEN = {
    "type": "object",
    "properties": {
        "access_token": _STRING,
        "token_type": {"type": "string", "const": "Bearer"},
        "expires_in": {"type": "integer", "description": "Seconds"},
        "scope": {"type": "string", "description": "Granted scopes, separated by spaces"},
    },
    "required": ["access_token", "token_type", "expires_in", "scope"],
}
_OAUTH_PATHS = {
    "/v1/oauth/token": _oauth_path(
        "Get an access token",
        {
            "grant_type": {"type": "string", "const": "client_credentials"},
            "scope": {"type": "string", "description": "Some of the key's scopes; default all"},
            **_CLIENT,
        },
        "grant_type",
        {"content": {"application/json": {"schema": _TOKEN}}},
    ),
    "/v1/oauth/revoke": _oauth_path(
        "Revoke an access token", {"token": _STRING, **_CLIENT}, "token", {}
    ),
}
