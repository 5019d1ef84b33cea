"""`check --deploy` names settings that are unsafe, contradict each other or are not read."""

from typing import Any

import pytest
from django.core.checks import ERROR, WARNING, run_checks
from pytest_django import Settings

from config import checks

BACKENDS = "django.core.cache.backends."


def errors(settings: Settings, *, limits: bool, backend: str, deploying: bool = True) -> Any:
    settings.RATE_LIMITS_ENABLED = limits
    settings.DEMO_DATA = False  # as in a deployment
    settings.CACHES = {"default": {"BACKEND": BACKENDS + backend, "LOCATION": "redis://127.0.0.1"}}
    found = run_checks(include_deployment_checks=deploying)
    return [
        (each.id, each.is_serious()) for each in found if each.id in {"config.E001", "config.E002"}
    ]


@pytest.mark.parametrize(
    "backend", ["locmem.LocMemCache", "dummy.DummyCache", "filebased.FileBasedCache"]
)
def test_enabled_limits_need_a_shared_cache(settings: Settings, backend: str):
    assert errors(settings, limits=True, backend=backend) == [("config.E001", True)]


@pytest.mark.parametrize("backend", ["redis.RedisCache", "db.DatabaseCache"])
def test_a_shared_cache_passes(settings: Settings, backend: str):
    assert errors(settings, limits=True, backend=backend) == []


def test_disabled_limits_need_no_shared_cache(settings: Settings):
    assert errors(settings, limits=False, backend="locmem.LocMemCache") == []


def test_the_check_runs_for_deployments_only(settings: Settings):
    assert errors(settings, limits=True, backend="locmem.LocMemCache", deploying=False) == []


@pytest.mark.parametrize(
    ("redirect", "header", "proxies", "words"),
    [
        (True, None, 0, "SECURE_PROXY_HEADER is not set"),
        (True, None, 1, "SECURE_PROXY_HEADER is not set"),
        (False, None, 0, "TRUSTED_PROXIES is 0"),
        (True, ("HTTP_X_FORWARDED_PROTO", "https"), 1, None),
        (False, None, 1, None),
    ],
)
def test_a_proxy_is_required(
    settings: Settings, redirect: bool, header: Any, proxies: int, words: str | None
):
    settings.SECURE_SSL_REDIRECT, settings.SECURE_PROXY_SSL_HEADER = redirect, header
    settings.TRUSTED_PROXIES = proxies
    found = checks.check_proxy(None)
    assert [(each.id, each.level) for each in found] == ([("config.E003", ERROR)] if words else [])
    assert all(str(each.msg).startswith(words or "") for each in found)


def test_values_that_are_not_meant_for_production_are_named(settings: Settings):
    settings.RATE_LIMITS_ENABLED, settings.WEBHOOK_ALLOW_LOCAL = False, True
    settings.PAYMENT_PROVIDER = {**settings.PAYMENT_PROVIDER, "secret_key": "FLWSECK_TEST-1-X"}
    assert [(each.id, each.level) for each in checks.check_safe_values(None)] == [
        ("config.W001", WARNING), ("config.W002", WARNING), ("config.W003", WARNING),
    ]  # fmt: skip
    settings.RATE_LIMITS_ENABLED, settings.WEBHOOK_ALLOW_LOCAL = True, False
    settings.PAYMENT_PROVIDER = {**settings.PAYMENT_PROVIDER, "secret_key": "FLWSECK-1-X"}
    assert list(checks.check_safe_values(None)) == []


@pytest.mark.parametrize(
    ("broker", "cache", "provider", "found"),
    [
        ("amqp://u:p@broker//", "redis://cache/0", "http://provider/v3",
         [("config.W004", "CELERY_BROKER_URL"), ("config.W004", "CACHE_URL"),
          ("config.E004", "FLUTTERWAVE_BASE_URL")]),
        ("redis://broker/0", "redis://cache/0", "https://provider/v3",
         [("config.W004", "CELERY_BROKER_URL"), ("config.W004", "CACHE_URL")]),
        ("amqps://broker//", "rediss://cache/0", "https://provider/v3", []),
        ("rediss://broker/0", "", "https://provider/v3", []),
        ("amqp://127.0.0.1//", "redis://localhost/0", "http://[::1]:1/v3", []),
    ],
)  # fmt: skip
def test_passwords_and_keys_cross_no_network_in_plain_text(
    settings: Settings, broker: str, cache: str, provider: str, found: list[tuple[str, str]]
):
    settings.CELERY_BROKER_URL = broker
    settings.CACHES = {"default": {"BACKEND": BACKENDS + "redis.RedisCache", "LOCATION": cache}}
    settings.PAYMENT_PROVIDER = {**settings.PAYMENT_PROVIDER, "base_url": provider}
    messages = list(checks.check_encryption(None))
    assert [(each.id, str(each.msg).partition(":")[0]) for each in messages] == found
    assert "u:p" not in str(messages)


@pytest.mark.parametrize(
    ("host", "tls", "found"),
    [
        ("mail.example", False, ["config.W004"]),
        ("mail.example", True, []),
        ("127.0.0.1", False, []),
        ("", False, []),
    ],
)
def test_e_mail_crosses_no_network_in_plain_text(
    settings: Settings, host: str, tls: bool, found: list[str]
):
    settings.EMAIL_HOST, settings.EMAIL_USE_TLS = host, tls
    settings.CELERY_BROKER_URL = "amqp://127.0.0.1//"
    assert [each.id for each in checks.check_encryption(None)] == found


@pytest.mark.parametrize(
    ("host", "local"),
    [("", True), ("/run/postgresql", True), ("localhost", True), ("127.0.0.2", True), ("::1", True),
     ("10.0.0.1", False), ("database", False)],
)  # fmt: skip
def test_only_this_machine_needs_no_encryption(host: str, local: bool):
    assert checks.is_local(host) is local


def test_variables_that_are_not_read_as_meant_are_named(monkeypatch: pytest.MonkeyPatch):
    given = {
        "RATE_LIMITS_ENABLE": "false",
        "CELERY_BROKER_READ_URL": "amqp://guest:secret-word@host//",
        "PGSSLMODE": "disable",
        "PGDATA": "/data",
        "DATABASE_PORT_5432_TCP": "tcp://kubernetes",
        "SESSION_MANAGER": "desktop",
        "DATABASE_POOL_SIZE": "8",
    }
    monkeypatch.setattr("os.environ", given)
    messages = list(checks.check_variables(None))
    assert [(each.id, str(each.msg).split()[0], each.hint) for each in messages] == [
        ("config.E005", "CELERY_BROKER_READ_URL", "Remove it."),
        ("config.W005", "RATE_LIMITS_ENABLE", "Rename it to RATE_LIMITS_ENABLED, or remove it."),
        ("config.W006", "PGSSLMODE", "Remove it, or write it as a parameter of the URL."),
    ]
    assert "secret-word" not in str(messages)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("DATABSE_URL", ("DATABSE_URL", "DATABASE_URL")),
        ("database_url", ("database_url", "DATABASE_URL")),
        ("CELERY_BROKERURL", ("CELERY_BROKERURL", "CELERY_BROKER_URL")),
        ("DATABASE_NAME", ("DATABASE_NAME", None)),
        ("DATABASE_SERVICE_HOST", None),
        ("PATH", None),
        ("DATABASE_URL", None),
    ],
)
def test_a_variable_like_ours_is_found(given: str, expected: tuple[str, str | None] | None):
    known = ["DATABASE_URL", "CELERY_BROKER_URL", "DEBUG"]
    found = list(checks.unread_variables([given], known))
    assert found == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("origin", "hosts", "found"),
    [
        ("https://exchange.example", ["exchange.example"], []),
        ("https://office.exchange.example:8443", [".exchange.example"], []),
        ("https://exchange.example", ["other.example"], ["config.E006"]),
        ("", ["other.example"], []),
    ],
)
def test_passkeys_are_for_a_host_that_is_served(
    settings: Settings, origin: str, hosts: list[str], found: list[str]
):
    settings.PASSKEY_ORIGIN, settings.ALLOWED_HOSTS = origin, hosts
    assert [each.id for each in checks.check_passkeys(None)] == found
