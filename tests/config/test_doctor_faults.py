"""`manage.py doctor` against faults of a server, a disk, a network and files of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from prometheus_client import start_http_server

from config.doctor import configuration, database, metrics
from config.doctor.findings import Diagnosis, Level
from tests.cluster.certificate import self_signed
from tests.config.doctor_report import doctor
from tests.environment.debian import POSTGRESQL_PROGRAMS, REQUIRED, require_programs
from tests.environment.ports import claim_ports

pytestmark = pytest.mark.standalone

HOST, NAME = "127.0.0.1", "database.example"
UNSAFE = {
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_prepared_transactions": "1",
    "ssl": "on",
}
# The server's clock and the start of its transactions, as its users see them.
CLOCK_AHEAD = """
CREATE FUNCTION public.now() RETURNS timestamptz LANGUAGE sql
    AS 'SELECT pg_catalog.now() + interval ''1 hour''';
CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql
    AS 'SELECT pg_catalog.clock_timestamp() + interval ''1 hour''';
ALTER DATABASE exchange SET search_path = public, pg_catalog;
"""
BLOAT = """
CREATE TABLE bloated_rows (number integer);
INSERT INTO bloated_rows SELECT generate_series(1, 60000);
UPDATE bloated_rows SET number = -number;
SELECT pg_stat_force_next_flush();
"""
PREPARED = "BEGIN; CREATE TABLE forgotten (); PREPARE TRANSACTION 'forgotten'"
OLD_TRANSACTION_ID = """
UPDATE pg_database SET datfrozenxid = ((txid_current() + 2 ^ 32 - 6e8)::bigint)::text::xid
WHERE datname = 'template0'
"""


@dataclass(frozen=True)
class Server:
    """A server of Debian's PostgreSQL, as unsafe as settings can make it."""

    folder: Path
    port: int

    def url(self, login: str, **options: str) -> str:
        """Return the URL of a database on what looks like another machine."""
        given = "".join(f"&{name}={value}" for name, value in options.items())
        return f"postgresql://{login}@{NAME}:{self.port}/exchange?hostaddr={HOST}{given}"

    def connect(self, login: str, **options: str) -> psycopg.Connection[Any]:
        return psycopg.connect(self.url(login, **options), autocommit=True)

    def run(self, program: str, *arguments: str) -> None:
        """Run a program of the server as its user."""
        user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        subprocess.run(
            [*user, f"{POSTGRESQL_PROGRAMS}/{program}", *arguments],
            cwd=self.folder,
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=60,
        )


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    require_programs({f"{POSTGRESQL_PROGRAMS}/postgres": "postgresql-15"})
    made = Server(Path(tempfile.mkdtemp(prefix="exchange-")), claim_ports())
    data = made.folder / "data"
    pem = self_signed(NAME, HOST)
    for name, content in (("key", pem.key), ("crt", pem.certificate)):
        (made.folder / f"server.{name}").write_bytes(content)
        (made.folder / f"server.{name}").chmod(0o600)
    if os.geteuid() == 0:
        for path in (made.folder, *made.folder.iterdir()):
            shutil.chown(path, "postgres")
    try:
        made.run("initdb", "--no-sync", "--auth=trust", "--username=postgres", "-E", "UTF8",
                 "--locale=C.UTF-8", f"--pgdata={data}")  # fmt: skip
        given = {**UNSAFE, "listen_addresses": HOST, "port": str(made.port),
                 "unix_socket_directories": str(made.folder),
                 "ssl_cert_file": str(made.folder / "server.crt"),
                 "ssl_key_file": str(made.folder / "server.key")}  # fmt: skip
        options = " ".join(f"-c {name}={value}" for name, value in given.items())
        made.run("pg_ctl", "start", "-w", "-D", str(data), "-l", f"{data}.log", "-o", options)
        with psycopg.connect(
            f"postgresql://postgres@{HOST}:{made.port}/postgres", autocommit=True
        ) as administrator:
            # Collations of ICU have versions on every system.
            for statement in (
                "CREATE ROLE exchange_runtime NOLOGIN",
                "CREATE ROLE exchange_app LOGIN NOINHERIT IN ROLE exchange_runtime",
                "CREATE DATABASE exchange TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en'",
            ):
                administrator.execute(statement)
        yield made
        made.run("pg_ctl", "stop", "-w", "-D", str(data), "-m", "immediate")
    finally:
        shutil.rmtree(made.folder, ignore_errors=True)


def test_an_unsafe_neglected_server_with_a_wrong_clock_is_described(server: Server) -> None:
    with server.connect("postgres") as administrator, server.connect("exchange_app") as session:
        for statements in (
            BLOAT, PREPARED, OLD_TRANSACTION_ID, CLOCK_AHEAD,
            "ALTER DATABASE exchange SET track_counts = off",
            "UPDATE pg_database SET datcollversion = '1.2' WHERE datname = 'exchange'",
        ):  # fmt: skip
            administrator.execute(statements)
        session.execute("BEGIN")
        session.execute("SELECT 1")
        report = doctor(
            DATABASE_URL=server.url(
                "exchange_app", sslmode="verify-full", sslrootcert=f"{server.folder}/server.crt"
            )
        )
    for group, check, level, words in (
        ("Database", "fsync", "problem", "corrupts the database"),
        ("Database", "full_page_writes", "problem", "corrupts the database"),
        ("Database", "checksums", "warning", "damage of the disk"),
        ("Database", "collation", "problem", "changed from 1.2 to "),
        ("Database", "vacuum", "problem", "autovacuum is off"),
        ("Database", "vacuum", "problem", "track_counts is off"),
        ("Database", "vacuum", "warning", "bloated_rows has 60,000 dead rows and 60,000 live"),
        ("Database", "vacuum", "problem", "the oldest transaction id is 600,"),
        ("Database", "transactions", "problem", "1 prepared and never finished"),
        ("Database", "transactions", "warning", "open for 60 minutes (idle in transaction)"),
        ("Disk & clock", "clock and database", "problem", "3600.0 seconds ahead"),
        ("Database", "encryption", "ok", "TLS, certificate verified"),
    ):
        assert any(
            (each["group"], each["check"], each["level"]) == (group, check, level)
            and words in each["seen"]
            for each in report.findings
        ), (check, words, report.text)
    assert report.levels("Database", "durability") == []


def test_a_connection_without_tls_or_with_an_unknown_server_is_found(server: Server) -> None:
    found = []
    for mode in ("disable", "require"):
        with server.connect("exchange_app", sslmode=mode) as connection:
            found.append(database._encryption(connection, "DATABASE_URL"))
    assert [(each.level, each.seen) for each in found] == [
        (Level.PROBLEM, "passwords and data cross the network in plain text"),
        (Level.WARNING, "sslmode=require does not check which server answers"),
    ]


# A machine with a public address, and disks that are nearly full or cannot be written.
PUBLIC = "9.9.9.9"
NETWORK = f"""
ip link set lo up
ip address add {PUBLIC}/32 dev lo
ip route add default dev lo src {PUBLIC}
"""
READ_ONLY = """
for folder in /tmp /var/tmp /usr/tmp "$PWD"; do
    if [ -d "$folder" ]; then
        mount --bind "$folder" "$folder"
        mount -o remount,bind,ro "$folder"
    fi
done
"""


def machine(script: str) -> list[str]:
    """Return the command that runs another one with networks and mounts of its own."""
    require_programs({"ip": "iproute2", "unshare": "util-linux"})
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    command = ["unshare", *user, "--net", "--mount"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        (pytest.fail if REQUIRED else pytest.skip)("This machine allows no namespaces")
    return [*command, "sh", "-ec", f'{script}\nexec "$@"', "sh"]


@pytest.mark.parametrize(
    ("script", "level", "words"),
    [
        ('mount -t tmpfs -o size=100m tmpfs "$TMPDIR"', "problem", "0.1 GiB of 0.1 free"),
        (READ_ONLY, "problem", "none can be written"),
    ],
    ids=["nearly full", "read-only"],
)
def test_disks_and_public_metrics_are_found(
    tmp_path: Path, script: str, level: str, words: str
) -> None:
    report = doctor(
        within=machine(NETWORK + script), TMPDIR=str(tmp_path), METRICS_LISTEN="0.0.0.0:9464"
    )
    assert report.levels("Disk & clock", "temporary directory") == [level]
    assert words in report.seen("Disk & clock", "temporary directory")
    assert report.levels("Metrics", "metrics") == ["problem"]
    assert f"with {PUBLIC}, where anyone" in report.seen("Metrics", "metrics")
    assert report.levels("Metrics", "metrics of beat") == ["ok"]


def metrics_findings(settings: Any, host: str, port: int) -> list[Diagnosis]:
    settings.METRICS_LISTEN = host, port
    return list(metrics.check_metrics())


def test_ports_of_metrics_are_free_or_the_services(settings: Any) -> None:
    port = claim_ports(3)
    exporter, thread = start_http_server(port, HOST)
    with ThreadingHTTPServer((HOST, port + 1), BaseHTTPRequestHandler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        found = metrics_findings(settings, HOST, port)
        other.shutdown()
    exporter.shutdown()
    exporter.server_close()
    thread.join()
    assert [(each.level, each.seen) for each in found] == [
        (Level.OK, f"served on port {port}"),
        (
            Level.PROBLEM,
            f"port {port + 1} of {HOST} is used by another program, so worker does not start",
        ),
        (Level.OK, f"port {port + 2} is free: no beat runs here"),
    ]
    elsewhere = metrics_findings(settings, "192.0.2.1", port)
    assert {each.level for each in elsewhere} == {Level.PROBLEM}
    assert "Cannot listen on 192.0.2.1" in elsewhere[0].seen


def test_static_files_that_were_not_collected_are_found(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"},
    }
    storage: Any = staticfiles_storage
    [before] = configuration.check_static_files()
    call_command("collectstatic", interactive=False, verbosity=0)
    [complete] = configuration.check_static_files()
    (tmp_path / storage.hashed_files["signin.css"]).unlink()
    [after] = configuration.check_static_files()
    number = len(storage.hashed_files)
    assert [(each.level, each.seen) for each in (before, complete, after)] == [
        (Level.PROBLEM, f"{number} of {number} are not collected: pages fail"),
        (Level.OK, f"all {number} are collected"),
        (Level.PROBLEM, f"1 of {number} are not collected: pages fail"),
    ]
    assert "collectstatic" in before.remedy
