"""Addresses that webhooks may go to: public ones only, to protect the internal network.

`ipaddress.is_private` misses carrier-grade NAT, multicast, and IPv4 addresses embedded in IPv6
(NAT64, 6to4, Teredo, ISATAP). Here IPv6 must be global unicast outside the ranges below, which
excludes embedded addresses, and IPv4 must be outside every special-purpose range.
Source: the IANA special-purpose address registries (RFC 6890 and its updates).
"""

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
    """A URL that webhooks may not go to; the text says why, without any resolved address."""


def is_public(address: str) -> bool:
    """Return whether `address` (IPv4 or IPv6, without brackets) is on the public internet."""
    parsed = ip_address(address)
    if isinstance(parsed, IPv4Address):
        return not any(parsed in network for network in _IPV4_BLOCKED)
    return _is_public_ipv6(parsed)


def _is_public_ipv6(address: IPv6Address) -> bool:
    if address not in _IPV6_PUBLIC or any(address in network for network in _IPV6_BLOCKED):
        return False
    return (int(address) >> 32) & 0xFFFFFFFF not in _ISATAP


def check_url(url: str, *, allow_local: bool) -> None:
    """Require https to public addresses (with `allow_local`: http(s) anywhere).

    Resolves the host name, so never call it in a transaction. Raises UnsafeUrl. DNS may change
    later, so a post checks the address it connects to as well.
    """
    host, port = _parse_host_and_port(url, allow_local=allow_local)
    if allow_local:
        return
    addresses = _resolve(host, port)
    if not addresses:
        raise UnsafeUrl("must have a host name that can be resolved")
    if not all(is_public(address) for address in addresses):
        raise UnsafeUrl("must resolve to a public address")


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
        raise UnsafeUrl("must not contain a user name or password")
    if parts.fragment:
        raise UnsafeUrl("must not have a fragment")
    return host, port or (443 if parts.scheme == "https" else 80)


def _resolve(host: str, port: int) -> list[str]:
    """Return all addresses of `host`; [] when there are none or the resolver is too slow.

    `getaddrinfo` takes no timeout and cannot be interrupted, so it runs in a thread of its own,
    which ends when the resolver gives up.
    """
    results: queue.SimpleQueue[list[str]] = queue.SimpleQueue()

    def resolve() -> None:
        try:
            addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            results.put([])
        else:
            results.put([str(sockaddr[0]) for *_, sockaddr in addresses])

    threading.Thread(target=resolve, name="webhook-resolve", daemon=True).start()
    try:
        return results.get(timeout=_RESOLVE_SECONDS)

    except queue.Empty:
        return []
