"""The proxy's configuration of docs/cluster with the web server behind it, against bad clients.

Hundreds of clients that send or read slowly block no other, nor do those that only produce errors,
and no request can be smuggled.
"""

import contextlib
import itertools
import json
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import requests

from config import webserver
from config.ports import is_responding
from exchange.participants.models import Member
from tests.cluster.front import MAX_SECONDS, Front, running_front
from tests.environment.ports import claim_ports
from tests.environment.processes import Program
from tests.environment.services import HOST, ServiceStack
from tests.factories.api_clients import ApiCaller, make_caller

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180, func_only=True)]

MANY = 300
# The proxy takes at most 100 connections of one address.
ATTACKERS = ("127.0.0.11", "127.0.0.12", "127.0.0.13")
MEMBERS = "/v1/api/members"
POSTS = ("/v1/oauth/token", "/v1/oauth/revoke", "/hooks/flutterwave", "/admin/login/", MEMBERS)
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
LARGE = "/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js"


@contextlib.contextmanager
def running_web(
    stack: ServiceStack, folder: Path, application: str = webserver.APPLICATION
) -> Iterator[Front]:
    port = claim_ports()
    here = replace(stack, web_port=port)
    program = Program(
        command=[*webserver.command(HOST, port)[:-1], application],
        environment={**here.environment, "TRUSTED_PROXIES": "1"},
        ready=lambda: is_responding(HOST, port, "/health/live"),
        output=folder / "web.log",
    )
    program.start()
    try:
        with running_front(folder, port) as front:
            yield front
    finally:
        program.stop()


@pytest.fixture(scope="module")
def service(
    service_stack: ServiceStack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Front]:
    with running_web(service_stack, tmp_path_factory.mktemp("front")) as front:
        yield front


@pytest.fixture(scope="module")
def echo(service_stack: ServiceStack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    application = "tests.environment.echo_server:start_application"
    with running_web(service_stack, tmp_path_factory.mktemp("echo"), application) as front:
        yield front


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
    front: Front, payloads: Sequence[bytes], *, window: int = 0
) -> Iterator[list[socket.socket]]:
    """Open a connection for each payload and send it; nothing is read."""
    with contextlib.ExitStack() as stack:
        clients: list[socket.socket] = []
        for number, payload in enumerate(payloads):
            address = ATTACKERS[number % len(ATTACKERS)]
            client = stack.enter_context(front.connect(address, window))
            with contextlib.suppress(OSError):  # it may be refused before it is sent
                client.sendall(payload)
            clients.append(client)
        yield clients


def assert_other_requests_succeed(front: Front, caller: ApiCaller) -> None:
    """Assert that each kind of request succeeds within two seconds in one of five attempts."""
    expected: dict[tuple[str, str], int] = {
        ("GET", "/health"): 200,
        ("GET", MEMBERS): 200,
        ("GET", "/admin/login/"): 200,
        ("POST", "/hooks/flutterwave"): 401,
    }
    for (method, path), status in expected.items():
        for _ in range(5):
            with contextlib.suppress(requests.Timeout):
                headers = caller.headers if path == MEMBERS else {}
                body = b"{}" if method == "POST" else None
                response = front.request(method, path, headers=headers, data=body)
                assert response.status_code == status, (path, response.text)
                break
        else:
            pytest.fail(f"{method} {path} has no response within {MAX_SECONDS:g} s")


def read_until_closed(client: socket.socket) -> bytes:
    """Return everything the proxy sends until it closes the connection."""
    return b"".join(iter(lambda: client.recv(65536), b""))


def test_slow_senders_do_not_block_others_and_time_out(service, caller):
    bodies = [slow_post(POSTS[n % len(POSTS)]) for n in range(MANY)]
    with open_connections(service, bodies) as clients:
        assert_other_requests_succeed(service, caller)
        last = [read_until_closed(client) for client in clients[-len(POSTS) :]]
    message = "The body did not arrive within 10 s"
    for path, response in zip(POSTS, last, strict=True):
        head, _, body = response.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 408 "), head
        assert b"\r\nx-error-code: request_timeout" in head.lower()
        if path.startswith("/v1/oauth/"):
            assert json.loads(body) == {"error": "invalid_request", "error_description": message}
        else:
            assert json.loads(body) == {"status": "failed", "message": message}
    assert Member.objects.count() == 0


@pytest.mark.parametrize("more", [0, 56 * 1024])
def test_a_slow_body_of_the_longest_length_takes_no_thread(service, caller, more):
    """The proxy holds the longest head, and 64 KiB of body but the last byte."""
    size = 64 * 1024
    long = "".join(f"X-Long-{n}: {'x' * 1015}\r\n" for n in range(more // 1024))
    head = f"POST {MEMBERS} HTTP/1.1\r\nHost: x\r\n{long}Content-Length: {size}\r\n\r\n".encode()
    with open_connections(service, [head + b"x" * (size - 1)] * 60):
        assert_other_requests_succeed(service, caller)


def test_slow_long_forms_take_one_thread_of_each_process(service, caller):
    head = b"POST /admin/login/ HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n"
    with open_connections(service, [head + b"x" * 300_000] * 60) as clients:
        assert_other_requests_succeed(service, caller)
        waiting = 0
        for client in clients:
            client.settimeout(0.2)
            try:
                with contextlib.suppress(ConnectionError, ssl.SSLError):
                    assert client.recv(12) in (b"HTTP/1.1 503", b"")
            except TimeoutError:
                waiting += 1
        assert waiting == webserver.WORKERS


@pytest.mark.parametrize(("size", "status"), [(1024 * 1024, 200), (1024 * 1024 + 1, 400)])
def test_a_form_may_have_a_megabyte(service, caller, size, status):
    page = "/admin/login/"
    cookies = service.request("GET", page, timeout=30).cookies
    form = f"csrfmiddlewaretoken={cookies['csrftoken']}&username=".ljust(size, "x")
    headers = {"Referer": service.url + page, **FORM}
    response = service.request(
        "POST", page, data=form, headers=headers, cookies=cookies, timeout=30
    )
    assert response.status_code == status, response.text[:500]


def test_slow_readers_do_not_block_others(service, caller):
    with open_connections(service, [large_get()] * MANY, window=2048) as clients:
        assert [client.recv(12) for client in clients] == [b"HTTP/1.1 200"] * MANY
        assert_other_requests_succeed(service, caller)


def test_one_address_has_a_hundred_connections(service, caller):
    with contextlib.ExitStack() as stack:
        taken = 0
        for _ in range(MANY):
            with contextlib.suppress(OSError):
                stack.enter_context(service.connect(ATTACKERS[0]))
                taken += 1
        assert 90 <= taken <= 101
        assert_other_requests_succeed(service, caller)


HEAD = b"POST /first HTTP/1.1\r\nHost: x\r\n"
SECOND = b"GET /second HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize(
    "attack",
    [
        HEAD + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SECOND,
        HEAD + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + SECOND,
        HEAD + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n" + SECOND,
        HEAD + b"Transfer-Encoding : chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + SECOND,
        HEAD + b"Transfer_Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + SECOND,
        HEAD + b"Content-Length: 4\r\nContent-Length: 40\r\n\r\n1234" + SECOND,
        HEAD + b"Content-Length: +4\r\n\r\n1234" + SECOND,
        HEAD + b"Content-Length: 4 \r\n\r\n1234" + SECOND,
        HEAD + b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 4\r\n\r\n1234" + SECOND,
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n4;x=\n\r\n1234\r\n0\r\n\r\n" + SECOND,
    ],
)
def test_no_other_client_gets_the_response_of_a_smuggled_request(echo, attack):
    """The proxy shares its connections to web nodes between clients."""
    with echo.connect() as attacker:
        attacker.sendall(attack)
        for number in range(20):
            shown = echo.request("GET", f"/victim-{number}", timeout=10).json()
            assert (shown["PATH_INFO"], shown["body"]) == (f"/victim-{number}", "")
        attacker.settimeout(12)
        received = b""
        with contextlib.suppress(TimeoutError):
            while piece := attacker.recv(65536):
                received += piece
    # Each request is either refused or has one response of its own.
    paths = [part.split(b'"')[0] for part in received.split(b'"PATH_INFO": "')[1:]]
    assert paths in ([], [b"/first"], [b"/first", b"/second"])
    assert received.count(b"HTTP/1.1 ") == len(paths) + received.count(b"HTTP/1.1 400 ")


def test_clients_cannot_imitate_headers_of_the_proxy(echo):
    sent = {
        "X-Forwarded-For": "10.0.0.1",
        "X_Forwarded_For": "10.0.0.2",
        "X-Forwarded-Proto": "http",
        "X_Forwarded_Proto": "http",
    }
    shown = echo.request("GET", "/", headers=sent, timeout=10).json()
    assert shown["HTTP_X_FORWARDED_FOR"].split(",")[-1] == HOST
    assert shown["HTTP_X_FORWARDED_PROTO"] == "https"


@pytest.mark.parametrize("size", [64 * 1024, 64 * 1024 + 1, 1024 * 1024])
@pytest.mark.parametrize("chunked", [False, True])
def test_the_longest_body_passes_and_a_longer_one_is_refused(service, caller, size, chunked):
    frame = '{"name": "Ada", "email": "ada@example.com", "x": "%s"}'
    body = (frame % ("y" * (size - len(frame) + 2))).encode()
    headers = {**caller.headers, "Content-Type": "application/json"}
    data = (body[at : at + 8192] for at in range(0, size, 8192)) if chunked else body
    response = service.request("POST", MEMBERS, headers=headers, data=data, timeout=10)
    assert response.status_code == (201 if size == 64 * 1024 else 413), response.text


def produce_errors(
    front: Front,
    address: str,
    tokens: Iterator[str],
    path: str = "/v1/api/missing",
    status: int = 404,
) -> None:
    """Ask for `path`, each time with another of `tokens`, until one of eight is limited."""
    limited = threading.Event()

    def ask() -> None:
        with contextlib.closing(front.client(address)) as client:
            while not limited.is_set():
                headers = {"Authorization": next(tokens)}
                client.request("GET", path, headers=headers)
                response = client.getresponse()
                body = response.read()
                if response.status == 429:
                    limited.set()
                    assert json.loads(body) == {
                        "status": "failed",
                        "message": "Too many requests with errors. Try again in 10 s",
                    }
                    assert response.headers["X-Error-Code"] == "rate_limited"
                    assert response.headers["Retry-After"] == "10"
                else:
                    assert response.status == status

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: ask(), range(8)))


def status_of(front: Front, address: str, path: str, token: str) -> int:
    with contextlib.closing(front.client(address)) as client:
        client.request("GET", path, headers={"Authorization": token})
        return client.getresponse().status


def test_a_token_that_only_produces_errors_is_limited_alone(service, caller):
    address = "127.0.0.14"
    token, other = (each.headers["Authorization"] for each in (caller, make_caller()))
    for each in (token, other):
        assert status_of(service, address, MEMBERS, each) == 200
    produce_errors(service, address, itertools.repeat(token))
    assert status_of(service, address, MEMBERS, token) == 429
    assert status_of(service, address, MEMBERS, other) == 200
    for path, status in (("/health", 200), ("/hooks/flutterwave", 405)):
        assert status_of(service, address, path, token) == status


def test_a_token_that_never_waits_for_the_printer_is_limited_alone(echo):
    address = "127.0.0.17"
    for each in ("Bearer eager", "Bearer other"):
        assert status_of(echo, address, MEMBERS, each) == 200
    produce_errors(echo, address, itertools.repeat("Bearer eager"), "/v1/busy", 503)
    assert status_of(echo, address, MEMBERS, "Bearer eager") == 429
    assert status_of(echo, address, MEMBERS, "Bearer other") == 200


def test_tokens_without_success_count_with_their_address(service, caller):
    address, token = "127.0.0.15", caller.headers["Authorization"]
    assert status_of(service, address, MEMBERS, token) == 200
    produce_errors(service, address, map("Bearer {}".format, itertools.count()))
    assert status_of(service, address, MEMBERS, "Bearer another") == 429
    assert status_of(service, address, "/v1/oauth/token", "Basic another") == 429
    assert status_of(service, address, MEMBERS, token) == 200
    assert status_of(service, "127.0.0.16", MEMBERS, "Bearer another") == 401
