"""Concurrent password guessing and code replay over real HTTP, on all web processes."""

import re
from collections import Counter
from functools import partial
from typing import Any
from urllib.parse import urlencode

import pytest
import requests
from django.conf import settings

from config.back_office.roles import FINANCE_APPROVER
from config.local.demo.loader import enrol_second_factor
from exchange.core.errors import InvalidRequest
from exchange.staff.models import AccessRecord, SecondFactor, StaffUser
from exchange.staff.services import lockout, second_factor
from tests.environment.concurrency import Call, Callers, Reply, send_concurrently
from tests.environment.services import Service
from tests.factories.logins import current_code
from tests.factories.staff import create_staff

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORD = "correct horse battery"
LOGIN, CODE, INDEX = "/admin/login/", "/admin/login/code/", "/admin/"
ATTEMPTS = settings.SIGN_IN_ATTEMPTS["account"]
WRONG, LOCKED_OUT = "Incorrect username or password", "Too many failed attempts"


class Browser:
    """The cookies of one browser, and the forms it sends."""

    def __init__(self, service: Service) -> None:
        self._url = service.base_url
        self._session = requests.Session()
        self._session.get(f"{self._url}{LOGIN}", timeout=60)

    def form(self, path: str, tag: int = 0, **fields: str) -> Call:
        """Return a form as this browser sends it."""
        cookies = self._session.cookies.get_dict()
        body = urlencode({**fields, "csrfmiddlewaretoken": cookies["csrftoken"]})
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()),
        }
        return Call(path, body, headers, tag)

    def enter_password(self, username: str, password: str) -> requests.Response:
        """Submit the first step."""
        fields = {
            "username": username,
            "password": password,
            "csrfmiddlewaretoken": self._session.cookies["csrftoken"],
        }
        return self._session.post(f"{self._url}{LOGIN}", fields, allow_redirects=False, timeout=60)


def guesses(browser: Browser, username: str, count: int) -> list[Call]:
    return [browser.form(LOGIN, username=username, password=f"guess {n}") for n in range(count)]


def count_checked(replies: list[Reply]) -> int:
    """Return how many passwords were checked; the others were rejected unchecked."""
    seen = Counter((WRONG in page, LOCKED_OUT in page) for page in pages(replies))
    assert seen[False, True] + seen[True, False] + seen[True, True] == len(replies)
    return seen[True, False] + seen[True, True]


def pages(replies: list[Reply]) -> list[str]:
    assert {reply.status for reply in replies} == {200}
    return [reply.body.decode() for reply in replies]


@pytest.mark.parametrize("username", ["ada", "nobody"])
@pytest.mark.one_in(2)
def test_fifty_concurrent_wrong_passwords_are_limited_like_sequential_ones(
    live_service: Service, username: str
):
    user = create_staff("ada", PASSWORD, FINANCE_APPROVER)
    enrol_second_factor(user)
    browser = Browser(live_service)
    assert (
        count_checked(send_concurrently(live_service.base_url, guesses(browser, username, 50), 50))
        == ATTEMPTS
    )
    kept = AccessRecord.objects.filter(event__in=["refused", "locked_out"]).count()
    assert kept == (ATTEMPTS if username == "ada" else 0)
    assert LOCKED_OUT in browser.enter_password(username, PASSWORD).text


@pytest.mark.slow
def test_failed_attempts_survive_a_restart(live_service: Service):
    create_staff("ada", PASSWORD, FINANCE_APPROVER)
    browser = Browser(live_service)
    send_concurrently(live_service.base_url, guesses(browser, "ada", ATTEMPTS - 1), ATTEMPTS - 1)
    live_service.restart()
    assert (
        count_checked(send_concurrently(live_service.base_url, guesses(browser, "ada", 10), 10))
        == 1
    )
    live_service.restart()
    assert LOCKED_OUT in browser.enter_password("ada", PASSWORD).text


def test_an_address_that_tries_many_names_at_once_is_locked_out(live_service: Service):
    browser = Browser(live_service)
    most = settings.SIGN_IN_ATTEMPTS["address"]
    calls = [browser.form(LOGIN, username=f"name {n}", password="guess") for n in range(most + 20)]
    assert count_checked(send_concurrently(live_service.base_url, calls, 50)) == most


def browsers_at_second_step(service: Service, user: StaffUser, count: int) -> list[Browser]:
    """Return browsers that have passed the first step."""
    browsers = [Browser(service) for _ in range(count)]
    for browser in browsers:
        response = browser.enter_password(user.username, PASSWORD)
        assert response.headers["Location"].startswith(CODE)
    return browsers


def test_a_code_sent_by_sixteen_browsers_at_once_signs_one_in(live_service: Service):
    user = create_staff("ada", PASSWORD, FINANCE_APPROVER)
    secret = enrol_second_factor(user)
    browsers = browsers_at_second_step(live_service, user, 16)
    code = current_code(secret)
    calls = [browser.form(CODE, n, code=code) for n, browser in enumerate(browsers)]
    replies = send_concurrently(live_service.base_url, calls, 16)
    inside = [reply for reply in replies if reply.status == 302]
    assert [reply.headers["location"] for reply in inside] == [INDEX]
    for page in pages([reply for reply in replies if reply.status != 302]):
        assert "already used" in page or LOCKED_OUT in page
    assert AccessRecord.objects.filter(event="signed_in").count() == 1
    cookie = re.search(r"sessionid=([^;]+)", inside[0].headers["set-cookie"])
    assert cookie is not None
    front = requests.get(
        f"{live_service.base_url}{INDEX}", cookies={"sessionid": cookie[1]}, timeout=60
    )
    assert (front.status_code, front.url) == (200, f"{live_service.base_url}{INDEX}")


def test_one_of_sixteen_connections_uses_up_the_code():
    """Runs without the lock-out, which would stop sixteen attempts earlier."""
    user = create_staff("ada", PASSWORD, FINANCE_APPROVER)
    code = current_code(enrol_second_factor(user))
    before = SecondFactor.objects.get(user=user).last_step

    def take() -> Any:
        return second_factor.verify(user=user, code=code)

    with Callers(16) as callers:
        results = callers.at_once([take] * 16)
    assert results.count(None) == 1
    refused = [error for error in results if error is not None]
    assert {type(error) for error in refused} == {InvalidRequest}
    assert all("already used" in error.message for error in refused)
    assert SecondFactor.objects.get(user=user).last_step > before


def test_concurrent_wrong_and_right_attempts_never_cause_an_error():
    """Counting, locking, clearing and purging work on the same rows."""

    def guess(number: int) -> Any:
        try:
            attempt = lockout.begin_attempt(
                lockout.PASSWORD, account=f"{number % 3}", address="here"
            )
            attempt.mark_succeeded() if number % 5 == 0 else attempt.mark_failed()
        except lockout.LockedOut:
            pass
        lockout.purge_expired()

    with Callers(20) as callers:
        for _ in range(10):
            results = callers.at_once([partial(guess, n) for n in range(20)])
            assert results == [None] * 20
