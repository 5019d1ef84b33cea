"""Rotation of every key and password by docs/operations/rotate.md, with processes side by side."""

from __future__ import annotations

import os
import secrets
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
import requests
from cryptography.fernet import Fernet

from config import webserver
from config.local.supervisor.ports import is_responding
from tests.environment.debian import require_programs
from tests.environment.ports import claim_ports
from tests.environment.processes import Program, wait_until
from tests.restore.installation import HOST, PACKAGES, Installation, new_installation
from tests.restore.load import Load
from tests.restore.procedures import shell_blocks
from wallets.providers.sandbox import SandboxOptions, SandboxServer

PAGE = "rotate.md"
OLD_KEY, NEW_KEY = "FLWSECK_TEST-old-X", "FLWSECK_TEST-new-X"
OLD_HASH, NEW_HASH = "hash-of-the-provider", "new-hash-of-the-provider"
_SIDE_BY_SIDE_SECONDS = 1.0
_ENDPOINTS = 1500


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxServer]:
    """The payment provider, which accepts both API keys."""
    folder = tmp_path_factory.mktemp("provider")
    server = SandboxServer(SandboxOptions(data=folder, secret_key=f"{OLD_KEY},{NEW_KEY}", delay=0))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def installation(provider: SandboxServer) -> Iterator[Installation]:
    """An installation without a backup."""
    require_programs(PACKAGES)
    with new_installation(provider.base_url, OLD_KEY) as made:
        yield made


class Web:
    """A web process with an environment of its own."""

    def __init__(self, installation: Installation, **changes: str) -> None:
        port = claim_ports()
        self.url = f"http://{HOST}:{port}"
        self._program = Program(
            command=webserver.command(HOST, port, workers=1, drain_seconds=1),
            environment={**installation.service_environment(), **changes},
            ready=lambda: is_responding(HOST, port, "/health/ready"),
            output=installation.folder / f"web-{port}.log",
        )
        self._program.start()

    def terminate(self) -> None:
        """Send one SIGTERM."""
        os.kill(self._program.pid, signal.SIGTERM)

    def wait(self) -> None:
        """Wait until the process has ended by itself."""
        wait_until(lambda: not self._program.running, "the web process has ended", 15)

    def kill(self) -> None:
        self._program.kill()


class Rounds:
    """The rounds of a rotation: each replaces the web process under load."""

    def __init__(self, installation: Installation, load: Load) -> None:
        self._installation = installation
        self._load = load
        self.web = Web(installation)
        load.nodes = [self.web.url]

    def replace(self, **changes: str) -> None:
        """Serve with a second process, then end the first while it has a request in progress."""
        old, new = self.web, Web(self._installation, **changes)
        self._load.nodes = [old.url, new.url]
        time.sleep(_SIDE_BY_SIDE_SECONDS)
        self._load.nodes = [new.url]
        with self._blocked_wallet():
            pending = threading.Thread(target=self._load.withdraw, args=(old.url,))
            pending.start()
            wait_until(self._is_blocked, "a withdrawal waits for the wallet")
            old.terminate()
            time.sleep(0.5)
            assert pending.is_alive(), self._load.failures
        pending.join()
        old.wait()
        self.web = new

    @contextmanager
    def _blocked_wallet(self) -> Iterator[None]:
        with self._installation.connect() as connection, connection.transaction():
            connection.execute("SELECT 1 FROM wallets_account FOR UPDATE")
            yield

    def _is_blocked(self) -> bool:
        with self._installation.connect() as connection:
            row = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            ).fetchone()
        return row is not None and row[0] >= 2  # the load's own withdrawal and the pending one


def test_everything_is_rotated_without_a_failed_request(
    installation: Installation, provider: SandboxServer
) -> None:
    seed = installation.evaluate("seed(100_000_000)")
    installation.evaluate("set_webhook()")
    session = installation.evaluate("sign_in('amina')")
    token = installation.evaluate("invite('kwesi')")
    old_secret, new_secret = installation.secret_key, secrets.token_urlsafe(50)
    old_field, new_field = installation.encryption_key, Fernet.generate_key().decode()
    new_password = secrets.token_hex(16)
    create_login, close_login = shell_blocks(PAGE, "Database passwords")
    _, reencrypt, check = shell_blocks(PAGE, "FIELD_ENCRYPTION_KEYS")
    login = installation.url("exchange_app_b", new_password, installation.port)

    first = {
        "SECRET_KEY": old_secret,
        "SECRET_KEY_FALLBACKS": new_secret,
        "FIELD_ENCRYPTION_KEYS": f"{old_field},{new_field}",
        "FLUTTERWAVE_WEBHOOK_HASH": f"{OLD_HASH},{NEW_HASH}",
    }
    second = {
        **first,
        "SECRET_KEY": new_secret,
        "SECRET_KEY_FALLBACKS": old_secret,
        "FIELD_ENCRYPTION_KEYS": f"{new_field},{old_field}",
        "FLUTTERWAVE_SECRET_KEY": NEW_KEY,
        "DATABASE_URL": login,
    }
    third = {
        "SECRET_KEY": new_secret,
        "FIELD_ENCRYPTION_KEYS": new_field,
        "FLUTTERWAVE_WEBHOOK_HASH": NEW_HASH,
        "FLUTTERWAVE_SECRET_KEY": NEW_KEY,
        "DATABASE_URL": login,
    }
    load = Load(seed["token"], seed["member"], session)
    rounds = Rounds(installation, load)
    try:
        load.start()
        rounds.replace(**first)
        assert webhook(rounds.web, OLD_HASH) == webhook(rounds.web, NEW_HASH) == 200
        installation.run_as_server(create_login, PGDATABASE="exchange", NEW_PASSWORD=new_password)
        refused = installation.run_as_server(close_login, check=False)
        assert "exchange_app is still in use" in refused.stderr
        rounds.replace(**second)
        installation.run_as_server(close_login)
        assert accepts_invitation(installation, token, second)
        add_endpoints(installation, old_field)
        needed = installation.run_as_service(
            check, second, check=False, NEW_FIELD_ENCRYPTION_KEY=new_field
        )
        assert needed.returncode == 1
        assert f"{_ENDPOINTS} decrypt with none of FIELD_ENCRYPTION_KEYS" in needed.stderr
        interrupted_reencryption(installation, reencrypt, second)
        installation.run_as_service(check, second, NEW_FIELD_ENCRYPTION_KEY=new_field)
        rounds.replace(**third)
        assert (webhook(rounds.web, OLD_HASH), webhook(rounds.web, NEW_HASH)) == (401, 200)
    finally:
        load.stop()
        rounds.web.kill()
    logs = "".join(path.read_text() for path in installation.folder.glob("web-*.log"))
    assert load.failures == [], logs[-4000:]
    assert all(count > 10 for count in load.done.values()), load.done
    assert len(load.done) == 4

    # The provider removes the old key: payouts are sent with the new one.
    provider.options = replace(provider.options, secret_key=NEW_KEY)
    [paid] = installation.evaluate("request(1)", third)
    installation.evaluate(f"approve({paid!r})", third)
    installation.evaluate(f"pay({paid!r})", third)


def accepts_invitation(installation: Installation, token: str, changes: dict[str, str]) -> bool:
    return bool(installation.evaluate(f"accepts_invitation('kwesi', {token!r})", changes))


def webhook(web: Web, sent: str) -> int:
    """Return the status of a webhook of the provider with the secret `sent`."""
    return requests.post(
        f"{web.url}/hooks/flutterwave",
        headers={"verif-hash": sent},
        json={"data": {"id": 1, "reference": "payout_unknown"}},
        timeout=10,
    ).status_code


def add_endpoints(installation: Installation, key: str) -> None:
    """Add organisations whose webhook secrets are encrypted with `key`."""
    value = Fernet(key).encrypt(b"whsec_of_many").decode()
    with installation.connect() as connection:
        connection.execute(
            "WITH made AS (INSERT INTO exchange_organisation SELECT (r).* FROM ("
            " SELECT jsonb_populate_record(o, jsonb_build_object("
            "  'id', gen_random_uuid(), 'name', 'Organisation of many ' || n)) AS r"
            " FROM (SELECT o FROM exchange_organisation o LIMIT 1) x, generate_series(1, %s) n"
            ") y RETURNING id)"
            " INSERT INTO exchange_webhookendpoint (id, organisation_id, url, secret,"
            " previous_secret, enabled, disabled_reason, created_at, updated_at)"
            " SELECT gen_random_uuid(), id, 'https://example.com/', %s, '', true, '', now(), now()"
            " FROM made",
            [_ENDPOINTS, value],
        )


def interrupted_reencryption(
    installation: Installation, script: str, environment: dict[str, str]
) -> None:
    """Kill a re-encryption half way, then run two at once."""

    def distinct() -> int:
        with installation.connect() as connection:
            row = connection.execute(
                "SELECT count(DISTINCT secret) FROM exchange_webhookendpoint"
            ).fetchone()
        return int(row[0]) if row else 0

    def start() -> Program:
        program = Program(
            command=["bash", "-euo", "pipefail", "-c", script],
            environment={**installation.service_environment(), **environment},
            ready=lambda: True,
            output=installation.folder / "reencrypt.log",
        )
        program.start()
        return program

    before = distinct()
    killed = start()
    wait_until(lambda: distinct() > before + 20, "some values are re-encrypted")
    killed.kill()
    assert distinct() < _ENDPOINTS, "it ended before it was killed"
    together = [start(), start()]
    wait_until(lambda: not any(each.running for each in together), "both have ended")
    assert distinct() > _ENDPOINTS
    assert "Traceback" not in (installation.folder / "reencrypt.log").read_text()
