"""Production settings reject missing and unsafe values."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from config.settings import base
from tests.environment.processes import CHECKOUT

COMPLETE = {
    "DJANGO_SETTINGS_MODULE": "config.settings.production",
    "SECRET_KEY": "k3-W9fQ_only_for_the_test_zT7uXbV4mN1pL6sD0hJ5gRyCeAaBq",
    "FIELD_ENCRYPTION_KEYS": "dGVzdHMgb25seTogdGhpcnR5LXR3byBieXRlcyBvZiA=",
    "ALLOWED_HOSTS": "exchange.example",
    "DATABASE_URL": "postgresql://exchange_app@127.0.0.1/exchange",
    "CELERY_BROKER_URL": "amqp://127.0.0.1//",
    "CACHE_URL": "redis://127.0.0.1/0",
    "FLUTTERWAVE_SECRET_KEY": "secret",
    "FLUTTERWAVE_WEBHOOK_HASH": "hash",
}
REQUIRED = sorted(set(COMPLETE) - {"DJANGO_SETTINGS_MODULE"})


def check(**changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=CHECKOUT,
        env={
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            **COMPLETE,
            **changes,
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_complete_settings_pass_the_deployment_check_without_a_warning() -> None:
    done = check()
    assert done.returncode == 0, done.stderr
    assert "no issues (0 silenced)" in done.stdout or "no issues (1 silenced)" in done.stdout


@pytest.mark.parametrize("variable", REQUIRED)
def test_a_missing_variable_is_named_in_one_line(variable: str) -> None:
    done = check(**{variable: ""})
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f"Set {variable}: ")


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("DEBUG", "true", "DEBUG must not be on"),
        ("SECRET_KEY", "short", "SECRET_KEY must be 50 or more"),
        ("SECRET_KEY", "django-insecure-" + COMPLETE["SECRET_KEY"], "SECRET_KEY must be 50"),
        ("SECRET_KEY", "a" * 60, "SECRET_KEY must be 50"),
        ("FIELD_ENCRYPTION_KEYS", "not-a-key", "FIELD_ENCRYPTION_KEYS: each key is 32 bytes"),
        ("ALLOWED_HOSTS", "*", "ALLOWED_HOSTS must name the hosts"),
        ("DATABASE_URL", "sqlite:///x", "DATABASE_URL must begin with postgresql://"),
        ("CELERY_BROKER_URL", "filesystem://", "CELERY_BROKER_URL must be RabbitMQ"),
        ("CELERY_BROKER_URL", "memory://", "CELERY_BROKER_URL must be RabbitMQ"),
        ("DATABASE_POOLER", "pgpool", "DATABASE_POOLER must be pgbouncer"),
        ("CACHE_URL", "locmem://", "CACHE_URL must be Redis"),
    ],
)
def test_an_unsafe_value_is_rejected_in_one_line(variable: str, value: str, words: str) -> None:
    done = check(**{variable: value})
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr


def test_behind_pgbouncer_nothing_is_prepared_and_the_login_has_the_options() -> None:
    direct = base.runtime_database({"NAME": "exchange"})["OPTIONS"]
    assert direct["prepare_threshold"] == 1
    assert "role=exchange_runtime" in direct["options"]
    pooled = base.runtime_database({"NAME": "exchange"}, "pgbouncer")["OPTIONS"]
    assert pooled["prepare_threshold"] is None
    assert "options" not in pooled
