"""How long the circuit of payouts waits between probes, and leaves the provider alone."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.db import transaction
from django.utils import timezone

from wallets.models import PayoutCircuit
from wallets.services import circuit

pytestmark = pytest.mark.django_db


def row() -> PayoutCircuit:
    return PayoutCircuit.objects.get()


def minutes_until(moment: datetime | None) -> int:
    assert moment is not None
    return round((moment - timezone.now()).total_seconds() / 60)


def test_probes_come_half_an_hour_apart_at_the_latest():
    waits = []
    for failed_trials in (0, 1, 4, 5, 6, 40):
        with transaction.atomic():
            found = circuit._lock()
            found.opened_at, found.failed_trials = timezone.now(), failed_trials
            circuit._open(found)
            found.save()
        waits.append(minutes_until(row().next_probe_at))
    assert waits == [1, 2, 16, 32, 32, 32]


def test_the_provider_is_left_alone_for_an_hour_at_most_and_no_wish_shortens_another():
    for nothing in (None, 0):
        circuit.keep_quiet(nothing)
        assert (row().quiet_until, circuit.is_quiet()) == (None, False)
    waits = []
    for minutes in (20, 10, 30, 59, 61, 600):
        circuit.keep_quiet(60 * minutes)
        waits.append(minutes_until(row().quiet_until))
    assert (waits, circuit.is_quiet()) == ([20, 20, 30, 59, 60, 60], True)
