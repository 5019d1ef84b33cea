"""A web process that is stopped serves until proxies have noticed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from django.test import Client

from config import webserver
from config.local.supervisor.ports import is_responding
from config.wsgi_server import DRAINING
from tests.environment.ports import claim_ports
from tests.environment.processes import Program, wait_until
from tests.environment.services import HOST


@pytest.fixture
def port() -> int:
    return claim_ports()


def start(port: int, folder: Path, drain_seconds: int) -> Program:
    command = webserver.command(HOST, port, drain_seconds=drain_seconds, kill_seconds=5)
    program = Program(
        command=[*command[:-1], "tests.environment.echo_server:application"],
        environment={"DJANGO_SETTINGS_MODULE": "config.settings.test"},
        ready=lambda: is_responding(HOST, port, "/"),
        output=folder / "echo.log",
    )
    program.start()
    return program


@pytest.fixture
def draining(port: int, tmp_path: Path) -> Iterator[tuple[Program, requests.Session]]:
    """A program that was sent SIGTERM, and a connection from before."""
    program = start(port, tmp_path, 60)
    with requests.Session() as session:
        before = session.get(f"http://{HOST}:{port}/", timeout=20)
        assert before.headers.get("Connection") is None
        assert before.json()["draining"] is False
        os.kill(program.pid, signal.SIGTERM)
        wait_until(
            lambda: requests.get(f"http://{HOST}:{port}/", timeout=20).json()["draining"],
            "the process is draining",
        )
        yield program, session
    program.kill()


def test_it_serves_all_connections_and_lets_them_go(draining, port):
    program, session = draining
    for client in (session, requests):
        response = client.get(f"http://{HOST}:{port}/", timeout=20)
        assert (response.status_code, response.headers["Connection"]) == (200, "close")
    assert program.running


@pytest.mark.slow
def test_a_second_signal_ends_it_at_once(draining):
    program, _ = draining
    os.kill(program.pid, signal.SIGTERM)
    wait_until(lambda: not program.running, "the program has ended")


@pytest.mark.slow
def test_a_signal_to_all_processes_of_the_group_is_one_signal(port, tmp_path):
    program = start(port, tmp_path, 60)
    try:
        os.killpg(program.pid, signal.SIGTERM)
        url = f"http://{HOST}:{port}/"
        wait_until(lambda: requests.get(url, timeout=20).json()["draining"], "it is draining")
        for _ in range(50):  # ended processes would refuse one of these
            time.sleep(0.02)
            assert requests.get(url, timeout=20).status_code == 200
        assert program.running
    finally:
        program.kill()


@pytest.mark.slow
def test_it_ends_after_its_time(port, tmp_path):
    program = start(port, tmp_path, 1)
    began = time.monotonic()
    os.kill(program.pid, signal.SIGTERM)
    wait_until(lambda: not program.running, "the program has ended")
    assert time.monotonic() - began >= 1


@pytest.mark.slow
def test_it_is_not_ready_but_alive():
    environ: dict[str, Any] = {DRAINING: True}
    client = Client(**environ)
    ready = client.get("/health/ready")
    assert (ready.status_code, ready.json()) == (
        503,
        {"status": "unavailable", "checks": {"process": "unavailable"}},
    )
    assert client.get("/health/live").status_code == 200
