"""Every operation of the OpenAPI document, called with generated requests, good and bad.

Whatever is sent, the answer is one the document declares, and never a fault of ours.
"""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.support.withdrawals import Desk, body_of

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("bank_lists")]

_EXAMPLES = 15
_CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


def operations() -> list[tuple[str, str]]:
    """Method and path of everything described, but for the two OAuth addresses."""
    paths = SchemaGenerator().get_schema(public=True)["paths"]
    return [
        (method, path)
        for path, item in paths.items()
        for method in item
        if not path.startswith("/v1/oauth/")
    ]


@pytest.mark.parametrize(("method", "path"), operations())
def test_every_answer_is_a_declared_one(desk: Desk, method: str, path: str) -> None:
    desk.fund("organisation", "KES", "1000000")
    made = desk.withdraw("organisation", body_of()).json()["data"]["withdrawalRequest"]
    # Every other call names records that exist; random ids find nothing.
    known = {"member_id": str(desk.member.id), "withdrawal_id": made["_id"]}
    turns = count()
    described = schemathesis.openapi.from_wsgi("/v1/schema", get_wsgi_application())

    @given(case=described[path][method].as_strategy())
    @settings(
        max_examples=_EXAMPLES,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=True,
        database=None,
    )
    def call(case: Any) -> None:
        if next(turns) % 2:
            for name in case.path_parameters or {}:
                case.path_parameters[name] = known.get(name, case.path_parameters[name])
        case.call_and_validate(headers=desk.caller.headers, checks=_CHECKS)

    call()
