"""Counters in PostgreSQL, for the rate limits of an installation without Redis."""

from datetime import timedelta

import pytest
from django.utils import timezone

from exchange.core.counters import DatabaseCounters
from exchange.staff.models import SignInAttempts

pytestmark = pytest.mark.django_db


def test_a_counter_starts_at_zero_per_key_and_version():
    counters = DatabaseCounters("", {})
    assert [counters.incr("a"), counters.incr("a"), counters.incr("a", 5)] == [1, 2, 7]
    assert counters.incr("b") == 1
    assert counters.incr("a", version=2) == 1
    assert DatabaseCounters("", {"KEY_PREFIX": "of others"}).incr("a") == 1
    assert DatabaseCounters("", {}).incr("a") == 8


def test_a_counter_expires_after_two_minutes():
    before = timezone.now()
    DatabaseCounters("", {}).incr("a")
    kept = timedelta(minutes=2)
    assert before + kept <= SignInAttempts.objects.get().ends_at <= timezone.now() + kept
