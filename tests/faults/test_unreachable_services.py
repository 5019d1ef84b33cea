"""The web application while something it needs cannot be reached.

The cache, with rate limits on: reads are counted by each process, all else is refused, nothing
waits long, and people get in all the same. The database: every answer is a 503 that says so; and
where its disk is full, the log stays readable.
"""

from __future__ import annotations

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
from config.local.supervisor.ports import claim_port, is_responding
from config.settings.base import redis_cache
from exchange.api import throttling
from exchange.participants.models import Member
from exchange.staff.models import SignInTries
from tests.environment.processes import Program, wait_until
from tests.environment.services import HOST, Service, ServiceStack
from tests.factories.api_clients import assert_error, make_caller, make_member
from tests.factories.logins import create_login_user

MEMBERS = "/v1/api/members"
NOT_READY = "The service is not ready. Please try again shortly"
ADA = {"name": "Ada", "email": "ada@example.com"}
MONEY = {"amount": 1, "note": "n"}


@pytest.fixture
def nobody() -> Iterator[int]:
    """A port at which nobody listens, kept from all but a Redis."""
    with socket.socket() as kept:
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind((HOST, 0))
        yield kept.getsockname()[1]


@contextmanager
def web(service_stack: ServiceStack, **environment: str) -> Iterator[Service]:
    """A web application of its own, which something is out of reach for."""
    here = replace(service_stack, web_port=claim_port(HOST, 0))
    log = service_stack.folder / "web-out-of-reach.log"
    log.write_text("")
    program = Program(
        command=webserver.command(HOST, here.web_port, workers=1),
        environment={**here.environment, "LOG_LEVEL": "WARNING", **environment},
        ready=lambda: is_responding(HOST, here.web_port, "/"),
        output=log,
    )
    program.start()
    try:
        yield Service(here, program)
    finally:
        program.stop()


@pytest.fixture
def limited(service_stack: ServiceStack, transactional_db: None, nobody: int) -> Iterator[Service]:
    """With limits that are to be counted where nobody is."""
    cache = f"redis://{HOST}:{nobody}/0"
    with web(service_stack, RATE_LIMITS_ENABLED="true", TEST_CACHE_URL=cache) as service:
        yield service


def lines(service: Service) -> list[str]:
    text = (service.service_stack.folder / "web-out-of-reach.log").read_text()
    return [line for line in text.splitlines() if line.strip()]


@pytest.mark.slow
def test_moving_money_is_refused_clearly_and_the_log_says_why_in_one_line(limited):
    caller = make_caller()
    url = limited.base_url + MEMBERS
    for path in (
        "wallet/withdraw",
        f"members/{make_member(caller.organisation).id}/wallet/withdraw",
    ):
        response = requests.post(
            f"{limited.base_url}/v1/api/{path}", json={}, headers=caller.headers, timeout=10
        )
        assert response.status_code == 503
        assert response.json() == {"status": "failed", "message": NOT_READY}
        assert response.headers["X-Error-Code"] == "not_ready"
        assert response.headers["Retry-After"] == "1"
        assert response.headers["X-Request-ID"]
    assert requests.get(url, timeout=10).status_code == 401

    said = lines(limited)
    assert len(said) == 1, said
    assert "api.cache_unavailable" in said[0]
    assert "Connection refused" in said[0]


@pytest.mark.slow
def test_all_else_goes_on_and_the_process_counts_it(limited):
    caller = make_caller()
    member = make_member(caller.organisation)
    left = []
    for method, path, body, status in (
        ("GET", MEMBERS, None, 200),
        ("POST", f"/v1/api/credit/user/portfolio/{member.id}", {}, 200),
        ("POST", MEMBERS, ADA, 201),
    ):
        response = requests.request(
            method, limited.base_url + path, json=body, headers=caller.headers, timeout=10
        )
        assert response.status_code == status, response.text
        left.append(int(response.headers["X-RateLimit-Remaining"]))
    assert left == [599, 598, 597]


@pytest.mark.slow
def test_no_secret_can_be_guessed_meanwhile(limited):
    caller = make_caller()
    for secret in ("guess", caller.secret):
        response = requests.post(
            limited.base_url + "/v1/oauth/token",
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
def test_the_back_office_works_on_and_still_locks_out_who_guesses(limited):
    create_login_user("Auditor", "ada")
    browser = requests.Session()
    sign_in = limited.base_url + "/admin/login/"
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
    assert SignInTries.objects.exists()
    assert requests.get(limited.base_url + "/health", timeout=10).status_code == 200
    assert lines(limited) == []


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("redis-server"), reason="there is no Redis here")
def test_a_cache_that_comes_and_goes_is_used_while_it_is_there(limited, nobody, tmp_path):
    caller = make_caller()
    url = limited.base_url + MEMBERS

    def withdraw() -> int:
        address = f"{limited.base_url}/v1/api/wallet/withdraw"
        return requests.post(address, json={}, headers=caller.headers, timeout=10).status_code

    for _ in range(2):
        assert withdraw() == 503
        with redis_at(nobody, tmp_path):
            # Counted again, so that the body is looked at.
            wait_until(lambda: withdraw() == 400, "requests are counted again", 10)
            response = requests.get(url, headers=caller.headers, timeout=10)
            assert int(response.headers["X-RateLimit-Remaining"]) < 600
        assert "api.cache_available" in lines(limited)[-1]
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


@pytest.mark.django_db
@pytest.mark.urls("tests.environment.api_views")
def test_a_cache_that_is_silent_holds_up_one_request_a_second(settings, monkeypatch):
    monkeypatch.setattr(throttling, "_breaker", throttling.CacheCircuitBreaker())
    caller = make_caller()
    with socket.socket() as silent:
        silent.bind((HOST, 0))
        silent.listen()
        settings.RATE_LIMITS_ENABLED = True
        settings.CACHES = {"default": redis_cache(f"redis://{HOST}:{silent.getsockname()[1]}/0")}
        took = []
        for _ in range(20):
            began = time.monotonic()
            assert assert_error(caller.post("/v1/test/money", MONEY), 503, "not_ready") == NOT_READY
            took.append(time.monotonic() - began)
    assert 0.9 < took[0] < 3
    assert sum(took[1:]) < 1


@pytest.mark.django_db
@pytest.mark.urls("tests.environment.api_views")
def test_reads_beyond_the_limit_are_refused_without_the_cache_too(settings, monkeypatch, nobody):
    monkeypatch.setattr(throttling, "_breaker", throttling.CacheCircuitBreaker())
    settings.RATE_LIMITS_ENABLED = True
    settings.RATE_LIMITS = {"requests": 5, "money": 2, "token": 3}
    settings.CACHES = {"default": redis_cache(f"redis://{HOST}:{nobody}/0")}
    caller = make_caller()
    while 60 - time.time() % 60 < 5:  # no test starts where the minute is about to turn
        time.sleep(0.2)
    assert [caller.get(MEMBERS).status_code for _ in range(6)] == [200] * 5 + [429]
    assert make_caller().get(MEMBERS).status_code == 200
    assert_error(caller.post("/v1/test/money", MONEY), 503, "not_ready")


@pytest.mark.slow
@pytest.mark.django_db
def test_without_its_database_every_part_says_that_it_will_be_back(service_stack, nobody):
    asked = {
        "/health": ("GET", {}, {}),
        "/admin/": ("GET", {"Cookie": "sessionid=abcdefghijklmnopqrstuvwxyz012345"}, {}),
        MEMBERS: ("GET", {"Authorization": "Bearer abc"}, {}),
        "/v1/oauth/token": (
            "POST",
            {},
            {"grant_type": "client_credentials", "client_id": "a", "client_secret": "b"},
        ),
    }

    with web(service_stack, TEST_DATABASE_URL=f"postgresql://x@{HOST}:{nobody}/x") as service:

        def ask(path: str) -> requests.Response:
            method, headers, body = asked[path]
            return requests.request(
                method, service.base_url + path, headers=headers, data=body, timeout=40
            )

        # A request waits 15 seconds for a connection, so all of them at once.
        with ThreadPoolExecutor(4) as pool:
            found = dict(zip(asked, pool.map(ask, asked), strict=True))

    assert {path: reply.status_code for path, reply in found.items()} == dict.fromkeys(asked, 503)
    assert found["/health"].json() == {"status": "unavailable"}
    assert found[MEMBERS].json() == {"status": "failed", "message": NOT_READY}
    assert found["/v1/oauth/token"].json()["error"] == "temporarily_unavailable"
    page = found["/admin/"]
    assert page.headers["Content-Type"].startswith("text/html")
    assert page.headers["Retry-After"] == "5"
    assert page.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
    assert "Service unavailable" in page.text


@pytest.fixture
def full_disk(transactional_db: None, owner_connection: Connection) -> Iterator[None]:
    """PostgreSQL raises for each new member what it raises when it can write no more."""
    owner_connection.execute(
        "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION"
        " 'could not extend file: No space left on device' USING ERRCODE = '53100'; END$$"
    )
    owner_connection.execute(
        "CREATE TRIGGER no_room BEFORE INSERT ON exchange_member"
        " FOR EACH ROW EXECUTE FUNCTION no_room()"
    )
    yield
    owner_connection.execute("DROP FUNCTION no_room CASCADE")


@pytest.mark.slow
def test_a_full_disk_takes_a_few_lines_of_the_log_a_second(service_stack, full_disk):
    caller = make_caller()

    def post(number: int) -> int:
        body = {"name": "Ada", "email": f"a{number}@example.com"}
        url = service.base_url + MEMBERS
        return requests.post(url, json=body, headers=caller.headers, timeout=30).status_code

    with web(service_stack) as service, ThreadPoolExecutor(8) as pool:
        began = time.monotonic()
        assert set(pool.map(post, range(300))) == {503}
        seconds = time.monotonic() - began
        said = lines(service)
    reported = [line for line in said if "api.database_unavailable" in line]
    assert 1 <= len(reported) <= seconds + 2
    # A traceback has two parts: psycopg's error, and Django's made of it.
    assert sum("Traceback (most recent" in line for line in said) <= 2 * (1 + seconds // 60)
    assert not Member.objects.exists()
