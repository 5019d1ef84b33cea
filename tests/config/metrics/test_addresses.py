"""The address of the metrics: private, with a port, or a refusal that says what is wrong."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.settings.base import METRICS_MAX_PORT
from config.settings.environment import Environment


def read(monkeypatch: pytest.MonkeyPatch, value: str) -> tuple[str, int] | None:
    monkeypatch.setenv("METRICS_LISTEN", value)
    return Environment().private_address("METRICS_LISTEN", high=METRICS_MAX_PORT)


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("", None),
        (" ", None),
        ("127.0.0.1:9464", ("127.0.0.1", 9464)),
        (" 10.0.0.7:1 ", ("10.0.0.7", 1)),
        ("[::1]:65532", ("::1", 65532)),
        ("[fd00::7]:9464", ("fd00::7", 9464)),
        ("0.0.0.0:9464", ("0.0.0.0", 9464)),
    ],
)
def test_loopback_and_private_addresses_are_accepted(
    monkeypatch: pytest.MonkeyPatch, value: str, address: tuple[str, int] | None
) -> None:
    assert read(monkeypatch, value) == address


@pytest.mark.parametrize(
    "value",
    [
        "9464",
        "127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:0",
        "127.0.0.1:none",
        "127.0.0.1:-1",
        "127.0.0.1:65533",
        "127.0.0.1:9464/metrics",
        "127.0.0.1:9464?a",
        "user@127.0.0.1:9464",
        "@127.0.0.1:9464",
        "metrics.example:9464",
        "http://127.0.0.1:9464",
        "::1:9464",
        "[::1:9464",
    ],
)
def test_other_values_are_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="METRICS_LISTEN: is no IP address with a port"):
        read(monkeypatch, value)


@pytest.mark.parametrize("value", ["8.8.8.8:9464", "[2001:4860:4860::8888]:9464"])
def test_a_public_address_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="METRICS_LISTEN: is a public address"):
        read(monkeypatch, value)
