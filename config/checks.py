"""Deployment checks of the settings, run by `check --deploy` and `doctor`. They ask no server."""

import difflib
import ipaddress
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks
from django.core.cache import caches
from django.core.cache.backends.db import DatabaseCache
from django.core.cache.backends.memcached import BaseMemcachedCache
from django.core.cache.backends.redis import RedisCache
from django.core.checks import CheckMessage, Error
from django.http.request import validate_host

from config.settings.environment import env
from exchange.core.counters import DatabaseCounters

SHARED = (RedisCache, DatabaseCache, BaseMemcachedCache, DatabaseCounters)


# With less, an intruder could use new privileged access before anyone reads the notice.
COOLING_OFF_HOURS = 24
TENURE_DAYS = 7

# Celery reads these itself, in place of ours.
_CELERYS_OWN = {
    "CELERY_BROKER_READ_URL",
    "CELERY_BROKER_WRITE_URL",
    "CELERY_CONFIG_MODULE",
    "CELERY_LOADER",
    "CELERY_RESULT_BACKEND",
}
# Kubernetes adds these for each of its services, which may be named `database` or `cache`.
_KUBERNETES = re.compile(r"_(SERVICE_(HOST|PORT\w*)|PORT(_\d+_(TCP|UDP)(_\w+)?)?)$")
# Variables of desktops, shells and of the other containers.
_OTHERS = {"SESSION_MANAGER", "SESSIONNAME", "SECURITYSESSIONID", "DEBUGINFOD_URLS"}
_SIMILARITY = 0.85


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


def check_proxy(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Check that the settings name the proxy in front."""
    del app_configs
    if settings.SECURE_SSL_REDIRECT and not settings.SECURE_PROXY_SSL_HEADER:
        return [
            Error(
                "SECURE_PROXY_HEADER is not set: every request is redirected to https, for ever.",
                hint="Set SECURE_PROXY_HEADER to the header in which the proxy tells the protocol.",
                id="config.E003",
            )
        ]
    if not settings.TRUSTED_PROXIES:
        return [
            Error(
                "TRUSTED_PROXIES is 0, but slow clients stop a web server without a proxy.",
                hint="Put docs/cluster/haproxy-front.cfg in front, and give the number of proxies.",
                id="config.E003",
            )
        ]
    return []


def check_passkeys(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Check that passkeys are for a host that is served."""
    del app_configs
    host = urlsplit(settings.PASSKEY_ORIGIN).hostname
    if host is None or validate_host(host, settings.ALLOWED_HOSTS):
        return []
    return [
        Error(
            f"PASSKEY_ORIGIN names {host}, which ALLOWED_HOSTS does not: no passkey works.",
            hint="Give the origin at which staff open the back office.",
            id="config.E006",
        )
    ]


def check_safe_values(app_configs: Any, **_: Any) -> Iterator[CheckMessage]:
    """Check for values that are allowed, but not meant for production."""
    del app_configs
    if not settings.RATE_LIMITS_ENABLED:
        yield checks.Warning(
            "Rate limits are off.", hint="Remove RATE_LIMITS_ENABLED.", id="config.W001"
        )
    if settings.WEBHOOK_ALLOW_LOCAL:
        yield checks.Warning(
            "Organisations can reach private addresses through webhooks.",
            hint="Remove WEBHOOK_ALLOW_LOCAL.",
            id="config.W002",
        )
    if "_TEST" in str(settings.PAYMENT_PROVIDER["secret_key"]):
        yield checks.Warning(
            "The provider's key is one for tests: no real money moves.",
            hint="Set FLUTTERWAVE_SECRET_KEY to the live key.",
            id="config.W003",
        )


def check_encryption(app_configs: Any, **_: Any) -> Iterator[CheckMessage]:
    """Check that no password or key crosses a network in plain text."""
    del app_configs
    for variable, url, message in (
        ("CELERY_BROKER_URL", settings.CELERY_BROKER_URL, checks.Warning),
        ("CACHE_URL", settings.CACHES["default"].get("LOCATION"), checks.Warning),
        ("FLUTTERWAVE_BASE_URL", settings.PAYMENT_PROVIDER["base_url"], Error),
    ):
        parts = urlsplit(str(url or ""))
        if parts.scheme in {"amqp", "redis", "http"} and not is_local(parts.hostname or ""):
            yield message(
                f"{variable}: what is sent to {parts.hostname} can be read on the way.",
                hint=f"Use {parts.scheme}s://, or for broker and cache a network of their own.",
                id="config.E004" if message is Error else "config.W004",
            )
    if settings.EMAIL_HOST and not settings.EMAIL_USE_TLS and not is_local(settings.EMAIL_HOST):
        yield checks.Warning(
            f"EMAIL_USE_TLS: what is sent to {settings.EMAIL_HOST} can be read on the way.",
            hint="Remove EMAIL_USE_TLS.",
            id="config.W004",
        )


def is_local(host: str) -> bool:
    """Return whether `host` is a socket's folder or this machine."""
    if not host or host.startswith(("/", "@")) or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_variables(app_configs: Any, **_: Any) -> Iterator[CheckMessage]:
    """Check for variables that look like ours but are not read, or are read by a library."""
    del app_configs
    for name, similar in sorted(unread_variables(os.environ, env.declared)):
        if name in _CELERYS_OWN:
            yield Error(
                f"{name} is set: Celery uses it instead of ours.",
                hint="Remove it.",
                id="config.E005",
            )
        else:
            yield checks.Warning(
                f"{name} is set, but nothing reads it.",
                hint=f"Rename it to {similar}, or remove it." if similar else "Remove it.",
                id="config.W005",
            )
    for name in sorted(name for name in os.environ if re.fullmatch(r"PG[A-Z]{3,}", name)):
        if name not in {"PGDATA", "PGPASSFILE"}:
            yield checks.Warning(
                f"{name} is set: libpq adds it to DATABASE_URL.",
                hint="Remove it, or write it as a parameter of the URL.",
                id="config.W006",
            )


def unread_variables(
    given: Iterable[str], known: Iterable[str]
) -> Iterator[tuple[str, str | None]]:
    """Yield variables like those known, with the most similar one if any is."""
    names = list(known)
    families = {f"{name.partition('_')[0]}_" for name in names if "_" in name}
    for name in given:
        upper = name.upper()
        if name in names or name in _OTHERS or _KUBERNETES.search(name):
            continue
        similar = difflib.get_close_matches(upper, names, n=1, cutoff=_SIMILARITY)
        if similar or name in _CELERYS_OWN or any(upper.startswith(each) for each in families):
            yield name, similar[0] if similar else None


CHECKS = (
    check_cooling_off,
    check_encryption,
    check_passkeys,
    check_proxy,
    check_safe_values,
    check_shared_rate_limits,
    check_variables,
)
