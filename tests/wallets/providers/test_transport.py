"""How the client connects, what it reads of an answer, and when it gives up; its own figures."""

import io
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.environment.processes import wait_until
from tests.wallets.providers.harness import client_of, request_of
from wallets.providers.base import NeverSent, OutcomeUnknown, ProviderUnavailable
from wallets.providers.flutterwave import FlutterwaveClient
from wallets.providers.flutterwave.deadline import (
    DeadlineAdapter,
    _DeadlineReader,
    deadline_in,
    remaining_seconds,
)
from wallets.providers.flutterwave.transport import Retries, Timeouts

HOST = "127.0.0.1"
BANKS = {"method": "GET", "path_prefix": "/v3/banks"}
ONE_BANK = '{"status": "success", "data": [{"id": 1, "code": "044", "name": "Access Bank"}]}'
TIMEOUTS: dict[str, Any] = {"connect_timeout": 5, "read_timeout": 35, "total_timeout": 45}


def client_at(listener: socket.socket, **parameters: Any) -> FlutterwaveClient:
    """A client of a server that is no sandbox."""
    address = f"http://{HOST}:{listener.getsockname()[1]}/v3"
    values = TIMEOUTS | {"read_timeout": 2} | parameters
    return FlutterwaveClient(base_url=address, secret_key="key", **values)


@contextmanager
def one_response(reply: bytes, received: list[bytes] | None = None) -> Iterator[socket.socket]:
    """A server that sends this to whoever comes first, and then nothing."""

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            request = connection.recv(65536)
            if received is not None:
                received.append(request)
            connection.sendall(reply)
            connection.recv(1)

    with socket.create_server((HOST, 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener
        thread.join(10)


def test_time_outs_have_defaults():
    client = FlutterwaveClient(base_url="http://x/v3/", secret_key="key", **TIMEOUTS)
    assert client._transfer_timeouts == Timeouts(connect=5, read=35, total=45)
    assert client._lookup_timeouts == Timeouts(connect=5, read=10, total=25)
    assert client._transport._retries == Retries(attempts=3, backoff=0.3)
    assert client._transport._max_bytes == 2_097_152
    assert repr(client) == "<FlutterwaveClient <Transport http://x/v3>>"


def test_a_status_check_times_out_no_later_than_a_transfer():
    hurried = FlutterwaveClient(
        base_url="http://x/v3", secret_key="key", connect_timeout=1, read_timeout=2, total_timeout=3
    )
    assert hurried._lookup_timeouts == Timeouts(connect=1, read=2, total=3)


def test_a_connection_that_is_not_accepted_has_sent_nothing():
    with socket.socket() as busy:
        busy.bind((HOST, 0))
        busy.listen(0)
        client = client_at(busy, connect_timeout=0.05)
        # The only one that may wait.
        with socket.create_connection(busy.getsockname()), pytest.raises(NeverSent) as never:
            client.transfer(request_of())
    assert str(never.value) == "no connection within the time-out"
    with pytest.raises(NeverSent) as never:
        client.transfer(request_of())
    assert str(never.value) == "no connection could be made"


@pytest.mark.parametrize(
    ("call", "first", "typed"),
    [
        (lambda client: client.probe(), b"GET /v3/balances HTTP/1.1", None),
        (
            lambda client: client.transfer(request_of()),
            b"POST /v3/transfers HTTP/1.1",
            b"application/json",
        ),
    ],
)
def test_a_request_carries_the_key_and_the_type_of_its_body(call, first, typed):
    received: list[bytes] = []
    with one_response(b"HTTP/1.1 500 Odd\r\nContent-Length: 0\r\n\r\n", received) as listener:
        client = client_at(listener)
        with pytest.raises((ProviderUnavailable, OutcomeUnknown), match=r"failed \(500\)"):
            call(client)
        client._transport._session().close()
    head = received[0].partition(b"\r\n\r\n")[0].split(b"\r\n")
    fields = dict(line.split(b": ", 1) for line in head[1:])
    assert head[0] == first
    assert fields[b"Authorization"] == b"Bearer key"
    assert (fields[b"Accept"], fields[b"Accept-Encoding"]) == (b"application/json", b"identity")
    assert fields.get(b"Content-Type") == typed


def test_a_redirect_is_not_followed():
    moved = b"HTTP/1.1 302 Found\r\nLocation: /v3/other\r\nContent-Length: 0\r\n\r\n"
    with one_response(moved) as listener:
        client = client_at(listener)
        with pytest.raises(ProviderUnavailable) as unavailable:
            client.probe()
        client._transport._session().close()
    assert str(unavailable.value) == "malformed response: unexpected HTTP status 302"


def test_a_response_beyond_the_limit_is_not_waited_for():
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
    piece = 16 * 1024
    with one_response(head + b" " * piece) as listener:
        client = client_at(listener, max_response_bytes=piece - 1)
        with pytest.raises(ProviderUnavailable) as unavailable:
            client.probe()
    assert str(unavailable.value) == "malformed response: body is too long"


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (300, "malformed response: unexpected HTTP status 300"),
        (399, "malformed response: unexpected HTTP status 399"),
        (400, "malformed response: success with HTTP status 400"),
        (499, "malformed response: success with HTTP status 499"),
        (500, "the provider failed (500)"),
        (599, "the provider failed (599)"),
    ],
)
def test_a_success_is_none_with_a_status_of_a_failure(sandbox, status, said):
    client = client_of(sandbox, read_attempts=1)
    for responded in (200, 299, status):
        sandbox.fault("error_5xx", BANKS, status=responded, body=ONE_BANK)
    for _ in range(2):
        assert [bank.code for bank in client.list_banks("NGN")] == ["044"]
    with pytest.raises(ProviderUnavailable) as unavailable:
        client.list_banks("NGN")
    assert str(unavailable.value) == said


def test_a_response_may_be_as_long_as_the_limit(sandbox):
    for limit, fits in ((len(ONE_BANK), True), (len(ONE_BANK) - 1, False)):
        client = client_of(sandbox, max_response_bytes=limit, read_attempts=1)
        sandbox.fault("malformed", BANKS, body=ONE_BANK)
        if fits:
            assert [bank.code for bank in client.list_banks("NGN")] == ["044"]
        else:
            with pytest.raises(ProviderUnavailable, match="body is too long"):
                client.list_banks("NGN")


def test_an_oversized_response_is_cut_off(sandbox):
    client = client_of(sandbox, max_response_bytes=100_000, read_attempts=1)
    sandbox.fault("oversized", BANKS, size=500_000)
    with pytest.raises(ProviderUnavailable, match="too long"):
        client.list_banks("NGN")
    assert len(client.list_banks("NGN")) > 10


def test_one_connection_carries_many_requests_and_a_closed_one_is_replaced(client, sandbox):
    client.list_banks("KES")
    [kept] = sandbox.server._http._open
    for _ in range(5):
        client.list_banks("KES")
    assert [*sandbox.server._http._open] == [kept]
    sandbox.server._http.close_connections()
    time.sleep(0.1)
    client.transfer(request_of())
    assert sandbox.references() == ["payout_a"]


@pytest.mark.parametrize(
    ("changes", "same", "closed"),
    [({"idle": 14.2}, True, False), ({"idle": 15}, False, True), ({"process": -1}, False, False)],
    ids=["14 s", "15 s", "of a parent"],
)
def test_a_connection_that_was_idle_or_is_a_parents_is_not_used_again(
    client, sandbox, changes, same, closed
):
    client.list_banks("KES")
    [first] = sandbox.server._http._open
    local = client._transport._local
    session = local.session
    local.used_at -= changes.get("idle", 0)
    local.process = changes.get("process", local.process)
    client.list_banks("KES")
    assert (local.session is session) is same
    if not closed:  # by us: a parent may still need its own
        assert first in sandbox.server._http._open
    else:
        wait_until(lambda: first not in sandbox.server._http._open, "it is closed")


def test_a_proxy_of_the_environment_is_ignored(client, sandbox, monkeypatch):
    with monkeypatch.context() as environment:
        environment.setenv("http_proxy", f"http://{HOST}:1")
        for name in ("no_proxy", "NO_PROXY"):
            environment.delenv(name, raising=False)
        client.probe()
    assert sandbox.asked("GET", "/v3/balances") == 1


def test_every_address_is_read_under_the_deadline(client):
    session = client._transport._session()
    for address in ("http://x.example/", "https://x.example/"):
        adapter = session.get_adapter(address)
        assert type(adapter) is DeadlineAdapter
        assert adapter.max_retries.total == 0
        connection = adapter.poolmanager.connection_from_url(address).ConnectionCls
        assert connection.response_class.__name__ == "_DeadlineResponse"


def test_a_client_without_attempts_sends_nothing(sandbox):
    client = client_of(sandbox, read_attempts=0)
    with pytest.raises(ProviderUnavailable, match="no attempt is allowed"):
        client.list_banks("NGN")
    assert sandbox.control("GET", "requests") == []


def test_a_deadline_holds_in_its_block_only():
    assert remaining_seconds() == float("inf")
    with deadline_in(100):
        assert 99 < remaining_seconds() <= 100
        with deadline_in(10):
            assert 9 < remaining_seconds() <= 10
        assert 99 < remaining_seconds() <= 100
    assert remaining_seconds() == float("inf")


@pytest.mark.parametrize(
    ("silence", "left", "least", "most"),
    [(3, 10, 3, 3), (10, 3, 2, 3), (None, 3, 2, 3), (3, 0.5, 0.1, 0.5)],
)
def test_a_read_waits_for_the_shorter_of_silence_and_deadline(silence, left, least, most):
    near, far = socket.socketpair()
    with near, far:
        near.settimeout(silence)
        reader = _DeadlineReader(near.makefile("rb", buffering=0), near)
        far.sendall(b"ab")
        with deadline_in(left):
            assert reader.read(1) == b"a"
        assert least <= near.gettimeout() <= most
        with deadline_in(-0.5), pytest.raises(TimeoutError, match=r"^deadline passed$"):
            reader.read(1)


def test_a_read_without_a_deadline_leaves_the_time_out_alone():
    near, far = socket.socketpair()
    with near, far:
        near.settimeout(3)
        reader = _DeadlineReader(near.makefile("rb", buffering=0), near)
        near.settimeout(7)
        far.sendall(b"a")
        assert reader.read(1) == b"a"
        assert near.gettimeout() == 7


def test_a_closed_reader_has_closed_what_it_reads():
    raw = io.FileIO("/dev/null")
    with socket.socket() as unused:
        reader = _DeadlineReader(raw, unused)
        assert reader.readable()
        for _ in range(2):
            reader.close()
            assert (raw.closed, reader.closed) == (True, True)
