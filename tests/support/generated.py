"""Requests made up from the schema, whose every answer must be one that the schema declares."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import count
from typing import Any

import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.support.access import ApiCaller

_EXAMPLES = 15
_CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


@cache
def _described() -> BaseSchema:
    """Read once for all operations: it takes a second, with the values that the code knows."""
    return schemathesis.openapi.from_wsgi("/v1/schema", get_wsgi_application())


def hold_to_schema(method: str, path: str, caller: ApiCaller, known: Mapping[str, str]) -> None:
    """Calls one operation as `caller`, always with the same requests.

    Every other one names the records of `known` (names of fields and what they hold), wherever the
    path or the body asks for one: random ids find nothing.
    """
    turns = count()

    @given(case=_described()[path][method].as_strategy())
    @settings(
        max_examples=_EXAMPLES,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=True,
        database=None,
    )
    def call(case: Any) -> None:
        if next(turns) % 2:
            for part in (case.path_parameters, case.body):
                if isinstance(part, dict):
                    part.update({name: known[name] for name in part.keys() & known.keys()})
        case.call_and_validate(headers=caller.headers, checks=_CHECKS)

    call()
