"""The client address by which failed sign-ins and token requests are counted."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Return the client's IPv4 address or IPv6 /64 network; "" when unknown."""
    peer = str(request.META.get("REMOTE_ADDR", ""))
    hops = settings.TRUSTED_PROXIES
    if hops:
        # Our own proxies wrote the last entries.
        forwarded = str(request.META.get("HTTP_X_FORWARDED_FOR", "")).split(",")
        peer = forwarded[-hops].strip() if len(forwarded) >= hops else peer
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
