"""A web process that is stopped serves until proxies have noticed."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from config import webserver
from config.ports import is_responding
from tests.environment.memory import process_tree
from tests.environment.ports import claim_ports
from tests.environment.processes import Program, wait_until
from tests.environment.services import HOST

NOT_READY = (503, {"status": "unavailable", "checks": {"process": "unavailable"}})


@pytest.fixture
def port() -> int:
    return claim_ports()


def web(port: int, folder: Path, drain_seconds: int) -> Program:
    return Program(
        command=webserver.command(HOST, port, drain_seconds=drain_seconds, kill_seconds=5),
        environment={"DJANGO_SETTINGS_MODULE": "config.settings.test", "TMPDIR": str(folder)},
        ready=lambda: is_responding(HOST, port, "/health/live"),
        output=folder / "web.log",
    )


def readiness(port: int) -> tuple[int, object]:
    response = requests.get(f"http://{HOST}:{port}/health/ready", timeout=20)
    return response.status_code, response.json()


@pytest.fixture
def draining(port: int, tmp_path: Path) -> Iterator[Program]:
    """A program that was sent SIGTERM."""
    program = web(port, tmp_path, 60)
    program.start()
    os.kill(program.pid, signal.SIGTERM)
    wait_until(lambda: readiness(port) == NOT_READY, "the process is draining")
    yield program
    program.kill()


def test_it_is_not_ready_but_serves_until_a_second_signal(draining, port):
    for _ in range(20):  # by both processes
        assert readiness(port) == NOT_READY
        assert requests.get(f"http://{HOST}:{port}/health/live", timeout=20).status_code == 200
    assert draining.running
    os.kill(draining.pid, signal.SIGTERM)
    wait_until(lambda: not draining.running, "the program has ended")


@pytest.mark.slow
def test_it_ends_after_its_time_and_leaves_no_file(port, tmp_path):
    program = web(port, tmp_path, 1)
    program.start()
    began = time.monotonic()
    os.kill(program.pid, signal.SIGTERM)
    wait_until(lambda: not program.running, "the program has ended")
    assert time.monotonic() - began >= 1
    assert [path.name for path in tmp_path.iterdir()] == ["web.log"]
    assert "Traceback" not in program.output.read_text()


@pytest.mark.slow
def test_a_signal_before_its_processes_listen_to_signals_stops_it_in_bounded_time(port, tmp_path):
    program = web(port, tmp_path, 0)
    program.ready = lambda: len(process_tree(program.pid)) == 1 + webserver.WORKERS
    program.start()
    os.kill(program.pid, signal.SIGTERM)
    wait_until(lambda: not program.running, "the program has ended", 20)
    assert not is_responding(HOST, port, "/health/live")
