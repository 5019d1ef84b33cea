"""A lease belongs to one worker until it expires."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from config.back_office.roles import AUDITOR
from exchange.core import leases
from exchange.exports.models import Export
from tests.factories.logins import create_login_user

pytestmark = pytest.mark.django_db

NOW = datetime.fromisoformat("2026-03-10T12:00:00+00:00")
MOMENT = timedelta(microseconds=1)
MINUTE = timedelta(minutes=1)

Make = Callable[..., Any]


@pytest.fixture
def make() -> Make:
    """Make a row that can be leased; return its queryset."""
    user = create_login_user(AUDITOR)

    def row(**values: Any) -> Any:
        export = Export.objects.create(
            requested_by=user, about_rows=0, created_at=timezone.now(), **values
        )
        return Export.objects.filter(pk=export.pk)

    return row


@pytest.mark.parametrize(
    ("until", "is_free"),
    [(None, True), (NOW - MOMENT, True), (NOW, True), (NOW + MOMENT, False)],
)
def test_a_row_is_available_without_a_lease_or_after_its_end(make, until, is_free):
    row = make(leased_until=until)
    assert row.filter(leases.available(NOW)).exists() is is_free
    assert row.filter(leases.leased(NOW)).exists() is not is_free


@pytest.mark.parametrize(("ends_in", "taken"), [(None, True), (-MOMENT, True), (MINUTE, False)])
def test_an_available_row_is_leased_with_a_new_token_and_a_leased_one_is_unchanged(
    make, ends_in, taken
):
    now = timezone.now()
    until = None if ends_in is None else now + ends_in
    row, other = (make(claimed_by="before", attempts=4, leased_until=until) for _ in "ab")
    before, untouched = row.values().get(), other.values().get()
    token = leases.acquire(row, prefix="test_", until=now + MINUTE, status="Running")
    if taken:
        assert token is not None
        assert token.startswith("test_")
        assert len(token) > 20
        before |= {
            "claimed_by": token, "leased_until": now + MINUTE, "attempts": 5, "status": "Running",
        }  # fmt: skip
    else:
        assert token is None
    assert row.values().get() == before
    assert other.values().get() == untouched


def test_a_row_that_does_not_match_is_not_leased(make):
    row = make(status="Ready")
    waiting = row.filter(status="Waiting")
    assert leases.acquire(waiting, prefix="test_", until=timezone.now() + MINUTE) is None
    assert row.get().attempts == 0


def test_a_lease_is_released_once_and_by_its_own_token(make):
    row = make()
    token = leases.acquire(row, prefix="test_", until=timezone.now() + MINUTE)
    assert token is not None
    assert not leases.release(row, "test_other", status="Ready")
    assert (row.get().status, row.get().leased_until is None) == ("Waiting", False)
    assert leases.release(row, token, status="Ready", claimed_by="")
    assert (row.get().status, row.get().leased_until) == ("Ready", None)
    assert not leases.release(row, token, status="Failed")
    assert row.get().status == "Ready"


def test_an_expired_lease_is_lost_to_the_next_worker(make):
    row = make()
    late = leases.acquire(row, prefix="test_", until=timezone.now() - MOMENT)
    assert late is not None
    next_one = leases.acquire(row, prefix="test_", until=timezone.now() + MINUTE)
    assert next_one not in {None, late}
    assert not leases.release(row, late, status="Ready")
    assert (row.get().claimed_by, row.get().status, row.get().attempts) == (next_one, "Waiting", 2)


@pytest.mark.parametrize(("due_in", "taken"), [(None, False), (MINUTE, False), (-MOMENT, True)])
def test_due_work_is_claimed_by_postponing_it(make, due_in, taken):
    now = timezone.now()
    row = make(finished_at=None if due_in is None else now + due_in)
    other = make(finished_at=now - MINUTE)
    assert leases.claim_due(row, "finished_at", MINUTE) is taken
    if taken:
        assert timedelta() <= row.get().finished_at - now - MINUTE < MINUTE
        assert not leases.claim_due(row, "finished_at", MINUTE)
    else:
        assert row.get().finished_at == (None if due_in is None else now + due_in)
    assert other.get().finished_at == now - MINUTE


@pytest.mark.django_db(transaction=True)
def test_one_of_many_concurrent_workers_gets_the_row(make):
    row = make(finished_at=timezone.now())

    def work(_: int) -> tuple[str | None, bool]:
        try:
            token = leases.acquire(row, prefix="test_", until=timezone.now() + MINUTE)
            return token, leases.claim_due(row, "finished_at", MINUTE)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as workers:
        results = list(workers.map(work, range(8)))
    tokens = [token for token, _ in results if token is not None]
    assert tokens == [row.get().claimed_by]
    assert [step for _, step in results].count(True) == 1
    assert row.get().attempts == 1
