"""The web application while something it needs cannot be reached.

The cache, with rate limits on: nothing passes uncounted, nothing waits long, and people get in all
the same. The database: every answer is a 503 that says so.
"""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import requests

from config.admin_site import CONTENT_SECURITY_POLICY
from config.settings.base import redis_cache
from config.supervisor.ports import answers, claim_port
from exchange.api import throttling
from exchange.models import Member, SignInTries
from tests.support.access import failed, make_caller
from tests.support.processes import Program, wait_until
from tests.support.services import HOST, Service, Stage
from tests.support.signin import person

MEMBERS = "/v1/api/members"
NOT_READY = "The service is not ready. Please try again shortly"
ADA = {"name": "Ada", "email": "ada@example.com"}


@pytest.fixture
def nobody() -> Iterator[int]:
    """A port at which nobody listens, kept from all but a Redis."""
    with socket.socket() as kept:
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind((HOST, 0))
        yield kept.getsockname()[1]


@contextmanager
def web(stage: Stage, **environment: str) -> Iterator[Service]:
    """A web application of its own, which something is out of reach for."""
    here = replace(stage, web_port=claim_port(HOST, 0))
    log = stage.folder / "web-out-of-reach.log"
    log.write_text("")
    program = Program(
        command=[
            sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws", "--host", HOST,
            "--port", str(here.web_port), "--blocking-threads", "4", "--log-level", "warning",
            "config.wsgi:application",
        ],
        environment={**here.environment, "LOG_LEVEL": "WARNING", **environment},
        ready=lambda: answers(HOST, here.web_port, "/"),
        output=log,
    )  # fmt: skip
    program.start()
    try:
        yield Service(here, program)
    finally:
        program.stop()


@pytest.fixture
def limited(stage: Stage, transactional_db: None, nobody: int) -> Iterator[Service]:
    """With limits that are to be counted where nobody is."""
    cache = f"redis://{HOST}:{nobody}/0"
    with web(stage, RATE_LIMITS_ENABLED="true", TEST_CACHE_URL=cache) as service:
        yield service


def lines(service: Service) -> list[str]:
    text = (service.stage.folder / "web-out-of-reach.log").read_text()
    return [line for line in text.splitlines() if line.strip()]


@pytest.mark.slow
def test_the_api_refuses_clearly_and_the_log_says_why_in_one_line(limited):
    caller = make_caller()
    url = limited.base_url + MEMBERS
    for response in (
        requests.get(url, headers=caller.headers, timeout=10),
        requests.post(url, json=ADA, headers=caller.headers, timeout=10),
    ):
        assert response.status_code == 503
        assert response.json() == {"status": "failed", "message": NOT_READY}
        assert response.headers["X-Error-Code"] == "not_ready"
        assert response.headers["Retry-After"] == "1"
        assert response.headers["X-Request-ID"]
    assert not Member.objects.exists()
    assert requests.get(url, timeout=10).status_code == 401

    said = lines(limited)
    assert len(said) == 1, said
    assert "api.cache_unavailable" in said[0]
    assert "Connection refused" in said[0]


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
    person("Auditor", "ada")
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
    assert "Too many wrong tries" in page.text
    assert SignInTries.objects.exists()
    assert requests.get(limited.base_url + "/health", timeout=10).status_code == 200
    assert lines(limited) == []


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("redis-server"), reason="there is no Redis here")
def test_it_goes_on_by_itself_once_the_cache_is_back(limited, nobody, tmp_path):
    caller = make_caller()
    url = limited.base_url + MEMBERS
    assert requests.post(url, json=ADA, headers=caller.headers, timeout=10).status_code == 503
    with redis_at(nobody, tmp_path):

        def counted() -> bool:
            answer = requests.get(url, headers=caller.headers, timeout=10)
            return "X-RateLimit-Limit" in answer.headers

        wait_until(counted, "requests are counted again", 10)
        response = requests.post(url, json=ADA, headers=caller.headers, timeout=10)
        assert response.status_code == 201
        assert int(response.headers["X-RateLimit-Remaining"]) < 600
    assert "api.cache_back" in lines(limited)[-1]


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
@pytest.mark.urls("tests.support.api_views")
def test_a_cache_that_is_silent_holds_up_one_request_a_second(settings, monkeypatch):
    monkeypatch.setattr(throttling, "_reach", throttling.Reach())
    caller = make_caller()
    with socket.socket() as silent:
        silent.bind((HOST, 0))
        silent.listen()
        settings.RATE_LIMITS_ENABLED = True
        settings.CACHES = {"default": redis_cache(f"redis://{HOST}:{silent.getsockname()[1]}/0")}
        took = []
        for _ in range(20):
            began = time.monotonic()
            assert failed(caller.get(MEMBERS), 503, "not_ready") == NOT_READY
            took.append(time.monotonic() - began)
    assert 0.9 < took[0] < 3
    assert sum(took[1:]) < 1


@pytest.mark.slow
@pytest.mark.django_db
def test_without_its_database_every_part_says_that_it_will_be_back(stage, nobody):
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

    with web(stage, TEST_DATABASE_URL=f"postgresql://x@{HOST}:{nobody}/x") as service:

        def ask(path: str) -> requests.Response:
            method, headers, body = asked[path]
            return requests.request(
                method, service.base_url + path, headers=headers, data=body, timeout=40
            )

        # A request waits 15 seconds for a connection, so all of them at once.
        with ThreadPoolExecutor(4) as pool:
            found = dict(zip(asked, pool.map(ask, asked), strict=True))

    assert {path: answer.status_code for path, answer in found.items()} == dict.fromkeys(asked, 503)
    assert found["/health"].json() == {"status": "unavailable"}
    assert found[MEMBERS].json() == {"status": "failed", "message": NOT_READY}
    assert found["/v1/oauth/token"].json()["error"] == "temporarily_unavailable"
    page = found["/admin/"]
    assert page.headers["Content-Type"].startswith("text/html")
    assert page.headers["Retry-After"] == "5"
    assert page.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
    assert "Out of order for a moment" in page.text
