"""The client address: of the peer, or as reported by our own proxies."""

import pytest
from django.test import RequestFactory
from pytest_django import Settings

from exchange.core.client_address import client_address


@pytest.mark.parametrize(
    ("given", "reported_text"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("nowhere", ""),
        ("", ""),
    ],
)
def test_an_ipv4_address_is_used_whole_and_an_ipv6_address_by_its_network(
    given: str, reported_text: str
) -> None:
    assert client_address(RequestFactory().get("/", REMOTE_ADDR=given)) == reported_text


@pytest.mark.parametrize(
    ("proxies", "reported_text"),
    [(0, "10.0.0.1"), (1, "10.9.9.9"), (2, "198.51.100.4"), (3, "192.0.2.7"), (4, "10.0.0.1")],
)
def test_only_entries_of_our_own_proxies_are_trusted(
    settings: Settings, proxies: int, reported_text: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    request = RequestFactory().get("/", REMOTE_ADDR="10.0.0.1")
    request.META["HTTP_X_FORWARDED_FOR"] = "192.0.2.7, 198.51.100.4 ,10.9.9.9"
    assert client_address(request) == reported_text
