"""The lines of real processes at LOG_LEVEL=DEBUG: who and what each is about, and no secret.

Every secret of the service passes through web and worker, in requests that succeed, that are
rejected and that fail inside, while the provider and the database fail.
"""

import json
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import requests
from celery import Celery
from django.conf import settings

from config.back_office.roles import BACK_OFFICE, FINANCE_APPROVER
from config.local.demo.loader import enrol_second_factor
from config.ports import is_responding
from exchange.staff.models import StaffUser
from exchange.staff.services.accounts import invitation_tokens
from tests.config.back_office.test_signin import secret_shown
from tests.environment.owner import as_owner
from tests.environment.processes import Program, wait_until
from tests.environment.services import HOST, Sandbox, ServiceStack, make_stack
from tests.environment.webhook_receiver import Receiver
from tests.factories.api_clients import ApiCaller, make_caller
from tests.factories.logins import create_login_user, current_code
from tests.factories.wallets import BANK, Wallet, make_approved_withdrawal, store_bank_list

pytestmark = pytest.mark.services

ACCOUNT = "0690777031"
REFUSED_ACCOUNT = "0690777999"
STAFF_PASSWORD = "a staff password-4711"
DATABASE_PASSWORD = "database-password-4711"
URL_SECRET = "secret-in-the-url-4711"
REQUEST_ID = "the-request-of-the-test"


@dataclass
class Running:
    """The programs, and the secrets that passed through them, by what they are."""

    stack: ServiceStack
    web: Program
    worker: Program
    broker: Celery
    secrets: dict[str, str] = field(default_factory=dict)

    @property
    def output(self) -> str:
        return self.web.output.read_text() + self.worker.output.read_text()

    def lines(self, **fields: object) -> list[dict[str, Any]]:
        """Return the lines with these values."""
        found = [json.loads(line) for line in self.output.splitlines() if line.startswith("{")]
        return [line for line in found if line.items() >= fields.items()]

    def send(self, method: str, path: str, **options: Any) -> requests.Response:
        url = f"{self.stack.base_url}{path}"
        return requests.request(method, url, timeout=30, allow_redirects=False, **options)


@pytest.fixture
def running(transactional_db: None, provider_sandbox: Sandbox, tmp_path: Path) -> Iterator[Running]:
    stack = make_stack(
        tmp_path,
        LOG_LEVEL="DEBUG",
        TEST_LOG_JSON="true",
        FLUTTERWAVE_BASE_URL=provider_sandbox.base_url,
    )
    web, worker = stack.web(), stack.worker()
    with ThreadPoolExecutor() as pool:
        list(pool.map(Program.start, (web, worker)))
        try:
            with stack.celery() as broker:
                yield Running(stack, web, worker, broker)
        finally:
            # The web server may still wait for a connection.
            list(pool.map(Program.kill, (web, worker)))


def assert_no_secret(output: str, secrets: dict[str, str]) -> None:
    """Search for every secret, as it is and as encodings write it."""
    found = {
        kind: form
        for kind, secret in secrets.items()
        for form in {secret, quote(secret, safe=""), json.dumps(secret)[1:-1], repr(secret)[1:-1],
                     b64encode(secret.encode()).decode()}
        if form in output
    }  # fmt: skip
    assert found == {}, found


@pytest.mark.slow
def test_no_secret_is_logged_and_each_line_says_what_it_is_about(
    running: Running, provider_sandbox: Sandbox
) -> None:
    store_bank_list()
    caller = make_caller()
    wallet = Wallet(caller.organisation).fund(100_000)
    with Receiver() as receiver:
        _use_the_api(running, caller, f"{receiver.url}?key={URL_SECRET}")
        _use_the_back_office(running)
        _fail_inside(running, caller)
        _fail_at_the_provider(running, provider_sandbox, wallet)
        _fail_at_the_database(running)
        receiver.wait_for(1)
    assert len(running.secrets) > 12, running.secrets.keys()
    assert_no_secret(running.output, running.secrets)
    _assert_context(running, caller)


def _use_the_api(running: Running, caller: ApiCaller, webhook_url: str) -> None:
    running.secrets |= {
        "client secret": caller.secret,
        "bearer token": caller.token,
        "wrong token": "wrong-token-4711",
        "wrong client secret": "wrong-client-secret-4711",
        "account number": ACCOUNT,
        "secret in a URL": URL_SECRET,
    }
    grant = {"grant_type": "client_credentials"}
    for secret, status in ((caller.secret, 200), (running.secrets["wrong client secret"], 401)):
        basic = running.send(
            "POST", "/v1/oauth/token", data=grant, auth=(caller.key.client_id, secret)
        )
        body = {**grant, "client_id": caller.key.client_id, "client_secret": secret}
        assert (
            basic.status_code,
            running.send("POST", "/v1/oauth/token", data=body).status_code,
        ) == (status, status)
        if status == 200:
            running.secrets["issued token"] = basic.json()["access_token"]
    running.send("POST", "/v1/oauth/token", params={"client_secret": caller.secret}, data=grant)
    for token in (running.secrets["wrong token"], caller.token + "x", "not a token"):
        headers = {"Authorization": f"Bearer {token}"}
        assert running.send("GET", "/v1/api/wallet", headers=headers).status_code == 401
    running.send("GET", f"/v1/api/wallet/{URL_SECRET}", params={"access_token": caller.token})
    running.send("GET", f"/{URL_SECRET}", headers={"Host": f"{URL_SECRET}.example"})
    hook = running.send("PUT", "/v1/api/webhook", json={"url": webhook_url}, headers=caller.headers)
    assert hook.status_code == 201, hook.text
    running.secrets["first webhook secret"] = hook.json()["data"]["secret"]
    rotated = running.send("POST", "/v1/api/webhook/rotate-secret", headers=caller.headers)
    running.secrets["webhook secret"] = rotated.json()["data"]["secret"]
    running.secrets["its key"] = running.secrets["webhook secret"].removeprefix("whsec_")
    for bank, status in ((BANK, 201), ("No such bank", 404)):
        body = {
            "amount": 500,
            "currency": "KES",
            "bank_name": bank,
            "account_name": "Ada Obi",
            "account_number": ACCOUNT,
        }
        headers = {**caller.headers, "Idempotency-Key": bank, "X-Request-ID": REQUEST_ID}
        sent = running.send("POST", "/v1/api/wallet/withdraw", json=body, headers=headers)
        assert sent.status_code == status, sent.text
    for query in (f"accountNumber={ACCOUNT}", f"account_number={ACCOUNT}&bank_code=044"):
        running.send("GET", f"/v1/api/banks/resolve?{query}", headers=caller.headers)
    running.send(
        "POST", "/v1/api/banks/resolve", json={"account_number": ACCOUNT}, headers=caller.headers
    )
    running.send(
        "POST", "/hooks/flutterwave", json={"a": ACCOUNT}, headers={"verif-hash": "wrong-hash-4711"}
    )
    running.secrets["webhook hash"] = "wrong-hash-4711"


def _use_the_back_office(running: Running) -> None:
    user = create_login_user(FINANCE_APPROVER)
    user.set_password(STAFF_PASSWORD)
    user.save()
    secret = enrol_second_factor(user)
    code = current_code(secret)
    new = create_login_user(FINANCE_APPROVER, "eve")
    new.set_password(STAFF_PASSWORD)
    new.save()
    invited = create_login_user(BACK_OFFICE, "guest")
    link = invitation_tokens.make_token(invited)
    running.secrets |= {
        "password": STAFF_PASSWORD,
        "wrong password": "wrong-password-4711",
        "second factor": secret,
        "invitation": link,
    }
    for name, password in (
        ("ada", "wrong-password-4711"),
        ("ada", STAFF_PASSWORD),
        ("eve", STAFF_PASSWORD),
    ):
        with requests.Session() as browser:
            base = running.stack.base_url
            browser.get(f"{base}/admin/login/", timeout=30)
            form = {
                "username": name,
                "password": password,
                "csrfmiddlewaretoken": browser.cookies["csrftoken"],
            }
            browser.post(f"{base}/admin/login/", data=form, timeout=30)
            form = {"code": code, "csrfmiddlewaretoken": browser.cookies["csrftoken"]}
            browser.post(f"{base}/admin/login/code/", data=form, timeout=30)
            browser.get(f"{base}/admin/", params={"q": ACCOUNT}, timeout=30)
            page = browser.get(f"{base}/admin/second-factor/enrol/", timeout=30)
            if name == "eve":
                running.secrets["new second factor"] = secret_shown(page)
            if cookie := browser.cookies.get("sessionid"):
                running.secrets[f"session of {name} {password}"] = cookie
            running.secrets[f"CSRF of {name} {password}"] = browser.cookies["csrftoken"]
    running.send("GET", f"/admin/welcome/{b64encode(str(invited.pk).encode()).decode()}/{link}/")


def _fail_inside(running: Running, caller: ApiCaller) -> None:
    """Have PostgreSQL quote the row with the account number, in web and worker."""
    running.secrets["refused account number"] = REFUSED_ACCOUNT
    with as_owner() as cursor:
        cursor.execute(
            "ALTER TABLE wallets_bankaccount ADD CONSTRAINT planted"
            f" CHECK (account_number <> '{REFUSED_ACCOUNT}') NOT VALID"
        )
    try:
        body = {
            "amount": 500,
            "currency": "KES",
            "bank_name": BANK,
            "account_name": "Ada Obi",
            "account_number": REFUSED_ACCOUNT,
        }
        headers = {**caller.headers, "Idempotency-Key": "refused"}
        sent = running.send("POST", "/v1/api/wallet/withdraw", json=body, headers=headers)
    finally:
        with as_owner() as cursor:
            cursor.execute("ALTER TABLE wallets_bankaccount DROP CONSTRAINT planted")
    assert sent.status_code == 500
    assert "DETAIL: [removed]" in running.output


def _fail_at_the_provider(running: Running, sandbox: Sandbox, wallet: Wallet) -> None:
    running.secrets["provider key"] = running.stack.environment["FLUTTERWAVE_SECRET_KEY"]
    running.secrets["provider webhook hash"] = running.stack.environment["FLUTTERWAVE_WEBHOOK_HASH"]
    sandbox.fault("error_5xx", times=3)
    make_approved_withdrawal(wallet, account=ACCOUNT)
    running.broker.send_task("wallets.tasks.sweep_payouts")
    running.broker.send_task("wallets.tasks.refresh_bank_lists")
    wait_until(
        lambda: bool(running.lines(task="wallets.tasks.refresh_bank_lists")), "the task has run"
    )


def _fail_at_the_database(running: Running) -> None:
    """Restart the web server with a database that refuses connections."""
    running.secrets |= {
        "database password": DATABASE_PASSWORD,
        "secret key": settings.SECRET_KEY,
        "encryption key": settings.FIELD_ENCRYPTION_KEYS[0],
    }
    running.web.stop()
    url = f"postgresql://someone:{DATABASE_PASSWORD}@{HOST}:1/exchange"
    running.web.environment = {**running.stack.environment, "TEST_DATABASE_URL": url}
    running.web.ready = lambda: is_responding(HOST, running.stack.web_port, "/health/live")
    running.web.start()
    headers = {"Authorization": f"Bearer {running.secrets['bearer token']}"}
    refused = requests.get(f"{running.stack.base_url}/v1/api/wallet", headers=headers, timeout=30)
    assert refused.status_code == 503
    assert "Connection refused" in running.output


def _assert_context(running: Running, caller: ApiCaller) -> None:
    who = {"organisation_id": str(caller.organisation.id), "key_id": str(caller.key.id)}
    withdraw = {"event": "request", "route": "v1/api/wallet/withdraw", "method": "POST"}
    assert [line["status"] for line in running.lines(**withdraw, **who)] == [201, 404, 500]
    assert [line["status"] for line in running.lines(**withdraw, request_id=REQUEST_ID)] == [
        201,
        404,
    ]
    # The task that the request caused.
    caused = running.lines(
        event="task", request_id=REQUEST_ID, task="exchange.tasks.deliver_events"
    )
    assert [line["outcome"] for line in caused] == ["succeeded"]
    assert caused[0]["task_id"]
    # The staff user, after the password.
    staff = StaffUser.objects.get(username="ada")
    assert running.lines(event="request", route="admin/", staff_id=str(staff.pk), status=200)
    assert not any(
        line.keys() & {"organisation_id", "key_id"}
        for line in running.lines(event="request", route="admin/")
    )
