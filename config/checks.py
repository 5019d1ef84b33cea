"""Deployment checks of the settings, run by `check --deploy`."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.core.cache.backends.db import DatabaseCache
from django.core.cache.backends.memcached import BaseMemcachedCache
from django.core.cache.backends.redis import RedisCache
from django.core.checks import CheckMessage, Error

from exchange.core.counters import DatabaseCounters

SHARED = (RedisCache, DatabaseCache, BaseMemcachedCache, DatabaseCounters)


# With less, an intruder could use new privileged access before anyone reads the notice.
COOLING_OFF_HOURS = 24
TENURE_DAYS = 7


def check_cooling_off(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Check that new access has its cooling-off period, and demo data is off."""
    del app_configs
    if (
        settings.COOLING_OFF_HOURS >= COOLING_OFF_HOURS
        and settings.TENURE_DAYS >= TENURE_DAYS
        and not settings.DEMO_DATA
    ):
        return []
    return [
        Error(
            "The cooling-off period of new access is shortened or can be skipped.",
            hint="Leave COOLING_OFF_HOURS and TENURE_DAYS as they are, and DEMO_DATA off.",
            id="config.E002",
        )
    ]


def check_shared_rate_limits(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Check that rate limits are counted in a cache shared by all processes."""
    del app_configs
    cache = caches["default"]
    if not settings.RATE_LIMITS_ENABLED or isinstance(cache, SHARED):
        return []
    return [
        Error(
            f"Rate limits are on, but {type(cache).__name__} does not count for all processes.",
            hint="Set CACHE_URL to a Redis that all processes share, or RATE_LIMITS_ENABLED=false.",
            id="config.E001",
        )
    ]
