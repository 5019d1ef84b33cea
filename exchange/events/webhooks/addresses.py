"""Which addresses webhooks may go to: public ones only, so that nobody reaches our own network.

`ipaddress.is_private` lets carrier-grade NAT, multicast, and IPv4 addresses wrapped in IPv6
(NAT64, 6to4, Teredo, ISATAP) through. Here IPv6 must be global unicast outside the ranges
below, which leaves no wrapping, and IPv4 must be outside every special-purpose range.
Source: the IANA special-purpose address registries (RFC 6890 and its updates).
"""

from __future__ import annotations

import queue
import socket
import threading
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

_MAX_URL_LENGTH = 2000
_RESOLVE_SECONDS = 5.0

_IPV4_BLOCKED = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",
        "169.254.0.0/16",  # link-local, cloud metadata
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
_IPV6_PUBLIC = ip_network("2000::/3")
_IPV6_BLOCKED = tuple(
    ip_network(text)
    for text in (
        "2001::/23",  # protocol assignments, Teredo and ORCHID among them
        "2001:db8::/32",
        "2002::/16",  # 6to4
        "3fff::/20",
    )
)
# ISATAP interface identifiers (RFC 5214 §6.1): an IPv4 address in the last 32 bits.
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})


class UnsafeUrl(ValueError):
    """A webhook may not go there; the text says why and names no address we resolved."""


def is_public(address: str) -> bool:
    """Whether `address` (IPv4 or IPv6, without brackets) is one on the public internet."""
    parsed = ip_address(address)
    if isinstance(parsed, IPv4Address):
        return not any(parsed in network for network in _IPV4_BLOCKED)
    return _is_public_ipv6(parsed)


def _is_public_ipv6(address: IPv6Address) -> bool:
    if address not in _IPV6_PUBLIC or any(address in network for network in _IPV6_BLOCKED):
        return False
    return (int(address) >> 32) & 0xFFFFFFFF not in _ISATAP


def check_url(url: str, *, allow_local: bool) -> None:
    """Refuse `url` unless it is https to public addresses (with `allow_local`: http(s) anywhere).

    Resolves the name, so never call it in a transaction. That the name is harmless now proves
    nothing about later: posting looks again, at the address it connects to. Raises UnsafeUrl.
    """
    host, port = _parse_host_and_port(url, allow_local=allow_local)
    if allow_local:
        return
    addresses = _resolve(host, port)
    if not addresses:
        raise UnsafeUrl("must have a host name that can be resolved")
    if not all(is_public(address) for address in addresses):
        raise UnsafeUrl("must lead to a public address")


def _parse_host_and_port(url: str, *, allow_local: bool) -> tuple[str, int]:
    if len(url) > _MAX_URL_LENGTH:
        raise UnsafeUrl(f"must have at most {_MAX_URL_LENGTH} characters")
    if any(ord(character) <= 0x20 or ord(character) >= 0x7F for character in url) or "\\" in url:
        raise UnsafeUrl("must be a URL in ASCII without spaces")
    try:
        parts = urlsplit(url)
        port = parts.port
        host = parts.hostname or ""
    except ValueError:
        raise UnsafeUrl("must be a valid URL") from None
    if parts.scheme not in ({"http", "https"} if allow_local else {"https"}):
        raise UnsafeUrl("must begin with https://")
    if not host or port == 0:
        raise UnsafeUrl("must be a valid URL")
    if parts.username is not None or parts.password is not None:
        raise UnsafeUrl("must not carry a user name or password")
    if parts.fragment:
        raise UnsafeUrl("must not have a fragment")
    return host, port or (443 if parts.scheme == "https" else 80)


def _resolve(host: str, port: int) -> list[str]:
    """Every address of `host`; [] when there is none or the answer takes too long.

    `getaddrinfo` takes no time-out and cannot be interrupted: it runs in a thread of its own,
    which ends by itself when the resolver gives up.
    """
    answer: queue.SimpleQueue[list[str]] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            answer.put([])
        else:
            answer.put([str(sockaddr[0]) for *_, sockaddr in found])

    threading.Thread(target=look_up, name="webhook-resolve", daemon=True).start()
    try:
        return answer.get(timeout=_RESOLVE_SECONDS)
    except queue.Empty:
        return []
