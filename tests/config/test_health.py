"""Readiness: which faults make a process unavailable and which degrade it."""

import socket
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from config import health
from config.settings.base import redis_cache
from exchange.core import sqlfiles
from tests.environment.owner import as_owner

pytestmark = pytest.mark.django_db


def readiness() -> tuple[int, dict[str, Any]]:
    response = Client().get("/health/ready")
    return response.status_code, response.json()


def test_a_process_that_can_serve_is_ready():
    assert readiness() == (
        200,
        {
            "status": "ok",
            "checks": {
                "database": "ok",
                "role": "ok",
                "migrations": "ok",
                "sql": "ok",
                "broker": "ok",
                "cache": "ok",
            },
        },
    )


def test_another_role_than_the_runtime_role_is_unavailable():
    with as_owner():
        code, body = readiness()
    assert (code, body["status"], body["checks"]["role"]) == (503, "unavailable", "unavailable")
    assert body["checks"]["database"] == "ok"


def test_a_missing_migration_is_unavailable(monkeypatch: pytest.MonkeyPatch):
    own = health._own_migrations()
    monkeypatch.setattr(health, "_own_migrations", lambda: own | {("exchange", "9999_future")})
    code, body = readiness()
    assert (code, body["checks"]["migrations"]) == (503, "unavailable")


def test_sql_of_a_later_version_degrades_and_of_another_version_is_unavailable(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(health._AcceptedSql, "state", None)
    assert readiness()[1]["checks"]["sql"] == "ok"
    with as_owner():
        _mark_installed("another version")
    code, body = readiness()
    assert (code, body["status"], body["checks"]["sql"]) == (200, "degraded", "degraded")

    monkeypatch.setattr(health._AcceptedSql, "state", None)
    code, body = readiness()
    assert (code, body["checks"]["sql"]) == (503, "unavailable")


def _mark_installed(state: str) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION public.installed_sql()")
        cursor.execute(sqlfiles._MARK.format(state=state))


@pytest.mark.parametrize(
    ("setting", "value", "check"),
    [("CELERY_BROKER_URL", "amqp://guest:guest@127.0.0.1:1//", "broker")],
)
def test_without_broker_the_process_is_degraded(
    monkeypatch: pytest.MonkeyPatch, setting: str, value: str, check: str
):
    monkeypatch.setattr(settings, setting, value)
    code, body = readiness()
    assert (code, body["status"], body["checks"][check]) == (200, "degraded", "degraded")


@pytest.mark.parametrize("listening", [False, True], ids=["refusing", "silent"])
def test_without_cache_the_process_is_degraded_within_seconds(settings: Any, listening: bool):
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        if listening:
            holder.listen(8)
        url = f"redis://127.0.0.1:{holder.getsockname()[1]}/0"
        settings.CACHES = {"default": redis_cache(url)}
        code, body = readiness()
    assert (code, body["status"], body["checks"]["cache"]) == (200, "degraded", "degraded")


def test_liveness_asks_nothing(django_assert_num_queries: Any):
    with django_assert_num_queries(0):
        response = Client().get("/health/live")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})
