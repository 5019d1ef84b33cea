"""Which addresses webhooks may go to."""

import queue
import socket
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from exchange.events.webhooks import addresses
from exchange.events.webhooks.addresses import UnsafeUrl, check_url, is_public

REFUSED = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.254",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",  # IPv4-compatible
    "::ffff:127.0.0.1",  # IPv4-mapped
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:127.0.0.1",  # IPv4-translated
    "64:ff9b::7f00:1",  # NAT64
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",  # NAT64 of one's own
    "100::1",  # discard
    "2001::1",  # Teredo
    "2001:0:7f00:1::1",
    "2001:20::1",  # ORCHID
    "2001:db8::1",
    "2002:7f00:1::",  # 6to4
    "2002:a9fe:a9fe::1",
    "3fff::1",
    "5f00::1",  # segment routing
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%1",
    "fec0::1",  # site-local
    "ff02::1",
    "2a00:1450:4001::5efe:7f00:1",  # ISATAP
    "2a00:1450:4001::200:5efe:a00:1",
]
ALLOWED = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.255.255",
    "172.32.0.1",
    "192.167.255.255",
    "223.255.255.254",
    "2606:4700:4700::1111",
    "2001:4860:4860::8888",
    "2a00:1450:4001:81b::200e",
    "2a00:1450:4001::5eff:7f00:1",  # next to ISATAP
]


@pytest.mark.parametrize("address", REFUSED)
def test_non_public_addresses_are_rejected(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ALLOWED)
def test_public_addresses_are_allowed(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", [a for a in REFUSED if "%" not in a])
def test_a_url_with_a_non_public_address_is_rejected(address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    with pytest.raises(UnsafeUrl, match="must resolve to a public address"):
        check_url(f"https://{host}/hook", allow_local=False)


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost.",
        "LOCALHOST",
        "2130706433",  # 127.0.0.1 as one number
        "0x7f000001",
        "0177.0.0.1",
        "127.1",
        "%31%32%37.0.0.1",
    ],
)
def test_names_and_spellings_of_loopback_are_rejected(host: str) -> None:
    with pytest.raises(UnsafeUrl):
        check_url(f"https://{host}/hook", allow_local=False)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://1.1.1.1/hook", "must begin with https://"),
        ("ftp://1.1.1.1/hook", "must begin with https://"),
        ("file:///etc/passwd", "must begin with https://"),
        ("//1.1.1.1/hook", "must begin with https://"),
        ("https:///hook", "must be a valid URL"),
        ("https://", "must be a valid URL"),
        ("https://1.1.1.1:0/hook", "must be a valid URL"),
        ("https://1.1.1.1:99999/hook", "must be a valid URL"),
        ("https://[1.1.1.1/hook", "must be a valid URL"),
        ("https://me:secret@1.1.1.1/hook", "user name or password"),
        ("https://me@1.1.1.1/hook", "user name or password"),
        ("https://1.1.1.1/hook#part", "fragment"),
        ("https://1.1.1.1/a b", "ASCII without spaces"),
        ("https://1.1.1.1/a\nb", "ASCII without spaces"),
        ("https://1.1.1.1/\x00", "ASCII without spaces"),
        ("https://1.1.1.1/\x7f", "ASCII without spaces"),
        ("https://\u202eexample.com/", "ASCII without spaces"),
        ("https://1.1.1.1\\@127.0.0.1/", "ASCII without spaces"),
        ("https://1.1.1.1/" + "a" * 2000, "at most 2000"),
        ("https://no-such-host.invalid/hook", "a host name that can be resolved"),
    ],
)
def test_an_invalid_webhook_url_is_rejected_with_the_reason(url: str, why: str) -> None:
    with pytest.raises(UnsafeUrl, match=why):
        check_url(url, allow_local=False)


@pytest.mark.parametrize(
    "responses",
    [["1.1.1.1", "10.0.0.1"], ["10.0.0.1", "1.1.1.1"], ["2606:4700:4700::1111", "::1", "1.1.1.1"]],
)
def test_a_name_with_only_some_public_addresses_is_rejected(
    monkeypatch: pytest.MonkeyPatch, responses: list[str]
) -> None:
    """Only the resolver is replaced: a test cannot control DNS."""

    def resolver(found_there: list[str]) -> None:
        found = [(socket.AF_UNSPEC, socket.SOCK_STREAM, 6, "", (each, 443)) for each in found_there]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)

    resolver(responses)
    with pytest.raises(UnsafeUrl, match="must resolve to a public address"):
        check_url("https://hooks.example.com/", allow_local=False)
    resolver([response for response in responses if is_public(response)])
    check_url("https://hooks.example.com/", allow_local=False)


@pytest.mark.parametrize(
    ("url", "port"),
    [("https://1.1.1.1/hook", 443), ("http://localhost/hook", 80), ("https://1.1.1.1:8443/", 8443)],
)
def test_a_url_without_a_port_uses_the_port_of_its_scheme(url: str, port: int) -> None:
    assert addresses._parse_host_and_port(url, allow_local=True)[1] == port


@pytest.mark.parametrize(
    "url",
    [
        "https://1.1.1.1:8443/hook?key=1",
        "https://1.1.1.1/!~",  # the first and the last character that is taken
        "https://1.1.1.1/".ljust(2000, "a"),
    ],
)
def test_a_public_https_url_is_allowed(url: str) -> None:
    check_url(url, allow_local=False)


class ResolverQueue:
    """A stand-in for the queue of resolver results that records results and timeouts."""

    def __init__(self) -> None:
        self.put: list[Any] = []
        self.waited: list[float | None] = []
        self._ready = threading.Event()

    def add(self, found: list[str]) -> None:
        self.put.append(found)
        self._ready.set()

    def get(self, timeout: float | None = None) -> list[str]:
        self.waited.append(timeout)
        # The test's own limit, not the product's.
        if not self._ready.wait(1):
            raise queue.Empty
        return list(self.put[0])


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> ResolverQueue:
    results = ResolverQueue()
    queues = SimpleNamespace(put=results.add, get=results.get)
    monkeypatch.setattr(
        addresses, "queue", SimpleNamespace(SimpleQueue=lambda: queues, Empty=queue.Empty)
    )
    return results


@pytest.mark.parametrize("error", [socket.gaierror(), TimeoutError(), UnicodeError()])
def test_an_unknown_name_is_rejected_immediately(
    monkeypatch: pytest.MonkeyPatch, results: ResolverQueue, error: Exception
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    with pytest.raises(UnsafeUrl, match="a host name that can be resolved"):
        check_url("https://hooks.example.com/", allow_local=False)
    assert results.put == [[]]


def test_a_silent_resolver_times_out_after_five_seconds_in_a_daemon_thread(
    monkeypatch: pytest.MonkeyPatch, results: ResolverQueue
) -> None:
    asked: list[bool] = []
    over = threading.Event()

    def stay_silent(*_: Any, **__: Any) -> list[Any]:
        asked.append(threading.current_thread().daemon)
        over.wait(10)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", stay_silent)
    monkeypatch.setattr(results._ready, "wait", lambda _: False)
    with pytest.raises(UnsafeUrl, match="a host name that can be resolved"):
        check_url("https://hooks.example.com/", allow_local=False)
    over.set()
    assert results.waited == [5.0]
    assert asked == [True]


def test_local_use_allows_plain_http_to_loopback_but_no_other_scheme() -> None:
    check_url("http://127.0.0.1:9000/hook", allow_local=True)
    check_url("http://localhost:9000/hook", allow_local=True)
    with pytest.raises(UnsafeUrl):
        check_url("file:///etc/passwd", allow_local=True)
