"""`manage.py doctor` against real faults: each is named with its remedy, and no secret shown."""

from __future__ import annotations

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
from cryptography.fernet import Fernet
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from config.back_office.roles import ADMINISTRATOR, FINANCE_APPROVER
from config.doctor import configuration, database, findings
from config.local.demo.loader import enrol_second_factor
from tests.config.doctor_report import doctor
from tests.environment.database import django_connected_to, extra_database, server_url
from tests.environment.ports import claim_ports
from tests.environment.processes import wait_until
from tests.factories.events import make_organisation_with_endpoint
from tests.factories.staff import create_staff, create_superuser

HOST = "127.0.0.1"
PASSWORD = "runtime p@ss/word"
KEY = "FLWSECK_TEST-doctor-0123456789-X"
SECRETS = {
    "FLUTTERWAVE_SECRET_KEY": KEY,
    "FLUTTERWAVE_WEBHOOK_HASH": "hash-of-the-webhooks",
    "CACHE_URL": "redis://:cache-secret-word@127.0.0.1:{}/0",
    "CELERY_BROKER_URL": "amqp://guest:broker-secret-word@127.0.0.1:{}//",
    "DATABASE_URL": "postgresql://exchange_app:database-secret-word@127.0.0.1:{}/exchange",
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


@pytest.mark.parametrize("listening", [False, True], ids=["refusing", "silent"])
def test_when_everything_is_down_each_part_is_named_in_bounded_time(listening: bool) -> None:
    with ExitStack() as stack:
        port = stack.enter_context(silent_port(listening=listening))
        given = {name: text.format(port) for name, text in SECRETS.items()}
        provider = f"http://{HOST}:{port}/v3"
        report = doctor(**given, FLUTTERWAVE_BASE_URL=provider, SECURE_SSL_REDIRECT="false")
    for group, check in (
        ("Database", "connection"), ("Broker", "broker"),
        ("Cache", "cache"), ("Provider", "provider"), ("Configuration", "proxy"),
    ):  # fmt: skip
        assert report.levels(group, check) == ["problem"], (group, report.text)
    # What needs one of them is listed once, not as a fault of its own.
    assert "role, migrations" in report.seen("Database", "not checked")
    assert report.levels("Staff", "not checked") == ["warning"]
    assert report.levels("Disk & clock", "temporary directory") != []
    assert "could not be checked" not in report.text
    assert "no answer within" not in report.text


@pytest.fixture(scope="module")
def installation(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, str]]:
    """A migrated database with people, a secret and a proof; URLs of its owner and the login."""
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
                make_organisation_with_endpoint("https://example.com/in")
            owner.execute(
                "INSERT INTO wallets_booksproof"
                " (id, ran_at, passed, findings, milliseconds, totals)"
                " VALUES (gen_random_uuid(), now() - interval '2 hours', true, '[]', 5, '{}')"
            )
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


def publish_now(url: str, *, seconds_ago: float = 0) -> None:
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute(
            "INSERT INTO exchange_scheduledrun VALUES ('exchange.tasks.deliver_events', now() -"
            " make_interval(secs => %s)) ON CONFLICT (task) DO UPDATE SET"
            " published_at = excluded.published_at",
            [seconds_ago],
        )


def test_a_sound_installation_passes_every_check_of_its_database(installation) -> None:
    publish_now(installation["owner"])
    with provider_server(KEY) as provider:
        report = doctor(
            DATABASE_URL=installation["app"],
            FLUTTERWAVE_BASE_URL=provider,
            FLUTTERWAVE_SECRET_KEY=KEY,
            **PROXY,
        )
    for group, check in (
        ("Configuration", "settings"), ("Configuration", "variables"), ("Configuration", "proxy"),
        ("Configuration", "stored secrets"),
        ("Database", "version"), ("Database", "pooler"), ("Database", "encryption"),
        ("Database", "role"), ("Database", "migrations"), ("Database", "sql"), ("Database", "text"),
        ("Database", "books"), ("Database", "connections"), ("Database", "transactions"),
        ("Broker", "beat"),
        ("Provider", "provider"), ("Provider", "webhooks"), ("Provider", "payouts"),
        ("Staff", FINANCE_APPROVER), ("Staff", ADMINISTRATOR), ("Staff", "second factor"),
        ("Provider", "clock and provider"), ("Disk & clock", "clock and database"),
    ):  # fmt: skip
        assert report.levels(group, check) == ["ok"], (group, check, report.seen(group, check))
    assert report.seen("Configuration", "stored secrets") == "all 4 readable"
    assert len(report.levels("Database", "commits")) == 1
    with psycopg.connect(installation["owner"]) as connection:
        [fsync] = connection.execute("SHOW fsync").fetchone() or [""]
    # The embedded server of tests does not wait for the disk.
    assert report.levels("Database", "fsync") == ([] if fsync == "on" else ["problem"])
    assert report.levels("Database", "durability") == (["ok"] if fsync == "on" else [])
    # The key is one for tests, and there is no standby.
    assert report.levels("Provider", "key") == ["warning"]
    assert report.levels("Database", "standbys") == ["warning"]


def test_faults_of_configuration_database_provider_and_staff_are_found(installation) -> None:
    publish_now(installation["owner"], seconds_ago=600)
    with ExitStack() as stack:
        owner = stack.enter_context(psycopg.connect(installation["owner"], autocommit=True))
        database_name = owner.info.dbname
        stack.callback(
            owner.execute,
            sql.SQL("ALTER DATABASE {} RESET ALL").format(sql.Identifier(database_name)),
        )
        owner.execute(
            sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(
                sql.Identifier(database_name)
            )
        )
        # Past the guard of stored proofs.
        owner.execute("SET session_replication_role = replica")
        owner.execute("UPDATE wallets_booksproof SET passed = false")
        stack.callback(owner.execute, "UPDATE wallets_booksproof SET passed = true")
        provider = stack.enter_context(provider_server("another key", ahead=-3600))
        report = doctor(
            "--processes", "2000",
            DATABASE_URL=installation["owner"],
            DATABASE_OWNER_URL=installation["owner"],
            FIELD_ENCRYPTION_KEYS=Fernet.generate_key().decode(),
            FLUTTERWAVE_BASE_URL=provider,
            DATABSE_URL="postgresql://user:secret-word@host/name",
            RATE_LIMITS_ENABLE="false",
            CELERY_BROKER_READ_URL="amqp://guest:secret-word@host//",
            PGSSLMODE="disable",
            DATABASE_PORT_5432_TCP="tcp://kubernetes",
            SESSION_MANAGER="desktop",
            WEBHOOK_ALLOW_LOCAL="true",
            RATE_LIMITS_ENABLED="false",
        )  # fmt: skip
    expected = {
        ("Configuration", "proxy"): "redirected to https",
        ("Configuration", "stored secrets"): "cannot be decrypted",
        ("Database", "role"): "superuser",
        ("Database", "synchronous_commit"): "loses payments",
        ("Database", "books"): "do not hold",
        ("Database", "connections"): "2000 processes, 8 each, need 16000 of",
        ("Broker", "beat"): "10 minutes ago",
        ("Provider", "provider"): "rejects the key (401)",
        ("Provider", "clock and provider"): "behind",
    }
    for (group, check), words in expected.items():
        assert set(report.levels(group, check)) == {"problem"}, (group, check, report.text)
        assert words in report.seen(group, check)
    assert report.levels("Configuration", "owner") == ["warning"]
    assert report.levels("Configuration", "webhooks") == ["warning"]
    assert report.levels("Configuration", "rate limits") == ["warning"]
    variables = [each for each in report.findings if each["check"] == "variables"]
    assert {(each["level"], each["seen"].split()[0], each["remedy"]) for each in variables} == {
        ("problem", "CELERY_BROKER_READ_URL", "Remove it"),
        ("warning", "DATABSE_URL", "Rename it to DATABASE_URL, or remove it"),
        ("warning", "RATE_LIMITS_ENABLE", "Rename it to RATE_LIMITS_ENABLED, or remove it"),
        ("warning", "PGSSLMODE", "Remove it, or write it as a parameter of the URL"),
    }


def test_a_login_without_the_runtime_role_and_an_empty_database_are_named(
    installation, django_db_setup: None
) -> None:
    with extra_database("empty") as name:
        report = doctor(DATABASE_URL=server_url(name))
    assert set(report.levels("Database", "migrations")) <= {"problem"}
    assert "could not be checked" not in report.text
    report_of_role = doctor(DATABASE_URL=installation["app"].replace("_app&", "_gone&"))
    assert report_of_role.levels("Database", "connection") == ["problem"]


def test_too_few_people_and_a_superuser_are_found(installation, django_db_blocker) -> None:
    name = conninfo_to_dict(installation["owner"])["dbname"]
    with psycopg.connect(installation["owner"], autocommit=True) as owner:
        with django_connected_to(str(name)), django_db_blocker.unblock():
            create_superuser("root")
        owner.execute("UPDATE exchange_staffuser SET is_active = false WHERE username = 'kwesi'")
        report = doctor(DATABASE_URL=installation["app"])
        owner.execute("UPDATE exchange_staffuser SET is_active = true WHERE username = 'kwesi'")
        owner.execute("UPDATE exchange_staffuser SET is_active = false WHERE username = 'root'")
    assert report.levels("Staff", FINANCE_APPROVER) == ["problem"]
    assert report.levels("Staff", ADMINISTRATOR) == ["ok"]
    assert "root" in report.seen("Staff", "second factor")
    assert report.levels("Staff", "superusers") == ["problem"]


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
        assert "allkeys-lru drops counters" in report.seen("Cache", "cache")
        assert report.levels("Cache", "cache") == ["ok", "warning"]
        assert "allkeys-lru drops tasks" in report.seen("Broker", "broker")
        assert report.levels("Broker", "broker") == ["ok", "problem"]
        assert report.levels("Broker", "workers") == ["problem"]

        report = doctor(CACHE_URL=url.replace("cache-secret", "wrong-secret"))
        assert report.levels("Cache", "cache") == ["problem"]
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
        assert doctor(**given).levels("Broker", "queue") == ["warning"]
        for kind, levels in (("classic", ["ok", "problem"]), ("quorum", ["ok"])):
            queue = kombu.Queue(name, channel=channel, queue_arguments={"x-queue-type": kind})
            queue.declare()
            report = doctor(**given)
            queue.delete()
            assert report.levels("Broker", "queue") == levels, kind


def test_a_check_that_raises_or_hangs_becomes_a_finding_without_secrets(settings: Any) -> None:
    settings.SECRET_KEY = "the secret key of the settings"
    hang = threading.Event()

    def check_raising() -> list[findings.Diagnosis]:
        raise RuntimeError(f"it said {settings.SECRET_KEY}\nand more")

    def check_hanging() -> list[findings.Diagnosis]:
        hang.wait(30)
        return []

    found = findings.run_checks({"A": (check_raising,), "B": (check_hanging,)}, seconds=0.5)
    hang.set()
    assert [each.seen for each in found["A"]] == [
        "could not be checked: RuntimeError: it said *** and more"
    ]
    assert [each.seen for each in found["B"]] == ["no answer within 0.5 seconds"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("DATABSE_URL", ("DATABSE_URL", "DATABASE_URL")),
        ("database_url", ("database_url", "DATABASE_URL")),
        ("CELERY_BROKERURL", ("CELERY_BROKERURL", "CELERY_BROKER_URL")),
        ("DATABASE_NAME", ("DATABASE_NAME", None)),
        ("DATABASE_SERVICE_HOST", None),
        ("PATH", None),
        ("DATABASE_URL", None),
    ],
)
def test_a_variable_like_ours_is_found(given: str, expected: tuple[str, str | None] | None) -> None:
    known = ["DATABASE_URL", "CELERY_BROKER_URL", "DEBUG"]
    found = list(configuration._unread_variables([given], known))
    assert found == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("host", "local"),
    [("", True), ("/run/postgresql", True), ("localhost", True), ("127.0.0.2", True), ("::1", True),
     ("10.0.0.1", False), ("database", False)],
)  # fmt: skip
def test_only_this_machine_needs_no_encryption(host: str, local: bool) -> None:
    assert database.is_local(host) is local
