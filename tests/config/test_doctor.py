"""`manage.py doctor` against real faults: each is named with its remedy, and no secret shown."""

import os
import secrets
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import kombu
import psycopg
import pytest
import redis
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from config import redaction
from config.back_office.roles import ADMINISTRATOR, FINANCE_APPROVER
from config.doctor import findings
from config.local.demo.loader import enrol_second_factor
from exchange.staff.models import StaffUser
from tests.config.doctor_report import doctor
from tests.environment.database import django_connected_to, extra_database, server_url
from tests.environment.mail_server import MailServer
from tests.environment.ports import claim_ports
from tests.environment.processes import wait_until
from tests.factories.passkeys import add_passkey
from tests.factories.staff import create_staff, create_superuser

HOST = "127.0.0.1"
PASSWORD = "runtime p@ss/word"
KEY = "FLWSECK_TEST-doctor-0123456789-X"
SECRETS = {
    "FLUTTERWAVE_SECRET_KEY": KEY,
    "FLUTTERWAVE_WEBHOOK_HASH": "hash-of-the-webhooks",
    "EMAIL_HOST_PASSWORD": "mail-secret-word",
    "CACHE_URL": "redis://:cache-secret-word@127.0.0.1:{}/0",
    "CELERY_BROKER_URL": "amqp://guest:broker-secret-word@127.0.0.1:{}//",
    "DATABASE_URL": "postgresql://exchange_app:database-secret-word@127.0.0.1:{}/exchange",
}
MAIL = {
    "EMAIL_HOST": HOST,
    "EMAIL_USE_TLS": "false",
    "EMAIL_FROM": "exchange@exchange.example",
    "BACK_OFFICE_URL": "https://exchange.example",
}
PROXY = {"SECURE_PROXY_HEADER": "HTTP_X_FORWARDED_PROTO", "TRUSTED_PROXIES": "1"}


@contextmanager
def silent_port(*, listening: bool) -> Iterator[int]:
    """Yield a port that refuses connections, or that accepts them and never responds."""
    with socket.socket() as holder:
        holder.bind((HOST, 0))
        if listening:
            holder.listen(64)
        yield holder.getsockname()[1]


@contextmanager
def provider_server(key: str, *, ahead: float = 0) -> Iterator[str]:
    """Yield the URL of a provider that accepts `key` and whose clock is `ahead` seconds ahead."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            accepted = self.headers["Authorization"] == f"Bearer {key}"
            self.send_response(200 if accepted and self.path == "/v3/balances" else 401)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def date_time_string(self, timestamp: float | None = None) -> str:
            return formatdate(time.time() + ahead, usegmt=True)

        def log_message(self, *arguments: Any) -> None:
            pass

    with ThreadingHTTPServer((HOST, 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{HOST}:{server.server_port}/v3"
        server.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize("listening", [False, True], ids=["refusing", "silent"])
def test_when_everything_is_down_each_part_is_named_in_bounded_time(listening: bool) -> None:
    with ExitStack() as stack:
        port = stack.enter_context(silent_port(listening=listening))
        given = {name: text.format(port) for name, text in SECRETS.items()}
        report = doctor(
            **given,
            **MAIL,
            EMAIL_PORT=str(port),
            FLUTTERWAVE_BASE_URL=f"http://{HOST}:{port}/v3",
        )
    for check in ("database", "broker", "cache", "provider", "e-mail"):
        assert report.levels(check) == ["problem"], (check, report.text)
    # What needs the database is not listed.
    assert report.levels("role") == report.levels("migrations") == report.levels("staff") == []
    assert "could not be checked" not in report.text
    # Connecting takes 3 seconds each, the provider's response 6, loading the program the rest.
    assert report.seconds < 45


@pytest.fixture(scope="module")
def installation(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, str]]:
    """A migrated database with people; URLs of its owner and the login."""
    with extra_database("doctor", migrated=True) as name, django_db_blocker.unblock():
        login = f"{name}_app"
        with psycopg.connect(server_url(name), autocommit=True) as owner:
            owner.execute(
                sql.SQL(
                    "CREATE ROLE {} LOGIN NOINHERIT PASSWORD {} IN ROLE exchange_runtime"
                ).format(sql.Identifier(login), PASSWORD)
            )
            with django_connected_to(name):
                for person, role in (
                    ("amina", FINANCE_APPROVER), ("kwesi", FINANCE_APPROVER),
                    ("samuel", ADMINISTRATOR),
                ):  # fmt: skip
                    enrol_second_factor(create_staff(person, "correct horse battery", role))
            given = conninfo_to_dict(server_url(name))
            place = f"host={given['host']}" + (
                f"&port={given['port']}" if given.get("port") else ""
            )
            yield {
                "owner": server_url(name),
                "app": f"postgresql:///{name}?{place}&user={login}&password=runtime%20p%40ss%2Fword",
            }
            owner.execute(sql.SQL("DROP OWNED BY {}").format(sql.Identifier(login)))
            owner.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(login)))


@pytest.mark.slow
def test_a_sound_installation_passes_every_check_of_its_database(installation) -> None:
    with provider_server(KEY) as provider, MailServer() as mail_server:
        report = doctor(
            **MAIL,
            EMAIL_PORT=str(mail_server.port),
            DATABASE_URL=installation["app"],
            FLUTTERWAVE_BASE_URL=provider,
            FLUTTERWAVE_SECRET_KEY=KEY,
            **PROXY,
        )
    for check in (
        "database", "encryption", "role", "migrations", "database clock", "e-mail", "provider",
        "provider clock", FINANCE_APPROVER, ADMINISTRATOR, "second factor",
    ):  # fmt: skip
        assert report.levels(check) == ["ok"], (check, report.seen(check))
    # A server for tests does not wait for the disk, or does not vacuum.
    with psycopg.connect(installation["owner"]) as connection:
        for name in ("fsync", "autovacuum"):
            [value] = connection.execute(f"SHOW {name}").fetchone() or [""]
            assert report.levels(name) == ([] if value == "on" else ["problem"])
    assert report.levels("synchronous_commit") == []
    # The key is one for tests, and there is no standby and no archive.
    assert (
        report.seen("settings") == "config.W003: The provider's key is one for tests: no real"
        " money moves."
    )
    assert report.levels("settings") == ["warning"]
    assert report.levels("standbys") == report.levels("archive_mode") == ["warning"]


@pytest.mark.slow
def test_faults_of_settings_database_and_provider_are_found(installation) -> None:
    with ExitStack() as stack:
        owner = stack.enter_context(psycopg.connect(installation["owner"], autocommit=True))
        name = sql.Identifier(owner.info.dbname)
        stack.callback(owner.execute, sql.SQL("ALTER DATABASE {} RESET ALL").format(name))
        owner.execute(sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(name))
        provider = stack.enter_context(provider_server("another key", ahead=-3600))
        report = doctor(
            DATABASE_URL=installation["owner"],
            DATABASE_OWNER_URL=installation["owner"],
            FLUTTERWAVE_BASE_URL=provider,
            CELERY_BROKER_READ_URL="amqp://127.0.0.1//",
            DATABSE_URL="x",
        )
    # All deployment checks are made, those that read the environment as well.
    for fault in ("E003: SECURE_PROXY_HEADER is not set", "E005: ", "W005: "):
        assert f"config.{fault}" in report.seen("settings"), report.text
    assert sorted(report.levels("settings")) == ["problem", "problem", "warning"]
    for check, words in {
        "role": "superuser",
        "synchronous_commit": "loses payments",
        "provider": "rejects the key (401)",
        "provider clock": "behind",
    }.items():
        assert report.levels(check) == ["problem"], (check, report.text)
        assert words in report.seen(check)
    assert report.levels("owner") == ["warning"]


@pytest.mark.slow
def test_an_empty_database_and_a_login_that_is_unknown_are_named(
    installation, django_db_setup: None
) -> None:
    with extra_database("empty") as name:
        report = doctor(DATABASE_URL=server_url(name))
    assert report.levels("migrations") == ["problem"]
    assert report.seen("staff") == "not checked without its tables"
    assert "could not be checked" not in report.text
    report = doctor(DATABASE_URL=installation["app"].replace("_app&", "_gone&"))
    assert report.levels("database") == ["problem"]


@pytest.mark.slow
def test_missing_sql_and_a_database_of_an_earlier_version_are_named(installation) -> None:
    with psycopg.connect(installation["owner"], autocommit=True) as owner:
        owner.execute("ALTER FUNCTION installed_sql() RENAME TO installed_sql_before")
        report = doctor(DATABASE_URL=installation["app"])
        owner.execute("ALTER FUNCTION installed_sql_before() RENAME TO installed_sql")
        assert report.levels("sql") == ["problem"]
        assert report.levels("migrations") == []

        applied = "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, now())"
        owner.execute(applied, ["config", "0003_roles"])
        report = doctor(DATABASE_URL=installation["app"])
        owner.execute("DELETE FROM django_migrations WHERE app = 'config'")
    assert report.seen("migrations") == (
        "The data is of a version before 1.0.0, not upgradable: use a new database."
    )
    assert report.levels("migrations") == ["problem"]
    assert report.levels("staff") == ["warning"]


@pytest.mark.slow
def test_too_few_people_and_a_superuser_are_found(installation, django_db_blocker) -> None:
    name = conninfo_to_dict(installation["owner"])["dbname"]
    with psycopg.connect(installation["owner"], autocommit=True) as owner:
        with django_connected_to(str(name)), django_db_blocker.unblock():
            create_superuser("root")
            add_passkey(StaffUser.objects.get(username="amina"))
        owner.execute("UPDATE exchange_staffuser SET is_active = false WHERE username = 'kwesi'")
        report = doctor(DATABASE_URL=installation["app"])
        owner.execute("UPDATE exchange_staffuser SET is_active = true WHERE username = 'kwesi'")
        owner.execute("UPDATE exchange_staffuser SET is_active = false WHERE username = 'root'")
        owner.execute("DELETE FROM exchange_passkey")
    assert report.levels(FINANCE_APPROVER) == ["problem"]
    assert report.levels(ADMINISTRATOR) == ["ok"]
    assert "root" in report.seen("second factor")
    assert report.seen("passkeys") == "PASSKEY_ORIGIN is not set, but there are passkeys of amina"
    assert report.levels("superusers") == ["problem"]


@pytest.mark.slow
def test_a_redis_that_drops_counters_is_found(tmp_path: Path) -> None:
    program = shutil.which("redis-server")
    if program is None:
        give_up = pytest.fail if os.environ.get("REQUIRE_DEBIAN") == "1" else pytest.skip
        give_up("redis-server is absent: apt-get install redis-server")
    port = claim_ports()
    server = subprocess.Popen(
        [program, "--port", str(port), "--bind", HOST, "--dir", str(tmp_path), "--save", "",
         "--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru",
         "--requirepass", "cache-secret-word"],
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    url = f"redis://:cache-secret-word@{HOST}:{port}/0"
    client = redis.Redis.from_url(url)
    try:
        wait_until(lambda: _responds(client), "Redis responds")
        report = doctor(CACHE_URL=url, CELERY_BROKER_URL=url)
        assert "allkeys-lru drops counters" in report.seen("cache")
        assert report.levels("cache") == ["warning"]
        assert "allkeys-lru drops tasks" in report.seen("broker")
        assert report.levels("broker") == ["ok", "problem"]

        report = doctor(CACHE_URL=url.replace("cache-secret", "wrong-secret"))
        assert report.levels("cache") == ["problem"]
    finally:
        server.terminate()
        server.wait(20)


def _responds(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


def test_a_queue_that_is_no_quorum_queue_is_found() -> None:
    url = os.environ.get("CELERY_BROKER_URL", "")
    if not url.startswith("amqp"):
        pytest.skip("needs RabbitMQ in CELERY_BROKER_URL")
    name = f"doctor_{secrets.token_hex(4)}"
    given = {"CELERY_BROKER_URL": url, "CELERY_QUEUE": name}
    with kombu.Connection(url) as connection, connection.channel() as channel:
        assert doctor(**given).levels("queue") == ["warning"]
        for kind, levels in (("classic", ["problem"]), ("quorum", ["ok"])):
            queue = kombu.Queue(name, channel=channel, queue_arguments={"x-queue-type": kind})
            queue.declare()
            report = doctor(**given)
            queue.delete()
            assert report.levels("queue") == levels, kind


def test_a_check_that_raises_becomes_a_finding_without_secrets(settings: Any) -> None:
    settings.SECRET_KEY = "the secret key of the settings"
    redaction._values.cache_clear()

    def check_raising() -> list[findings.Diagnosis]:
        raise RuntimeError(f"it said {settings.SECRET_KEY}\nand more")

    found = list(findings.run_checks([check_raising, lambda: [findings.ok("next", "passes")]]))
    redaction._values.cache_clear()
    assert [(each.level, each.check, each.seen) for each in found] == [
        ("problem", "raising", "could not be checked: RuntimeError: it said [removed] and more"),
        ("ok", "next", "passes"),
    ]
