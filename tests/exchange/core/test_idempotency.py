"""A stored response belongs to one organisation, method, path, key and body."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import DataError, transaction
from django.utils import timezone

from exchange.core.errors import IdempotencyKeyReused, RequestInProgress
from exchange.core.idempotency import (
    IdempotencyClaim,
    StoredResponse,
    claim_key,
    execute_once,
    find_response,
    retention_period,
    store_response,
    wait_milliseconds,
)
from exchange.core.models import IdempotencyRecord
from exchange.participants.models import Organisation
from tests.environment.database import session
from tests.factories.api_clients import make_organisation

pytestmark = pytest.mark.django_db

HASH = "0" * 64


def other_claims(claim: IdempotencyClaim) -> list[IdempotencyClaim]:
    """Return claims that differ from `claim` in one part."""
    changes: list[dict[str, Any]] = [
        {"organisation_id": make_organisation().pk},
        {"method": "PUT"},
        {"path": "/v1/other"},
        {"key": "other"},
    ]
    return [replace(claim, **change) for change in changes]


@pytest.fixture
def claim() -> IdempotencyClaim:
    return IdempotencyClaim(make_organisation().pk, "POST", "/v1/orders", "key", HASH)


def store(claim: IdempotencyClaim, **values: Any) -> IdempotencyRecord:
    given: dict[str, Any] = {"status_code": 201, "message": "Done", "data": '{"a": 1}'}
    return IdempotencyRecord.objects.create(
        organisation_id=claim.organisation_id, method=claim.method, path=claim.path,
        key=claim.key, body_hash=claim.body_hash,
        **{"created_at": timezone.now()} | given | values,
    )  # fmt: skip


def test_a_response_is_found_under_its_own_claim_only(claim):
    others = other_claims(claim)
    store(claim)
    assert find_response(claim) == StoredResponse(201, "Done", '{"a": 1}', replayed=True)
    for number, other in enumerate(others):
        assert find_response(other) is None
        store(other, message=f"Other {number}")
    for number, other in enumerate(others):
        found = find_response(other)
        assert found is not None
        assert found.message == f"Other {number}"
    assert find_response(claim) == StoredResponse(201, "Done", '{"a": 1}', replayed=True)


def test_another_body_is_rejected_once_a_response_is_stored(claim):
    other = replace(claim, body_hash="1" * 64)
    store(claim)
    for find in (find_response, claim_key):
        with pytest.raises(IdempotencyKeyReused), transaction.atomic():
            find(other)
    IdempotencyRecord.objects.update(status_code=None)
    assert find_response(other) is None
    # There is no response yet.
    assert claim_key(claim) is None


def test_what_has_a_response_is_not_executed_again(claim):
    responses = [StoredResponse(201, "Done", f"{number}") for number in range(4)]

    def execute(under: IdempotencyClaim | None) -> StoredResponse:
        return execute_once(under, lambda: responses.pop(0))

    assert execute(claim) == StoredResponse(201, "Done", "0")
    assert execute(claim) == StoredResponse(201, "Done", "0", replayed=True)
    with pytest.raises(IdempotencyKeyReused), transaction.atomic():
        execute(replace(claim, body_hash="1" * 64))
    assert [execute(None).data for _ in range(2)] == ["1", "2"]
    assert len(responses) == 1


def test_an_error_takes_back_the_effect_and_leaves_the_key(claim):
    def fail() -> StoredResponse:
        make_organisation("Acme")
        raise RequestInProgress

    count = Organisation.objects.count()
    for under in (claim, None):
        with pytest.raises(RequestInProgress):
            execute_once(under, fail)
        assert (Organisation.objects.count(), IdempotencyRecord.objects.count()) == (count, 0)


def test_a_response_is_stored_for_a_day(claim):
    assert retention_period() == timedelta(hours=24)
    record = store(claim, created_at=timezone.now() - timedelta(hours=23, minutes=59))
    assert find_response(claim) is not None
    reply = claim_key(claim)
    assert reply == StoredResponse(201, "Done", '{"a": 1}', replayed=True)
    IdempotencyRecord.objects.filter(pk=record.pk).update(
        created_at=timezone.now() - timedelta(hours=24, seconds=1)
    )
    assert find_response(claim) is None
    assert claim_key(claim) is None


def test_a_claimed_key_returns_its_stored_response(claim):
    others = other_claims(claim)
    for each in (claim, *others):
        assert claim_key(each) is None
        assert find_response(each) is None
    reply = StoredResponse(200, "OK", "{}")
    store_response(claim, reply)
    assert find_response(claim) == claim_key(claim) == replace(reply, replayed=True)
    for other in others:
        assert find_response(other) is None
    assert claim.key_fields() == {
        "method": "POST", "path": "/v1/orders", "key": "key", "body_hash": HASH,
    }  # fmt: skip


def test_a_first_response_is_not_a_replay():
    assert StoredResponse(201, "Done", "{}").replayed is False


def test_a_claim_that_fails_otherwise_raises_the_database_error(claim):
    with pytest.raises(DataError), transaction.atomic():
        claim_key(replace(claim, key="a\0b"))


@pytest.mark.django_db(transaction=True)
def test_a_duplicate_waits_only_so_long_for_the_first_request(claim, settings):
    settings.IDEMPOTENCY_WAIT_SECONDS = 0.05
    with session("runtime") as first:
        first.execute(
            "SELECT claim_idempotency_key(%s, 'POST', '/v1/orders', 'key', %s, 1000, '1 day')",
            [claim.organisation_id, HASH],
        )
        with pytest.raises(RequestInProgress), transaction.atomic():
            claim_key(claim)
    with transaction.atomic():
        assert claim_key(claim) is None


def test_the_wait_for_the_first_request_is_the_configured_one(settings):
    settings.IDEMPOTENCY_WAIT_SECONDS = 3
    assert wait_milliseconds() == 3000
