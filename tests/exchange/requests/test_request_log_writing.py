"""The request log is written by every web process, also at its end, and survives an outage."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests
from django.db import OperationalError, connection
from django.db.models import Sum
from django.utils import timezone

from exchange.requests.models import LoggedRequest, ReadCount
from exchange.requests.recording import ReadKey, RequestLog
from tests.environment.database import django_connected_to
from tests.environment.memory import process_tree
from tests.environment.processes import wait_until
from tests.environment.services import make_stack
from tests.exchange.requests.test_request_log import MEMBERS, dropped
from tests.factories.api_clients import ApiCaller, make_caller
from tests.factories.request_log import make_entry

pytestmark = pytest.mark.django_db(transaction=True)


def read_key(caller: ApiCaller) -> ReadKey:
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    return ReadKey(str(caller.organisation.id), str(caller.key.id), MEMBERS, hour)


@pytest.mark.slow
def test_two_processes_write_each_request_once_and_the_rest_when_they_end(tmp_path: Path):
    caller = make_caller()
    stack = make_stack(tmp_path, REQUEST_LOG_ENABLED="true")
    program = stack.web()
    program.start()
    try:
        url = stack.base_url + MEMBERS

        def send(number: int) -> int:
            if number % 3:
                return requests.get(url, headers=caller.headers, timeout=30).status_code
            return requests.post(url, json={}, headers=caller.headers, timeout=30).status_code

        with ThreadPoolExecutor(8) as pool:
            statuses = list(pool.map(send, range(90)))
        assert statuses.count(400) == 30
        assert len(process_tree(program.pid)) > 2
        # The second before is still in memory.
        os.kill(program.pid, signal.SIGTERM)
        wait_until(lambda: not program.running, "the web server has ended")
    finally:
        program.kill()
    assert LoggedRequest.objects.count() == 30
    assert set(LoggedRequest.objects.values_list("path", "status_code")) == {(MEMBERS, 400)}
    assert ReadCount.objects.aggregate(total=Sum("count"))["total"] == 60


@pytest.mark.slow
def test_it_writes_within_seconds_and_a_kill_loses_no_more(tmp_path: Path):
    caller = make_caller()
    stack = make_stack(tmp_path, REQUEST_LOG_ENABLED="true")
    program = stack.web()
    program.start()
    try:
        url = stack.base_url + MEMBERS
        assert requests.post(url, json={}, headers=caller.headers, timeout=30).status_code == 400
        wait_until(LoggedRequest.objects.exists, "the request is written")
    finally:
        program.kill()


def test_it_keeps_what_no_database_takes_as_far_as_there_is_room():
    caller, log, before = make_caller(), RequestLog(capacity=2), dropped()
    key = ReadKey(
        str(caller.organisation.id), str(caller.key.id), MEMBERS, make_entry(caller.key).created_at
    )
    with django_connected_to("absent"):
        for _ in range(2):
            log.add_request(make_entry(caller.key))
            log.count_read(key)
            log.flush()
    assert dropped() == before
    log.add_request(make_entry(caller.key))
    assert dropped() - before == 1
    log.flush()
    assert LoggedRequest.objects.count() == 2
    assert ReadCount.objects.get().count == 2


def test_what_no_database_can_store_is_dropped_and_the_next_is_written():
    caller, log, before = make_caller(), RequestLog(), dropped()
    log.add_request(make_entry(caller.key, path="x" * 201))
    log.flush()
    assert dropped() - before == 1
    log.add_request(make_entry(caller.key))
    log.flush()
    assert LoggedRequest.objects.count() == 1


def test_reads_of_a_batch_that_is_dropped_count_as_dropped():
    caller, log, before = make_caller(), RequestLog(), dropped()
    log.add_request(make_entry(caller.key, path="x" * 201))
    log.count_read(read_key(caller))
    log.count_read(read_key(caller))
    log.flush()
    assert dropped() - before == 3
    assert not ReadCount.objects.exists()


def test_what_arrives_while_no_database_takes_the_batch_is_kept_with_it():
    caller, log, before = make_caller(), RequestLog(), dropped()
    log.add_request(make_entry(caller.key, request_id="first"))
    log.count_read(read_key(caller))

    def fail(*_statement: Any) -> Any:
        log.add_request(make_entry(caller.key, request_id="second"))
        log.count_read(read_key(caller))
        raise OperationalError("the connection is closed")

    with connection.execute_wrapper(fail):
        log.flush()
    assert not LoggedRequest.objects.exists()
    log.flush()
    kept = LoggedRequest.objects.order_by("id").values_list("request_id", flat=True)
    assert list(kept) == ["first", "second"]
    assert ReadCount.objects.get().count == 2
    assert dropped() == before
