"""The declaration of a viewset's action.

    @operation("Withdrawal cancelled", scope="wallets:withdraw", response=WITHDRAWAL)
    def cancel(self, request: Request, withdrawal_id: str) -> SuccessResponse: ...

Permissions, throttling, query parameters, the response and the OpenAPI document read this
declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from http import HTTPStatus
from typing import Any, TypeVar, cast

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema_serializer
from rest_framework.serializers import BaseSerializer

from exchange.core import replica
from exchange.core.documents import Document, WireSchema
from exchange.core.text import match_choice

_Method = TypeVar("_Method", bound=Callable[..., Any])

# A printed document takes about as long as ten other reads.
PDF_UNITS = 10
# The query parameters of lists that are read by cursor; `after` of the feed.
CURSOR_PARAMETERS = frozenset({"after", "use_cursor", "cursor"})


@dataclass(frozen=True, slots=True)
class NamedSchema(WireSchema):
    """A schema of its own, which may contain documents, with an example."""

    name: str
    body: dict[str, Any]
    example: Any

    @classmethod
    def of(cls, name: str, description: str = "", /, **fields: tuple[Any, Any]) -> NamedSchema:
        """Return the schema of an object, from the schema and the example of each field."""
        more = {"description": description} if description else {}
        body = closed_object({field: schema for field, (schema, _) in fields.items()}, **more)
        return cls(name, body, {field: example for field, (_, example) in fields.items()})

    def schema(self) -> dict[str, Any]:
        """Return the schema object."""
        return self.body


@dataclass(frozen=True, slots=True)
class File:
    """A file of its own: media type and description. Its responses are not in the envelope.

    It has a name to be `saved` under, unless it is a stream.
    """

    media_type: str
    description: str
    saved: bool = True


@dataclass(frozen=True, slots=True)
class RecordList:
    """An array of records, without pages."""

    document: Document

    @property
    def name(self) -> str:
        """The name of its envelope."""
        return f"{self.document.name}List"

    @property
    def example(self) -> Any:
        """An array of one record."""
        return [self.document.example]


@dataclass(frozen=True, slots=True)
class RecordPage(WireSchema):
    """Records under the name `plural`: a page, or those after a cursor."""

    document: WireSchema
    plural: str
    by_cursor: bool = True

    @property
    def name(self) -> str:  # type: ignore[override]
        """The component's name."""
        return f"{self.document.name}Page"

    @property
    def example(self) -> Any:
        """A page of one record."""
        records = [self.document.example]
        return {"page": 1, "pages": 1, "count": 1, "total": 1, self.plural: records}

    def schema(self) -> dict[str, Any]:
        """Return the schema object."""
        whole = {"type": "integer", "minimum": 0}
        described = closed_object(
            {
                "page": {**whole, "minimum": 1, "description": "Number of this page, from 1"},
                "pages": {**whole, "description": "Number of pages"},
                "count": {**whole, "description": "Number of records on this page"},
                "total": {**whole, "description": "Number of all matches"},
                self.plural: {
                    "type": "array",
                    "description": "The records of this page",
                    "items": self.document,
                },
            }
        )
        if self.by_cursor:
            described["required"] = ["count", self.plural]
            described["properties"]["next_cursor"] = {
                "type": ["string", "null"],
                "description": "Only with a cursor: the `cursor` after this one; null at the end",
            }
        return described


# The content of `data`: a record, an array or page of records, or a schema of its own.
ResponseData = Document | RecordList | RecordPage | NamedSchema


@extend_schema_serializer(many=False)
@dataclass(frozen=True, slots=True)
class Envelope(WireSchema):
    """The envelope of a success."""

    response: ResponseData
    message: str
    meta: NamedSchema | None = None

    @property
    def name(self) -> str:  # type: ignore[override]
        """The component's name."""
        return f"{self.response.name}Response"

    @property
    def example(self) -> Any:
        """An example of the response."""
        meta = {} if self.meta is None else {"meta": self.meta.example}
        return {"status": "success", "message": self.message, "data": self.response.example, **meta}

    def schema(self) -> dict[str, Any]:
        """Return the schema of status, message and data, and `meta` where declared."""
        data: Any = self.response
        if isinstance(data, RecordList):
            data = {"type": "array", "description": "All matching records", "items": data.document}
        described = closed_object(
            {
                "status": {"type": "string", "const": "success", "description": "Always `success`"},
                "message": {"type": "string", "description": "Result, for people"},
                "data": data,
            }
        )
        if self.meta is not None:
            # Absent from a list that is read by cursor.
            described["properties"]["meta"] = self.meta
        return described


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One action: required scope, input, responses and failures."""

    message: str
    scope: str
    responses: Mapping[str, ResponseData]
    status: int = HTTPStatus.OK
    # Statuses of other successes, such as 201 of a PUT.
    other_statuses: Sequence[int] = ()
    meta: NamedSchema | None = None
    # Status → code → message of the action's own failures.
    failures: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    body: type[BaseSerializer[Any]] | None = None
    query: Sequence[OpenApiParameter] = ()
    # Files that it returns on request; without `responses` always.
    files: Sequence[File] = ()
    examples: Sequence[OpenApiExample] = ()
    moves_money: bool = False
    idempotent: bool = False
    id: str | None = None

    def response_for(self, resource: str) -> ResponseData:
        """Return the content of `data` where the viewset is mounted as `resource`."""
        return self.responses.get(resource) or self.responses[""]

    @property
    def is_file(self) -> bool:
        """Whether a success is always a file."""
        return not self.responses

    def units(self, query: Mapping[str, str]) -> int:
        """Return for how many requests one with `query` counts."""
        printed = any(file.media_type == "application/pdf" for file in self.files)
        asked = self.is_file or match_choice(query.get("format"), ["pdf"])
        return PDF_UNITS if printed and asked else 1

    @property
    def page(self) -> RecordPage | None:
        """The page of its response, if it has one."""
        response = self.responses.get("")
        return response if isinstance(response, RecordPage) else None

    @property
    def is_list(self) -> bool:
        """Whether it lists records and changes nothing."""
        return self.filtered and not self.idempotent

    @property
    def filtered(self) -> bool:
        """Whether the viewset's filters apply."""
        return isinstance(self.responses.get(""), RecordPage | RecordList)


def operation(
    message: str,
    *,
    scope: str,
    response: ResponseData | Mapping[str, ResponseData] | None,
    moves_money: bool = False,
    idempotent: bool = False,
    **declared: Any,
) -> Callable[[_Method], _Method]:
    """Declare an action as an `Operation` of these values.

    `message` is the message of a success, `scope` what the token needs, `response` the content of
    `data`, by resource where it differs; None where a success is one of the `files`. An action that
    is `idempotent` or `moves_money` takes an `Idempotency-Key`; the latter counts against the
    narrower rate limit.
    """
    made = Operation(
        message=message,
        scope=scope,
        responses=_by_resource(response),
        moves_money=moves_money,
        idempotent=idempotent or moves_money,
        **declared,
    )

    def declare(method: _Method) -> _Method:
        declared_method = _read_from_replica(method) if made.is_list else method
        declared_method.operation = made  # type: ignore[attr-defined]
        return declared_method

    return declare


def _by_resource(
    response: ResponseData | Mapping[str, ResponseData] | None,
) -> Mapping[str, ResponseData]:
    if response is None:
        return {}
    return response if isinstance(response, Mapping) else {"": response}


def _read_from_replica(method: _Method) -> _Method:
    """Return the action `method` as one that reads from the replica where possible."""

    @wraps(method)
    def read(view: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        # The replica may lag behind what the list before this cursor was read from.
        if CURSOR_PARAMETERS.intersection(request.query_params):
            return method(view, request, *args, **kwargs)
        return replica.read(lambda: method(view, request, *args, **kwargs), view.caller.position)

    return cast("_Method", read)


def get_operation(view: Any) -> Operation | None:
    """Return the operation of `view`'s action; None for OPTIONS and unsupported methods."""
    return getattr(getattr(view, getattr(view, "action", None) or "", None), "operation", None)


def closed_object(properties: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return the schema of an object that has all of `properties`, with `more` keywords."""
    required = list(properties)
    return {"type": "object", **more, "properties": properties, "required": required}


def text_schema(description: str, **more: Any) -> dict[str, Any]:
    """Return the schema of a string, with `more` keywords."""
    return {"type": "string", "description": description, **more}


def number_schema(description: str, *more: str) -> dict[str, Any]:
    """Return the schema of a number, or of one of the types `more`."""
    return {"type": ["number", *more] if more else "number", "description": description}
