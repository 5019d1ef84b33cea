"""The bases of every view under /v1.

A view declares `required_scopes` (method → scope), for POSTs that move money `moves_money`, and
for the schema `answers` (method → what `data` holds) and `operations` (method → its id and its
message), see `exchange.api.schema`. Lists also declare `plural`, `sort_fields` and `default_sort`
(see `exchange.api.pagination`); other addresses that read query parameters name them in
`query_parameters` (see `exchange.api.parameters`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from exchange.api.answers import Answer
from exchange.api.authentication import Caller, caller_of
from exchange.api.parameters import check_parameters, known_parameters
from exchange.api.throttling import Budget
from exchange.errors import NotFound
from exchange.ids import parse_id

_NOBODY = Caller(UUID(int=0), UUID(int=0), frozenset(), "")


class ApiView(GenericAPIView[Any]):
    """A view that answers in the envelope, for a caller with the declared scope."""

    required_scopes: ClassVar[Mapping[str, str]] = {}
    moves_money: ClassVar[bool] = False
    query_parameters: ClassVar[Sequence[str]] = ()
    answers: ClassVar[Mapping[str, Any]] = {}
    operations: ClassVar[Mapping[str, Any]] = {}

    @property
    def caller(self) -> Caller:
        """Who calls; nobody while the schema is made."""
        return _NOBODY if getattr(self, "swagger_fake_view", False) else caller_of(self.request)

    @property
    def default_response_headers(self) -> dict[str, str]:
        """None: `Allow` belongs to 405 and OPTIONS, and content is not negotiated."""
        return {}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Checks who calls, and for a GET its query parameters; other methods read none."""
        super().initial(request, *args, **kwargs)
        if request.method in {"GET", "HEAD"}:
            self.check_query()

    def check_query(self) -> None:
        """Raises `InvalidRequest` for query parameters that this address does not take."""
        if self.request.META.get("QUERY_STRING"):
            check_parameters(self.request.query_params, known_parameters(type(self)))

    def valid(self, serializer: BaseSerializer[Any]) -> dict[str, Any]:
        """The checked values of `serializer`; raises the 400 that names every bad field."""
        serializer.is_valid(raise_exception=True)
        values: dict[str, Any] = serializer.validated_data
        return values

    def body(self) -> dict[str, Any]:
        """The checked values of this request's body, by `serializer_class`."""
        return self.valid(self.get_serializer(data=self.request.data))

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        """The answer, with the rate limit headers when limits are on."""
        final = super().finalize_response(request, response, *args, **kwargs)
        budget = getattr(request, "rate_budget", None)
        if isinstance(budget, Budget):
            for name, value in budget.headers.items():
                final[name] = value
        return final

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Answer:  # noqa: ARG002 - DRF's
        """The methods of this address."""
        methods = self.allowed_methods
        return Answer(
            {"methods": methods}, "Allowed methods", headers={"Allow": ", ".join(methods)}
        )


def path_id(text: str, otherwise: NotFound) -> UUID:
    """The id in a path; raises `otherwise` for anything that is not one."""
    found = parse_id(text)
    if found is None:
        raise otherwise
    return found
