"""Only expired rows are purged, in batches."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from oauth2_provider.models import get_access_token_model

from exchange.core import idempotency, querysets
from exchange.core.models import IdempotencyRecord
from exchange.participants.services import api_keys
from tests.factories.api_clients import make_caller, make_organisation

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.environment.api_urls")]


@pytest.mark.parametrize("old", [0, 1, 2, 3, 4, 5])
def test_every_expired_response_is_purged(old, monkeypatch):
    monkeypatch.setattr(querysets, "PURGE_BATCH", 2)
    owner, now = make_organisation(), timezone.now()
    ages = [timedelta(hours=24, seconds=n + 1) for n in range(old)]
    ages += [timedelta(hours=23, minutes=59), timedelta(0)]
    IdempotencyRecord.objects.bulk_create(
        IdempotencyRecord(
            organisation=owner, method="POST", path="/v1/x", key=str(n), body_hash="0" * 64,
            created_at=now - age,
        )
        for n, age in enumerate(ages)
    )  # fmt: skip
    with CaptureQueriesContext(connection) as made:
        assert idempotency.purge_idempotency_keys() == old
    # Two at a time, always the listed ones.
    assert sum(each["sql"].startswith("DELETE") for each in made) == -(-old // 2)
    left = set(IdempotencyRecord.objects.values_list("key", flat=True))
    assert left == {str(old), str(old + 1)}


def test_a_response_whose_key_was_claimed_again_is_not_purged():
    owner, now = make_organisation(), timezone.now()
    for key in ("old", "anew"):
        IdempotencyRecord.objects.create(
            organisation=owner, method="POST", path="/v1/x", key=key, body_hash="0" * 64,
            created_at=now - timedelta(hours=25),
        )  # fmt: skip

    def claim_first(execute, sql, *rest):
        if sql.startswith("DELETE"):
            IdempotencyRecord.objects.filter(key="anew").update(created_at=now)
        return execute(sql, *rest)

    with connection.execute_wrapper(claim_first):
        assert idempotency.purge_idempotency_keys() == 1
    assert IdempotencyRecord.objects.get().key == "anew"


@pytest.mark.parametrize("old", [0, 1, 2, 3, 4, 5])
def test_every_access_token_is_purged_a_day_after_expiry(old, monkeypatch):
    monkeypatch.setattr(querysets, "PURGE_BATCH", 2)
    make_caller()
    tokens, now = get_access_token_model().objects, timezone.now()
    first = tokens.get()
    tokens.update(expires=now - timedelta(hours=23, minutes=59))
    tokens.bulk_create(
        tokens.model(
            token=f"token {n}", application=first.application, scope="", user=None,
            expires=now - timedelta(hours=24, seconds=n + 1),
        )
        for n in range(old)
    )  # fmt: skip
    assert tokens.count() == old + 1
    assert api_keys.purge_access_tokens() == old
    assert tokens.get().pk == first.pk
