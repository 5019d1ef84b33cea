"""Metrics are served whatever happens to the processes, the database, or the port."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import requests
from django.db import connection
from prometheus_client.parser import text_string_to_metric_families

from config.metrics.database import DatabaseCollector
from config.metrics.readings import READINGS
from config.ports import is_responding
from tests.environment.database import server_url, worker_database
from tests.environment.memory import process_tree
from tests.environment.ports import claim_ports
from tests.environment.processes import CHECKOUT, Program, wait_until
from tests.environment.services import HOST, ServiceStack, make_stack
from wallets.alerts.services import raise_alert

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def scrape(port: int) -> Samples:
    text = requests.get(f"http://{HOST}:{port}/metrics", timeout=10).text
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float | None:
    return samples.get((name, frozenset(labels.items())))


def readings_of(collector: DatabaseCollector) -> Samples:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in collector.collect()
        for sample in family.samples
    }


@pytest.fixture
def stack(transactional_db: None, tmp_path: Path) -> ServiceStack:
    return make_stack(tmp_path, METRICS_LISTEN=f"{HOST}:{claim_ports(4)}")


@pytest.fixture
def port(stack: ServiceStack) -> int:
    return int(stack.variables["METRICS_LISTEN"].rpartition(":")[2])


@pytest.fixture
def web(stack: ServiceStack) -> Iterator[Program]:
    program = stack.web()
    yield program
    program.stop()


def metrics_folder(pid: int) -> Path:
    """Return the folder whose files the web server `pid` has mapped."""
    found = re.search(r"/\S*/exchange-web-\w+(?=/)", Path(f"/proc/{pid}/maps").read_text())
    assert found is not None
    return Path(found[0])


def requests_made(port: int) -> float:
    labels = {"method": "GET", "route": "health/live", "status": "200"}
    return value(scrape(port), "exchange_requests_total", **labels) or 0


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux's /proc")
def test_killed_processes_are_replaced_and_what_they_counted_stays(
    stack: ServiceStack, web: Program, port: int
) -> None:
    web.start()
    for _ in range(20):
        requests.get(f"{stack.base_url}/health/live", timeout=10).raise_for_status()
    assert requests_made(port) == 20
    threads = "exchange_request_threads"
    wait_until(lambda: value(scrape(port), threads) == 16, "both report their threads")
    before = set(process_tree(web.pid)[1:])
    assert len(before) == 2
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: len(set(process_tree(web.pid)[1:]) - before) == 2, "both are replaced")
    wait_until(lambda: is_responding(HOST, port, "/metrics"), "metrics are served")
    wait_until(lambda: value(scrape(port), threads) == 16, "the dead have no threads")
    assert requests_made(port) == 20
    folder = metrics_folder(web.pid)
    web.stop()
    assert not folder.exists()


@pytest.mark.slow
def test_without_a_database_metrics_are_served_and_say_so(
    stack: ServiceStack, web: Program, port: int
) -> None:
    web.environment = {
        **stack.environment, "TEST_DATABASE_URL": f"postgresql://someone@{HOST}:1/nowhere",
    }  # fmt: skip
    web.ready = lambda: is_responding(HOST, stack.web_port, "/health/live")
    web.start()
    wait_until(lambda: is_responding(HOST, port, "/metrics"), "metrics are served")
    samples = scrape(port)
    for reading in READINGS:
        if reading.database == "default":
            assert value(samples, "exchange_reading_succeeded", reading=reading.name) == 0
    assert value(samples, "exchange_payout_circuit", state="Closed") is None
    assert value(samples, "exchange_requests_in_progress") is not None


@pytest.mark.parametrize(
    ("offset", "command"),
    [
        (0, ["-m", "config.webserver", "--port", "0"]),
        pytest.param(
            *(1, ["-m", "celery", "-q", "-A", "config.celery", "worker", "--pool", "threads"]),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            2, ["-m", "celery", "-q", "-A", "config.celery", "beat"], marks=pytest.mark.slow
        ),
        pytest.param(3, ["-m", "config.streamserver", "--port", "0"], marks=pytest.mark.slow),
    ],
    ids=["web", "worker", "beat", "streams"],
)
def test_a_port_in_use_refuses_the_start_in_one_line(
    stack: ServiceStack, port: int, offset: int, command: list[str]
) -> None:
    with socket.create_server((HOST, port + offset)):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", *command],
            cwd=CHECKOUT,
            env={**os.environ, **stack.environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == (
        f"METRICS_LISTEN: port {port + offset} of {HOST} is in use. Give an address whose port, and"
        " the next three for worker, beat and streams, are free.\n"
    )


@pytest.mark.django_db(transaction=True)
def test_values_are_read_at_most_every_few_seconds() -> None:
    collector = DatabaseCollector()
    raise_alert("books", message="first")
    first = readings_of(collector)
    raise_alert("float", message="second")
    assert readings_of(collector) == first
    assert value(first, "exchange_alerts_open", kind="books") == 1
    assert value(readings_of(DatabaseCollector()), "exchange_alerts_open", kind="float") == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_a_reading_that_takes_too_long_fails_alone_and_lock_waits_are_counted() -> None:
    results: list[Samples] = []
    with (
        psycopg.connect(server_url(worker_database())) as holder,
        psycopg.connect(server_url(worker_database()), autocommit=True) as waiter,
    ):
        holder.execute("LOCK TABLE wallets_alert IN ACCESS EXCLUSIVE MODE")
        waiting = threading.Thread(
            target=waiter.execute, args=["SELECT count(*) FROM wallets_alert"], daemon=True
        )
        waiting.start()
        collecting = threading.Thread(
            target=lambda: results.append(readings_of(DatabaseCollector())), daemon=True
        )
        collecting.start()
        collecting.join(60)
        holder.rollback()
        waiting.join(60)
    [samples] = results
    assert {
        reading.name: value(samples, "exchange_reading_succeeded", reading=reading.name)
        for reading in READINGS
        if reading.database == "default"
    } == {
        reading.name: float(reading.name != "alerts")
        for reading in READINGS
        if reading.database == "default"
    }
    assert value(samples, "exchange_lock_waits") == 1
    assert (value(samples, "exchange_lock_wait_oldest_seconds") or 0) > 1


@pytest.mark.django_db
def test_every_reading_uses_the_rights_of_the_service() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("exchange_runtime",)
        for reading in READINGS:
            cursor.execute(reading.sql, reading.parameters())
            columns = len(reading.labels) + len(reading.metrics)
            assert len(cursor.description) == columns, reading.name
