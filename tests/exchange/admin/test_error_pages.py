"""Error pages of a running server: text and content security policy."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from django.conf import settings
from django.test import Client

from config.back_office.roles import AUDITOR
from config.back_office.site import CONTENT_SECURITY_POLICY
from tests.environment.services import Service
from tests.factories.logins import sign_in
from tests.factories.staff import create_staff

AUDITORS_PAGE = "/admin/wallets/alert/"


@pytest.fixture
def browser(live_service: Service) -> Iterator[requests.Session]:
    """A browser in which an auditor is signed in."""
    client = Client()
    sign_in(client, create_staff("ada", "correct horse battery", AUDITOR))
    with requests.Session() as session:
        session.cookies.set(
            settings.SESSION_COOKIE_NAME, client.cookies[settings.SESSION_COOKIE_NAME].value
        )
        yield session


@pytest.fixture
def broken(owner_connection) -> Iterator[None]:
    """Rename a table that one page reads."""
    with owner_connection.cursor() as cursor:
        cursor.execute("ALTER TABLE wallets_alert RENAME TO wallets_alert_elsewhere")
        yield
        cursor.execute("ALTER TABLE wallets_alert_elsewhere RENAME TO wallets_alert")


def in_words(response: requests.Response, status: int, words: str) -> None:
    assert response.status_code == status
    assert response.headers["Content-Type"].startswith("text/html")
    assert response.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
    assert response.headers["X-Frame-Options"] == "DENY"
    assert words in response.text
    assert "<script>" not in response.text
    assert "style=" not in response.text


def test_error_pages_carry_the_content_security_policy(browser, live_service):
    base = live_service.base_url
    page = browser.get(base + AUDITORS_PAGE, timeout=10)
    assert page.status_code == 200
    assert page.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
    for address in (
        "/admin/no-such-page/",
        "/admin/exchange/token/x/edit/",
        "/nothing",
        "/static/x",
    ):
        in_words(browser.get(base + address, timeout=10), 404, "Page not found")
    refused = browser.get(f"{base}/admin/exchange/apikey/add/", timeout=10)
    in_words(refused, 403, "Access denied")
    forged = browser.post(f"{base}/admin/password_change/", {"a": "b"}, timeout=10)
    in_words(forged, 403, "Form expired")
    many = {f"field{number}": "x" for number in range(2_000)}
    flooded = browser.post(f"{base}/admin/login/", many, timeout=10)
    in_words(flooded, 400, "Bad request")
    landing = browser.get(base + "/", timeout=10)
    assert landing.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY


def test_server_errors_carry_it_too(browser, live_service, broken):
    response = browser.get(live_service.base_url + AUDITORS_PAGE, timeout=10)
    in_words(response, 500, "Something went wrong")


def test_missing_static_files_take_only_the_styles_from_error_pages(
    settings: Any, tmp_path: Path, db: None
) -> None:
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    }
    client = Client(raise_request_exception=False)
    for address, status, words in (
        ("/nothing", 404, "Page not found"),
        ("/admin/login/", 500, "Something went wrong"),
    ):
        response = client.get(address)
        page = response.content.decode()
        assert (response.status_code, words in page) == (status, True), page
        assert response["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
        assert page.startswith("<!doctype html>")
        assert "<link" not in page
        assert 'href="/admin/"' in page


def test_the_api_answers_in_its_envelope_and_not_with_a_page(live_service):
    response = requests.get(f"{live_service.base_url}/v1/nothing", timeout=10)
    assert response.json() == {"status": "failed", "message": "There is nothing at this address"}
    assert response.status_code == 404
