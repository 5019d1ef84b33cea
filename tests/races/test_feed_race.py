"""A follower of the feed while 32 writers commit at random delays: every event once, in order.

`make races` runs it with 100,000 events and delays of up to five seconds, or with EVENTS and SEED.
"""

import json
import logging
import random
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from django.db import connections

from exchange.core.ids import uuid7
from exchange.events.models import Event, EventNumber
from exchange.events.services.numbering import number_events
from tests.environment.concurrency import race_size
from tests.environment.database import server_url, worker_database
from tests.factories.api_clients import make_caller
from tests.factories.feed import Follower

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.environment.api_urls"),
    pytest.mark.timeout(1800),
]
logger = logging.getLogger(__name__)

WRITERS = 32
EVENTS = race_size("FEED_EVENTS", 1200)
SEED = race_size("FEED_SEED", 1)
RECORDS = max(40, EVENTS // 250)
# The longest delays in seconds within a transaction: usually, and of one in `RARELY`.
SHORT, LONG, RARELY = 0.02, race_size("FEED_SECONDS", 1), 100

LOCK = "UPDATE feed_record SET version = version + 1 WHERE number = %s RETURNING id, version"
EMIT = "SELECT emit_events(ARRAY[%s], ARRAY[%s], '{order.created}', ARRAY[%s], ARRAY[%s::text])"


@pytest.fixture
def records(owner_connection: Any) -> Iterator[None]:
    """Make records with a version, which their writers lock."""
    owner_connection.execute(
        "CREATE TABLE feed_record (number int PRIMARY KEY, id uuid, version int)"
    )
    owner_connection.execute(
        "INSERT INTO feed_record SELECT n, gen_random_uuid(), 0 FROM generate_series(1, %s) n",
        [RECORDS],
    )
    yield
    owner_connection.execute("DROP TABLE feed_record")


def write(organisation_id: Any, count: int, seed: str) -> set[str]:
    """Commit `count` events about random records; return their ids."""
    chance = random.Random(seed)
    written: set[str] = set()
    with psycopg.connect(server_url(worker_database())) as connection:
        connection.execute("SET ROLE exchange_runtime")
        connection.commit()
        while len(written) < count:
            longest = LONG if chance.randrange(RARELY) == 0 else SHORT
            # Ids and the transaction's time are from before the wait for the locks.
            numbers = sorted(chance.sample(range(1, RECORDS + 1), chance.randint(1, 3)))
            ids = [uuid7() for _ in numbers]
            for event, number in zip(ids, numbers, strict=True):
                row = connection.execute(LOCK, [number]).fetchone()
                assert row is not None
                time.sleep(chance.uniform(0, longest) / 2)
                data = json.dumps({"version": row[1]})
                connection.execute(EMIT, [event, organisation_id, row[0], data])
            time.sleep(chance.uniform(0, longest) / 2)
            if chance.randrange(20) == 0:
                connection.rollback()
            else:
                connection.commit()
                written |= set(map(str, ids))
    return written


@pytest.mark.slow
def test_a_follower_reads_every_event_once_and_those_of_a_record_in_order(records: None) -> None:
    logger.info("events %s, seed %s", EVENTS, SEED)
    caller = make_caller(["webhooks:manage"])
    follower = Follower(caller)
    pages: list[list[str]] = []
    ended = threading.Event()

    def dispatch() -> None:
        try:
            while not ended.is_set():
                number_events()
        finally:
            connections.close_all()

    chance = random.Random(SEED)
    with ThreadPoolExecutor(WRITERS + 1) as threads:
        dispatcher = threads.submit(dispatch)
        writers: list[Future[set[str]]] = [
            threads.submit(write, caller.organisation.id, EVENTS // WRITERS, f"{SEED} {n}")
            for n in range(WRITERS)
        ]
        try:
            while not all(writer.done() for writer in writers):
                follower.limit = chance.choice([1, 7, 200])
                pages.append(follower.read())
        finally:
            ended.set()
        dispatcher.result()
        written = set.union(*(writer.result() for writer in writers))
    follower.limit = 200
    follower.read_all()

    read = [event["id"] for event in follower.events]
    assert len(read) == len(set(read))
    assert set(read) == written
    assert Follower(caller).read_all() == read
    bodies = {str(event.pk): json.loads(event.body) for event in Event.objects.all()}
    versions: dict[str, list[int]] = defaultdict(list)
    times: dict[str, list[str]] = defaultdict(list)
    for event in follower.events:
        versions[event["subject_id"]].append(bodies[event["id"]]["data"]["version"])
        times[event["subject_id"]].append(event["created_at"])
    for record, found in versions.items():
        assert found == list(range(1, len(found) + 1))
        assert times[record] == sorted(times[record])
    # It did read meanwhile.
    assert sum(map(bool, pages)) > 10
    numbers = EventNumber.objects.order_by("seq").values_list("seq", flat=True)
    assert len(set(numbers)) == len(read)
