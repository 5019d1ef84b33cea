"""Every operation of the OpenAPI document, called with generated requests, good and bad.

All of Schemathesis's checks are on: the answer is one that the document declares and never a fault
of ours, what the document allows is taken, what it forbids is refused, and nobody gets in without a
token. What may be otherwise is named below, with the reason. Of the bad requests a part is sent, by
`make requests` all.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from drf_spectacular.generators import SchemaGenerator
from schemathesis.checks import load_all_checks
from schemathesis.config import SchemathesisConfig
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.python._constants.orchestrator import make_constants_value_source

from tests.assertions.openapi import document, documented_response, operations, restrict
from tests.environment.request_sampling import is_sent
from tests.environment.services import Sandbox
from tests.factories.api_records import ApiRecords, make_api_records

pytestmark = pytest.mark.slow

_CONFIG = {
    # The same requests every time.
    "generation": {
        "max-examples": 8,
        "deterministic": True,
        "database": "none",
        # NUL is refused anywhere in a body, in names of unknown fields too, which JSON Schema
        # cannot say.
        "allow-x00": False,
    },
    "suppress-health-check": ["all"],
    # A well-formed request may meet a record that does not exist (404) or stands in the way
    # (409), or an Idempotency-Key that another generated body used (422).
    "checks": {
        "positive_data_acceptance": {"expected-statuses": ["2xx", "404", "409", "422"]},
    },
}
# What of a well-formed request depends on another field, or on the currency of a record.
_BETWEEN_FIELDS = re.compile(
    r"\w+ must not have (more than \d )?decimals( in UGX)?"
    r"|(min_amount|max_outstanding) must not have [A-Z]{3}, in which max_amount lends nothing"
    r"|(min_amount|max_outstanding) must not be (above|below) max_amount in [A-Z]{3}"
    r"|from must not be in the future"
    r"|(from|to) must not be before 1970-01-01"
    r"|to must (not be (in the future|before from)|be at most 366 days after from)"
    r"|(to|to_currency) must be another (wallet than from|currency than from_currency)"
    r"|redirect_url must be on one of your organisation's registered addresses \(.*\)\. .*"
    r"|bvn is required for a virtual account in NGN"
    r"|(amount_per_unit|basis|final) (is required|must be left out) for \w+"
    r"|amount_per_unit must be above 0"  # but for a correction
    r"|(page and a cursor|cursor and use_cursor=false) exclude each other"
    r"|With a cursor, sort must be one of \[.*\]"
    r"|\w+ cannot be combined with after"
    r"|collaterals is required without cash_collateral"
    r"|(price|tokens|price or tokens) is required"
    r"|from and to span \d+ intervals of \w+: at most 1000 are returned at once"
    r"|(price|post_only) must be left out for .*"
    r"|amount (is only for a market Buy|and tokens exclude each other)"
    r"|time_in_force must be IOC for a market order"
    r"|expires_at (is (required|only) for GTD|must be later than now, by a year at most)"
    r"|(all must be true, without another filter|Give token_id, user_id, or all=true)"
    r"|organisation_ids must (name who may borrow|be empty unless access is organisations)"
)

# Streams are served by another process, and do not end.
_ELSEWHERE = {"GET /v1/stream"}
_LABELS = [
    label
    for path, method, _ in operations()
    if (label := f"{method.upper()} {path}") not in _ELSEWHERE
]


@pytest.fixture(scope="module")
def schema() -> Any:
    """The document as Schemathesis reads it."""
    found = schemathesis.openapi.from_dict(
        restrict(SchemaGenerator().get_schema(public=True)),
        config=SchemathesisConfig.from_dict(_CONFIG),
    )
    found.app = get_wsgi_application()
    load_all_checks()
    return found


@pytest.fixture(scope="module")
def records(module_bank_lists: None) -> ApiRecords:
    return make_api_records()


@pytest.fixture
def api_records(records: ApiRecords, provider_sandbox: Sandbox) -> Iterator[ApiRecords]:
    """What the requests of one operation change is taken back after them.

    All of them share one connection, as those of Django's test client do.
    """
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        with transaction.atomic():
            yield records
            transaction.set_rollback(True)
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)


def name_known_records(case: Any, api_records: ApiRecords) -> None:
    """Ids of the world in place of generated ones, which find nothing."""
    for part in (case.path_parameters, case.body):
        if isinstance(part, dict):
            part.update(
                {name: api_records.ids[name] for name in part.keys() & api_records.ids.keys()}
            )


def refused_by_a_rule(case: Any, response: Any) -> bool:
    """Whether a rule of business refuses a well-formed request, as the operation documents."""
    if case.operation.path.startswith("/v1/oauth/"):
        # Nothing in the document says which client ids and secrets there are.
        return bool(response.status_code == 401)
    if response.status_code not in {400, 403}:
        return False
    [code] = response.headers["x-error-code"]
    if response.status_code == 403:
        return bool(code == "not_issuer")
    if code == "invalid_request":
        complaints = response.json()["message"].split("; ")
        return all(_BETWEEN_FIELDS.fullmatch(complaint) for complaint in complaints)
    return True


def names_its_refusal(case: Any, response: Any) -> bool:
    """Whether the document has the code of a failure among the operation's, with its status."""
    codes = response.headers.get("x-error-code", [])
    status, path = str(response.status_code), case.operation.path
    if not codes or status not in document()["paths"][path][case.operation.method]["responses"]:
        return not codes or case.meta.generation.mode.is_negative
    examples = documented_response(case.operation.method, path, status)["content"][
        "application/json"
    ]
    return codes[0] in examples["examples"]


def check_answer(case: Any, api_records: ApiRecords) -> None:
    """Send one request that was made up, and compare the answer with the document."""
    positive = case.meta.generation.mode.is_positive
    sent = (case.operation.label, case.path_parameters, case.query, case.headers, case.body)
    if not (positive or is_sent(*sent)):
        return
    if positive:
        name_known_records(case, api_records)
    # Schemathesis does not expand the compressed answers of a WSGI application.
    response = case.call(headers={**api_records.caller.headers, "Accept-Encoding": "identity"})
    assert names_its_refusal(case, response), response.headers["x-error-code"]
    excluded = []
    if positive and refused_by_a_rule(case, response):
        excluded.append(schemathesis.checks.CHECKS.get_one("positive_data_acceptance"))
    if not positive and case.method == "POST" and "null" in json.dumps(case.body, default=str):
        # Null counts as absent, which the document says in words.
        excluded.append(schemathesis.checks.CHECKS.get_one("negative_data_rejection"))
    case.validate_response(response, excluded_checks=excluded, headers=api_records.caller.headers)


# Schemathesis's own `parametrize` makes up the requests of all operations when tests are collected,
# which takes every process of a run many seconds.
@pytest.mark.parametrize("label", _LABELS)
def test_every_answer_is_as_declared(label: str, schema: Any, api_records: ApiRecords) -> None:
    [operation] = [
        found
        for found in (result.ok() for result in schema.get_all_operations())
        if found.label == label
    ]
    run = build_operation_test(
        config=schema.config,
        operation=operation,
        test_func=check_answer,
        given_kwargs={},
        feedback=FeedbackSources(constants_value_source=make_constants_value_source(schema)),
    )
    run(api_records=api_records)
