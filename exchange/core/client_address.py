"""Where a request comes from, as failed sign-ins and failed token requests are counted."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Where the request comes from: the address, of IPv6 the network of a household."""
    given = str(request.META.get("REMOTE_ADDR", ""))
    hops = settings.TRUSTED_PROXIES
    if hops:
        # The last entries are those that our own proxies wrote.
        forwarded = str(request.META.get("HTTP_X_FORWARDED_FOR", "")).split(",")
        given = forwarded[-hops].strip() if len(forwarded) >= hops else given
    try:
        address = ipaddress.ip_address(given)
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
