"""Frequent statements read the partitions of the months they need, not all of them."""

import re
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.metrics.readings import READINGS
from exchange.audit import selectors as audit
from exchange.core.idempotency import IdempotencyClaim, find_response
from exchange.events.models import Event
from exchange.events.pending import pending_ids
from exchange.events.selectors import attempts_of
from exchange.events.services import claims
from tests.environment.database import Connection
from tests.factories.months import (
    MONTHS_AHEAD,
    id_at,
    insert_change,
    insert_event,
    name_of,
    start_of,
)
from tests.factories.plain_sql import make_organisation


def partitions_in(plans: list[str], table: str) -> set[str]:
    """Return the partitions that the plans read."""
    found: set[str] = set()
    for line in "\n".join(plans).splitlines():
        if "Scan" in line:
            found |= set(re.findall(rf" on ({table}(?:_\d\d\d\d_\d\d|_later)?)\b", line))
    return found


def explain(work: Any, table: str) -> set[str]:
    """Run `work`; return the partitions of `table` that its statements read."""
    with CaptureQueriesContext(connection) as queries:
        work()
    read = [plan_of(query["sql"], table) for query in queries if table in query["sql"]]
    assert read
    return set.union(*read)


def plan_of(statement: str, table: str) -> set[str]:
    """Return the partitions of `table` that `statement` reads."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {statement}")
        return partitions_in([line for (line,) in cursor.fetchall()], table)


def ahead(table: str) -> set[str]:
    return {*(name_of(table, n) for n in range(1, MONTHS_AHEAD + 1)), f"{table}_later"}


def test_claims_and_metrics_read_the_last_days_while_nothing_older_is_pending(months):
    table = "exchange_eventdelivery"
    [outbox] = [reading for reading in READINGS if reading.name == "outbox"]

    def claim() -> set[str]:
        return explain(lambda: claims.claim_due(most=3), table)

    def read() -> set[str]:
        bounds = {name: f"'{bound}'" for name, bound in pending_ids().items()}
        return plan_of(outbox.sql % bounds, table)

    now = timezone.now()
    young = {
        name_of(table, n)
        for n in (-1, 0, 1)
        if now - timedelta(days=10) < start_of(n + 1) and start_of(n) < now + timedelta(days=1)
    }
    assert 1 <= len(young) <= 2
    insert_event(months, now, status="Pending")
    assert read() == young
    assert claim() == young

    # An old event that is sent again is found, at the price of all months.
    old = insert_event(months, start_of(-12), status="Pending")
    assert name_of(table, -12) in read()
    assert name_of(table, -12) in claim()
    assert Event.objects.get(id=old).status != "Pending"
    assert read() == claim() == young


def test_one_event_and_its_attempts_are_read_from_its_month_on(months):
    table = "exchange_event"
    event = insert_event(months, start_of(-6) + timedelta(days=3))
    assert explain(lambda: Event.objects.get(id=event), table) == {name_of(table, -6)}
    record = Event.objects.get(id=event)
    attempts = "exchange_deliveryattempt"
    found = explain(lambda: list(attempts_of(record)), attempts)
    assert found == {name_of(attempts, n) for n in range(-6, 1)} | ahead(attempts)


def test_the_history_of_a_record_is_read_from_its_month_on(months):
    table = "exchange_change"
    record = id_at(start_of(-2) + timedelta(days=4))
    change = insert_change(months, start_of(-1), record)
    found = explain(lambda: audit.history(record, limit=10), table)
    assert found == {name_of(table, n) for n in (-2, -1, 0)} | ahead(table)
    assert [one.id for one in audit.history(record, limit=10)] == [change]
    # The newest first, and no older month than needed.
    plan = connection.cursor()
    plan.execute(
        "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF)"
        " SELECT id FROM exchange_change ORDER BY id DESC LIMIT 1"
    )
    lines = [line for (line,) in plan.fetchall()]
    assert any("never executed" in line and name_of(table, -10) in line for line in lines) or any(
        "never executed" in line for line in lines
    )


def test_an_idempotency_key_is_looked_up_in_two_months_at_most(months):
    table = "exchange_idempotencyrecord"
    claim = IdempotencyClaim(id_at(start_of(0)), "POST", "/v1/x", "key", "hash")
    found = explain(lambda: find_response(claim), table)
    assert name_of(table, 0) in found
    assert found <= {name_of(table, -1), name_of(table, 0)}


@pytest.mark.parametrize(
    "call",
    [
        "claim_idempotency_key(%s, 'POST', '/a', 'k', 'hash', 100, interval '1 day')",
        "store_idempotent_response(%s, 'POST', '/a', 'k', 201, 'm', '{}')",
        "release_idempotency_key(%s, 'POST', '/a', 'k')",
    ],
)
def test_functions_of_keys_read_two_months_at_most(months: Connection, call: str):
    """Their plans are cached for all months; an execution reads the months of its arguments."""
    # A session of its own, whose statistics have nothing else.
    with psycopg.connect(months.info.dsn, password=months.info.password) as caller:
        caller.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        organisation = make_organisation(caller)
        caller.execute(f"SELECT {call}", [organisation])
        read = caller.execute(
            "SELECT relname FROM pg_stat_xact_user_tables WHERE schemaname = 'partitions'"
            " AND relname LIKE 'exchange_idempotencyrecord%' AND seq_scan + idx_scan > 0"
        ).fetchall()
        caller.rollback()
    assert {name for (name,) in read} <= {
        name_of("exchange_idempotencyrecord", -1),
        name_of("exchange_idempotencyrecord", 0),
    }
    assert read or call.startswith("claim")
