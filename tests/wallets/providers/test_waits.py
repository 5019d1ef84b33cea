"""How long the client waits: for an answer, and for what a Retry-After header says."""

import contextlib
from datetime import timedelta
from email.utils import format_datetime

import pytest
import requests
from django.utils import timezone

from tests.environment.processes import wait_until
from tests.wallets.providers.harness import client_of, request_of
from wallets.providers.base import OutcomeUnknown, ProviderUnavailable
from wallets.providers.flutterwave.transport import Retries, Transport, _retry_after

DAY = 24 * 3600


def wish(value: str | None) -> float | None:
    """What an answer with this header asks for, in seconds."""
    response = requests.Response()
    if value is not None:
        response.headers["Retry-After"] = value
    return _retry_after(response)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        (" ", None),
        ("0", 0),
        ("7", 7),
        (" 120 ", 120),
        ("86399", DAY - 1),
        ("86401", DAY),
        ("9" * 400, DAY),
        ("-1", None),
        ("1.5", None),
        ("soon", None),
        ("\u00b2", None),
        ("\u0667", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", DAY),
        ("Fri, 99 Dec 2026 23:59:59 GMT", None),
    ],
)
def test_a_retry_after_header_is_read_in_seconds_and_a_day_at_most(value, seconds):
    assert wish(value) == seconds


def test_a_retry_after_header_may_be_a_moment():
    found = wish(format_datetime(timezone.now() + timedelta(hours=1), usegmt=False))
    assert found is not None
    assert 3000 < found <= 3600


def test_each_wait_before_a_read_is_repeated_is_twice_the_one_before_and_jittered():
    transport = Transport(
        base_url="http://x", secret_key="x", max_bytes=1, retries=Retries(3, 0.25)
    )
    for attempt, middle in ((1, 0.25), (2, 0.5), (3, 1.0)):
        waits = [transport._wait_seconds(attempt, None) / middle for _ in range(500)]
        assert 0.5 <= min(waits) < 0.7
        assert 1.3 < max(waits) <= 1.5
        assert transport._wait_seconds(attempt, 7.0) == 7
        assert transport._wait_seconds(attempt, 0.0) >= middle / 2


def test_nothing_is_sent_when_no_time_is_left(sandbox):
    client = client_of(sandbox, total_timeout=0)
    with pytest.raises(ProviderUnavailable, match="no time is left"):
        client.list_banks("NGN")
    with pytest.raises(OutcomeUnknown, match="no time is left"):
        client.transfer(request_of())
    assert sandbox.control("GET", "requests") == []


def test_a_call_is_made_with_less_than_a_second_left(sandbox):
    client = client_of(sandbox, total_timeout=0.9, read_attempts=1)

    def is_made() -> bool:
        # It may come to nothing on a slow machine.
        with contextlib.suppress(ProviderUnavailable):
            client.list_banks("NGN")
        return bool(sandbox.asked("GET", "/v3/banks/NG"))

    wait_until(is_made, "the provider is asked")
