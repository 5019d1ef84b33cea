"""How long a delivery that failed waits for its next try."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from exchange.services.deliveries import retry_wait
from exchange.webhooks.posting import Outcome

HOUR = 3600
# After the first failed try, the second, and so on.
WAITS = (5, 300, 1800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR)
FAILED = Outcome(status_code=500, milliseconds=1)


def asked(seconds: int) -> Outcome:
    return Outcome(status_code=503, milliseconds=1, retry_after_seconds=seconds)


@pytest.mark.parametrize(("drawn", "longer"), [(min, 1.0), (max, 1.1)])
def test_each_wait_is_the_planned_one_or_up_to_a_tenth_longer(monkeypatch, drawn, longer):
    monkeypatch.setattr(random, "uniform", drawn)
    found = [retry_wait(tries, FAILED) for tries in range(1, len(WAITS) + 1)]
    assert found == [timedelta(seconds=wait * longer) for wait in WAITS]


def test_a_receiver_may_ask_for_a_longer_wait_up_to_a_day_and_for_no_shorter_one(monkeypatch):
    monkeypatch.setattr(random, "uniform", min)
    for seconds, waited in ((6, 6), (4, 5), (24 * HOUR, 24 * HOUR), (24 * HOUR + 1, 24 * HOUR)):
        assert retry_wait(1, asked(seconds)) == timedelta(seconds=waited)
    assert retry_wait(9, asked(23 * HOUR)) == timedelta(hours=24)
