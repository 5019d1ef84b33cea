"""Clients that send or read slowly, hundreds at once, keep nobody else from being answered.

The web server is the real one: as `manage.py up` starts it, and by the image's command.
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
from config.local.supervisor.ports import claim_port, is_responding
from exchange.participants.models import Member
from tests.environment.processes import CHECKOUT, Program, wait_until
from tests.environment.services import HOST, Service, ServiceStack
from tests.factories.api_clients import ApiCaller, make_caller

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60, func_only=True)]

MANY = 300
MEMBERS = "/v1/api/members"
POSTS = ("/v1/oauth/token", "/v1/oauth/revoke", "/hooks/flutterwave", "/admin/login/", MEMBERS)
LARGE = "/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js"
ANSWER_SECONDS = 2.0


def as_up_starts_it(port: int) -> list[str]:
    return webserver.command(HOST, port, kill_seconds=5)


def by_the_image(port: int) -> list[str]:
    words = (CHECKOUT / "Dockerfile").read_text().rpartition("\nCMD ")[2]
    program, *arguments = json.loads(words)
    assert program == "python"
    given = {"0.0.0.0": HOST, "8000": str(port)}
    return [sys.executable, *(given.get(argument, argument) for argument in arguments)]


@contextlib.contextmanager
def served(
    service_stack: ServiceStack, command: Callable[[int], list[str]]
) -> Iterator[tuple[Service, Program]]:
    here = replace(service_stack, web_port=claim_port(HOST, 0))
    program = Program(
        command=command(here.web_port),
        environment=here.environment,
        ready=lambda: is_responding(HOST, here.web_port, "/health"),
        output=service_stack.folder / "web-slow-clients.log",
    )
    program.start()
    try:
        yield Service(here, program), program
    finally:
        program.stop()


@pytest.fixture(scope="module", params=[as_up_starts_it, by_the_image])
def started(request: pytest.FixtureRequest, service_stack: ServiceStack) -> Iterator[Service]:
    with served(service_stack, request.param) as (service, _):
        yield service


@pytest.fixture
def service(started: Service, transactional_db: None) -> Service:
    return started


@pytest.fixture
def caller(transactional_db: None) -> ApiCaller:
    return make_caller()


def slow_post(path: str) -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n"
        "Content-Length: 1000\r\n\r\n12345"
    ).encode()


def large_get() -> bytes:
    """1.5 megabytes are asked for."""
    return f"GET {LARGE} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()


@contextlib.contextmanager
def attached(
    service: Service, requests_: Sequence[bytes], *, window: int = 0
) -> Iterator[list[socket.socket]]:
    """One connection for each of `requests_`, which then does nothing."""
    with contextlib.ExitStack() as kept:
        found = []
        for sent in requests_:
            client = kept.enter_context(socket.socket())
            if window:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
            client.settimeout(30)
            client.connect((HOST, urlsplit(service.base_url).port or 0))
            client.sendall(sent)
            found.append(client)
        yield found


def assert_everybody_else_is_answered(service: Service, caller: ApiCaller) -> None:
    """Each kind of request within two seconds, at the best of five tries."""
    asked: dict[tuple[str, str], int] = {
        ("GET", "/health"): 200,
        ("GET", MEMBERS): 200,
        ("GET", "/admin/login/"): 200,
        ("POST", "/hooks/flutterwave"): 401,
    }
    for (method, path), status in asked.items():
        took = []
        for _ in range(5):
            began = time.monotonic()
            with contextlib.suppress(requests.Timeout):
                response = requests.request(
                    method,
                    service.base_url + path,
                    headers=caller.headers if path == MEMBERS else {},
                    data=b"{}" if method == "POST" else None,
                    timeout=ANSWER_SECONDS,
                )
                assert response.status_code == status, (path, response.text)
                took.append(time.monotonic() - began)
                break
        assert took, f"{method} {path} is not answered within {ANSWER_SECONDS:g} s"


def received(client: socket.socket) -> bytes:
    """Everything until the server closes the connection."""
    return b"".join(iter(lambda: client.recv(65536), b""))


def test_those_who_send_slowly_hold_up_nobody_and_are_answered_in_the_end(service, caller):
    heads = [b"", b"POST /v1/oauth/tok", large_get()[:-2]]
    bodies = [slow_post(POSTS[n % len(POSTS)]) for n in range(MANY)]
    with attached(service, [*heads * 20, *bodies]) as clients:
        assert_everybody_else_is_answered(service, caller)
        last = [received(client) for client in clients[-len(POSTS) :]]
        assert [received(client) for client in clients[: len(heads)]] == [b""] * len(heads)
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


def test_those_who_read_slowly_hold_up_nobody(service, caller):
    # Five answers each are more than the system's buffers hold.
    with attached(service, [large_get() * 5] * MANY, window=2048) as clients:
        assert [client.recv(12) for client in clients] == [b"HTTP/1.1 200"] * MANY
        assert_everybody_else_is_answered(service, caller)


def test_who_reads_slowly_gets_the_whole_answer(service):
    whole = requests.get(service.base_url + LARGE, timeout=10)
    assert whole.headers["Content-Length"] == str(len(whole.content))
    with attached(service, [large_get()], window=2048) as (client,):
        buffer = b""
        while len(buffer.partition(b"\r\n\r\n")[2]) < len(whole.content):
            buffer += client.recv(50_000)
    assert buffer.partition(b"\r\n\r\n")[2] == whole.content


def test_told_to_stop_it_answers_whom_it_began_to_answer_and_ends(service_stack, caller):
    """A request that waits for PostgreSQL gets its answer; who sends slowly keeps nothing alive."""
    with (
        served(service_stack, as_up_starts_it) as (service, program),
        ThreadPoolExecutor(1) as pool,
        attached(service, [slow_post(path) for path in POSTS * 4]),
    ):
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("LOCK TABLE exchange_member IN ACCESS EXCLUSIVE MODE")
            waiting = pool.submit(
                requests.get, service.base_url + MEMBERS, headers=caller.headers, timeout=30
            )
            wait_until(_somebody_waits_for_members, "the request waits for the table")
            os.kill(program.pid, signal.SIGTERM)
            time.sleep(0.5)
        assert waiting.result().status_code == 200
        wait_until(lambda: not program.running, "the server has ended", 20)
        log = Path(service_stack.folder / "web-slow-clients.log").read_text()
        assert "Traceback" not in log


def _somebody_waits_for_members() -> bool:
    """In this database: on a shared server others wait for locks as well."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'exchange_member'::regclass"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        return cursor.fetchone() is not None


def test_a_request_of_two_lengths_is_refused_so_that_none_hides_in_its_body(service, caller):
    for lengths in (
        b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
    ):
        sent = (
            f"POST {MEMBERS} HTTP/1.1\r\nHost: {HOST}\r\n".encode()
            + lengths
            + b"\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n"
        )
        with attached(service, [sent]) as (client,):
            head, _, body = received(client).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 ")
        assert b"\r\nconnection: close" in head.lower()
        response = json.loads(body)  # one answer and no more
        assert response["status"] == "failed"
        assert "can't be present with" in response["message"]
