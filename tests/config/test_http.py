"""A real web server: requests, responses, rejections, and its end."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from config import webserver
from config.local.supervisor.ports import is_responding
from tests.environment import echo_server as echo
from tests.environment.ports import claim_ports
from tests.environment.processes import Program, wait_until
from tests.environment.services import HOST

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Program, int]]:
    port = claim_ports()
    command = webserver.command(HOST, port, workers=1, kill_seconds=3)
    folder = tmp_path_factory.mktemp("echo")
    started = Program(
        command=[*command[:-1], "tests.environment.echo_server:application"],
        environment={
            "DJANGO_SETTINGS_MODULE": "config.settings.test",
            "TMPDIR": str(folder),
            "STALLED_SECONDS": "1",
        },
        ready=lambda: is_responding(HOST, port, "/"),
        output=folder / "echo.log",
    )
    started.start()
    yield started, port
    started.stop()


@pytest.fixture
def url(program: tuple[Program, int]) -> str:
    return f"http://{HOST}:{program[1]}"


def exchange_bytes(port: int, request: bytes, *, half_close: bool = False) -> bytes:
    """Send `request` and return everything until the server closes the connection."""
    with socket.create_connection((HOST, port), timeout=20) as client:
        client.sendall(request)
        if half_close:
            client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(65536), b""))


def send_bytes(port: int, request: bytes) -> tuple[bytes, dict[str, Any]]:
    head, _, body = exchange_bytes(port, request).partition(b"\r\n\r\n")
    return head, json.loads(body)


def workers(program: Program) -> list[int]:
    children = Path(f"/proc/{program.pid}/task/{program.pid}/children")
    return [int(pid) for pid in children.read_text().split()]


def open_files(pid: int) -> list[str]:
    """Return the names of a process's open files; anonymous ones end in (deleted)."""
    found = []
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.append(str(link.readlink()))
    return found


def test_the_environ_follows_wsgi(program):
    head, environ = send_bytes(
        program[1],
        b"POST /a%20b/%C3%A9?x=%zz HTTP/1.1\r\nHost: exchange.example:81\r\nConnection: close\r\n"
        b"Content-Type: application/json\r\nContent-Length: 2\r\n"
        b"X-Forwarded-For: 10.0.0.1\r\nX-Forwarded-For: 10.0.0.2\r\nX_Forwarded_For: 6.6.6.6\r\n"
        b"Cookie: a=1\r\nCookie: b=2\r\n\r\n{}",
    )
    assert head.startswith(b"HTTP/1.1 200 ")
    assert [line for line in head.lower().split(b"\r\n") if line.startswith(b"set-cookie")] == [
        b"set-cookie: a=1",
        b"set-cookie: b=2",
    ]
    expected = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/a b/é".encode().decode("latin-1"),
        "QUERY_STRING": "x=%zz",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "SERVER_NAME": HOST,
        "SERVER_PORT": str(program[1]),
        "REMOTE_ADDR": HOST,
        "HTTP_HOST": "exchange.example:81",
        "HTTP_X_FORWARDED_FOR": "10.0.0.1,10.0.0.2",
        "HTTP_COOKIE": "a=1; b=2",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": "2",
        "wsgi.url_scheme": "http",
        "body": "{}",
        "state": None,
    }
    assert {key: environ.get(key) for key in expected} == expected


def test_a_body_in_chunks_has_a_length(url):
    environ = requests.post(url, iter([b"ab", b"cde"]), timeout=20).json()
    assert (environ["body"], environ["CONTENT_LENGTH"]) == ("abcde", "5")
    assert "HTTP_TRANSFER_ENCODING" not in environ


@pytest.mark.parametrize("size", [64 * 1024, 1024 * 1024])
def test_bodies_up_to_a_megabyte_are_read(url, size):
    environ = requests.post(url, b"x" * size, timeout=20).json()
    assert len(environ["body"]) == size


def test_a_longer_body_is_not_read_and_keeps_its_length(program):
    length = 1024 * 1024 + 1
    _, environ = send_bytes(
        program[1],
        b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        + f"Content-Length: {length}\r\n\r\n".encode(),
    )
    assert (environ["body"], environ["CONTENT_LENGTH"]) == ("", str(length))


def test_an_incomplete_body_never_reaches_the_application(program, url):
    with socket.create_connection((HOST, program[1])) as client:
        client.sendall(b"POST /fault HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")
    assert requests.get(url, timeout=20).status_code == 200
    assert "a fault of the application" not in program[0].output.read_text()


@pytest.mark.parametrize("megabytes", [1, 30])
def test_a_streamed_response_arrives_complete_and_leaves_no_file(program, url, megabytes):
    response = requests.get(f"{url}/stream?megabytes={megabytes}", timeout=60)
    assert response.headers["Content-Length"] == str(megabytes * 1024 * 1024)
    assert set(response.content) == {ord("x")}
    assert len(response.content) == megabytes * 1024 * 1024
    assert [path.name for path in program[0].output.parent.iterdir()] == ["echo.log"]


def test_a_file_arrives_complete(url):
    assert requests.get(f"{url}/file", timeout=20).content == Path(echo.__file__).read_bytes()


@pytest.mark.parametrize(("path", "status"), [("/fault", 500), ("/late-fault", 200)])
def test_a_fault_gets_a_response_and_the_thread_continues(url, path, status):
    for _ in range(20):
        assert requests.get(f"{url}{path}", timeout=20).status_code == status
    assert requests.get(url, timeout=20).status_code == 200


HEAD = b"POST /first HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (HEAD + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         "Transfer-Encoding can't be present with Content-Length"),
        (HEAD + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
         "Content-Length can't be present with Transfer-Encoding"),
        (HEAD + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\n12345",
         "Duplicate Content-Length"),
        (HEAD + b"Content-Length: +4\r\n\r\n1234", "Invalid character in Content-Length"),
        (HEAD + b"Content-Length : 4\r\n\r\n1234", "Invalid header field char"),
        (HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
         "its Transfer-Encoding must be chunked"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nz\r\n", "Invalid character in chunk size"),
        (b"GET /first HTTP/2.0\r\nHost: x\r\n\r\n", "its version must be 1.0 or 1.1, not 2.0"),
        (b"GET /\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n", "Invalid char in url path"),
        (b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", "its target must be a path or a URL"),
        (HEAD + b"A: b\r\n" * 101 + b"\r\n", "it has more than 100 headers"),
        (HEAD + b"A: " + b"b" * 200_000, "its head is too long"),
    ],
)  # fmt: skip
def test_an_ambiguous_request_is_rejected_and_the_connection_closed(program, request_, reason):
    second = b"GET /second HTTP/1.1\r\nHost: x\r\n\r\n"
    head, _, body = exchange_bytes(program[1], request_ + second).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert b"\r\nConnection: close" in head
    assert b"\r\nX-Error-Code: invalid_request" in head
    assert json.loads(body) == {
        "status": "failed",
        "message": f"The request is not valid HTTP: {reason}",
    }


def test_pipelined_requests_get_responses_in_order(program):
    one = b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n"
    responses = exchange_bytes(program[1], b"".join(one % n for n in range(10)) + b"bad\r\n\r\n")
    paths = [line.split(b'"')[0] for line in responses.split(b'"PATH_INFO": "')[1:]]
    assert paths == [b"/%d" % n for n in range(10)]
    assert responses.count(b"HTTP/1.1 200 OK") == 10
    assert responses.count(b"HTTP/1.1 400 Bad Request") == 1


def test_pipelining_is_limited(program):
    responses = exchange_bytes(program[1], b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 100)
    assert responses.count(b"HTTP/1.1 200 OK") == 16
    assert responses.count(b"HTTP/1.1 400 Bad Request") == 1


def test_a_half_closed_client_gets_its_response(program):
    response = exchange_bytes(program[1], b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", half_close=True)
    assert response.startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize("path", ["/", "/file", "/stream?megabytes=2"])
def test_a_head_response_has_the_length_and_no_body(url, path):
    response = requests.head(url + path, timeout=20)
    assert response.status_code == 200
    assert (int(response.headers["Content-Length"]) > 100, response.content) == (True, b"")


def test_a_client_may_expect_100_continue(program):
    with socket.create_connection((HOST, program[1]), timeout=20) as client:
        client.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"{}")
        assert client.recv(65536).startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize(
    "rest",
    [
        b"Content-Length: 2\r\n\r\n{}",
        b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"Content-Length: 0\r\n\r\n",
    ],
)
def test_an_upgrade_request_gets_an_ordinary_response(program, rest):
    request = HEAD + b"Connection: Upgrade\r\nUpgrade: h2c\r\n" + rest
    last = b"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    responses = exchange_bytes(program[1], request * 2 + last)
    assert responses.count(b'"PATH_INFO": "/first"') == 2
    assert responses.count(b'"body": "{}"') == 2 * rest.count(b"{}")
    assert responses.count(b'"PATH_INFO": "/last"') == 1


def test_disconnected_clients_are_not_faults(program, url):
    (worker,) = workers(program[0])
    before = len(open_files(worker))
    get = b"GET /stream?megabytes=1 HTTP/1.1\r\nHost: x\r\n\r\n"
    post = HEAD + b"Content-Length: 100000\r\n\r\n" + b"x" * 70_000
    for request in (b"", get[:20], get, get * 3, post, b"\x16\x03\x01"):
        for _ in range(20):
            with socket.create_connection((HOST, program[1]), timeout=20) as client:
                client.sendall(request)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wait_until(lambda: len(open_files(worker)) <= before, "they are forgotten")
    assert requests.get(url, timeout=20).status_code == 200
    assert "never retrieved" not in program[0].output.read_text()


def test_a_client_that_stops_reading_is_disconnected(program):
    (worker,) = workers(program[0])
    with socket.create_connection((HOST, program[1]), timeout=20) as client:
        client.sendall(b"GET /stream?megabytes=30 HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(12) == b"HTTP/1.1 200"
        wait_until(
            lambda: not any("(deleted)" in name for name in open_files(worker)),
            "the server has let go of the response",
        )
        rest = 0
        with contextlib.suppress(ConnectionResetError):
            while received := len(client.recv(1024 * 1024)):
                rest += received
    assert rest < 30 * 1024 * 1024


def test_a_process_that_dies_is_restarted(program, url):
    (worker,) = workers(program[0])
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: workers(program[0]) not in ([], [worker]), "another has been started")
    assert requests.get(url, timeout=20).status_code == 200
