"""Hundreds of clients that send or read slowly do not block other requests.

The web server runs as `manage.py up` starts it, and by the command of the image.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from django.db import connection, transaction

from config import webserver
from config.local.supervisor.ports import is_responding
from exchange.participants.models import Member
from tests.environment.ports import claim_ports
from tests.environment.processes import CHECKOUT, Program, wait_until
from tests.environment.services import HOST, Service, ServiceStack
from tests.factories.api_clients import ApiCaller, make_caller

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60, func_only=True)]

MANY = 300
MEMBERS = "/v1/api/members"
POSTS = ("/v1/oauth/token", "/v1/oauth/revoke", "/hooks/flutterwave", "/admin/login/", MEMBERS)
LARGE = "/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js"
MAX_SECONDS = 2.0


def up_command(port: int) -> list[str]:
    return webserver.command(HOST, port, kill_seconds=5)


def image_command(port: int) -> list[str]:
    command = (CHECKOUT / "Dockerfile").read_text().rpartition("\nCMD ")[2]
    program, *arguments = json.loads(command)
    assert program == "python"
    replacements = {"0.0.0.0": HOST, "8000": str(port)}
    return [sys.executable, *(replacements.get(argument, argument) for argument in arguments)]


@contextlib.contextmanager
def running_web(
    service_stack: ServiceStack, command: Callable[[int], list[str]]
) -> Iterator[tuple[Service, Program]]:
    stack = replace(service_stack, web_port=claim_ports())
    program = Program(
        command=command(stack.web_port),
        environment=stack.environment,
        ready=lambda: is_responding(HOST, stack.web_port, "/health"),
        output=service_stack.folder / "web-slow-clients.log",
    )
    program.start()
    try:
        yield Service(stack, program), program
    finally:
        program.stop()


@pytest.fixture(scope="module", params=[up_command, image_command])
def web_service(request: pytest.FixtureRequest, service_stack: ServiceStack) -> Iterator[Service]:
    with running_web(service_stack, request.param) as (service, _):
        yield service


@pytest.fixture
def service(web_service: Service, transactional_db: None) -> Service:
    return web_service


@pytest.fixture
def caller(transactional_db: None) -> ApiCaller:
    return make_caller()


def slow_post(path: str) -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n"
        "Content-Length: 1000\r\n\r\n12345"
    ).encode()


def large_get() -> bytes:
    """Return a request for 1.5 megabytes."""
    return f"GET {LARGE} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()


@contextlib.contextmanager
def open_connections(
    service: Service, payloads: Sequence[bytes], *, window: int = 0
) -> Iterator[list[socket.socket]]:
    """Open a connection for each payload and send it; nothing is read."""
    with contextlib.ExitStack() as stack:
        clients = []
        for payload in payloads:
            client = stack.enter_context(socket.socket())
            if window:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
            client.settimeout(30)
            client.connect((HOST, urlsplit(service.base_url).port or 0))
            client.sendall(payload)
            clients.append(client)
        yield clients


def assert_other_requests_succeed(service: Service, caller: ApiCaller) -> None:
    """Assert that each kind of request succeeds within two seconds in one of five attempts."""
    expected: dict[tuple[str, str], int] = {
        ("GET", "/health"): 200,
        ("GET", MEMBERS): 200,
        ("GET", "/admin/login/"): 200,
        ("POST", "/hooks/flutterwave"): 401,
    }
    for (method, path), status in expected.items():
        durations = []
        for _ in range(5):
            start = time.monotonic()
            with contextlib.suppress(requests.Timeout):
                response = requests.request(
                    method,
                    service.base_url + path,
                    headers=caller.headers if path == MEMBERS else {},
                    data=b"{}" if method == "POST" else None,
                    timeout=MAX_SECONDS,
                )
                assert response.status_code == status, (path, response.text)
                durations.append(time.monotonic() - start)
                break
        assert durations, f"{method} {path} has no response within {MAX_SECONDS:g} s"


def read_until_closed(client: socket.socket) -> bytes:
    """Return everything the server sends until it closes the connection."""
    return b"".join(iter(lambda: client.recv(65536), b""))


def test_slow_senders_do_not_block_others_and_time_out(service, caller):
    heads = [b"", b"POST /v1/oauth/tok", large_get()[:-2]]
    bodies = [slow_post(POSTS[n % len(POSTS)]) for n in range(MANY)]
    with open_connections(service, [*heads * 20, *bodies]) as clients:
        assert_other_requests_succeed(service, caller)
        last = [read_until_closed(client) for client in clients[-len(POSTS) :]]
        assert [read_until_closed(client) for client in clients[: len(heads)]] == [b""] * len(heads)
    for path, response in zip(POSTS, last, strict=True):
        head, _, body = response.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 408 "), (path, head)
        assert b"\r\nconnection: close" in head.lower()
        assert b"\r\nx-error-code: request_timeout" in head.lower()
        message = "The body did not arrive within 10 s"
        if path.startswith("/v1/oauth/"):
            assert json.loads(body) == {"error": "invalid_request", "error_description": message}
        else:
            assert json.loads(body) == {"status": "failed", "message": message}
    assert Member.objects.count() == 0


def test_slow_readers_do_not_block_others(service, caller):
    # Five responses exceed the system's buffers.
    with open_connections(service, [large_get() * 5] * MANY, window=2048) as clients:
        assert [client.recv(12) for client in clients] == [b"HTTP/1.1 200"] * MANY
        assert_other_requests_succeed(service, caller)


def test_a_slow_reader_gets_the_whole_response(service):
    whole = requests.get(service.base_url + LARGE, timeout=10)
    assert whole.headers["Content-Length"] == str(len(whole.content))
    with open_connections(service, [large_get()], window=2048) as (client,):
        buffer = b""
        while len(buffer.partition(b"\r\n\r\n")[2]) < len(whole.content):
            buffer += client.recv(50_000)
    assert buffer.partition(b"\r\n\r\n")[2] == whole.content


def test_a_stopping_server_completes_started_requests_and_exits(service_stack, caller):
    """A request that waits for PostgreSQL is completed; slow senders do not delay the exit."""
    with (
        running_web(service_stack, up_command) as (service, program),
        ThreadPoolExecutor(1) as pool,
        open_connections(service, [slow_post(path) for path in POSTS * 4]),
    ):
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("LOCK TABLE exchange_member IN ACCESS EXCLUSIVE MODE")
            waiting = pool.submit(
                requests.get, service.base_url + MEMBERS, headers=caller.headers, timeout=30
            )
            wait_until(_is_waiting_for_members, "the request waits for the table")
            os.kill(program.pid, signal.SIGTERM)
            time.sleep(0.5)
        assert waiting.result().status_code == 200
        wait_until(lambda: not program.running, "the server has exited", 20)
        log = Path(service_stack.folder / "web-slow-clients.log").read_text()
        assert "Traceback" not in log


def _is_waiting_for_members() -> bool:
    """Return whether a session of this database waits for the table of members."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'exchange_member'::regclass"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        return cursor.fetchone() is not None


def test_a_request_with_two_lengths_is_rejected_to_prevent_smuggling(service, caller):
    for lengths in (
        b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
    ):
        sent = (
            f"POST {MEMBERS} HTTP/1.1\r\nHost: {HOST}\r\n".encode()
            + lengths
            + b"\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n"
        )
        with open_connections(service, [sent]) as (client,):
            head, _, body = read_until_closed(client).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 ")
        assert b"\r\nconnection: close" in head.lower()
        response = json.loads(body)  # exactly one response
        assert response["status"] == "failed"
        assert "can't be present with" in response["message"]
