"""`check --deploy` rejects rate limits that are counted per process."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.checks import run_checks
from pytest_django import Settings

BACKENDS = "django.core.cache.backends."


def errors(settings: Settings, *, limits: bool, backend: str, deploying: bool = True) -> Any:
    settings.RATE_LIMITS_ENABLED = limits
    settings.DEMO_DATA = False  # as in a deployment
    settings.CACHES = {"default": {"BACKEND": BACKENDS + backend, "LOCATION": "redis://127.0.0.1"}}
    found = run_checks(include_deployment_checks=deploying)
    ours = [message for message in found if str(message.id).startswith("config.")]
    return [(message.id, message.is_serious()) for message in ours]


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
