"""The base of every viewset under /v1.

An action is declared by `exchange.api.operations.operation`. A viewset declares its `tag`; with
lists also `sort_fields` (wire name → column) and `default_sort`, with filters `filterset_class`.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from exchange.api.authentication import Caller, get_caller
from exchange.api.operations import Operation, get_operation
from exchange.api.parameters import check_parameters, known_parameters
from exchange.api.responses import RawJSON, SuccessResponse
from exchange.api.throttling import RateLimitUsage
from exchange.api.unknown_fields import (
    IGNORED_FIELDS,
    MAX_UNKNOWN_FIELDS,
    find_unknown_fields,
    ignored_header,
)
from exchange.core import replica
from exchange.core.errors import NotFound
from exchange.core.ids import parse_id
from exchange.core.querysets import get_or_raise

_NO_CALLER = Caller(UUID(int=0), UUID(int=0), frozenset(), "")


class ApiViewSet(GenericViewSet[Any]):
    """Actions with responses in the envelope, for callers with the declared scopes."""

    # The tag of the actions in the OpenAPI document.
    tag: ClassVar[str]
    # A single record, without an id in its path: see `exchange.api.routers`.
    singleton: ClassVar[bool] = False
    filterset_class: ClassVar[Any] = None
    sort_fields: ClassVar[Mapping[str, str]] = {}
    # Those of them whose values change: a list by cursor takes none.
    changing_sorts: ClassVar[frozenset[str]] = frozenset()
    default_sort: ClassVar[str] = ""
    # Paths of the body's unknown fields.
    ignored_fields: Sequence[str] = ()
    # Whether the request has been authenticated and permitted.
    _is_admitted = False

    @property
    def operation(self) -> Operation:
        """The declaration of the current action."""
        declared = get_operation(self)
        if declared is None:
            raise TypeError(f"{type(self).__name__}.{self.action} declares no operation")
        return declared

    @property
    def caller(self) -> Caller:
        """The caller; a placeholder while the schema is generated."""
        return _NO_CALLER if getattr(self, "swagger_fake_view", False) else get_caller(self.request)

    @classmethod
    def takes_cursors(cls) -> bool:
        """Return whether lists can be read by cursor: one of their sorts is by values that stay."""
        return not cls.changing_sorts.issuperset(cls.sort_fields)

    @property
    def default_response_headers(self) -> dict[str, str]:
        """No headers: `Allow` belongs to 405 and OPTIONS, and content is not negotiated."""
        return {}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Authenticate, and check the query parameters of a GET; other methods use none."""
        super().initial(request, *args, **kwargs)
        self._is_admitted = True
        if request.method in {"GET", "HEAD"}:
            self.check_query()

    def check_query(self) -> None:
        """Raise `InvalidRequest` for query parameters that the action does not accept."""
        if self.action and self.request.META.get("QUERY_STRING"):
            check_parameters(self.request.query_params, known_parameters(type(self), self.action))

    def body(self) -> dict[str, Any]:
        """Return the validated values of the request's body; keep its unknown fields.

        Raises a 400 that names every bad field. Where money moves, also for one that misspells an
        optional field.
        """
        declared = self.operation
        if declared.body is None:
            raise TypeError(f"{type(self).__name__}.{self.action} declares no body")
        serializer = declared.body(data=self.request.data)
        found = find_unknown_fields(serializer, self.request.data)
        unknown = list(islice(found, MAX_UNKNOWN_FIELDS))
        self.ignored_fields = [name for name, _ in unknown]
        misspelt = {name: [f"is unknown: did you mean {near}?"] for name, near in unknown if near}
        if misspelt and declared.moves_money:
            serializer.is_valid()
            errors: Any = serializer.errors
            raise ValidationError({**errors, **misspelt})
        serializer.is_valid(raise_exception=True)
        values: dict[str, Any] = serializer.validated_data
        return values

    def respond(self, data: Any) -> SuccessResponse:
        """Return a response with `data` and the declared message and status."""
        declared = self.operation
        return SuccessResponse(data, declared.message, status=declared.status)

    def respond_with(self, record_id: str, not_found: type[NotFound]) -> SuccessResponse:
        """Return a response with the stored document of the record in the path.

        Raises `not_found` unless it is one of the caller's.
        """
        rows = self.get_queryset().filter(pk=parse_path_id(record_id, not_found))
        return self.respond(
            RawJSON(get_or_raise(rows.values_list("document", flat=True), not_found))
        )

    def paginated_response(
        self,
        records: QuerySet[Any],
        read: Callable[[Sequence[Any]], Sequence[str]] | None = None,
        column: str = "document",
    ) -> Response:
        """Return a response with the requested ones of `records`, which are sorted.

        Their documents (JSON texts) are what `read` returns for their ids, or in `column`.
        """
        order = (str(name).removeprefix("-") for name in records.query.order_by)
        rows = records.values_list(*dict.fromkeys([*order, "id" if read else column]))
        page = self.paginate_queryset(rows) or []
        return self.get_paginated_response(read(page) if read and page else page)

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        """Add the headers of ignored fields and rate limits; record a write for later lists."""
        final = super().finalize_response(request, response, *args, **kwargs)
        if self.ignored_fields:
            final[IGNORED_FIELDS] = ignored_header(self.ignored_fields)
        if self._has_written(request, final):
            replica.record_write(self.caller.organisation_id)
        usage = getattr(request, "rate_limit_usage", None)
        if isinstance(usage, RateLimitUsage):
            for name, value in usage.headers.items():
                final[name] = value
        return final

    def _has_written(self, request: Request, response: Response) -> bool:
        """Return whether the request may have changed something: a rejected one has not."""
        if request.method in {"GET", "HEAD", "OPTIONS"} or 400 <= response.status_code < 500:
            return False
        # Where the database was lost during authentication, `request.auth` would repeat it.
        if not self._is_admitted:
            return False
        declared = get_operation(self)
        return declared is not None and not declared.is_list and isinstance(request.auth, Caller)

    def options(self, request: Any, *args: Any, **kwargs: Any) -> SuccessResponse:  # noqa: ARG002 - DRF's
        """Return the methods of this URL."""
        methods = self.allowed_methods
        return SuccessResponse(
            {"methods": methods}, "Allowed methods", headers={"Allow": ", ".join(methods)}
        )


def parse_path_id(text: str, not_found: type[NotFound]) -> UUID:
    """Return the id in a path; raise a `not_found` for a malformed one."""
    path_id = parse_id(text)
    if path_id is None:
        raise not_found()
    return path_id
