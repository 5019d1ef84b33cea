"""Rotation of every key and password by docs/operations/rotate.md, with processes side by side."""

import secrets
from collections.abc import Iterator
from dataclasses import replace

import pytest
import requests
from cryptography.fernet import Fernet

from config.local.sandbox import SandboxOptions, SandboxServer
from tests.environment.debian import require_programs
from tests.environment.processes import Program, wait_until
from tests.restore.installation import PACKAGES, Installation, new_installation
from tests.restore.load import Load
from tests.restore.procedures import shell_blocks
from tests.restore.rounds import Rounds, Web

PAGE = "rotate.md"
OLD_KEY, NEW_KEY = "FLWSECK_TEST-old-X", "FLWSECK_TEST-new-X"
OLD_HASH, NEW_HASH = "hash-of-the-provider", "new-hash-of-the-provider"
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


def test_everything_is_rotated_without_a_failed_request(
    installation: Installation, provider: SandboxServer
) -> None:
    seed = installation.seed(100_000_000)
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
