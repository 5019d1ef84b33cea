"""Posting over real HTTP to a real receiver."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from exchange.webhooks.posting import Outcome, post
from tests.environment.webhook_receiver import Receiver, Reply, drip, raw_server

BODY = '{"name":"Zoë"}'.encode()


def send(url: str, *, deadline: float = 5.0, allow_local: bool = True) -> Outcome:
    return post(url, BODY, {"webhook-id": "1"}, deadline_seconds=deadline, allow_local=allow_local)


def no_post_is_left_running() -> bool:
    """Whether the threads of posts that were cut have ended, which they do in an instant."""
    deadline = time.monotonic() + 1
    while any(thread.name == "webhook-post" for thread in threading.enumerate()):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_the_bytes_and_headers_arrive_as_they_are(receiver: Receiver) -> None:
    outcome = send(receiver.url)
    assert outcome.delivered
    assert (outcome.status_code, outcome.answer, outcome.error) == (200, "taken", "")
    (request,) = receiver.received
    assert request.path == "/hook"
    assert request.body == BODY
    assert request.headers["content-type"] == "application/json"
    assert request.headers["user-agent"].startswith("TokenizedInvestmentExchange")
    assert request.headers["webhook-id"] == "1"
    assert request.headers["content-length"] == str(len(BODY))


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_every_2xx_is_a_success(receiver: Receiver, status: int) -> None:
    receiver.reply = Reply(status, body=b"")
    assert send(receiver.url).delivered


@pytest.mark.parametrize("status", [199, 300, 304, 400, 404, 410, 500, 503])
def test_everything_else_is_a_failure(receiver: Receiver, status: int) -> None:
    receiver.reply = Reply(status, body=b"")
    assert not send(receiver.url, deadline=0.7).delivered


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(receiver: Receiver, status: int) -> None:
    with Receiver() as elsewhere:
        receiver.reply = Reply(status, {"Location": elsewhere.url})
        outcome = send(receiver.url)
        assert (outcome.status_code, outcome.error) == (status, "redirects are not followed")
        assert not outcome.delivered
        assert elsewhere.received == []


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (299, ""),
        (300, "redirects are not followed"),
        (304, "redirects are not followed"),
        (399, "redirects are not followed"),
        (400, ""),
    ],
)
def test_every_status_of_a_redirect_is_told_as_one(
    receiver: Receiver, status: int, error: str
) -> None:
    receiver.reply = Reply(status, body=b"")
    outcome = send(receiver.url)
    assert (outcome.status_code, outcome.error) == (status, error)


@pytest.mark.parametrize(
    ("status", "delivered"),
    [(None, False), (199, False), (200, True), (299, True), (300, False)],
)
def test_an_event_is_delivered_by_an_answer_of_2xx_alone(
    status: int | None, delivered: bool
) -> None:
    assert Outcome(status_code=status, milliseconds=1).delivered is delivered


def test_without_leave_no_plain_address_is_called(receiver: Receiver) -> None:
    outcome = send(receiver.url, allow_local=False)
    told = "the URL does not lead to a public address over https"
    assert outcome == Outcome(status_code=None, milliseconds=0, error=told)
    assert receiver.received == []


def test_what_is_posted_says_how_it_may_be_answered(receiver: Receiver) -> None:
    send(receiver.url)
    (request,) = receiver.received
    told = {name: request.headers[name] for name in ("accept", "accept-encoding", "connection")}
    assert told == {"accept": "*/*", "accept-encoding": "identity", "connection": "close"}


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        (" 120 ", 120.0),
        ("999999999", 999_999_999.0),
        ("1234567890", 123_456_789.0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0),
    ],
)
def test_retry_after_is_seconds_from_now_and_never_negative(
    receiver: Receiver, value: str, seconds: float
) -> None:
    receiver.reply = Reply(503, {"Retry-After": value}, body=b"")
    assert send(receiver.url).retry_after_seconds == seconds


def test_only_the_first_kibibyte_of_the_answer_is_kept(receiver: Receiver) -> None:
    receiver.reply = Reply(500, body=b"x" * 1023 + "é".encode() + b"y" * 1_000_000)
    outcome = send(receiver.url)
    assert outcome.answer == "x" * 1023 + "\N{REPLACEMENT CHARACTER}"


def test_an_answer_that_the_database_could_not_keep_is_made_fit(receiver: Receiver) -> None:
    receiver.reply = Reply(500, body=b"a\x00b\xffc")
    assert send(receiver.url).answer == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"


def test_a_compressed_answer_is_not_unpacked(receiver: Receiver) -> None:
    bomb = gzip.compress(b"0" * 50_000_000)
    receiver.reply = Reply(200, {"Content-Encoding": "gzip"}, body=bomb)
    outcome = send(receiver.url)
    assert outcome.delivered
    assert len(outcome.answer) <= 1024


def test_a_receiver_that_says_nothing_is_cut_at_the_deadline(receiver: Receiver) -> None:
    receiver.reply = Reply(wait_seconds=20)
    outcome = send(receiver.url, deadline=0.4)
    assert (outcome.status_code, outcome.error) == (None, "no answer within 0.4 seconds")
    assert 400 <= outcome.milliseconds < 1500


@pytest.mark.parametrize(
    "text",
    [b"H", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"],
    ids=["status line", "headers", "endless 100s"],
)
def test_a_slow_drip_of_headers_is_cut_at_the_deadline(text: bytes) -> None:
    with raw_server(lambda connection: drip(connection, text, every_seconds=0.02)) as port:
        started = time.monotonic()
        outcome = send(f"http://127.0.0.1:{port}/", deadline=0.6)
        assert time.monotonic() - started < 2
        assert no_post_is_left_running()
    assert outcome.status_code is None
    assert not outcome.delivered


def test_a_slow_drip_in_the_body_is_cut_and_its_beginning_kept() -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 500 Oops\r\nContent-Length: 5000\r\n\r\nbeg")
        drip(connection, b".", every_seconds=0.1)

    with raw_server(talk) as port:
        started = time.monotonic()
        outcome = send(f"http://127.0.0.1:{port}/", deadline=0.6)
        assert time.monotonic() - started < 2
        assert no_post_is_left_running()
    assert outcome.status_code == 500
    assert outcome.answer.startswith("beg")


def test_a_tls_handshake_that_never_ends_is_cut_at_the_deadline() -> None:
    # The first bytes of a TLS record that announces more than will ever come.
    with raw_server(lambda connection: drip(connection, b"\x16\x03\x03\x40\x00" * 4)) as port:
        started = time.monotonic()
        outcome = send(f"https://127.0.0.1:{port}/", deadline=0.6)
        assert time.monotonic() - started < 2
        assert no_post_is_left_running()
    assert outcome.status_code is None


def test_an_answer_in_chunks_is_read() -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
        )

    with raw_server(talk) as port:
        outcome = send(f"http://127.0.0.1:{port}/")
    assert (outcome.status_code, outcome.answer) == (200, "abcde")


def test_nobody_listening_is_a_failure_with_a_reason() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    outcome = send(f"http://127.0.0.1:{port}/")
    assert (outcome.status_code, outcome.error) == (None, "no connection, or it broke off")


def test_gibberish_is_a_failure_with_a_reason() -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(b"220 smtp.example ESMTP\r\n")

    with raw_server(talk) as port:
        outcome = send(f"http://127.0.0.1:{port}/")
    assert outcome.status_code is None
    assert outcome.error == "no connection, or it broke off"


def test_a_certificate_nobody_vouches_for_is_refused(receiver: Receiver) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)

    def talk(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True):
            pass

    with raw_server(talk) as port:
        outcome = send(f"https://127.0.0.1:{port}/")
    assert (outcome.status_code, outcome.error) == (None, "the TLS connection could not be made")


def test_a_proxy_of_the_environment_is_not_used(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert send(receiver.url).delivered


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_loopback_is_refused_at_the_moment_of_sending(
    receiver: Receiver, scheme: str, host: str
) -> None:
    outcome = send(f"{scheme}://{host}:{receiver.port}/hook", allow_local=False)
    assert outcome.status_code is None
    assert outcome.error == "the URL does not lead to a public address over https"
    assert receiver.received == []


@pytest.mark.parametrize(
    "address", ["[::127.0.0.1]", "[64:ff9b::7f00:1]", "[fec0::1]", "[2002:7f00:1::]", "100.64.0.1"]
)
def test_addresses_that_only_look_public_are_refused_when_sending(address: str) -> None:
    outcome = send(f"https://{address}/hook", deadline=2, allow_local=False)
    assert outcome.error == "the URL does not lead to a public address over https"


def test_retry_after_is_read_in_both_forms(receiver: Receiver) -> None:
    receiver.reply = Reply(503, {"Retry-After": "120"})
    assert send(receiver.url).retry_after_seconds == 120
    later = datetime.now(UTC) + timedelta(minutes=10)
    receiver.reply = Reply(503, {"Retry-After": format_datetime(later, usegmt=True)})
    asked = send(receiver.url).retry_after_seconds
    assert asked is not None
    assert 590 < asked <= 600


@pytest.mark.parametrize("value", ["", "soon", "-5", "1e9", "٣", "Wed, 99 Foo 2026"])
def test_a_retry_after_that_cannot_be_read_is_none(receiver: Receiver, value: str) -> None:
    receiver.reply = Reply(503, {"Retry-After": value} if value.isascii() else {})
    assert send(receiver.url).retry_after_seconds is None
