"""Posting over real HTTP to a real receiver."""

import gzip
import socket
import ssl
import threading
import time
import warnings
from contextvars import copy_context
from datetime import UTC, datetime, timedelta, tzinfo
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Self

import pytest
import requests
from requests_hardened.ip_filter_adapter import IPFilterAdapter

from exchange.events.webhooks import posting
from exchange.events.webhooks.posting import (
    PostOutcome,
    _parse_retry_after,
    _PostAttempt,
    _session,
    post,
)
from tests.environment.ports import claim_ports
from tests.environment.webhook_receiver import Received, Receiver, Reply, raw_server, send_slowly

BODY = '{"name":"Zoë"}'.encode()


def send(url: str, *, deadline: float = 5.0, allow_local: bool = True) -> PostOutcome:
    return post(url, BODY, {"webhook-id": "1"}, deadline_seconds=deadline, allow_local=allow_local)


def no_post_is_left_running() -> bool:
    """Return whether the threads of aborted posts have ended."""
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
    assert outcome.milliseconds < 5000  # not only at the deadline
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
def test_every_redirect_status_is_reported_as_a_redirect(
    receiver: Receiver, status: int, error: str
) -> None:
    receiver.reply = Reply(status, body=b"")
    outcome = send(receiver.url)
    assert (outcome.status_code, outcome.error) == (status, error)


@pytest.mark.parametrize(
    ("status", "delivered"),
    [(None, False), (199, False), (200, True), (299, True), (300, False)],
)
def test_only_a_2xx_response_delivers_an_event(status: int | None, delivered: bool) -> None:
    assert PostOutcome(status_code=status, milliseconds=1).delivered is delivered


def test_plain_http_is_called_only_with_allow_local(receiver: Receiver) -> None:
    outcome = send(receiver.url, allow_local=False)
    expected = "the URL does not resolve to a public address over https"
    assert outcome == PostOutcome(status_code=None, milliseconds=0, error=expected)
    assert receiver.received == []


def test_a_post_states_the_responses_it_accepts(receiver: Receiver) -> None:
    send(receiver.url)
    (request,) = receiver.received
    headers = {name: request.headers[name] for name in ("accept", "accept-encoding", "connection")}
    assert headers == {"accept": "*/*", "accept-encoding": "identity", "connection": "close"}


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


def test_only_the_first_kibibyte_of_a_response_is_stored(receiver: Receiver) -> None:
    receiver.reply = Reply(500, body=b"x" * 1023 + "é".encode() + b"y" * 1_000_000)
    outcome = send(receiver.url)
    assert outcome.answer == "x" * 1023 + "\N{REPLACEMENT CHARACTER}"


def test_a_response_is_made_storable(receiver: Receiver) -> None:
    receiver.reply = Reply(500, body=b"a\x00b\xffc")
    assert send(receiver.url).answer == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"


def test_a_compressed_response_is_not_unpacked(receiver: Receiver) -> None:
    bomb = gzip.compress(b"0" * 50_000_000)
    receiver.reply = Reply(200, {"Content-Encoding": "gzip"}, body=bomb)
    outcome = send(receiver.url)
    assert outcome.delivered
    assert outcome.answer.startswith("\x1f\N{REPLACEMENT CHARACTER}\x08")
    assert len(outcome.answer) <= 1024


def test_a_silent_receiver_is_cut_off_at_the_deadline(receiver: Receiver) -> None:
    receiver.reply = Reply(wait_seconds=20)
    outcome = send(receiver.url, deadline=0.4)
    assert (outcome.status_code, outcome.error) == (None, "no response within 0.4 seconds")
    assert 400 <= outcome.milliseconds < 1500


@pytest.mark.parametrize(
    "text",
    [b"H", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"],
    ids=["status line", "headers", "endless 100s"],
)
@pytest.mark.one_in(3)
def test_a_slow_drip_of_headers_is_cut_off_at_the_deadline(text: bytes) -> None:
    with raw_server(lambda connection: send_slowly(connection, text, every_seconds=0.02)) as port:
        started = time.monotonic()
        outcome = send(f"http://127.0.0.1:{port}/", deadline=0.6)
        assert time.monotonic() - started < 2
        assert no_post_is_left_running()
    assert outcome.status_code is None
    assert not outcome.delivered


def test_a_slow_body_is_cut_off_and_its_start_stored() -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 500 Oops\r\nContent-Length: 5000\r\n\r\nbeg")
        send_slowly(connection, b".", every_seconds=0.1)

    with raw_server(talk) as port:
        started = time.monotonic()
        outcome = send(f"http://127.0.0.1:{port}/", deadline=0.6)
        assert time.monotonic() - started < 2
        assert no_post_is_left_running()
    assert outcome.status_code == 500
    assert outcome.answer.startswith("beg")


def test_an_endless_tls_handshake_is_cut_off_at_the_deadline() -> None:
    # The first bytes of a TLS record that announces more than is sent.
    with raw_server(
        lambda connection: send_slowly(connection, b"\x16\x03\x03\x40\x00" * 4)
    ) as port:
        started = time.monotonic()
        outcome = send(f"https://127.0.0.1:{port}/", deadline=0.6)
        assert time.monotonic() - started < 2
        assert no_post_is_left_running()
    assert outcome.status_code is None


def test_a_chunked_response_is_read() -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
        )

    with raw_server(talk) as port:
        outcome = send(f"http://127.0.0.1:{port}/")
    assert (outcome.status_code, outcome.answer) == (200, "abcde")


def test_a_refused_connection_is_a_failure_with_a_reason() -> None:
    outcome = send(f"http://127.0.0.1:{claim_ports()}/")
    assert (outcome.status_code, outcome.error) == (None, "connection failed or was closed")


def test_an_invalid_response_is_a_failure_with_a_reason() -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(b"220 smtp.example ESMTP\r\n")

    with raw_server(talk) as port:
        outcome = send(f"http://127.0.0.1:{port}/")
    assert outcome.status_code is None
    assert outcome.error == "connection failed or was closed"


def test_an_untrusted_certificate_is_rejected(receiver: Receiver) -> None:
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
def test_loopback_is_rejected_when_sending(receiver: Receiver, scheme: str, host: str) -> None:
    outcome = send(f"{scheme}://{host}:{receiver.port}/hook", allow_local=False)
    assert outcome.status_code is None
    assert outcome.error == "the URL does not resolve to a public address over https"
    assert receiver.received == []


@pytest.mark.parametrize(
    "address", ["[::127.0.0.1]", "[64:ff9b::7f00:1]", "[fec0::1]", "[2002:7f00:1::]", "100.64.0.1"]
)
def test_addresses_that_only_look_public_are_rejected_when_sending(address: str) -> None:
    outcome = send(f"https://{address}/hook", deadline=2, allow_local=False)
    assert outcome.error == "the URL does not resolve to a public address over https"


def test_retry_after_is_read_in_both_forms(receiver: Receiver) -> None:
    receiver.reply = Reply(503, {"Retry-After": "120"})
    assert send(receiver.url).retry_after_seconds == 120
    later = datetime.now(UTC) + timedelta(minutes=10)
    receiver.reply = Reply(503, {"Retry-After": format_datetime(later, usegmt=True)})
    asked = send(receiver.url).retry_after_seconds
    assert asked is not None
    assert 590 < asked <= 600


@pytest.mark.parametrize("value", ["", "soon", "-5", "1e9", "Wed, 99 Foo 2026"])
def test_an_invalid_retry_after_is_ignored(receiver: Receiver, value: str) -> None:
    receiver.reply = Reply(503, {"Retry-After": value})
    outcome = send(receiver.url)
    assert (outcome.retry_after_seconds, outcome.answer, outcome.error) == (None, "taken", "")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("\u0663", None),  # a digit, and not one of ours
        ("Mon, 23 Nov 2026 12:00:00 -0000", 43_200.0),
        ("Mon, 23 Nov 2026 12:00:00 GMT", 43_200.0),
        ("Mon, 23 Nov 2026 12:00:00 +0100", 39_600.0),
    ],
)
def test_a_retry_after_date_is_read_in_its_time_zone(
    monkeypatch: pytest.MonkeyPatch, value: str, seconds: float | None
) -> None:
    class Midnight(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls(2026, 11, 23, tzinfo=tz)

    monkeypatch.setattr(posting, "datetime", Midnight)
    assert _parse_retry_after(value) == seconds


def test_the_duration_of_a_post_is_in_milliseconds(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = iter([1000.0, 1002.0])
    monkeypatch.setattr(posting, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    assert send(receiver.url).milliseconds == 2000


def test_a_post_does_not_delay_the_exit_of_the_process(receiver: Receiver) -> None:
    daemons: list[bool] = []

    def look(_: Received) -> Reply:
        daemons.extend(each.daemon for each in threading.enumerate() if each.name == "webhook-post")
        return Reply()

    receiver.reply = look
    send(receiver.url)
    assert daemons
    assert all(daemons)


def test_a_response_in_pieces_is_stored_up_to_its_first_kibibyte() -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n")
        for letter in b"abc":
            connection.sendall(b"258\r\n" + bytes([letter]) * 600 + b"\r\n")
        connection.sendall(b"0\r\n\r\n")

    with raw_server(talk) as port:
        outcome = send(f"http://127.0.0.1:{port}/")
    assert outcome.answer == "a" * 600 + "b" * 424


@pytest.mark.parametrize(
    ("url", "header", "error"),
    [("http:///hook", "1", "InvalidURL"), ("http://127.0.0.1:9/hook", "a\nb", "InvalidHeader")],
)
def test_a_request_that_cannot_be_sent_is_a_failure_with_a_reason(
    url: str, header: str, error: str
) -> None:
    outcome = post(url, BODY, {"webhook-id": header}, deadline_seconds=5, allow_local=True)
    assert (outcome.status_code, outcome.error) == (None, f"no readable response ({error})")


def test_a_socket_timeout_is_reported_as_the_deadline(receiver: Receiver) -> None:
    receiver.reply = Reply(wait_seconds=20)
    exchange = _PostAttempt()
    request = {"url": receiver.url, "data": BODY, "timeout": 0.05}
    exchange.run(request, allow_local=True)
    assert exchange.outcome(50, 0.05) == PostOutcome(
        None, 50, "", "no response within 0.05 seconds"
    )


def test_errors_after_the_deadline_or_the_status_are_not_reported() -> None:
    aborted, responded, failed = _PostAttempt(), _PostAttempt(), _PostAttempt()
    aborted.abort()
    responded._status = 500
    for exchange in (aborted, responded, failed):
        exchange._fail("connection closed")
    assert aborted.outcome(1, 3).error == "no response within 3 seconds"
    assert responded.outcome(1, 3).error == ""
    assert failed.outcome(1, 3).error == "connection closed"


def test_a_connection_made_after_the_deadline_is_closed() -> None:
    exchange = _PostAttempt()
    exchange.abort()
    ours, theirs = socket.socketpair()
    with theirs, pytest.raises(TimeoutError, match="the deadline has passed"):
        exchange.attach(ours)
    assert ours.fileno() == -1


def test_the_last_connection_is_shut_down_and_none_is_left_open() -> None:
    """After a refused connection the next address of the name is tried."""
    exchange = _PostAttempt()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ResourceWarning)
        (first, first_peer), (last, last_peer) = (socket.socketpair() for _ in range(2))
        for peer in (first_peer, last_peer):
            peer.settimeout(5)
        exchange.attach(first)
        exchange.attach(last)
        first.close()
        assert first_peer.recv(1) == b""  # nothing of ours keeps it open
        exchange.abort()
        assert last_peer.recv(1) == b""
        for each in (first_peer, last, last_peer):
            each.close()
    # Other threads may warn about their own sockets.
    assert [each for each in warned if "family=1," in str(each.message)] == []


@pytest.mark.parametrize(
    ("url", "allow_local"),
    [("http://127.0.0.1/", True), ("https://127.0.0.1/", True), ("https://1.1.1.1/", False)],
)
def test_every_connection_of_a_post_can_be_shut_down(url: str, allow_local: bool) -> None:
    def connect(port: int) -> socket.socket:
        posting._current_attempt.set(exchange)
        with _session(allow_local=allow_local) as session:
            adapter = session.get_adapter(url)
            assert isinstance(adapter, requests.adapters.HTTPAdapter)
            pool = adapter.poolmanager.connection_from_url(url)
            made: socket.socket = pool.ConnectionCls("127.0.0.1", port)._new_conn()
            return made

    exchange = _PostAttempt()
    with (
        raw_server(lambda connection: connection.recv(1)) as port,
        copy_context().run(connect, port) as connected,
    ):
        connected.settimeout(5)
        exchange.abort()
        assert connected.recv(1) == b""


def test_the_address_is_pinned_and_the_certificate_checked_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("1.1.1.1", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    request = requests.Request("POST", "https://hooks.example.com/hook").prepare()
    with _session(allow_local=False) as session:
        adapter = session.get_adapter("https://hooks.example.com/")
        assert isinstance(adapter, IPFilterAdapter)
        place, options = adapter.build_connection_pool_key_attributes(request, verify=True)
        assert (place["host"], place["port"]) == ("1.1.1.1", None)
        assert options["server_hostname"] == options["assert_hostname"] == "hooks.example.com"
        with pytest.raises(requests.exceptions.InvalidSchema):
            session.get_adapter("http://hooks.example.com/")
