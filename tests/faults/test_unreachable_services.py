"""The web application without its cache or its database.

Without the cache, each process counts requests by itself; requests that move money or guess secrets
are rejected, none waits long, and staff can sign in. Without the database, every response is a 503,
and a full disk does not flood the log.
"""

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import requests
from psycopg import Connection

from config import webserver
from config.back_office.site import CONTENT_SECURITY_POLICY
from config.ports import is_responding
from config.settings.base import redis_cache
from exchange.api import throttling
from exchange.participants.models import Member
from exchange.staff.models import SignInAttempts
from tests.environment.ports import claim_ports
from tests.environment.processes import Program, wait_until
from tests.environment.services import HOST, Service, ServiceStack
from tests.factories.api_clients import assert_error, make_caller, make_member
from tests.factories.logins import create_login_user

MEMBERS = "/v1/api/members"
NOT_READY = "The service is not ready. Please try again shortly"
ADA = {"name": "Ada", "email": "ada@example.com"}
MONEY = {"amount": 1, "note": "n, checked with the bank"}


@pytest.fixture
def closed_port() -> Iterator[int]:
    """Return a port that no program listens at; only a Redis of these tests may bind it."""
    with socket.socket() as reserved:
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind((HOST, 0))
        yield reserved.getsockname()[1]


@contextmanager
def running_web(service_stack: ServiceStack, **environment: str) -> Iterator[Service]:
    """Run a separate web application with this environment."""
    stack = replace(service_stack, web_port=claim_ports())
    log = service_stack.folder / "web-unreachable.log"
    log.write_text("")
    program = Program(
        command=webserver.command(HOST, stack.web_port, workers=1),
        environment={**stack.environment, "LOG_LEVEL": "WARNING", **environment},
        ready=lambda: is_responding(HOST, stack.web_port, "/"),
        output=log,
    )
    program.start()
    try:
        yield Service(stack, program)
    finally:
        program.stop()


@pytest.fixture
def service_without_cache(
    service_stack: ServiceStack, transactional_db: None, closed_port: int
) -> Iterator[Service]:
    """Run a web application whose rate limits use an unreachable cache."""
    cache = f"redis://{HOST}:{closed_port}/0"
    with running_web(service_stack, RATE_LIMITS_ENABLED="true", TEST_CACHE_URL=cache) as service:
        yield service


def log_lines(service: Service) -> list[str]:
    text = (service.service_stack.folder / "web-unreachable.log").read_text()
    return [line for line in text.splitlines() if line.strip()]


def test_money_requests_are_rejected_without_the_cache_and_logged_once(service_without_cache):
    caller = make_caller()
    url = service_without_cache.base_url + MEMBERS
    for path in (
        "wallet/withdraw",
        f"members/{make_member(caller.organisation).id}/wallet/withdraw",
    ):
        response = requests.post(
            f"{service_without_cache.base_url}/v1/api/{path}",
            json={},
            headers=caller.headers,
            timeout=10,
        )
        assert response.status_code == 503
        assert response.json() == {"status": "failed", "message": NOT_READY}
        assert response.headers["X-Error-Code"] == "not_ready"
        assert response.headers["Retry-After"] == "1"
        assert response.headers["X-Request-ID"]
    assert requests.get(url, timeout=10).status_code == 401

    logged = log_lines(service_without_cache)
    assert len(logged) == 1, logged
    assert "api.cache_unavailable" in logged[0]
    assert "Connection refused" in logged[0]


@pytest.mark.slow
def test_other_requests_continue_without_the_cache_and_are_counted(service_without_cache):
    caller = make_caller()
    member = make_member(caller.organisation)
    remaining = []
    for method, path, body, status in (
        ("GET", MEMBERS, None, 200),
        ("POST", f"/v1/api/credit/user/portfolio/{member.id}", {}, 200),
        ("POST", MEMBERS, ADA, 201),
    ):
        response = requests.request(
            method,
            service_without_cache.base_url + path,
            json=body,
            headers=caller.headers,
            timeout=10,
        )
        assert response.status_code == status, response.text
        remaining.append(int(response.headers["X-RateLimit-Remaining"]))
    assert remaining == [599, 598, 597]


@pytest.mark.slow
def test_no_secret_can_be_guessed_without_the_cache(service_without_cache):
    caller = make_caller()
    for secret in ("guess", caller.secret):
        response = requests.post(
            service_without_cache.base_url + "/v1/oauth/token",
            {"grant_type": "client_credentials"},
            auth=(caller.key.client_id, secret),
            timeout=10,
        )
        assert response.status_code == 503
        assert response.json() == {
            "error": "temporarily_unavailable",
            "error_description": NOT_READY,
        }
        assert response.headers["Retry-After"] == "1"
        assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.slow
def test_the_back_office_locks_out_guesses_without_the_cache(service_without_cache):
    create_login_user("Auditor", "ada")
    browser = requests.Session()
    sign_in = service_without_cache.base_url + "/admin/login/"
    for _ in range(6):
        page = browser.get(sign_in, timeout=10)
        assert page.status_code == 200
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
        assert token
        page = browser.post(
            sign_in,
            {"csrfmiddlewaretoken": token[1], "username": "ada", "password": "guess"},
            timeout=10,
        )
    assert "Too many failed attempts" in page.text
    assert SignInAttempts.objects.exists()
    assert requests.get(service_without_cache.base_url + "/health", timeout=10).status_code == 200
    assert log_lines(service_without_cache) == []


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("redis-server"), reason="Redis is not installed")
def test_an_intermittent_cache_is_used_while_it_is_reachable(
    service_without_cache, closed_port, tmp_path
):
    caller = make_caller()
    url = service_without_cache.base_url + MEMBERS

    def withdraw() -> int:
        address = f"{service_without_cache.base_url}/v1/api/wallet/withdraw"
        return requests.post(address, json={}, headers=caller.headers, timeout=10).status_code

    for _ in range(2):
        assert withdraw() == 503
        with redis_at(closed_port, tmp_path):
            # Requests are counted again, and the body is validated.
            wait_until(lambda: withdraw() == 400, "requests are counted again")
            response = requests.get(url, headers=caller.headers, timeout=10)
            assert int(response.headers["X-RateLimit-Remaining"]) < 600
        assert "api.cache_available" in log_lines(service_without_cache)[-1]
        assert requests.get(url, headers=caller.headers, timeout=10).status_code == 200


@contextmanager
def redis_at(port: int, folder: Path) -> Iterator[None]:
    process = subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", HOST, "--save", "", "--dir", str(folder)],
        stdout=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.urls("tests.environment.api_views")
def test_a_silent_cache_delays_one_request_a_second(settings, monkeypatch):
    monkeypatch.setattr(throttling, "_breaker", throttling.CacheCircuitBreaker())
    caller = make_caller()
    with socket.socket() as silent:
        silent.bind((HOST, 0))
        silent.listen()
        settings.RATE_LIMITS_ENABLED = True
        settings.CACHES = {"default": redis_cache(f"redis://{HOST}:{silent.getsockname()[1]}/0")}
        durations = []
        for _ in range(20):
            start = time.monotonic()
            assert assert_error(caller.post("/v1/test/money", MONEY), 503, "not_ready") == NOT_READY
            durations.append(time.monotonic() - start)
    waited = [seconds for seconds in durations if seconds > 0.9]
    assert waited[0] == durations[0]
    # An attempt takes a second, and the next one begins a second after its end.
    assert len(waited) <= (sum(durations) + 1) / 2


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.urls("tests.environment.api_views")
def test_reads_beyond_the_limit_are_rejected_without_the_cache(
    settings, monkeypatch, closed_port, still_minute
):
    monkeypatch.setattr(throttling, "_breaker", throttling.CacheCircuitBreaker())
    settings.RATE_LIMITS_ENABLED = True
    settings.RATE_LIMITS = {"requests": 5, "money": 2, "token": 3}
    settings.CACHES = {"default": redis_cache(f"redis://{HOST}:{closed_port}/0")}
    caller = make_caller()
    assert [caller.get(MEMBERS).status_code for _ in range(6)] == [200] * 5 + [429]
    assert make_caller().get(MEMBERS).status_code == 200
    assert_error(caller.post("/v1/test/money", MONEY), 503, "not_ready")


@pytest.mark.django_db
def test_every_endpoint_is_unavailable_without_the_database(service_stack, closed_port):
    requests_by_path = {
        "/health": ("GET", {}, {}),
        "/admin/": ("GET", {"Cookie": "sessionid=abcdefghijklmnopqrstuvwxyz012345"}, {}),
        MEMBERS: ("GET", {"Authorization": "Bearer abc"}, {}),
        "/v1/api/wallet/withdraw": ("POST", {"Authorization": "Bearer abc"}, {}),
        "/v1/oauth/token": (
            "POST",
            {},
            {"grant_type": "client_credentials", "client_id": "a", "client_secret": "b"},
        ),
    }

    with running_web(
        service_stack, TEST_DATABASE_URL=f"postgresql://x@{HOST}:{closed_port}/x"
    ) as service:

        def send(path: str) -> requests.Response:
            method, headers, body = requests_by_path[path]
            return requests.request(
                method, service.base_url + path, headers=headers, data=body, timeout=40
            )

        # A request waits 15 seconds for a connection, so all are sent at once.
        with ThreadPoolExecutor(len(requests_by_path)) as pool:
            responses = dict(zip(requests_by_path, pool.map(send, requests_by_path), strict=True))

    assert {path: reply.status_code for path, reply in responses.items()} == dict.fromkeys(
        requests_by_path, 503
    )
    assert responses["/health"].json()["status"] == "unavailable"
    for path in (MEMBERS, "/v1/api/wallet/withdraw"):
        assert responses[path].json() == {"status": "failed", "message": NOT_READY}
    assert responses["/v1/oauth/token"].json()["error"] == "temporarily_unavailable"
    page = responses["/admin/"]
    assert page.headers["Content-Type"].startswith("text/html")
    assert page.headers["Retry-After"] == "5"
    assert page.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
    assert "Service unavailable" in page.text


@pytest.fixture
def full_disk(transactional_db: None, owner_connection: Connection) -> Iterator[None]:
    """Make PostgreSQL raise its error of a full disk for each new member."""
    owner_connection.execute(
        "CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION"
        " 'could not extend file: No space left on device' USING ERRCODE = '53100'; END$$"
    )
    owner_connection.execute(
        "CREATE TRIGGER disk_full BEFORE INSERT ON exchange_member"
        " FOR EACH ROW EXECUTE FUNCTION disk_full()"
    )
    yield
    owner_connection.execute("DROP FUNCTION disk_full CASCADE")


@pytest.mark.slow
def test_a_full_disk_logs_only_a_few_lines_a_second(service_stack, full_disk):
    caller = make_caller()

    def post(number: int) -> int:
        body = {"name": "Ada", "email": f"a{number}@example.com"}
        url = service.base_url + MEMBERS
        return requests.post(url, json=body, headers=caller.headers, timeout=30).status_code

    with running_web(service_stack) as service, ThreadPoolExecutor(8) as pool:
        start = time.monotonic()
        assert set(pool.map(post, range(300))) == {503}
        seconds = time.monotonic() - start
        logged = log_lines(service)
    reported = [line for line in logged if "api.database_unavailable" in line]
    assert 1 <= len(reported) <= seconds + 2
    # A traceback has two parts: the error of psycopg and that of Django.
    assert sum("Traceback (most recent" in line for line in logged) <= 2 * (1 + seconds // 60)
    assert not Member.objects.exists()
