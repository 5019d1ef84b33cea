"""What an action of a viewset declares, beside its method.

    @operation("Withdrawal cancelled", scope="wallets:withdraw", response=WITHDRAWAL)
    def cancel(self, request: Request, withdrawal_id: str) -> SuccessResponse: ...

Permissions, throttling, query parameters, the response and the OpenAPI document read this
declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeVar

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema_serializer
from rest_framework.serializers import BaseSerializer

from exchange.core.documents import Document, WireSchema

_Method = TypeVar("_Method", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class NamedSchema(WireSchema):
    """A schema of its own, which may hold documents, and one example."""

    name: str
    body: dict[str, Any]
    example: Any

    def schema(self) -> dict[str, Any]:
        """The schema object."""
        return self.body


@dataclass(frozen=True, slots=True)
class RecordList:
    """An array of records, not paged."""

    document: Document

    @property
    def name(self) -> str:
        """What its envelope is named after."""
        return f"{self.document.name}List"

    @property
    def example(self) -> Any:
        """An array of one record."""
        return [self.document.example]


@dataclass(frozen=True, slots=True)
class RecordPage(WireSchema):
    """A page of records under the name `plural`."""

    document: Document
    plural: str

    @property
    def name(self) -> str:  # type: ignore[override]
        """The record's name, and that this is a page of them."""
        return f"{self.document.name}Page"

    @property
    def example(self) -> Any:
        """A page of one record."""
        records = [self.document.example]
        return {"page": 1, "pages": 1, "count": 1, "total": 1, self.plural: records}

    def schema(self) -> dict[str, Any]:
        """Where in the matches the page is, and its records."""
        whole = {"type": "integer", "minimum": 0}
        return closed_object(
            {
                "page": {"type": "integer", "minimum": 1, "description": "This page, from 1"},
                "pages": {**whole, "description": "Pages of all matches"},
                "count": {**whole, "description": "Records on this page"},
                "total": {**whole, "description": "All matches"},
                self.plural: {
                    "type": "array",
                    "description": "The records of this page",
                    "items": self.document,
                },
            }
        )


# What `data` holds: one record, an array or a page of them, or a shape of its own.
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
        """The name of what is in it, and that this is the whole response."""
        return f"{self.response.name}Response"

    @property
    def example(self) -> Any:
        """A success."""
        meta = {} if self.meta is None else {"meta": self.meta.example}
        return {"status": "success", "message": self.message, "data": self.response.example, **meta}

    def schema(self) -> dict[str, Any]:
        """Status, message and data; `meta` where there is one."""
        data: Any = self.response
        if isinstance(data, RecordList):
            data = {"type": "array", "description": "All that match", "items": data.document}
        meta = {} if self.meta is None else {"meta": self.meta}
        return closed_object(
            {
                "status": {"type": "string", "const": "success", "description": "Always `success`"},
                "message": {"type": "string", "description": "What was done, for people"},
                "data": data,
                **meta,
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One action: what a caller needs for it, what it takes, responses and refuses."""

    message: str
    scope: str
    responses: Mapping[str, ResponseData]
    status: int = HTTPStatus.OK
    # Statuses of other successes: a PUT that makes what is not there yet.
    other_statuses: Sequence[int] = ()
    meta: NamedSchema | None = None
    # Status → code → message of refusals that only this action has.
    failures: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    body: type[BaseSerializer[Any]] | None = None
    query: Sequence[OpenApiParameter] = ()
    examples: Sequence[OpenApiExample] = ()
    moves_money: bool = False
    idempotent: bool = False
    id: str | None = None

    def response_for(self, resource: str) -> ResponseData:
        """What `data` holds where the viewset is mounted as `resource`."""
        return self.responses.get(resource) or self.responses[""]

    @property
    def page(self) -> RecordPage | None:
        """The page that it responses, if it does."""
        response = self.responses.get("")
        return response if isinstance(response, RecordPage) else None

    @property
    def filtered(self) -> bool:
        """Whether the viewset's filters apply."""
        return isinstance(self.responses.get(""), RecordPage | RecordList)


def operation(
    message: str,
    *,
    scope: str,
    response: ResponseData | Mapping[str, ResponseData],
    moves_money: bool = False,
    idempotent: bool = False,
    **declared: Any,
) -> Callable[[_Method], _Method]:
    """Declare an action: an `Operation` of these values.

    `message` is that of its success, `scope` what a caller's token needs. `response` is what `data`
    holds, by resource where that differs. What `moves_money` takes an `Idempotency-Key`, as does
    what is `idempotent`, and counts against the narrower limit of requests.
    """
    made = Operation(
        message=message,
        scope=scope,
        responses=response if isinstance(response, Mapping) else {"": response},
        moves_money=moves_money,
        idempotent=idempotent or moves_money,
        **declared,
    )

    def declare(method: _Method) -> _Method:
        method.operation = made  # type: ignore[attr-defined]
        return method

    return declare


def get_operation(view: Any) -> Operation | None:
    """The operation that `view` performs; None for a method it does not have, and OPTIONS."""
    return getattr(getattr(view, getattr(view, "action", None) or "", None), "operation", None)


def closed_object(properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object that has all of `properties`."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def text_schema(description: str) -> dict[str, Any]:
    """The schema of a string."""
    return {"type": "string", "description": description}


def number_schema(description: str, *more: str) -> dict[str, Any]:
    """The schema of a number, or of one of the types `more`."""
    return {"type": ["number", *more] if more else "number", "description": description}
