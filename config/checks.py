"""What `check --deploy` asks of the settings beyond what Django asks."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.core.cache.backends.db import DatabaseCache
from django.core.cache.backends.memcached import BaseMemcachedCache
from django.core.cache.backends.redis import RedisCache
from django.core.checks import CheckMessage, Error

SHARED = (RedisCache, DatabaseCache, BaseMemcachedCache)


def limits_are_shared(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Rate limits are counted in the default cache: one per process would multiply them."""
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
