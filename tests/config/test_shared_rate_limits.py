"""Enabled limits are exact over all processes, also without Redis."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import requests
from django.core.cache import cache
from django.core.checks import run_checks

from config import webserver
from config.ports import is_responding
from exchange.api.throttling import count_request
from exchange.staff.models import SignInAttempts
from exchange.staff.services import lockout
from tests.environment.ports import claim_ports
from tests.environment.processes import Program
from tests.environment.services import HOST, ServiceStack
from tests.factories.api_clients import make_caller

COUNTERS = {"default": {"BACKEND": "exchange.core.counters.DatabaseCounters"}}


@pytest.mark.slow
def test_two_web_processes_without_redis_count_together(
    service_stack: ServiceStack, transactional_db: None
):
    here = replace(service_stack, web_port=claim_ports())
    web = Program(
        command=webserver.command(HOST, here.web_port, workers=2),
        environment={
            **here.environment, "RATE_LIMITS_ENABLED": "true", "RATE_LIMIT_REQUESTS": "25",
        },
        ready=lambda: is_responding(HOST, here.web_port, "/"),
        output=here.folder / "web-of-two.log",
    )  # fmt: skip
    web.start()
    try:
        minute = -1
        while minute != (minute := int(time.time()) // 60):  # until all are within one
            headers = make_caller().headers

            def send_request(_: int, headers: dict[str, str] = headers) -> tuple[int, int]:
                url = f"http://{HOST}:{here.web_port}/v1/api/members"
                response = requests.get(url, headers=headers, timeout=30)
                return response.status_code, int(response.headers["X-RateLimit-Remaining"])

            with ThreadPoolExecutor(8) as pool:
                found = sorted(pool.map(send_request, range(40)))
    finally:
        web.stop()
    assert found == [(200, left) for left in range(25)] + [(429, 0)] * 15


@pytest.mark.django_db
@pytest.mark.usefixtures("still_minute")
def test_expired_counters_are_removed(settings):
    settings.CACHES = COUNTERS
    settings.RATE_LIMITS_ENABLED = True
    settings.RATE_LIMITS = {"requests": 2}
    used = [budget.used for _ in range(3) if (budget := count_request("requests", "one"))]
    assert used == [1, 2, 3]
    assert cache.incr("another", 5) == 5
    assert SignInAttempts.objects.count() == 2
    assert lockout.purge_expired() == 0
    SignInAttempts.objects.update(ends_at="2026-01-01T00:00:00Z")
    assert lockout.purge_expired() == 2


def test_a_deployment_may_count_in_postgresql(settings):
    settings.CACHES = COUNTERS
    settings.DEMO_DATA = False  # as in a deployment
    settings.RATE_LIMITS_ENABLED = True
    found = run_checks(include_deployment_checks=True)
    assert [message.id for message in found if message.id in {"config.E001", "config.E002"}] == []
